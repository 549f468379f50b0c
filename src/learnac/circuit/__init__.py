"""Frozen arithmetic circuits."""

from learnac.circuit.circuit import Circuit, NodeKind
from learnac.circuit.evaluate import evaluate, indicators_of
from learnac.circuit.properties import is_decomposable, is_deterministic, is_smooth

__all__ = [
    "Circuit",
    "NodeKind",
    "evaluate",
    "indicators_of",
    "is_decomposable",
    "is_deterministic",
    "is_smooth",
]
