"""Decision-tree CPDs (section 2.1 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class TreeCPD:
    """The conditional distribution of one variable, as a decision tree over its parents.

    Nodes are numbered with parents before children; node 0 is the root. An inner node `i` sends a row to
    `routes[route_starts[i] + value of variables[i]]`. Counts and parameters are there for inner nodes too: what the
    distribution would be if the tree ended there.
    """

    child: int
    variables: NDArray[np.int32]  # (n_nodes,), -1 at a leaf
    route_starts: NDArray[np.int64]  # (n_nodes,)
    routes: NDArray[np.int32]
    counts: NDArray[np.float64]  # (n_nodes, arity of the child)
    parameters: NDArray[np.float64]  # (n_nodes, arity of the child)

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
