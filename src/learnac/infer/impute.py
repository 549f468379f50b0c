"""Filling gaps: with the most probable completion of a row, or the most probable value of each gap by itself."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from learnac.circuit import Circuit
from learnac.data.forms import completed
from learnac.infer.engine import engine_of
from learnac.infer.evidence import Given, read_given
from learnac.infer.marginals import iter_posteriors
from learnac.infer.mpe import most_probable
from learnac.types import Evidence

METHODS = ("mpe", "marginal")


def impute(circuit: Circuit, X: object, method: str = "mpe", *, n_threads: int = 1) -> Any:
    """X with its gaps filled, in the same form.

    "mpe" fills all gaps of a row together, with its most probable completion; "marginal" fills each gap with the value
    of the highest posterior, the first of equals. Cost: as `mpe` or `marginals`, for the rows that have gaps.
    """
    if method not in METHODS:
        raise ValueError(f"method: expected 'mpe' or 'marginal', found {method!r}")
    engine = engine_of(circuit)
    evidence = read_given(engine, X, may_lack_columns=False)
    codes = evidence.codes.copy()
    with_gaps = np.flatnonzero((codes < 0).any(axis=0))
    if len(with_gaps) > 0:
        fill = _by_completion if method == "mpe" else _by_posterior
        codes[:, with_gaps] = fill(evidence.rows(with_gaps), n_threads)
    return completed(X, engine.schema, evidence.codes, codes)


def _by_completion(evidence: Given, n_threads: int) -> Evidence:
    return most_probable(evidence, n_threads)[0]


def _by_posterior(evidence: Given, n_threads: int) -> Evidence:
    engine = evidence.engine
    codes = evidence.codes.copy()
    # Where a value is known its posterior is 1, so that all values can be taken from the posteriors.
    for rows, posteriors in iter_posteriors(evidence, engine.all_variables, n_threads):
        for variable, (start, end) in enumerate(pairwise(engine.starts)):
            codes[variable, rows] = posteriors[:, start:end].argmax(axis=1)
    return codes
