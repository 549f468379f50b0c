"""The most probable explanation: maxima in place of sums, then the way back down (Chan & Darwiche 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit
from learnac.data.forms import DatasetForm, MappingForm, completed
from learnac.infer.engine import engine_of
from learnac.infer.evidence import Given, Soft, read_given
from learnac.types import Evidence


def mpe(circuit: Circuit, given: object = None, *, soft: Soft | None = None, n_threads: int = 1) -> tuple[Any, Any]:
    """The most probable completion of each row, in the form the rows were given, and its log-probability.

    Of completions with equal probability always the same one. With soft evidence the likelihoods count too, in the
    choice and in the log-probability. Cost: one upward pass, and a walk down of a few steps for each variable.
    """
    engine = engine_of(circuit)
    evidence = read_given(engine, given, soft)
    worlds, log_values = most_probable(evidence, n_threads)
    if evidence.is_one:
        return MappingForm().table(engine.schema, worlds), float(log_values[0])
    if evidence.n_rows > 1 and isinstance(evidence.form, MappingForm):  # One dict, and likelihoods for many rows.
        return DatasetForm().table(engine.schema, worlds), log_values
    return completed(given, engine.schema, evidence.codes, worlds), log_values


def most_probable(evidence: Given, n_threads: int) -> tuple[Evidence, NDArray[np.float64]]:
    """The completed codes, and their log-probabilities."""
    evidence.engine.require_deterministic("mpe")
    worlds = evidence.codes.copy(order="C")
    log_values = evidence.engine.evaluator.most_probable(*evidence.arrays, worlds, n_threads)
    evidence.require_possible(log_values)
    return worlds, log_values + evidence.log_scales
