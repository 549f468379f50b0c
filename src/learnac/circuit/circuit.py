"""The frozen circuit: arrays that answer queries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac._core import INDICATOR, PARAMETER, PRODUCT, SUM
from learnac.data import Schema
from learnac.drawing import Drawing

CircuitArrays: TypeAlias = tuple[
    NDArray[np.uint32],
    NDArray[np.uint8],
    NDArray[np.uint32],
    NDArray[np.uint64],
    NDArray[np.uint32],
    NDArray[np.float64],
]


class NodeKind(IntEnum):
    """What a circuit node is; the values are those of `Circuit.kinds`."""

    INDICATOR = INDICATOR
    PARAMETER = PARAMETER
    SUM = SUM
    PRODUCT = PRODUCT


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Circuit:
    """An arithmetic circuit as compressed rows of children, children before parents, the root last.

    The first nodes are the indicators, one for each (variable, value), then the parameters. A label is the indicator's
    number, the parameter's number, or the variable that a sum decides: its children have disjoint sets of that
    variable's values. NO_LABEL is that of a sum that decides none.
    """

    NO_LABEL: ClassVar[int] = 0xFFFFFFFF

    schema: Schema
    kinds: NDArray[np.uint8]  # (n_nodes,)
    labels: NDArray[np.uint32]  # (n_nodes,)
    child_offsets: NDArray[np.uint64]  # (n_nodes + 1,)
    children: NDArray[np.uint32]  # (n_edges,)
    parameters: NDArray[np.float64]  # (n_parameters,)
    # Where each parameter stands in the network: variable, node of its tree, value of the variable.
    parameter_origins: NDArray[np.int32]  # (n_parameters, 3)

    @property
    def n_nodes(self) -> int:
        return len(self.kinds)

    @property
    def n_edges(self) -> int:
        """What a query costs: every pass over the circuit visits each edge once."""
        return len(self.children)

    @property
    def n_parameters(self) -> int:
        return len(self.parameters)

    @property
    def root(self) -> int:
        return self.n_nodes - 1

    @property
    def arrays(self) -> CircuitArrays:
        """What the core takes, in its order: arities, kinds, labels, child offsets, children, parameters."""
        arities = self.schema.arities.astype(np.uint32)
        return arities, self.kinds, self.labels, self.child_offsets, self.children, self.parameters

    def children_of(self, node: int) -> NDArray[np.uint32]:
        return self.children[int(self.child_offsets[node]) : int(self.child_offsets[node + 1])]

    def __repr__(self) -> str:
        return f"Circuit({self.schema.n_variables} variables, {self.n_edges:,} edges, {self.n_parameters:,} parameters)"

    def draw(self, *, max_edges: int = 300) -> Drawing:
        """A picture of all nodes and edges, for small circuits. ValueError beyond `max_edges`."""
        from learnac.circuit.draw import draw_circuit

        return draw_circuit(self, max_edges)

    def _repr_html_(self) -> str:
        from learnac.circuit.draw import circuit_summary

        return circuit_summary(self)
