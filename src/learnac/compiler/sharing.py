"""A circuit made smaller without a change of what it says."""

from __future__ import annotations

from learnac._core import share_nodes
from learnac.circuit import Circuit


def shared(circuit: Circuit) -> Circuit:
    """The circuit with equal nodes as one, and what products have in common multiplied once."""
    arrays, parameters = share_nodes(*circuit.arrays)
    return Circuit(circuit.schema, *arrays, circuit.parameters[parameters], circuit.parameter_origins[parameters])
