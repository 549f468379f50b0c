"""AC-Greedy takes the truly best split every time: the same sequence as brute force, split for split."""

from __future__ import annotations

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
from learnac.learn import LearnSettings, learn
from learnac.learn.loop import LearnedModel
from learnac.reference.learn import Leaf, Network, Objective, SplitKind, new_leaves

Table = tuple[list[int], NDArray[np.int64]]  # arities; (rows x variables)

stable = settings(deadline=None, derandomize=True)
seeds = st.integers(0, 99_999)
kinds = st.sampled_from(["complete", "binary"])
criteria = st.sampled_from(
    [
        {"criterion": "likelihood", "alpha": 1.0},
        {"criterion": "likelihood", "alpha": 0.3},
        {"criterion": "likelihood", "alpha": 4.0},
        {"criterion": "bdeu", "equivalent_sample_size": 1.0},
        {"criterion": "bdeu", "equivalent_sample_size": 10.0},
    ]
)


def random_table(rng: np.random.Generator, arities: list[int], n_rows: int) -> Table:
    """Rows of a random network in which variables follow up to three others closely."""
    columns = np.zeros((len(arities), n_rows), dtype=np.int64)
    order = rng.permutation(len(arities))
    for place, variable in enumerate(order):
        parents = rng.permutation(order[:place])[: rng.integers(1, 4)]
        configuration = np.zeros(n_rows, dtype=np.int64)
        for parent in parents:
            configuration = configuration * arities[parent] + columns[parent]
        n_configurations = int(configuration.max()) + 1
        distributions = rng.dirichlet(np.full(arities[variable], 0.3), size=n_configurations)
        draws = rng.random(n_rows)[:, None] > distributions.cumsum(axis=1)[configuration]
        columns[variable] = np.minimum(draws.sum(axis=1), arities[variable] - 1)
    return arities, columns.T


def score_of(criterion: dict[str, Any]) -> reference.Likelihood | reference.BayesianDirichlet:
    if criterion["criterion"] == "bdeu":
        return reference.BayesianDirichlet(criterion["equivalent_sample_size"])
    return reference.Likelihood(criterion["alpha"])


def learn_greedily(table: Table, kind: SplitKind, **others: Any) -> LearnedModel:
    arities, rows = table
    return learn(
        Dataset.from_array(rows, arities=arities), LearnSettings(schedule="greedy", splits=kind, **others)
    )


class Step(NamedTuple):
    leaf: int
    variable: int
    value: int
    edge_cost: int


def steps_of(model: LearnedModel) -> list[Step]:
    return [Step(info.leaf, info.variable, info.value, info.edge_cost) for info in model.trace]


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
            best, best_improvement = None, 0.0
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


def brute_force_steps(search: BruteForce, most: int) -> list[Step]:
    return [step for _, step in zip(range(most), search.steps(), strict=False)]
