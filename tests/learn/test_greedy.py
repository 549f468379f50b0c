"""AC-Greedy takes the truly best split every time: the same sequence as brute force, split for split."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning import random_ordered, with_ordered
from numpy.typing import NDArray

from learnac import reference
from learnac._core import GreedySchedule, GrowingCircuit
from learnac.data import Dataset
from learnac.learn import LearnSettings, Stop, learn_table
from learnac.learn.model import Learned
from learnac.reference.learn import Leaf, Network, SplitKind, new_leaves


class Table(NamedTuple):
    arities: list[int]
    rows: NDArray[np.int64]  # (rows x variables)
    ordered: list[int]

    @property
    def is_ordered(self) -> NDArray[np.uint8]:
        return np.isin(np.arange(len(self.arities)), self.ordered).astype(np.uint8)


# A gain that is zero but for rounding errors may be either side of zero.
NOISE = 1e-9
stable = settings(derandomize=True)
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
    """Rows of a random network in which variables follow up to four others closely; some variables may be ordered."""
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
    return Table(arities, columns.T, random_ordered(rng, len(arities)))


def score_of(criterion: dict[str, Any]) -> reference.Likelihood | reference.BayesianDirichlet:
    if criterion["criterion"] == "bdeu":
        return reference.BayesianDirichlet(criterion["equivalent_sample_size"])
    return reference.Likelihood(criterion["alpha"])


def learn_greedily(table: Table, kind: SplitKind, **others: Any) -> Learned:
    dataset = with_ordered(Dataset.from_array(table.rows, arities=table.arities), table.ordered)
    # The time limit is for a search that would never end.
    chosen = LearnSettings(schedule="greedy", splits=kind, max_seconds=60, shrinkage=0.0, **others)
    model = learn_table(dataset, chosen)
    assert model.stop is not Stop.MAX_SECONDS
    return model


class Step(NamedTuple):
    leaf: int
    variable: int
    value: int
    edge_cost: int


def steps_of(model: Learned) -> list[Step]:
    pays = itertools.takewhile(lambda info: info.net_gain - info.edge_penalty * info.edge_cost > NOISE, model.trace)
    return [Step(info.leaf, info.variable, info.value, info.edge_cost) for info in pays]


def as_step(split: reference.Split, edge_cost: int, kind: SplitKind) -> Step:
    return Step(split.leaf, split.variable, split.branches[0][-1] if kind == "binary" else 0, edge_cost)


def candidates(network: Network, kind: SplitKind, ordered: Collection[int]) -> list[tuple[int, int, int]]:
    """Valid splits as the core names them. Two values against each other are one split, named by the first."""
    splits = (as_step(split, 0, kind)[:3] for split in reference.valid_splits(network, kind, ordered))
    return [split for split in splits if network.arities[split[1]] > 2 or split[2] == 0]


def after_split(
    network: Network, split: tuple[int, int, int], kind: SplitKind, ordered: Collection[int]
) -> tuple[Network, dict[int, Leaf]]:
    """The network, and what is new in it."""
    leaf, variable, value = split
    arity = network.arities[variable]
    branches = reference.complete_branches(arity)
    if kind == "binary":
        make = reference.threshold_branches if variable in ordered else reference.binary_branches
        branches = make(arity, value)
    new = new_leaves(network, reference.Split(leaf, variable, branches))
    kept = {i: d for i, d in network.leaves.items() if i != leaf}
    return Network(network.arities, kept | new), new


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
    net_gains: dict[tuple[int, int, int], float] = field(default_factory=dict)

    def steps(self) -> Iterator[Step]:
        arities, _, ordered = self.table
        core = GrowingCircuit(np.array(arities, dtype=np.uint32), self.kind == "binary", self.table.is_ordered)
        network = reference.initial_network(arities)
        while True:
            best, best_improvement, best_cost = None, NOISE, 0
            for split in candidates(network, self.kind, ordered):
                cost = core.edge_cost(*split)
                improvement = self.net_gain(network, split) - self.edge_penalty * cost
                fits = self.max_edges is None or core.n_edges + cost <= self.max_edges
                if fits and improvement > best_improvement:
                    best, best_improvement, best_cost = split, improvement, cost
            if best is None:
                return
            core.apply_split(*best)
            network, _ = after_split(network, best, self.kind, ordered)
            yield Step(*best, best_cost)

    def net_gain(self, network: Network, split: tuple[int, int, int]) -> float:
        if split not in self.net_gains:
            old, new = network.leaves[split[0]], after_split(network, split, self.kind, self.table.ordered)[1].values()
            gain = sum(self.leaf_score(network, leaf) for leaf in new) - self.leaf_score(network, old)
            n_new_parameters = (len(new) - 1) * network.arities[old.variable]
            self.net_gains[split] = float(np.float32(gain)) - self.parameter_penalty * n_new_parameters
        return self.net_gains[split]

    def leaf_score(self, network: Network, leaf: Leaf) -> float:
        key = (leaf.variable, tuple(sorted((v, tuple(sorted(left))) for v, left in leaf.path.items())))
        if key not in self.leaf_scores:
            rows = self.table.rows
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
    arities, rows, ordered = table
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
        ordered,
    )
    pays = itertools.takewhile(lambda step: step.improvement > NOISE, expected.steps)
    steps = [as_step(step.split, step.edge_cost, kind) for step in pays]
    assert steps_of(model) == steps
    return len(steps)


@settings(stable, max_examples=250)
@given(seeds, kinds)
def test_the_schedule_finds_the_best_split_when_gains_hardly_differ(seed: int, kind: SplitKind) -> None:
    """Edge costs alone decide then, and a bound on one that is too high hides the best split."""
    rng = np.random.default_rng(seed)
    arities = rng.choice([1, 1, 2, 2, 3, 3, 4, 5], size=rng.integers(3, 7)).tolist()
    ordered = random_ordered(rng, len(arities))
    is_ordered = np.isin(np.arange(len(arities)), ordered).astype(np.uint8)
    core = GrowingCircuit(np.array(arities, dtype=np.uint32), kind == "binary", is_ordered)
    schedule = GreedySchedule(core, 1.0, False)
    least, spread = [(30, 3), (100, 3), (100, 10), (-2, 40)][rng.integers(4)]
    net_gains: dict[tuple[int, int, int], float] = {}

    def offer(network: Network, leaves: Collection[int]) -> None:
        for leaf in leaves:
            splits = [split for split in candidates(network, kind, ordered) if split[0] == leaf]
            gains = least + rng.integers(spread * 100, size=len(splits)) / 100
            net_gains.update(zip(splits, gains.tolist(), strict=True))
            _, variables, values = np.array(splits, dtype=np.uint32).reshape(-1, 3).T.copy()
            schedule.add(leaf, variables, values, gains)

    network = reference.initial_network(arities)
    offer(network, network.leaves)
    for _ in range(20):
        scored = [(net_gains[split] - core.edge_cost(*split), split) for split in candidates(network, kind, ordered)]
        best_score, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        chosen = schedule.best_split(2**62, lambda: False)
        if best is None or best_score <= 0:
            assert chosen is None
            return
        assert chosen == (*best, net_gains[best], core.edge_cost(*best))
        schedule.applying(*best)
        core.apply_split(*best)
        network, new = after_split(network, best, kind, ordered)
        offer(network, new)


@settings(stable, max_examples=30)
@given(seeds)
def test_long_searches_are_those_of_brute_force(seed: int) -> None:
    check_against_brute_force(seed, n_variables=(7, 9), most_splits=40)


@settings(stable, max_examples=60)
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
        **criterion,
    )
    search = BruteForce(table, kind, score_of(criterion), edge_penalty, parameter_penalty, max_edges)
    steps = list(itertools.islice(search.steps(), most_splits))
    assert steps_of(model) == steps
    assert max_edges is None or model.circuit.n_edges <= max_edges
    return steps
