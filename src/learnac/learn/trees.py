"""The trees while they grow: what each leaf's path allows, and the way to frozen CPDs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.learn.scores import Estimate
from learnac.learn.splits import Split, SplitSpace
from learnac.network import BayesNet, TreeCPD

Floats = NDArray[np.float64]


@dataclass(slots=True)
class _GrowingNode:
    child: int
    counts: Floats  # by value of the child
    mass: float  # share of all parent configurations
    parameters: Floats  # by value of the child
    path: dict[int, NDArray[np.bool_]]  # values left of each variable met on the way
    split: Split | None = None
    branches: list[int] = field(default_factory=list)  # leaf ids


class GrowingTrees:
    """One tree for each variable, grown split by split. Leaves keep their numbers when they become inner nodes."""

    def __init__(self, space: SplitSpace, marginal_counts: list[Floats], estimate: Estimate) -> None:
        self.space = space
        self.estimate = estimate
        self.nodes = [
            _GrowingNode(child, counts, 1.0, estimate.of_roots(counts), {})
            for child, counts in enumerate(marginal_counts)
        ]
        self.n_leaves = len(self.nodes)

    def child(self, leaf: int) -> int:
        return self.nodes[leaf].child

    def values_left(self, leaf: int, variable: int) -> NDArray[np.bool_]:
        """Which values of a variable the leaf's path leaves open."""
        left = self.nodes[leaf].path.get(variable)
        return np.ones(self.space.arities[variable], dtype=bool) if left is None else left

    def split(self, split: Split, branch_counts: Floats) -> list[int]:
        """Splits a leaf; branch_counts are (branches x values of the child). Returns the new leaves."""
        parent = self.nodes[split.leaf]
        branch_of = self.space.branch_of(split)
        left = self.values_left(split.leaf, split.variable)
        kept = [left & (branch_of == branch) for branch in range(len(branch_counts))]
        masses = parent.mass * np.array([np.count_nonzero(values) for values in kept]) / np.count_nonzero(left)
        parameters = self.estimate.of_branches(branch_counts, masses, parent.parameters)
        for counts, mass, found, values in zip(branch_counts, masses.tolist(), parameters, kept, strict=True):
            parent.branches.append(len(self.nodes))
            path = {**parent.path, split.variable: values}
            self.nodes.append(_GrowingNode(parent.child, counts, mass, found, path))
        parent.split = split
        self.n_leaves += len(parent.branches) - 1
        return parent.branches

    def freeze(self, schema: Schema, n_nodes: int | None = None) -> tuple[BayesNet, NDArray[np.int32]]:
        """The network, and where each leaf went: (leaf ids x 2), the variable and the node of its tree.

        With `n_nodes`, the trees as they were when that many leaves had been numbered.
        """
        n_nodes = len(self.nodes) if n_nodes is None else n_nodes
        places = np.full((n_nodes, 2), -1, dtype=np.int32)
        trees = tuple(self._freeze_tree(root, n_nodes, places) for root in range(self.space.n_variables))
        return BayesNet(schema, trees), places

    def _freeze_tree(self, root: int, n_nodes: int, places: NDArray[np.int32]) -> TreeCPD:
        order = [root]
        for leaf in order:  # grows while it is read: parents before children, level by level
            order.extend(branch for branch in self.nodes[leaf].branches if branch < n_nodes)
        for position, leaf in enumerate(order):
            places[leaf] = root, position
        variables, starts, routes = [], [], list[int]()
        for leaf in order:
            node = self.nodes[leaf]
            is_inner = node.split is not None and node.branches[0] < n_nodes
            starts.append(len(routes))
            variables.append(node.split.variable if is_inner and node.split else -1)
            if is_inner and node.split:
                routes.extend(places[node.branches[b], 1] for b in self.space.branch_of(node.split))
        return TreeCPD(
            child=root,
            variables=np.array(variables, dtype=np.int32),
            route_starts=np.array(starts, dtype=np.int64),
            routes=np.array(routes, dtype=np.int32),
            counts=np.stack([self.nodes[leaf].counts for leaf in order]),
            parameters=np.stack([self.nodes[leaf].parameters for leaf in order]),
        )
