"""A circuit or mixture with all its worlds and their probabilities, from the trees and never from the circuit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, Mixture, Queryable
from learnac.network import BayesNet

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Enumerated:
    """What is asked, and by component: its weight, and the tables of all trees, (nodes x values) for each variable."""

    asked: Queryable
    network: BayesNet
    weights: Floats
    tables: list[list[Floats]]
    worlds: NDArray[np.int64]  # (variables x worlds)

    @property
    def arities(self) -> list[int]:
        return [int(arity) for arity in self.network.schema.arities]

    def probabilities(
        self, tables: list[list[Floats]] | None = None, without: dict[int, Floats] | None = None
    ) -> Floats:
        """Of each world; `without` has variables whose trees are replaced by probabilities of their values."""
        total = np.zeros(self.worlds.shape[1])
        for weight, of_component in zip(self.weights, tables or self.tables, strict=True):
            product = np.full(self.worlds.shape[1], weight)
            for tree, table in zip(self.network.trees, of_component, strict=True):
                values = self.worlds[tree.child]
                replaced = (without or {}).get(tree.child)
                product *= table[tree.leaf_of(self.worlds), values] if replaced is None else replaced[values]
            total += product
        return total

    def weight_of(self, row: Any, soft: dict[int, Any] | None = None) -> Floats:
        """Of each world, 1 or its likelihood if it agrees with a row, -1 being unknown."""
        row = np.asarray(row)[:, None]
        found = ((self.worlds == row) | (row < 0)).all(axis=0).astype(float)
        for variable, likelihoods in (soft or {}).items():
            found = found * np.asarray(likelihoods, dtype=float)[self.worlds[variable]]
        return found

    def posterior(self, joint: Floats, variable: int) -> Floats:
        return np.bincount(self.worlds[variable], joint, self.arities[variable]) / joint.sum()


def enumerated(circuit: Circuit, network: BayesNet, n_components: int, seed: int) -> Enumerated:
    """The circuit itself, or a mixture of its structure with random vectors of parameters."""
    worlds = np.indices([int(arity) for arity in circuit.schema.arities]).reshape(circuit.schema.n_variables, -1)
    if n_components == 0:
        tables = [[tree.parameters for tree in network.trees]]
        return Enumerated(circuit, network, np.ones(1), tables, worlds)
    rng = np.random.default_rng(seed)
    tables = [
        [rng.dirichlet(np.ones(table.shape[1]), len(table)) for table in (tree.parameters for tree in network.trees)]
        for _ in range(n_components)
    ]
    vectors = [[of[variable][node, value] for variable, node, value in circuit.parameter_origins] for of in tables]
    weights = rng.dirichlet(np.ones(n_components))
    mixture = Mixture(circuit, np.array(vectors).reshape(n_components, -1), weights, network)
    return Enumerated(mixture, network, weights, tables, worlds)


def with_tables(case: Enumerated, component: int, variable: int, table: Floats) -> list[list[Floats]]:
    """All tables, with one of them replaced."""
    tables = [list(of) for of in case.tables]
    tables[component][variable] = table
    return tables
