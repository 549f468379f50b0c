"""AC-Greedy takes the truly best split every time: the same sequence as brute force, split for split."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from learnac import reference
from learnac._core import GrowingCircuit
from learnac.data import Dataset
from learnac.learn import LearnSettings, Stop, learn
from learnac.learn.loop import LearnedModel
from learnac.reference.learn import Leaf, Network, SplitKind, new_leaves

Table = tuple[list[int], NDArray[np.int64]]  # arities; (rows x variables)

# A gain that is zero but for rounding errors may be either side of zero.
NOISE = 1e-9
stable = settings(deadline=None, derandomize=True)
seeds = st.integers(0, 99_999)
kinds = st.sampled_from(["complete", "binary"])
CRITERIA: list[dict[str, Any]] = [
    {"criterion": "likelihood", "alpha": 1.0},
    {"criterion": "likelihood", "alpha": 0.3},
    {"criterion": "likelihood", "alpha": 4.0},
    {"criterion": "bdeu", "equivalent_sample_size": 1.0},
    {"criterion": "bdeu", "equivalent_sample_size": 10.0},
]
criteria = st.sampled_from(CRITERIA)


def random_table(rng: np.random.Generator, arities: list[int], n_rows: int) -> Table:
    """Rows of a random network in which variables follow up to four others closely."""
    columns = np.zeros((len(arities), n_rows), dtype=np.int64)
    order = rng.permutation(len(arities))
    for place, variable in enumerate(order):
        parents = rng.permutation(order[:place])[:4]
        configuration = np.zeros(n_rows, dtype=np.int64)
        for parent in parents:
            configuration = configuration * arities[parent] + columns[parent]
        n_configurations = int(configuration.max()) + 1
        distributions = rng.dirichlet(np.full(arities[variable], 0.5), size=n_configurations)
        draws = rng.random(n_rows)[:, None] > distributions.cumsum(axis=1)[configuration]
        columns[variable] = np.minimum(draws.sum(axis=1), arities[variable] - 1)
    return arities, columns.T


def score_of(criterion: dict[str, Any]) -> reference.Likelihood | reference.BayesianDirichlet:
    if criterion["criterion"] == "bdeu":
        return reference.BayesianDirichlet(criterion["equivalent_sample_size"])
    return reference.Likelihood(criterion["alpha"])


def learn_greedily(table: Table, kind: SplitKind, **others: Any) -> LearnedModel:
    arities, rows = table
    # The time limit is for a search that would never end.
    chosen = LearnSettings(schedule="greedy", splits=kind, max_seconds=10, **others)
    model = learn(Dataset.from_array(rows, arities=arities), chosen)
    assert model.stop is not Stop.MAX_SECONDS
    return model


class Step(NamedTuple):
    leaf: int
    variable: int
    value: int
    edge_cost: int


def steps_of(model: LearnedModel) -> list[Step]:
    pays = itertools.takewhile(lambda info: info.net_gain - info.edge_penalty * info.edge_cost > NOISE, model.trace)
    return [Step(info.leaf, info.variable, info.value, info.edge_cost) for info in pays]


def as_step(split: reference.Split, edge_cost: int, kind: SplitKind) -> Step:
    return Step(split.leaf, split.variable, split.branches[0][0] if kind == "binary" else 0, edge_cost)


@dataclass
class BruteForce:
    """Greedy search with nothing clever: every valid split is priced by the core in every iteration.

    Only a candidate's gain is kept, since its leaf's rows do not change.
    """

    table: Table
    kind: SplitKind
    score: reference.Likelihood | reference.BayesianDirichlet
    edge_penalty: float
    parameter_penalty: float
    max_edges: int | None = None
    leaf_scores: dict[tuple[Any, ...], float] = field(default_factory=dict)
    net_gains: dict[reference.Split, float] = field(default_factory=dict)

    def steps(self) -> Iterator[Step]:
        arities = self.table[0]
        core = GrowingCircuit(np.array(arities, dtype=np.uint32), self.kind == "binary")
        network = reference.initial_network(arities)
        while True:
            best, best_improvement = None, NOISE
            for split in reference.valid_splits(network, self.kind):
                step = as_step(split, 0, self.kind)
                if arities[split.variable] == 2 and step.value == 1:
                    continue  # Two values against each other: the split on the first stands for both.
                cost = core.edge_cost(*step[:3])
                improvement = self.net_gain(network, split) - self.edge_penalty * cost
                fits = self.max_edges is None or core.n_edges + cost <= self.max_edges
                if fits and improvement > best_improvement:
                    best, best_improvement = (split, cost), improvement
            if best is None:
                return
            step = as_step(*best, self.kind)
            core.apply_split(*step[:3])
            new = new_leaves(network, best[0])
            kept = {i: leaf for i, leaf in network.leaves.items() if i != step.leaf}
            network = Network(network.arities, kept | new)
            yield step

    def net_gain(self, network: Network, split: reference.Split) -> float:
        if split not in self.net_gains:
            old, new = network.leaves[split.leaf], new_leaves(network, split).values()
            gain = sum(self.leaf_score(network, leaf) for leaf in new) - self.leaf_score(network, old)
            n_new_parameters = (len(new) - 1) * network.arities[old.variable]
            self.net_gains[split] = float(np.float32(gain)) - self.parameter_penalty * n_new_parameters
        return self.net_gains[split]

    def leaf_score(self, network: Network, leaf: Leaf) -> float:
        key = (leaf.variable, tuple(sorted((v, tuple(sorted(left))) for v, left in leaf.path.items())))
        if key not in self.leaf_scores:
            rows = self.table[1]
            reached = np.ones(len(rows), dtype=bool)
            for variable, values in leaf.path.items():
                reached &= np.isin(rows[:, variable], list(values))
            arity = network.arities[leaf.variable]
            counts = np.bincount(rows[reached, leaf.variable], minlength=arity).tolist()
            prior = self.score.prior(network.share(leaf), arity)
            self.leaf_scores[key] = self.score.leaf_score(counts, prior)
        return self.leaf_scores[key]


@settings(stable, max_examples=25)
@given(seeds, kinds, criteria, st.sampled_from([(0.01, 0.0), (0.05, 0.1), (0.3, 0.0), (1.0, 0.5)]))
def test_the_splits_are_those_of_the_reference(
    seed: int, kind: SplitKind, criterion: dict[str, Any], penalties: tuple[float, float]
) -> None:
    rng = np.random.default_rng(seed)
    arities = rng.choice([1, 2, 2, 3, 4, 5], size=rng.integers(2, 5)).tolist()
    table = random_table(rng, arities, n_rows=300)
    check_against_reference(table, kind, criterion, penalties, max_splits=10)


@pytest.mark.parametrize("kind", ["complete", "binary"])
@pytest.mark.parametrize(
    "criterion",
    [{"criterion": "likelihood", "alpha": 0.3}, {"criterion": "bdeu", "equivalent_sample_size": 1.0}],
)
def test_many_splits_are_those_of_the_reference(kind: SplitKind, criterion: dict[str, Any]) -> None:
    rng = np.random.default_rng(7)
    table = random_table(rng, [2, 3, 2, 2, 2, 2], n_rows=2000)
    assert check_against_reference(table, kind, criterion, (0.01, 0.0), max_splits=24) >= 20


def check_against_reference(
    table: Table, kind: SplitKind, criterion: dict[str, Any], penalties: tuple[float, float], max_splits: int
) -> int:
    """The number of splits compared."""
    arities, rows = table
    edge_penalty, parameter_penalty = penalties
    model = learn_greedily(
        table,
        kind,
        edge_penalty=edge_penalty,
        parameter_penalty=parameter_penalty,
        max_splits=max_splits,
        **criterion,
    )
    distinct, weights = np.unique(rows, axis=0, return_counts=True)
    expected = reference.learn_ac(
        distinct.tolist(),
        arities,
        edge_penalty,
        parameter_penalty,
        kind,
        score_of(criterion),
        weights.tolist(),
        max_splits,
    )
    pays = itertools.takewhile(lambda step: step.improvement > NOISE, expected.steps)
    steps = [as_step(step.split, step.edge_cost, kind) for step in pays]
    assert steps_of(model) == steps
    return len(steps)


@settings(stable, max_examples=8)
@given(seeds)
def test_long_searches_are_those_of_brute_force(seed: int) -> None:
    check_against_brute_force(seed, n_variables=(7, 9), most_splits=40)


@settings(stable, max_examples=25)
@given(seeds)
def test_searches_with_an_edge_budget_are_those_of_brute_force(seed: int) -> None:
    check_against_brute_force(seed, n_variables=(3, 6), most_splits=25, has_budget=True)


def check_against_brute_force(
    seed: int, n_variables: tuple[int, int], most_splits: int, has_budget: bool = False
) -> list[Step]:
    """All else is drawn: arities, rows, penalties, criterion."""
    rng = np.random.default_rng(seed)
    values = [[2], [1, 2, 2, 3, 3, 4, 5], [2, 2, 2, 5], [2, 3, 6]][rng.integers(4)]
    arities = rng.choice(values, size=rng.integers(*n_variables, endpoint=True)).tolist()
    table = random_table(rng, arities, n_rows=int(rng.choice([50, 300, 1000])))
    kind: SplitKind = "binary" if rng.random() < 0.5 else "complete"
    criterion = CRITERIA[rng.integers(len(CRITERIA))]
    edge_penalty = float(rng.choice([0.001, 0.01, 0.05, 0.3]))
    parameter_penalty = float(rng.choice([0.0, 0.0, 0.2]))
    n_edges = GrowingCircuit(np.array(arities, dtype=np.uint32), False).n_edges
    max_edges = n_edges + int(rng.integers(20 * n_edges)) if has_budget else None
    model = learn_greedily(
        table,
        kind,
        edge_penalty=edge_penalty,
        parameter_penalty=parameter_penalty,
        max_splits=most_splits,
        max_edges=max_edges,
        n_threads=int(rng.integers(1, 3)),
        **criterion,
    )
    search = BruteForce(table, kind, score_of(criterion), edge_penalty, parameter_penalty, max_edges)
    steps = list(itertools.islice(search.steps(), most_splits))
    assert steps_of(model) == steps
    assert max_edges is None or model.circuit.n_edges <= max_edges
    return steps
