"""Frozen arithmetic circuits."""

from learnac.circuit.builder import CircuitBuilder, freeze_circuit
from learnac.circuit.circuit import Circuit, NodeKind
from learnac.circuit.core_evaluator import core_evaluator, log_total, mixture_evaluator, totals_of_components
from learnac.circuit.evaluate import evaluate, indicators_of
from learnac.circuit.mixture import Mixture, Queryable, as_circuit
from learnac.circuit.operations import n_operations
from learnac.circuit.properties import (
    Properties,
    check_components,
    check_distribution,
    is_decomposable,
    is_deterministic,
    is_smooth,
    properties,
)

__all__ = [
    "Circuit",
    "CircuitBuilder",
    "Mixture",
    "NodeKind",
    "Properties",
    "Queryable",
    "as_circuit",
    "check_components",
    "check_distribution",
    "core_evaluator",
    "evaluate",
    "freeze_circuit",
    "indicators_of",
    "is_decomposable",
    "is_deterministic",
    "is_smooth",
    "log_total",
    "mixture_evaluator",
    "n_operations",
    "properties",
    "totals_of_components",
]
