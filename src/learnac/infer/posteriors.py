"""Posteriors of chosen variables as arrays, by blocks of rows: what several queries are made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from learnac.data import Evidence
from learnac.infer.engine import Engine, usable_threads

# Memory for the posteriors of a block of rows, in numbers.
_BLOCK_SIZE = 8_000_000


def posterior_of(engine: Engine, evidence: Evidence, variable: int, n_threads: int) -> NDArray[np.float64]:
    """Posterior of one variable, (rows x arity)."""
    wanted = np.array([variable], dtype=np.uint32)
    result = np.empty((evidence.n_rows, len(evidence.schema.categories[variable])))
    for rows, posteriors in iter_posteriors(engine, evidence, wanted, n_threads):
        result[rows] = posteriors
    return result


def iter_posteriors(
    engine: Engine,
    evidence: Evidence,
    wanted: NDArray[np.uint32],
    n_threads: int,
    block_rows: int | None = None,
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Slices of rows, and their posteriors side by side, (rows x values of the wanted variables)."""
    width = sum(len(evidence.schema.categories[variable]) for variable in wanted)
    step = block_rows or max(1, _BLOCK_SIZE // width)
    for start in range(0, evidence.n_rows, step):
        rows = slice(start, min(start + step, evidence.n_rows))
        yield rows, posteriors_of(engine, evidence.rows(rows), wanted, n_threads)


def posteriors_of(
    engine: Engine, evidence: Evidence, wanted: NDArray[np.uint32], n_threads: int
) -> NDArray[np.float64]:
    """Posteriors of all rows at once, (rows x values of the wanted variables)."""
    log_values, posteriors = engine.evaluator.marginals(*evidence.arrays, wanted, usable_threads(n_threads))
    evidence.require_possible(log_values)
    return posteriors
