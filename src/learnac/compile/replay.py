"""The splits of a network's trees, applied one after the other to a growing circuit.

The order decides the size. A split puts the sum over its variable above what was split before, so all splits on one
variable should come together, and variables in an order in which they could be eliminated. The trees are asked anew in
that order: a leaf of the circuit keeps the leaves of the tree that it may still be, and a variable is asked wherever
that tells some of them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from learnac._core import GrowingCircuit
from learnac.circuit import Circuit, freeze_circuit
from learnac.network import BayesNet, TreeCPD
from learnac.network.bits import lowest
from learnac.network.tree import Path

_NO_LIMIT = 2**62

Leaves: TypeAlias = list[tuple[int, Path]]
"""Nodes of a tree, each with the values that the way to it leaves of the variables it asks."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A leaf of the growing circuit: which leaves of its tree it may be, and the values left of what was asked."""

    tree: int
    leaves: Leaves
    values: Path


class Replay:
    """A growing circuit, and what its leaves are. Changes in place."""

    def __init__(self, network: BayesNet) -> None:
        self.network = network
        self.arities = network.schema.arities.tolist()
        trees = [_merged(tree) for tree in network.trees]
        self.is_binary = any(
            values.bit_count() not in (1, self.arities[variable])
            for leaves in trees
            for _, path in leaves
            for variable, values in path.items()
        )
        self.circuit = GrowingCircuit(np.array(self.arities, dtype=np.uint32), self.is_binary)
        self.open = {tree: _Open(tree, leaves, {}) for tree, leaves in enumerate(trees)}
        # A variable is asked only in the trees that have it: a chain must not be walked once for each of its links.
        self.askers: dict[int, list[int]] = {}
        for tree, parents in enumerate(network.parents):
            for parent in parents:
                self.askers.setdefault(parent, []).append(tree)
        self.leaves_of = [[tree] for tree in range(len(trees))]  # the open ones of each tree

    def run(self, order: Sequence[int], max_edges: int) -> int | None:
        """Applies all splits, or as many as fit: then it tells the position of the variable where that ended."""
        if self.circuit.n_edges > max_edges:
            return 0
        for position, variable in enumerate(order):
            # In the order of their numbers: the same network, the same circuit.
            pending = sorted(leaf for tree in self.askers.get(variable, []) for leaf in self.leaves_of[tree])
            while pending:
                leaf = pending.pop()
                value = self._question(leaf, variable)
                if value is None:
                    continue
                room = min(max_edges - self.circuit.n_edges, _NO_LIMIT)
                if self.circuit.edge_cost(leaf, variable, value, room) > room:
                    return position
                pending += self._split(leaf, variable, value)
            for tree in self.askers.get(variable, []):
                self.leaves_of[tree] = [leaf for leaf in self.leaves_of[tree] if leaf in self.open]
        return None

    def where(self, variable: int) -> str:
        return f"it stood at {self.circuit.n_edges:,} before {self.network.schema.names[variable]!r}"

    def _question(self, leaf: int, variable: int) -> int | None:
        """The value to split on, or None where the variable makes no difference."""
        state = self.open[leaf]
        if len({node for node, _ in state.leaves}) == 1:
            return None
        left = self._left(state, variable)
        parts = [path.get(variable, left) & left for _, path in state.leaves]
        telling = [part for part in parts if part != left]
        if not telling:
            return None
        if not self.is_binary or self.arities[variable] == 2:
            return 0
        smallest = min(telling, key=int.bit_count)
        return lowest(smallest)

    def _split(self, leaf: int, variable: int, value: int) -> list[int]:
        first, n_branches, _ = self.circuit.apply_split(leaf, variable, value)
        state = self.open.pop(leaf)
        left = self._left(state, variable)
        for branch in range(n_branches):
            is_rest = self.is_binary and self.arities[variable] > 2 and branch == 1
            kept = left & ~(1 << value) if is_rest else left & (1 << (value + branch))
            leaves = [(node, path) for node, path in state.leaves if path.get(variable, left) & kept]
            self.open[first + branch] = _Open(state.tree, leaves, {**state.values, variable: kept})
        new = list(range(first, first + n_branches))
        self.leaves_of[state.tree] += new
        return new

    def _left(self, state: _Open, variable: int) -> int:
        return state.values.get(variable, (1 << self.arities[variable]) - 1)

    def freeze(self) -> Circuit:
        places = np.full((max(self.open) + 1, 2), -1, dtype=np.int32)
        for leaf, state in self.open.items():
            places[leaf] = state.tree, state.leaves[0][0]
        return freeze_circuit(self.circuit, self.network, places)


def _merged(tree: TreeCPD) -> Leaves:
    """Leaves with the same distribution under the number of the first of them: nothing need tell them apart."""
    first: dict[bytes, int] = {}
    return [(first.setdefault(tree.parameters[node].tobytes(), node), path) for node, path in tree.paths()]
