"""A circuit that may not be the smallest: arrays that nobody has checked yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingCircuit, share_nodes
from learnac.circuit import Circuit, NodeKind
from learnac.errors import ImpossibleEvidenceError
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

    def given(self, network: BayesNet, codes: NDArray[np.int32]) -> Draft:
        """The circuit of everything together with these values, -1 where nothing is known: without what they exclude.

        ImpossibleEvidenceError if they exclude everything.
        """
        if not (codes >= 0).any():
            return self
        arities = network.schema.arities.astype(np.int64)
        variables = np.repeat(np.arange(len(arities)), arities)
        values = np.arange(len(variables)) - np.repeat(np.cumsum(arities) - arities, arities)
        is_excluded = (codes[variables] >= 0) & (codes[variables] != values)
        return _without(self, is_excluded, network.parameters_at(self.origins) == 0)

    def circuit(self, network: BayesNet) -> Circuit:
        arrays = (self.kinds, self.labels, self.child_offsets, self.children)
        return Circuit(network.schema, *arrays, network.parameters_at(self.origins), self.origins)


def _without(draft: Draft, is_excluded: NDArray[np.bool_], is_zero: NDArray[np.bool_]) -> Draft:
    """The circuit if some indicators and parameters are 0: products that have one go, and sums without them."""
    offsets, children, kinds = (
        draft.child_offsets.astype(np.int64),
        draft.children.astype(np.int64),
        draft.kinds.tolist(),
    )
    # What stands for each node: itself, the only child that is left of a sum, or nothing.
    stand_in = np.arange(len(kinds))
    left: list[list[int]] = [[] for _ in kinds]
    for node, kind in enumerate(kinds):
        if kind == NodeKind.INDICATOR:
            stand_in[node] = -1 if is_excluded[draft.labels[node]] else node
        elif kind == NodeKind.PARAMETER:
            stand_in[node] = -1 if is_zero[draft.labels[node]] else node
        else:
            found = stand_in[children[offsets[node] : offsets[node + 1]]]
            alive = found[found >= 0]
            if len(alive) == 0 or (kind == NodeKind.PRODUCT and len(alive) < len(found)):
                stand_in[node] = -1
            elif kind == NodeKind.SUM and len(alive) == 1:
                stand_in[node] = alive[0]
            else:
                left[node] = alive.tolist()
    if stand_in[-1] < 0:
        raise ImpossibleEvidenceError("the evidence has probability zero in this network", rows=[0])
    is_used = np.isin(draft.kinds, [NodeKind.INDICATOR])
    is_used[stand_in[-1]] = True
    for node in range(len(kinds) - 1, -1, -1):
        if is_used[node]:
            is_used[left[node]] = True
    kept = np.flatnonzero(is_used)
    number = np.cumsum(is_used) - 1
    parameters = draft.labels[kept[draft.kinds[kept] == NodeKind.PARAMETER]]
    labels = draft.labels[kept].copy()
    labels[draft.kinds[kept] == NodeKind.PARAMETER] = np.arange(len(parameters))
    sizes = [len(left[node]) for node in kept.tolist()]
    joined = np.array([child for node in kept.tolist() for child in left[node]], dtype=np.int64)
    return Draft(
        draft.kinds[kept],
        labels,
        np.cumsum([0, *sizes]).astype(np.uint64),
        number[joined].astype(np.uint32),
        draft.origins[parameters],
    )
