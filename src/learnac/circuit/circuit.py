"""The frozen circuit: arrays that answer queries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac._core import INDICATOR, PARAMETER, PRODUCT, SUM, check_circuit
from learnac.data import Schema
from learnac.drawing import Drawing
from learnac.frozen import constructor_call, freeze_arrays

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
    """An arithmetic circuit, which answers queries. Immutable.

    It is stored as read-only arrays of nodes, children before parents, the root last. The first nodes are the
    indicators, one for each (variable, value), then come the parameters. The label of an indicator or parameter is its
    number. The label of a sum is the variable that it decides: its children have disjoint sets of values of this
    variable. A sum that decides no variable has the label NO_LABEL.

    Learner, compiler, readers of files and pickle all use this constructor. It copies and checks the arrays, and raises
    TypeError or ValueError if they are not a circuit. Cost: two passes over the arrays, 3 ms for a million edges. For a
    circuit from an unknown source, also call `check_distribution`.
    """

    NO_LABEL: ClassVar[int] = 0xFFFFFFFF

    schema: Schema
    kinds: NDArray[np.uint8]  # (n_nodes,)
    labels: NDArray[np.uint32]  # (n_nodes,)
    child_offsets: NDArray[np.uint64]  # (n_nodes + 1,)
    children: NDArray[np.uint32]  # (n_edges,)
    parameters: NDArray[np.float64]  # (n_parameters,)
    # Where each parameter stands in the network: variable, node of its tree (or SET_FROM_OUTSIDE), and value.
    parameter_origins: NDArray[np.int32]  # (n_parameters, 3)

    def __post_init__(self) -> None:
        freeze_arrays(self, _ARRAYS, "a circuit")
        check_circuit(*self.arrays)
        _check_leaves(self)
        _check_origins(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return constructor_call(self)

    @property
    def n_nodes(self) -> int:
        return len(self.kinds)

    @property
    def n_edges(self) -> int:
        """The number of edges, which is the cost of a query: a pass over the circuit visits each edge at most once."""
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
        """A picture of all nodes and edges. ValueError if the circuit has more than `max_edges` edges."""
        from learnac.circuit.draw import draw_circuit

        return draw_circuit(self, max_edges)

    def _repr_html_(self) -> str:
        from learnac.circuit.draw import circuit_summary

        return circuit_summary(self)


_ARRAYS: dict[str, tuple[type[np.generic], int]] = {
    "kinds": (np.uint8, 1),
    "labels": (np.uint32, 1),
    "child_offsets": (np.uint64, 1),
    "children": (np.uint32, 1),
    "parameters": (np.float64, 1),
    "parameter_origins": (np.int32, 2),
}


def _check_leaves(circuit: Circuit) -> None:
    sizes = int(circuit.schema.arities.sum()), circuit.n_parameters
    kinds = np.repeat(np.array([NodeKind.INDICATOR, NodeKind.PARAMETER], dtype=np.uint8), sizes)
    labels = np.concatenate([np.arange(size) for size in sizes])
    is_as_expected = np.array_equal(circuit.kinds[: len(kinds)], kinds)
    if not is_as_expected or (circuit.kinds[len(kinds) :] < NodeKind.SUM).any():
        expected = "one indicator for each category, then one node for each parameter, then sums and products"
        raise ValueError(f"not a circuit: expected {expected}")
    if not np.array_equal(circuit.labels[: len(labels)], labels):
        raise ValueError("not a circuit: expected indicators and parameters in the order of their numbers")


def _check_origins(circuit: Circuit) -> None:
    origins, arities = circuit.parameter_origins, circuit.schema.arities
    if origins.shape != (circuit.n_parameters, 3):
        raise ValueError(f"not a circuit: expected three numbers for each parameter's origin, found {origins.shape}")
    variables, _, values = origins[origins[:, 0] >= 0].T
    if (origins < -1).any() or (variables >= len(arities)).any() or (values >= arities[variables]).any():
        raise ValueError("not a circuit: expected origins of parameters that fit the schema, or -1 where none is known")
