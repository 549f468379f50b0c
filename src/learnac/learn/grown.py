"""The trees when they have grown: arrays of all their nodes, and the way to frozen CPDs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingTrees
from learnac.data import Schema
from learnac.learn.splits import Split, SplitSpace
from learnac.network import BayesNet, TreeCPD

Floats = NDArray[np.float64]


class Level(NamedTuple):
    """Nodes of one depth and one number of child values: what depends on their parents can be worked out at once."""

    cells: NDArray[np.int64]  # (nodes x values): where they are among all cells
    parent_cells: NDArray[np.int64] | None
    masses: Floats


@dataclass(frozen=True, eq=False)
class GrownTrees:
    """Nodes in the order in which they were numbered: the roots, then the branches of each split.

    A cell is a node and a value of its child; those of a node are next to each other.
    """

    space: SplitSpace
    children: NDArray[np.uint32]
    parents: NDArray[np.uint32]
    variables: NDArray[np.int32]  # what a node is split on; -1 for a leaf
    values: NDArray[np.uint32]
    masses: Floats  # share of all parent configurations
    counts: Floats  # of all cells

    @classmethod
    def of(cls, space: SplitSpace, trees: GrowingTrees, n_nodes: int) -> Self:
        """The trees as they were when `n_nodes` leaves had been numbered."""
        children, parents, variables, values, masses = trees.nodes()
        children, parents, values = children[:n_nodes], parents[:n_nodes], values[:n_nodes]
        n_cells = int(space.arities[children].sum())
        is_split = np.zeros(n_nodes, dtype=bool)
        is_split[parents[space.n_variables :]] = True
        variables = np.where(is_split, variables[:n_nodes], -1).astype(np.int32)
        return cls(space, children, parents, variables, values, masses[:n_nodes], trees.counts()[:n_cells])

    @property
    def n_nodes(self) -> int:
        return len(self.children)

    @property
    def n_splits(self) -> int:
        return int(np.count_nonzero(self.variables >= 0))

    @cached_property
    def first_cells(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.space.arities[self.children])[:-1]]).astype(np.int64)

    @cached_property
    def levels(self) -> list[Level]:
        """All nodes, parents before children."""
        depths = np.zeros(self.n_nodes, dtype=np.int64)
        for node in range(self.space.n_variables, self.n_nodes):
            depths[node] = depths[self.parents[node]] + 1
        arities = self.space.arities[self.children]
        levels = []
        for depth in range(int(depths.max()) + 1):
            for arity in np.unique(arities[depths == depth]):
                nodes = np.flatnonzero((depths == depth) & (arities == arity))
                cells = self.first_cells[nodes][:, None] + np.arange(arity)
                above = self.first_cells[self.parents[nodes]][:, None] + np.arange(arity) if depth > 0 else None
                levels.append(Level(cells, above, self.masses[nodes]))
        return levels

    def by_prefix(self, of_nodes: Floats) -> Floats:
        """Sums over the leaves after 0, 1, 2, ... splits, of a number for each node."""
        n_roots = self.space.n_variables
        total = of_nodes[:n_roots].sum()
        if self.n_nodes == n_roots:
            return np.array([total])
        parents = self.parents[n_roots:]
        # The branches of a split are numbered one after the other, so a new parent is a new split.
        starts = np.flatnonzero(np.concatenate([[True], parents[1:] != parents[:-1]]))
        changes = np.add.reduceat(of_nodes[n_roots:], starts) - of_nodes[parents[starts]]
        return total + np.concatenate([[0.0], np.cumsum(changes)])

    def network(self, schema: Schema, counts: Floats, parameters: Floats) -> tuple[BayesNet, NDArray[np.int32]]:
        """The network, and where each node went: (nodes x 2), the variable and the node of its tree."""
        branches: list[list[int]] = [[] for _ in range(self.n_nodes)]
        for node in range(self.space.n_variables, self.n_nodes):
            branches[self.parents[node]].append(node)
        places = np.full((self.n_nodes, 2), -1, dtype=np.int32)
        trees = tuple(self._tree(root, branches, places, counts, parameters) for root in range(self.space.n_variables))
        return BayesNet(schema, trees), places

    def _tree(
        self, root: int, branches: list[list[int]], places: NDArray[np.int32], counts: Floats, parameters: Floats
    ) -> TreeCPD:
        order = [root]
        for node in order:  # grows while it is read: parents before children, level by level
            order.extend(branches[node])
        places[order, 0] = root
        places[order, 1] = np.arange(len(order))
        starts, routes = [], list[int]()
        for node in order:
            starts.append(len(routes))
            if branches[node]:
                split = Split(node, int(self.variables[node]), int(self.values[node]))
                routes.extend(places[branches[node][branch], 1] for branch in self.space.branch_of(split))
        cells = self.first_cells[order][:, None] + np.arange(self.space.arities[root])
        return TreeCPD(
            child=root,
            variables=self.variables[order],
            route_starts=np.array(starts, dtype=np.int64),
            routes=np.array(routes, dtype=np.int32),
            counts=counts[cells],
            parameters=parameters[cells],
        )
