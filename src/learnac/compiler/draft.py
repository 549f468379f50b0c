"""A circuit that may not be the smallest: arrays that nobody has checked yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingCircuit, share_nodes
from learnac.circuit import Circuit
from learnac.network import BayesNet


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """As `Circuit` holds them; `origins` are the places of its parameters in the network."""

    kinds: NDArray[np.uint8]
    labels: NDArray[np.uint32]
    child_offsets: NDArray[np.uint64]
    children: NDArray[np.uint32]
    origins: NDArray[np.int32]

    @property
    def n_edges(self) -> int:
        return len(self.children)

    @classmethod
    def of_growing(cls, growing: GrowingCircuit, leaf_places: NDArray[np.int32]) -> Self:
        """`leaf_places` are (leaves of the growing circuit x 2): whose tree a leaf is in, and which node of it."""
        kinds, labels, child_offsets, children, origins = growing.freeze()
        leaves, values = origins.T
        places = np.column_stack([leaf_places[leaves], values]).astype(np.int32)
        return cls(kinds, labels, child_offsets, children, places)

    def shared(self, network: BayesNet) -> Draft:
        """The same circuit with equal nodes as one, and what products have in common multiplied once."""
        arities = network.schema.arities.astype(np.uint32)
        arrays = (self.kinds, self.labels, self.child_offsets, self.children)
        smaller, parameters = share_nodes(arities, *arrays, network.parameters_at(self.origins))
        return Draft(*smaller, self.origins[parameters])

    def circuit(self, network: BayesNet) -> Circuit:
        arrays = (self.kinds, self.labels, self.child_offsets, self.children)
        return Circuit(network.schema, *arrays, network.parameters_at(self.origins), self.origins)
