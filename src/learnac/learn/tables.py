"""From a table in memory to a model: who counts, and which rows are held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.data import Dataset
from learnac.learn.counts import TableCounts
from learnac.learn.loop import learn, learn_network
from learnac.learn.model import Learned, StepInfo
from learnac.learn.settings import LearnSettings
from learnac.learn.state import Checkpoints

Floats = NDArray[np.float64]

# Of the rows, if smoothing is left open and there is no validation table.
HELD_OUT_SHARE = 0.1
# Of fewer rows none are held out: ten rows say too little about how much to smooth.
LEAST_ROWS_TO_HOLD_OUT = 100


def learn_table(
    dataset: Dataset,
    settings: LearnSettings,
    *,
    validation: Dataset | None = None,
    sample_weight: Floats | None = None,
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
        **_counted(dataset, settings, validation, sample_weight),
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
    counted = _counted(dataset, settings, validation, sample_weight)
    return learn_network(dataset.schema, settings=settings, allowed_parents=allowed_parents, on_step=on_step, **counted)


def _counted(
    dataset: Dataset, settings: LearnSettings, validation: Dataset | None, sample_weight: Floats | None
) -> dict[str, Any]:
    """Who counts which rows, by the names that `learn` has for them."""
    if validation is not None:
        return {"counts": TableCounts(dataset, sample_weight), "validation": TableCounts(validation)}
    is_present = np.flatnonzero(np.ones(dataset.n_rows) if sample_weight is None else sample_weight)
    if not settings.chooses_smoothing or len(is_present) < LEAST_ROWS_TO_HOLD_OUT:
        return {"counts": TableCounts(dataset, sample_weight)}
    # By lot, and always the same of the same number of rows.
    order = np.random.default_rng(0).permutation(is_present)
    n_held_out = round(HELD_OUT_SHARE * len(order))
    held_out, rest = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    return {
        "counts": _some_rows(dataset, sample_weight, rest),
        "held_out": _some_rows(dataset, sample_weight, held_out),
    }


def _some_rows(dataset: Dataset, sample_weight: Floats | None, rows: NDArray[np.intp]) -> TableCounts:
    some = Dataset(dataset.schema, np.ascontiguousarray(dataset.codes[:, rows]))
    return TableCounts(some, None if sample_weight is None else sample_weight[rows])
