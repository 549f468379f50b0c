"""Ways to a circuit: node by node, and from the growing circuit of a network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingCircuit
from learnac.circuit.circuit import Circuit, NodeKind
from learnac.data import Schema
from learnac.network import BayesNet

Place = int
"""Stands for a node while a circuit is built: an indicator's number, or what the builder gave for another node."""


def freeze_circuit(growing: GrowingCircuit, network: BayesNet, leaf_places: NDArray[np.int32]) -> Circuit:
    """The growing circuit as it is now, with the parameters of the network that it equals.

    `leaf_places` are (leaves of the growing circuit x 2): whose tree a leaf is in, and which node of it.
    """
    kinds, labels, child_offsets, children, origins = growing.freeze()
    leaves, values = origins.T
    parameter_origins = np.column_stack([leaf_places[leaves], values]).astype(np.int32)
    parameters = network.parameters_at(parameter_origins)
    return Circuit(network.schema, kinds, labels, child_offsets, children, parameters, parameter_origins)


class CircuitBuilder:
    """A circuit node by node: children before parents, the root last. Changes in place."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._n_indicators = int(schema.arities.sum())
        self._parameters: list[float] = []
        self._origins: list[tuple[int, int, int]] = []
        self._kinds: list[NodeKind] = []  # of sums and products
        self._labels: list[int] = []
        self._children: list[Place] = []
        self._child_offsets = [0]

    def parameter(self, value: float, origin: tuple[int, int, int] = (-1, -1, -1)) -> Place:
        """A new parameter; `origin` is where it stands in the network, if it does."""
        self._parameters.append(value)
        self._origins.append(origin)
        return -len(self._parameters)  # Sums and products may come before the last parameter is known.

    def sum(self, children: Sequence[Place], decides: int = Circuit.NO_LABEL) -> Place:
        """A new sum, with the variable that it decides, if it does."""
        return self._add(NodeKind.SUM, children, decides)

    def product(self, children: Sequence[Place]) -> Place:
        return self._add(NodeKind.PRODUCT, children, 0)

    def build(self) -> Circuit:
        """The circuit whose root is the last sum or product."""
        if not self._kinds:
            raise ValueError("not a circuit: expected a sum or a product as its root, found neither")
        n_indicators, n_parameters = self._n_indicators, len(self._parameters)
        kinds = [NodeKind.INDICATOR] * n_indicators + [NodeKind.PARAMETER] * n_parameters + self._kinds
        labels = [*range(n_indicators), *range(n_parameters), *self._labels]
        places = np.array(self._children, dtype=np.int64)
        children = np.where(places < 0, n_indicators - 1 - places, places)
        children[places >= n_indicators] += n_parameters
        return Circuit(
            self.schema,
            np.array(kinds, dtype=np.uint8),
            np.array(labels, dtype=np.uint32),
            np.array([0] * (n_indicators + n_parameters) + self._child_offsets, dtype=np.uint64),
            children.astype(np.uint32),
            np.array(self._parameters, dtype=np.float64),
            np.array(self._origins, dtype=np.int32).reshape(-1, 3),
        )

    def _add(self, kind: NodeKind, children: Sequence[Place], label: int) -> Place:
        self._kinds.append(kind)
        self._labels.append(label)
        self._children.extend(children)
        self._child_offsets.append(len(self._children))
        return self._n_indicators + len(self._kinds) - 1
