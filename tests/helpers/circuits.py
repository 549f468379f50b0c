"""Random circuits, and the terms of a circuit's polynomial: what every evaluator is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, CircuitBuilder, NodeKind
from learnac.data import Schema

Floats = NDArray[np.float64]


def schema_of(arities: tuple[int, ...]) -> Schema:
    return Schema(tuple(f"x{v}" for v in range(len(arities))), tuple(tuple(range(arity)) for arity in arities))


def random_circuit(seed: int, arities: tuple[int, ...], *, is_deterministic: bool, zeros: float = 0.1) -> Circuit:
    """Smooth and decomposable, with nodes that several others share; its values need not sum to 1.

    Some parameters are zero. Unless it is deterministic, some sums decide no variable.
    """
    maker = _Maker(np.random.default_rng(seed), CircuitBuilder(schema_of(arities)), is_deterministic, zeros)
    maker.add(tuple(range(len(arities))))
    return maker.builder.build()


class _Maker:
    def __init__(self, rng: np.random.Generator, builder: CircuitBuilder, is_deterministic: bool, zeros: float) -> None:
        self.rng, self.builder, self.is_deterministic, self.zeros = rng, builder, is_deterministic, zeros
        self.arities = builder.schema.arities.tolist()
        self.starts = np.concatenate([[0], np.cumsum(self.arities)]).tolist()
        self.known: dict[tuple[int, ...], list[int]] = {}  # nodes by what they speak of

    def add(self, scope: tuple[int, ...]) -> int:
        """A node over these variables: at times one that is there."""
        known = self.known.setdefault(scope, [])
        if known and self.rng.random() < 0.4:
            return known[self.rng.integers(len(known))]
        if len(scope) == 1:
            node = self._values(scope[0], range(self.arities[scope[0]]))
        else:
            ways = [self._product, self._decision] + [self._mixture] * (not self.is_deterministic)
            node = ways[self.rng.integers(len(ways))](scope)
        known.append(node)
        return node

    def _parameter(self) -> int:
        return self.builder.parameter(0.0 if self.rng.random() < self.zeros else self.rng.uniform(0.05, 1))

    def _values(self, variable: int, values: Any) -> int:
        """A sum over some values of a variable, or their only indicator."""
        if len(values) == 1 and self.rng.random() < 0.3:
            return self.starts[variable] + int(values[0])
        terms = [self.builder.product([self.starts[variable] + int(k), self._parameter()]) for k in values]
        return self.builder.sum(terms, decides=variable) if len(terms) > 1 else terms[0]

    def _product(self, scope: tuple[int, ...]) -> int:
        shuffled = self.rng.permutation(scope).tolist()
        cut = int(self.rng.integers(1, len(scope)))
        return self.builder.product([self.add(tuple(sorted(part))) for part in (shuffled[:cut], shuffled[cut:])])

    def _decision(self, scope: tuple[int, ...]) -> int:
        """Groups of one variable's values, each with a node of its own for the others."""
        variable = int(self.rng.choice(scope))
        others = tuple(v for v in scope if v != variable)
        group_of = self.rng.integers(3, size=self.arities[variable])
        groups = [np.flatnonzero(group_of == group) for group in np.unique(group_of)]
        terms = [self.builder.product([self._values(variable, group), self.add(others)]) for group in groups]
        return self.builder.sum(terms, decides=variable) if len(terms) > 1 else terms[0]

    def _mixture(self, scope: tuple[int, ...]) -> int:
        parts = [self.builder.product([self._parameter(), self.add(scope)]) for _ in range(self.rng.integers(2, 4))]
        return self.builder.sum(parts)


@dataclass(frozen=True, eq=False)
class Terms:
    """The circuit multiplied out: for each term the world it is for, and the product of its parameters."""

    worlds: NDArray[np.int64]  # (terms x variables)
    coefficients: Floats

    def weights(self, row: Any, soft: dict[int, Any]) -> Floats:
        """The value of each term under a row's evidence."""
        row = np.asarray(row)
        weights = self.coefficients * ((self.worlds == row) | (row < 0)).all(axis=1)
        for variable, likelihoods in soft.items():
            weights = weights * np.asarray(likelihoods)[self.worlds[:, variable]]
        return weights


def terms_of(circuit: Circuit, most: int = 200_000) -> Terms:
    n_variables = circuit.schema.n_variables
    starts = np.concatenate([[0], np.cumsum(circuit.schema.arities)])
    found: list[tuple[NDArray[np.int64], Floats]] = []
    for node in range(circuit.n_nodes):
        children = [found[child] for child in circuit.children_of(node)]
        worlds, coefficients = np.full((1, n_variables), -1), np.ones(1)
        match circuit.kinds[node]:
            case NodeKind.INDICATOR:
                variable = int(np.searchsorted(starts, node, side="right")) - 1
                worlds[0, variable] = node - starts[variable]
            case NodeKind.PARAMETER:
                coefficients = circuit.parameters[circuit.labels[node]][None]
            case NodeKind.SUM:
                worlds = np.concatenate([child[0] for child in children])
                coefficients = np.concatenate([child[1] for child in children])
            case _:
                for more_worlds, more in children:
                    assert len(coefficients) * len(more) <= most, "a circuit too large to multiply out"
                    worlds = np.maximum(worlds[:, None], more_worlds[None]).reshape(-1, n_variables)
                    coefficients = (coefficients[:, None] * more[None]).ravel()
        found.append((worlds, coefficients))
    return Terms(*found[-1])
