"""From a table in memory to a model: who counts, and which rows are held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnac.data import Dataset
from learnac.defaults import LEAST_ROWS_TO_HOLD_OUT
from learnac.learn import held_out
from learnac.learn.counts import TableCounts
from learnac.learn.loop import Fold, learn, learn_network, learn_sizes
from learnac.learn.model import Learned, StepInfo
from learnac.learn.parents import Parents
from learnac.learn.settings import LearnSettings
from learnac.learn.state import Checkpoints, SearchState

Floats = NDArray[np.float64]


class Rows(NamedTuple):
    """A table, and how much each row of it counts, if not once."""

    dataset: Dataset
    weights: Floats | None = None

    def that_count(self) -> Rows:
        """Without those that weigh nothing, unless all do."""
        if self.weights is None or (self.weights > 0).all() or not self.weights.any():
            return self
        return self.some(np.flatnonzero(self.weights))

    def some(self, rows: NDArray[np.intp]) -> Rows:
        return Rows(self.dataset[rows], None if self.weights is None else self.weights[rows])


def learn_table(
    dataset: Dataset,
    settings: LearnSettings,
    *,
    validation: Dataset | None = None,
    sample_weight: Floats | None = None,
    validation_weight: Floats | None = None,
    allowed_parents: Parents = None,
    on_step: Callable[[StepInfo], object] | None = None,
    checkpoints: Checkpoints[SearchState] | None = None,
) -> Learned:
    """`learn`, from a table. Without a validation table, some rows are held out if smoothing is to be chosen."""
    return learn(
        dataset.schema,
        settings=settings,
        allowed_parents=allowed_parents,
        on_step=on_step,
        checkpoints=checkpoints,
        **_counted(dataset, validation, sample_weight, validation_weight),
    )


def learn_table_sizes(
    rows: Rows,
    settings: LearnSettings,
    sizes: Sequence[int],
    *,
    validation: Rows,
    allowed_parents: Parents = None,
    on_step: Callable[[StepInfo], object] | None = None,
) -> list[Learned]:
    """`learn_sizes`, from a table."""
    return learn_sizes(
        rows.dataset.schema,
        TableCounts(*rows),
        settings,
        sizes,
        validation=TableCounts(*validation),
        allowed_parents=allowed_parents,
        on_step=on_step,
    )


def learn_table_network(
    dataset: Dataset,
    settings: LearnSettings,
    *,
    validation: Dataset | None = None,
    sample_weight: Floats | None = None,
    allowed_parents: Parents = None,
    on_step: Callable[[StepInfo], object] | None = None,
) -> Learned:
    """`learn_network`, from a table."""
    counted = _counted(dataset, validation, sample_weight)
    return learn_network(dataset.schema, settings=settings, allowed_parents=allowed_parents, on_step=on_step, **counted)


def _counted(
    dataset: Dataset,
    validation: Dataset | None,
    sample_weight: Floats | None,
    validation_weight: Floats | None = None,
) -> dict[str, Any]:
    """Who counts which rows, by the names that `learn` has for them."""
    counts = TableCounts(dataset, sample_weight)
    if validation is not None:
        return {"counts": counts, "validation": TableCounts(validation, validation_weight)}
    folds = held_out_tenths(Rows(dataset, sample_weight))
    return {"counts": counts, "folds": folds and (Fold(*(TableCounts(*part) for part in fold)) for fold in folds)}


def held_out_tenths(rows: Rows, least_rows: int = LEAST_ROWS_TO_HOLD_OUT) -> Iterator[tuple[Rows, Rows]] | None:
    """Pairs of rows as `tenths_of` numbers them: others, and a tenth that is held out."""
    tenths = tenths_of(np.ones(rows.dataset.n_rows) if rows.weights is None else rows.weights, least_rows)
    return None if tenths is None else ((rows.some(kept), rows.some(tenth)) for kept, tenth in tenths)


def tenths_of(
    weights: Floats, least_rows: int = LEAST_ROWS_TO_HOLD_OUT
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]] | None:
    """A tenth of the rows is held out: once, or as often as it takes to have held out enough of a small table.

    Pairs of the other rows and the tenth, drawn by lot, and always the same of the same number of rows. None for too
    few rows that weigh anything.
    """
    counted = np.flatnonzero(weights)
    tenths = held_out.tenths_of(len(counted), least_rows)
    if tenths is None:
        return None
    labels = tenths.labels(0, len(counted))
    folds = (labels == number for number in range(tenths.n_folds))
    return ((counted[~is_held_out], counted[is_held_out]) for is_held_out in folds)
