"""Filling gaps: with the most probable completion of a row, or the most probable value of each gap by itself."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Queryable
from learnac.data import Evidence, as_evidence
from learnac.infer.engine import Engine, engine_of
from learnac.infer.mpe import MAX_SECONDS, check_max_seconds, most_probable
from learnac.infer.numbers import like_those_of, number_means
from learnac.infer.posteriors import iter_posteriors
from learnac.types import PartialCodes

METHODS = ("mpe", "marginal")


def impute(
    circuit: Queryable, X: object, method: str = "mpe", *, max_seconds: float = MAX_SECONDS, n_threads: int = 1
) -> Any:
    """X with its missing values filled in, as the same type of table. Known values do not change.

    "mpe" fills all missing values of a row with their most probable combination. "marginal" fills each with its own
    most probable value (the first, if several are equal), and numbers with their mean. Cost: as `mpe` or `marginals`,
    for rows with missing values; `max_seconds` is for `mpe` of a mixture.
    """
    if X is None:
        raise TypeError("X: expected rows, found None")
    evidence = as_evidence(circuit.schema, X, may_lack_columns=False)
    return evidence.completed(*completed(circuit, evidence, method, max_seconds=max_seconds, n_threads=n_threads))


def completed(
    circuit: Queryable, evidence: Evidence, method: str = "mpe", *, max_seconds: float = MAX_SECONDS, n_threads: int = 1
) -> tuple[PartialCodes, dict[int, NDArray[np.float64]]]:
    """The codes of rows (variables x rows), with those that `impute` fills the gaps by; and numbers likewise."""
    if method not in METHODS:
        raise ValueError(f"method: expected 'mpe' or 'marginal', found {method!r}")
    check_max_seconds(max_seconds)
    engine = engine_of(circuit)
    codes = evidence.codes.copy()
    with_gaps = np.flatnonzero((codes < 0).any(axis=0))
    if len(with_gaps) == 0:
        return codes, evidence.numbers_of(codes)
    rows = evidence.rows(with_gaps)
    if method == "mpe":
        codes[:, with_gaps] = most_probable(engine, rows, n_threads, max_seconds)[0]
        return codes, evidence.numbers_of(codes)
    codes[:, with_gaps], means = _by_posterior(engine, rows, n_threads)
    numbers = evidence.numbers_of(codes)
    for variable, column in means.items():
        is_gap = evidence.codes[variable, with_gaps] < 0
        numbers[variable][with_gaps[is_gap]] = column[is_gap]
    return codes, numbers


def _by_posterior(
    engine: Engine, evidence: Evidence, n_threads: int
) -> tuple[PartialCodes, dict[int, NDArray[np.float64]]]:
    codes = evidence.codes.copy()
    means = {variable: np.empty(evidence.n_rows) for variable in engine.schema.numbers}
    # Where a value is known its posterior is 1, so that all values can be taken from the posteriors.
    for rows, posteriors in iter_posteriors(engine, evidence, engine.all_variables, n_threads):
        for variable, (start, end) in enumerate(pairwise(engine.starts)):
            posterior = posteriors[:, start:end]
            codes[variable, rows] = posterior.argmax(axis=1)
            if variable in means:
                found = number_means(evidence.rows(rows), variable, posterior)
                means[variable][rows] = like_those_of(engine.schema, variable, found)
    return codes, means
