"""The three properties that make a circuit answer exactly (Definition 3 of the paper), and who must have them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from learnac._core import circuit_properties
from learnac.circuit.circuit import Circuit
from learnac.circuit.core_evaluator import log_total, totals_of_components
from learnac.circuit.mixture import Mixture

# How far the log of a total may be from 0: files round their numbers.
_SUMS_TO_ONE = 1e-6


class Properties(NamedTuple):
    """Smooth and decomposable circuits sum out exactly; deterministic ones maximise exactly too."""

    is_smooth: bool
    is_decomposable: bool
    is_deterministic: bool
    has_all_variables: bool  # whether the root speaks of every variable of the schema
    is_labelled_rightly: bool  # whether every sum that says which variable it decides does so


def properties(circuit: Circuit) -> Properties:
    """Which of the properties hold. Cost: a pass over the edges for each 64 variables, and one for each 64 values."""
    variable_of_parameter = np.ascontiguousarray(circuit.parameter_origins[:, 0], dtype=np.int32)
    return Properties(*circuit_properties(*circuit.arrays, variable_of_parameter))


def is_smooth(circuit: Circuit) -> bool:
    """Whether the children of each sum speak of the same variables, by indicators and by parameters."""
    return properties(circuit).is_smooth


def is_decomposable(circuit: Circuit) -> bool:
    """Whether no two children of a product speak of the same variable."""
    return properties(circuit).is_decomposable


def is_deterministic(circuit: Circuit) -> bool:
    """Whether the children of each sum hold disjoint, non-empty sets of values of the variable it decides."""
    return properties(circuit).is_deterministic


def check_distribution(circuit: Circuit) -> None:
    """Raise ValueError unless the circuit is a distribution over all variables of its schema, and answers exactly.

    For circuits from strangers. What learner and compiler make is right by construction, and is not checked for it.
    Cost: that of `properties`, and of the circuit's first query.
    """
    if not abs(log_total(circuit)) < _SUMS_TO_ONE:
        raise ValueError("the circuit's probabilities do not sum to 1")
    found = properties(circuit)
    if not (found.is_smooth and found.is_decomposable and found.has_all_variables):
        raise ValueError("the circuit is not smooth and decomposable over all variables: it would answer wrongly")
    if not found.is_labelled_rightly:
        raise ValueError("the circuit is not deterministic, although its sums decide variables")


def check_components(mixture: Mixture) -> None:
    """Raise ValueError unless the parameters of every component make a distribution of the structure, which is one.

    For mixtures from strangers. Cost: the mixture's first query.
    """
    # Far below the others a component may have no value that can be told from 0.
    if not np.allclose(totals_of_components(mixture), mixture.weights, rtol=_SUMS_TO_ONE, atol=1e-50):
        raise ValueError("the probabilities of a component do not sum to 1")
