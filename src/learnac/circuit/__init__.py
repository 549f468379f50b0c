"""Frozen arithmetic circuits."""

from learnac.circuit.circuit import Circuit, NodeKind
from learnac.circuit.evaluate import evaluate, indicators_of
from learnac.circuit.properties import Properties, is_decomposable, is_deterministic, is_smooth, properties

__all__ = [
    "Circuit",
    "NodeKind",
    "Properties",
    "evaluate",
    "indicators_of",
    "is_decomposable",
    "is_deterministic",
    "is_smooth",
    "properties",
]
