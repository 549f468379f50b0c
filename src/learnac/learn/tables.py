"""From a table in memory to a model: who counts, and which rows are held out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.data import Dataset
from learnac.defaults import ENOUGH_HELD_OUT, LEAST_ROWS_TO_HOLD_OUT
from learnac.learn.counts import TableCounts
from learnac.learn.loop import Fold, learn, learn_network
from learnac.learn.model import Learned, StepInfo
from learnac.learn.settings import LearnSettings
from learnac.learn.state import Checkpoints

Floats = NDArray[np.float64]


def learn_table(
    dataset: Dataset,
    settings: LearnSettings,
    *,
    validation: Dataset | None = None,
    sample_weight: Floats | None = None,
    validation_weight: Floats | None = None,
    allowed_parents: Mapping[Any, Iterable[Any]] | None = None,
    on_step: Callable[[StepInfo], object] | None = None,
    checkpoints: Checkpoints | None = None,
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


def learn_table_network(
    dataset: Dataset,
    settings: LearnSettings,
    *,
    validation: Dataset | None = None,
    sample_weight: Floats | None = None,
    allowed_parents: Mapping[Any, Iterable[Any]] | None = None,
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
    rows = np.flatnonzero(np.ones(dataset.n_rows) if sample_weight is None else sample_weight)
    folds = None if len(rows) < LEAST_ROWS_TO_HOLD_OUT else _folds(dataset, sample_weight, rows)
    return {"counts": counts, "folds": folds}


def _folds(dataset: Dataset, sample_weight: Floats | None, rows: NDArray[np.intp]) -> Iterator[Fold]:
    """A tenth of the rows is held out: once, or as often as it takes to have held out enough of a small table.

    Drawn by lot, and always the same of the same number of rows. A fold is packed when it is asked for.
    """
    tenths = np.array_split(np.random.default_rng(0).permutation(rows), 10)
    n_folds = min(10, math.ceil(ENOUGH_HELD_OUT / len(tenths[0])))
    for i in range(n_folds):
        others = np.sort(np.concatenate([*tenths[:i], *tenths[i + 1 :]]))
        yield Fold(_some_rows(dataset, sample_weight, others), _some_rows(dataset, sample_weight, np.sort(tenths[i])))


def _some_rows(dataset: Dataset, sample_weight: Floats | None, rows: NDArray[np.intp]) -> TableCounts:
    return TableCounts(dataset[rows], None if sample_weight is None else sample_weight[rows])
