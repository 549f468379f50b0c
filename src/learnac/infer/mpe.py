"""The most probable explanation: maxima in place of sums, then the way back down (Chan & Darwiche 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit
from learnac.data import Evidence, Soft, as_evidence
from learnac.infer.engine import Engine, engine_of, usable_threads
from learnac.types import PartialCodes


def mpe(circuit: Circuit, given: object = None, *, soft: Soft | None = None, n_threads: int = 1) -> tuple[Any, Any]:
    """The most probable combination of values for everything unknown in each row, and its log-probability.

    The completed rows have the type of `given`. If several completions have the same probability, the choice is always
    the same. Likelihoods of soft evidence are factors of the probability. Cost: one upward pass, and a walk down of a
    few steps for each variable.
    """
    engine = engine_of(circuit)
    evidence = as_evidence(engine.schema, given, soft)
    worlds, log_values = most_probable(engine, evidence, n_threads)
    return evidence.completed(worlds), float(log_values[0]) if evidence.is_one else log_values


def most_probable(engine: Engine, evidence: Evidence, n_threads: int) -> tuple[PartialCodes, NDArray[np.float64]]:
    """The completed codes, and their log-probabilities."""
    engine.require_deterministic("mpe")
    worlds = evidence.codes.copy(order="C")
    log_values = engine.evaluator.most_probable(*evidence.arrays, worlds, usable_threads(n_threads))
    evidence.require_possible(log_values)
    return worlds, log_values + evidence.log_scales
