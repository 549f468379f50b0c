"""A Bayesian network of tree CPDs: the readable twin of every learned circuit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.network.tree import TreeCPD


@dataclass(frozen=True, slots=True, eq=False)
class BayesNet:
    """One tree CPD for each variable of the schema, without cycles."""

    schema: Schema
    trees: tuple[TreeCPD, ...]

    @property
    def n_leaves(self) -> int:
        return sum(tree.n_leaves for tree in self.trees)

    @property
    def n_parameters(self) -> int:
        """Parameters of all leaves, one for each value of the child."""
        return sum(tree.n_leaves * tree.counts.shape[1] for tree in self.trees)

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tree.parents for tree in self.trees)

    def log_likelihood(self, codes: NDArray[np.unsignedinteger]) -> NDArray[np.float64]:
        """Log P of each complete row, as the sum of its tree entries; codes are (variables x rows)."""
        total = np.zeros(codes.shape[1])
        for tree in self.trees:
            total += tree.log_likelihood(codes)
        return total

    def __repr__(self) -> str:
        n_arcs = sum(len(parents) for parents in self.parents)
        return f"BayesNet({len(self.trees)} variables, {n_arcs} arcs, {self.n_leaves} leaves)"
