"""The most probable explanation: maxima in place of sums, then the way back down (Chan & Darwiche 2006)."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Queryable
from learnac.data import Evidence, Soft, as_evidence
from learnac.infer import mixture_mpe
from learnac.infer.engine import Engine, engine_of, usable_threads
from learnac.types import PartialCodes

MAX_SECONDS = 10.0
"""For a proof that a completion under a mixture is the most probable one."""


def mpe(
    circuit: Queryable,
    given: object = None,
    *,
    soft: Soft | None = None,
    max_seconds: float = MAX_SECONDS,
    n_threads: int = 1,
) -> tuple[Any, Any]:
    """The most probable combination of values for everything unknown in each row, and its log-probability.

    The completed rows have the type of `given`. If several completions have the same probability, the choice is always
    the same. A number that is not known is the one of the highest density. Likelihoods of soft evidence are factors of
    the probability. Cost: one upward pass, and a walk down of a few steps for each variable. For a mixture it is a
    search with bounds: if `max_seconds` for all rows are not enough to prove that no completion is more probable, a
    NotProvenWarning says by how much one may be.
    """
    check_max_seconds(max_seconds)
    engine = engine_of(circuit)
    evidence = as_evidence(engine.schema, given, soft)
    worlds, log_values = most_probable(engine, evidence, n_threads, max_seconds)
    return evidence.completed(worlds), float(log_values[0]) if evidence.is_one else log_values


def check_max_seconds(max_seconds: float) -> None:
    if not isinstance(max_seconds, Real) or isinstance(max_seconds, bool) or not max_seconds >= 0:
        raise ValueError(f"max_seconds: expected a number from 0, found {max_seconds!r}")


def most_probable(
    engine: Engine, evidence: Evidence, n_threads: int, max_seconds: float = MAX_SECONDS
) -> tuple[PartialCodes, NDArray[np.float64]]:
    """The completed codes, and their log-probabilities; with numbers, log-densities."""
    return search(engine, evidence, n_threads, max_seconds)[:2]


def search(
    engine: Engine, evidence: Evidence, n_threads: int, max_seconds: float = MAX_SECONDS
) -> tuple[PartialCodes, NDArray[np.float64], NDArray[np.bool_]]:
    """The same, and whether it is proven of each row that no other completion is more probable."""
    threads = usable_threads(n_threads)
    evidence = evidence.densest() if evidence.schema.numbers else evidence
    if engine.components is not None:
        worlds, log_values, bounds = mixture_mpe.most_probable(engine, evidence, max_seconds, threads)
        is_proven = mixture_mpe.are_proven(log_values, bounds)
    else:
        engine.require_deterministic("mpe")
        worlds = evidence.codes.copy(order="C")
        log_values = engine.evaluator.most_probable(*evidence.arrays, worlds, threads)
        is_proven = np.ones(evidence.n_rows, dtype=bool)
    evidence.require_possible(log_values)
    return worlds, log_values + evidence.log_scales, is_proven
