"""The core's form of a circuit: compiled once, kept as long as the circuit lives."""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from learnac._core import Evaluator, MixtureEvaluator
from learnac.circuit.circuit import Circuit
from learnac.circuit.mixture import Mixture
from learnac.data import Schema
from learnac.types import PartialCodes

_lock = Lock()
_evaluators: WeakKeyDictionary[Circuit, Evaluator] = WeakKeyDictionary()
_mixture_evaluators: WeakKeyDictionary[Mixture, MixtureEvaluator] = WeakKeyDictionary()


def mixture_evaluator(mixture: Mixture) -> MixtureEvaluator:
    """What answers the mixture's queries in the core, components in lanes."""
    with _lock:
        evaluator = _mixture_evaluators.get(mixture)
        if evaluator is None:
            arities, kinds, labels, child_offsets, children, _ = mixture.structure.arrays
            evaluator = _mixture_evaluators[mixture] = MixtureEvaluator(
                arities, kinds, labels, child_offsets, children, mixture.parameters, mixture.weights
            )
        return evaluator


def core_evaluator(circuit: Circuit) -> Evaluator:
    """What answers the circuit's queries in the core. Compiling it takes 0.05 s for a million edges, the first time."""
    with _lock:
        evaluator = _evaluators.get(circuit)
        if evaluator is None:
            evaluator = _evaluators[circuit] = Evaluator(*circuit.arrays)
        return evaluator


def log_total(circuit: Circuit) -> float:
    """The log of the circuit's value with all indicators 1: 0 for a distribution."""
    return float(core_evaluator(circuit).log_values(*_nothing_known(circuit.schema), 1)[0])


def totals_of_components(mixture: Mixture) -> NDArray[np.float64]:
    """The value of each component with all indicators 1, times its weight: the weight, for a distribution."""
    log_values, posteriors = mixture_evaluator(mixture).components(*_nothing_known(mixture.schema), 1)
    return np.asarray(posteriors[0] * np.exp(log_values[0]), dtype=np.float64)


def _nothing_known(schema: Schema) -> tuple[PartialCodes, NDArray[np.uint32], NDArray[np.float64]]:
    unknown = np.full((schema.n_variables, 1), -1, dtype=schema.evidence_dtype)
    return unknown, np.empty(0, np.uint32), np.empty((0, 0))
