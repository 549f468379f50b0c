"""Learned models small enough for all their worlds to be written down, and what follows from these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from learning import with_ordered
from numpy.typing import NDArray
from scipy.special import logsumexp

from learnac import Dataset, LearnAC
from learnac.circuit import Circuit, NodeKind
from learnac.data import Schema
from learnac.network import BayesNet

ARITIES = (2, 3, 1, 5, 4, 2, 2)


def random_rows(seed: int, n_rows: int, arities: tuple[int, ...], n_prototypes: int = 5) -> NDArray[np.int64]:
    """Rows near a few prototypes: everything depends on everything, so that there is much to learn."""
    rng = np.random.default_rng(seed)
    prototypes = rng.integers(arities, size=(n_prototypes, len(arities)))
    noise = rng.integers(arities, size=(n_rows, len(arities)))
    keeps = rng.random(noise.shape) < 0.7
    return np.where(keeps, prototypes[rng.integers(n_prototypes, size=n_rows)], noise)


def all_worlds(arities: Any) -> NDArray[np.int64]:
    """(variables x worlds), the last variable changing fastest."""
    return np.indices([int(arity) for arity in arities]).reshape(len(arities), -1)


def probabilities_of(network: BayesNet, codes: NDArray[Any]) -> NDArray[np.float64]:
    """Of complete worlds, straight from the trees."""
    factors = [tree.parameters[tree.leaf_of(codes), codes[tree.child]] for tree in network.trees]
    return np.prod(factors, axis=0)


@dataclass(frozen=True, eq=False)
class Case:
    """A model, all its worlds (variables x worlds), and their probabilities."""

    model: LearnAC
    worlds: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    @property
    def circuit(self) -> Circuit:
        return self.model.circuit_

    @property
    def network(self) -> BayesNet:
        return self.model.network_

    @property
    def schema(self) -> Schema:
        return self.model.schema_

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def arities(self) -> list[int]:
        return [int(arity) for arity in self.schema.arities]

    def joint(self, row: Any, soft: dict[int, Any] | None = None) -> NDArray[np.float64]:
        """Probabilities of the worlds that agree with a row, -1 being unknown, times their likelihoods."""
        row = np.asarray(row)
        joint = self.probabilities * ((self.worlds == row[:, None]) | (row[:, None] < 0)).all(axis=0)
        for variable, likelihoods in (soft or {}).items():
            joint = joint * np.asarray(likelihoods, dtype=float)[self.worlds[variable]]
        return joint

    def log_values(self, rows: Any, soft: dict[int, Any] | None = None) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log([self.joint(row, soft).sum() for row in rows])

    def posterior(self, row: Any, variable: int, soft: dict[int, Any] | None = None) -> NDArray[np.float64]:
        joint = self.joint(row, soft)
        return np.bincount(self.worlds[variable], joint, self.arities[variable]) / joint.sum()

    def table_of(self, variables: Any) -> NDArray[np.float64]:
        """Probabilities of the joint states of some variables."""
        shape = [self.arities[variable] for variable in variables]
        states = np.ravel_multi_index(self.worlds[list(variables)], shape)
        return np.bincount(states, self.probabilities, int(np.prod(shape)))

    def rows(self, seed: int, n_rows: int, share_known: float = 0.5, *, possible: bool = True) -> NDArray[np.int64]:
        """Evidence: worlds with gaps, drawn from the model if it is to be possible, and among all of them if not."""
        rng = np.random.default_rng(seed)
        weights = self.probabilities / self.probabilities.sum() if possible else None
        chosen = rng.choice(self.worlds.shape[1], size=n_rows, p=weights)
        return np.where(rng.random((n_rows, len(self.names))) < share_known, self.worlds[:, chosen].T, -1)

    def evidence(self, row: Any) -> dict[str, Any]:
        """A row as a dict, with what is unknown left out."""
        named = zip(self.names, self.schema.categories, row, strict=True)
        return {name: categories[code] for name, categories, code in named if code >= 0}

    def places(self, rows: Any) -> NDArray[np.int64]:
        """The world that each complete row is."""
        return np.ravel_multi_index(np.asarray(rows, dtype=np.int64).T, self.arities)


def case_of(model: LearnAC) -> Case:
    worlds = all_worlds(model.schema_.arities)
    return Case(model, worlds, probabilities_of(model.network_, worlds))


@cache
def learned_case(
    seed: int = 0,
    splits: str = "complete",
    alpha: float = 1.0,
    arities: tuple[int, ...] = ARITIES,
    n_rows: int = 200,
    max_splits: int | None = None,
    ordered: tuple[int, ...] = (),
) -> Case:
    dataset = with_ordered(Dataset.from_array(random_rows(seed, n_rows, arities), arities=arities), ordered)
    chosen: dict[str, Any] = {"edge_penalty": 0.01, "parameter_penalty": 0.05, "max_splits": max_splits}
    return case_of(LearnAC(alpha=alpha, shrinkage=0, splits=splits, **chosen).fit(dataset))


def tiled(circuit: Circuit, n_copies: int) -> Circuit:
    """A product of independent copies of a circuit, each over variables of its own."""
    schema = Schema(
        tuple(f"{name}_{copy}" for copy in range(n_copies) for name in circuit.schema.names),
        circuit.schema.categories * n_copies,
    )
    return joined([circuit] * n_copies, schema, own_variables=True)


def mixture(circuits: list[Circuit], weights: list[float], label: int = Circuit.NO_LABEL) -> Circuit:
    """A sum of circuits over the same variables, that decides none of them."""
    return joined(circuits, circuits[0].schema, own_variables=False, weights=weights, label=label)


def joined(
    circuits: list[Circuit],
    schema: Schema,
    *,
    own_variables: bool,
    weights: list[float] | None = None,
    label: int = Circuit.NO_LABEL,
) -> Circuit:
    """Circuits side by side under a product, or each with its weight under a sum."""
    n_indicators = int(schema.arities.sum())
    weights = weights or []
    parameters = np.concatenate([*(circuit.parameters for circuit in circuits), weights])
    n_leaves = n_indicators + len(parameters)
    kinds = [NodeKind.INDICATOR] * n_indicators + [NodeKind.PARAMETER] * len(parameters)
    labels = [*range(n_indicators), *range(len(parameters))]
    children: list[list[int]] = [[] for _ in range(n_leaves)]
    roots, origins = [], []
    first_indicator = first_variable = 0
    first_parameter = n_indicators
    for circuit in circuits:
        own = int(circuit.schema.arities.sum())
        inner = own + circuit.n_parameters
        place = np.concatenate(
            [
                np.arange(own) + first_indicator,
                np.arange(circuit.n_parameters) + first_parameter,
                np.arange(circuit.n_nodes - inner) + len(kinds),
            ]
        )
        for node in range(inner, circuit.n_nodes):
            decided = int(circuit.labels[node])
            is_labelled = circuit.kinds[node] == NodeKind.SUM and decided != Circuit.NO_LABEL
            kinds.append(NodeKind(int(circuit.kinds[node])))
            labels.append(decided + first_variable if is_labelled else Circuit.NO_LABEL)
            children.append(place[circuit.children_of(node)].tolist())
        roots.append(int(place[-1]))
        origins.append(circuit.parameter_origins + np.array([first_variable, 0, 0]))
        first_parameter += circuit.n_parameters
        if own_variables:
            first_indicator, first_variable = first_indicator + own, first_variable + circuit.schema.n_variables
    if weights:
        first_weight = n_leaves - len(weights)
        children += [[first_weight + i, root] for i, root in enumerate(roots)]
        roots = list(range(len(kinds), len(kinds) + len(weights)))
        kinds += [NodeKind.PRODUCT] * len(weights)
        labels += [Circuit.NO_LABEL] * len(weights)
        origins.append(np.zeros((len(weights), 3), dtype=np.int32))
    kinds.append(NodeKind.SUM if weights else NodeKind.PRODUCT)
    labels.append(label)
    children.append(roots)
    return Circuit(
        schema,
        np.array(kinds, dtype=np.uint8),
        np.array(labels, dtype=np.uint32),
        np.cumsum([0, *map(len, children)]).astype(np.uint64),
        np.array([child for of_node in children for child in of_node], dtype=np.uint32),
        parameters,
        np.concatenate(origins).astype(np.int32),
    )


def sum_of_products(factors: list[list[float]]) -> Circuit:
    """A sum over a variable's values of products of parameters."""
    n = len(factors)
    parameters = np.concatenate(factors)
    kinds = [NodeKind.INDICATOR] * n + [NodeKind.PARAMETER] * len(parameters) + [NodeKind.PRODUCT] * n + [NodeKind.SUM]
    labels = [*range(n), *range(len(parameters)), *[Circuit.NO_LABEL] * n, 0]
    first = np.cumsum([n, *map(len, factors)])
    children = [[i, *range(first[i], first[i + 1])] for i in range(n)]
    children.append(list(range(n + len(parameters), n + len(parameters) + n)))
    offsets = [0] * (n + len(parameters)) + np.cumsum([0, *map(len, children)]).tolist()
    return Circuit(
        Schema(("a",), (tuple(range(n)),)),
        np.array(kinds, dtype=np.uint8),
        np.array(labels, dtype=np.uint32),
        np.array(offsets, dtype=np.uint64),
        np.concatenate(children).astype(np.uint32),
        parameters,
        np.zeros((len(parameters), 3), dtype=np.int32),
    )


def log_indicators(schema: Schema, rows: Any) -> NDArray[np.float64]:
    """(indicators x rows)"""
    rows = np.asarray(rows)
    open_ones = [
        (rows[:, variable] == value) | (rows[:, variable] < 0)
        for variable, arity in enumerate(schema.arities)
        for value in range(arity)
    ]
    with np.errstate(divide="ignore"):
        return np.log(np.array(open_ones, dtype=float))


def log_space_values(circuit: Circuit, indicators: NDArray[np.float64]) -> NDArray[np.float64]:
    """The root of a circuit for given logs of indicators, in log space throughout."""
    n_indicators, n_rows = indicators.shape
    values = np.empty((circuit.n_nodes, n_rows))
    values[:n_indicators] = indicators
    with np.errstate(divide="ignore"):
        log_parameters = np.log(circuit.parameters)
    for node in range(n_indicators, circuit.n_nodes):
        children = values[circuit.children_of(node)]
        match circuit.kinds[node]:
            case NodeKind.PARAMETER:
                values[node] = log_parameters[circuit.labels[node]]
            case NodeKind.SUM:
                values[node] = logsumexp(children, axis=0)
            case _:
                values[node] = children.sum(axis=0)
    return values[circuit.root]


CASES: dict[str, dict[str, Any]] = {
    "complete": {},
    "binary": {"splits": "binary"},
    "thresholds": {"seed": 3, "splits": "binary", "ordered": (1, 3, 4)},
    "complete, impossible worlds": {"seed": 1, "alpha": 0.0, "n_rows": 60},
    "binary, impossible worlds": {"seed": 2, "alpha": 0.0, "n_rows": 60, "splits": "binary"},
    "thresholds, impossible worlds": {"seed": 4, "alpha": 0.0, "n_rows": 60, "splits": "binary", "ordered": (3, 4)},
    "no splits": {"max_splits": 0},
    "one variable": {"arities": (3,)},
    "one variable of one value": {"arities": (1,)},
}


@pytest.fixture(scope="session", params=CASES.values(), ids=CASES.keys())
def case(request: pytest.FixtureRequest) -> Case:
    return learned_case(**request.param)


@pytest.fixture(
    scope="session",
    params=[chosen for name, chosen in CASES.items() if "impossible" in name],
    ids=["complete", "binary", "thresholds"],
)
def partial_case(request: pytest.FixtureRequest) -> Case:
    """A model for which some worlds are impossible."""
    return learned_case(**request.param)


@pytest.fixture(scope="session")
def learned() -> Callable[..., Case]:
    return learned_case


@pytest.fixture(scope="session")
def tools() -> SimpleNamespace:
    return SimpleNamespace(
        random_rows=random_rows,
        case_of=case_of,
        tiled=tiled,
        mixture=mixture,
        sum_of_products=sum_of_products,
        probabilities_of=probabilities_of,
        log_indicators=log_indicators,
        log_space_values=log_space_values,
    )
