"""Decision-tree CPDs (section 2.1 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.frozen import constructor_call, freeze_arrays

Path: TypeAlias = dict[int, int]
"""The values that the way to a node leaves of each variable it asks, as bits."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """A node to build a tree of: a leaf, unless it asks a variable and has a route for each of its values."""

    parameters: NDArray[np.float64]  # by value of the child
    counts: NDArray[np.float64] | None = None  # by value of the child; 0 if they are not known
    variable: int = -1
    routes: Sequence[int] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TreeCPD:
    """The conditional distribution of one variable, as a decision tree over its parents.

    Nodes are numbered with parents before children; node 0 is the root. An inner node `i` sends a row to
    `routes[route_starts[i] + value of variables[i]]`; routes stand in the order of the nodes. Counts and parameters are
    there for inner nodes too: what the distribution would be if the tree ended there.

    The arrays are copied, never to change again, and checked: ValueError if they are no tree.
    """

    child: int
    variables: NDArray[np.int32]  # (n_nodes,), -1 at a leaf
    route_starts: NDArray[np.int64]  # (n_nodes,)
    routes: NDArray[np.int32]
    counts: NDArray[np.float64]  # (n_nodes, arity of the child)
    parameters: NDArray[np.float64]  # (n_nodes, arity of the child)

    def __post_init__(self) -> None:
        freeze_arrays(self, _ARRAYS, "a tree")
        _check(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return constructor_call(self)

    @classmethod
    def of_nodes(cls, child: int, nodes: Sequence[TreeNode]) -> Self:
        """The tree of these nodes, parents before children, the root first."""
        parameters = np.array([node.parameters for node in nodes], dtype=np.float64)
        counts = np.zeros_like(parameters)
        for number, node in enumerate(nodes):
            if node.counts is not None:
                counts[number] = node.counts
        n_routes = [len(node.routes) for node in nodes]
        return cls(
            child=child,
            variables=np.array([node.variable for node in nodes], dtype=np.int32),
            route_starts=np.cumsum([0, *n_routes[:-1]], dtype=np.int64),
            routes=np.array([branch for node in nodes for branch in node.routes], dtype=np.int32),
            counts=counts,
            parameters=parameters,
        )

    @property
    def n_nodes(self) -> int:
        return len(self.variables)

    @property
    def leaves(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.variables < 0)

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.variables < 0))

    @property
    def parents(self) -> tuple[int, ...]:
        """The variables the tree asks about, ascending."""
        return tuple(int(v) for v in np.unique(self.variables[self.variables >= 0]))

    def branches(self, node: int) -> dict[int, int]:
        """The nodes that an inner node leads to, each with the values that go there, as bits. None for a leaf."""
        end = self.route_starts[node + 1] if node + 1 < self.n_nodes else len(self.routes)
        branches: dict[int, int] = {}
        for value, branch in enumerate(self.routes[self.route_starts[node] : end].tolist()):
            branches[branch] = branches.get(branch, 0) | 1 << value
        return branches

    def paths(self) -> Iterator[tuple[int, Path]]:
        """The leaves that some row can reach, each with what its path leaves of the variables on it."""
        pending: list[tuple[int, Path]] = [(0, {})]
        while pending:
            node, path = pending.pop()
            variable = int(self.variables[node])
            if variable < 0:
                yield node, path
            for branch, values in self.branches(node).items():
                if kept := path.get(variable, values) & values:
                    pending.append((branch, {**path, variable: kept}))

    def gathered(self, of_leaves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts of all nodes: those of the leaves are given, and an inner node has the sum of its branches'."""
        counts = of_leaves.copy()
        for node in range(self.n_nodes - 1, -1, -1):
            if branches := list(self.branches(node)):
                counts[node] = counts[branches].sum(axis=0)
        return counts

    def leaf_of(self, codes: NDArray[np.unsignedinteger]) -> NDArray[np.intp]:
        """The leaf that each row reaches; codes are (variables x rows). Cost: rows x depth."""
        node = np.zeros(codes.shape[1], dtype=np.intp)
        rows = np.arange(codes.shape[1])
        while True:
            rows = rows[self.variables[node[rows]] >= 0]
            if len(rows) == 0:
                return node
            at = node[rows]
            node[rows] = self.routes[self.route_starts[at] + codes[self.variables[at], rows]]

    def log_likelihood(self, codes: NDArray[np.unsignedinteger]) -> NDArray[np.float64]:
        """Log P(child | parents) of each row; minus infinity where it is impossible."""
        with np.errstate(divide="ignore"):
            log_parameters = np.log(self.parameters)
        return log_parameters[self.leaf_of(codes), codes[self.child]]


_ARRAYS: dict[str, tuple[type[np.generic], int]] = {
    "variables": (np.int32, 1),
    "route_starts": (np.int64, 1),
    "routes": (np.int32, 1),
    "counts": (np.float64, 2),
    "parameters": (np.float64, 2),
}


def _check(tree: TreeCPD) -> None:
    n_nodes = tree.n_nodes
    if n_nodes == 0 or len(tree.route_starts) != n_nodes:
        raise ValueError("not a tree: expected at least one node, and the first route of each")
    if tree.counts.shape != tree.parameters.shape or len(tree.parameters) != n_nodes:
        raise ValueError("not a tree: expected a count and a parameter for each node and value")
    n_routes = np.diff(tree.route_starts, append=len(tree.routes))
    if tree.route_starts[0] != 0 or (n_routes < 0).any() or ((n_routes > 0) != (tree.variables >= 0)).any():
        raise ValueError("not a tree: expected routes of inner nodes, in their order, and of these only")
    if (tree.routes <= np.repeat(np.arange(n_nodes), n_routes)).any() or (tree.routes >= n_nodes).any():
        raise ValueError("not a tree: expected parents before their children")
