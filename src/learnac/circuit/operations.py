"""What a circuit costs, in operations."""

from __future__ import annotations

import numpy as np

from learnac.circuit.circuit import Circuit, NodeKind


def n_operations(circuit: Circuit) -> int:
    """Additions and multiplications of one upward pass that takes every edge: a node of k children needs k - 1.

    Evaluators need fewer: they multiply parameters in advance, and leave out what evidence rules out.
    """
    n_children = np.diff(circuit.child_offsets.astype(np.int64))
    return int((n_children[circuit.kinds >= NodeKind.SUM] - 1).sum())
