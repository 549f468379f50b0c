"""AC-Quick takes the splits that a plain list of candidates with their last known costs gives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning import random_ordered, with_ordered
from numpy.typing import NDArray

from learnac import reference
from learnac._core import GrowingCircuit
from learnac.data import Dataset
from learnac.learn import LearnSettings, learn_table
from learnac.reference.learn import Network, Objective, SplitKind, new_leaves

Step = tuple[int, int, int, int]  # leaf, variable, value, edge cost

# A gain that is zero but for rounding errors may be either side of zero.
NOISE = 1e-9
stable = settings(derandomize=True)
seeds = st.integers(0, 99_999)
kinds = st.sampled_from(["complete", "binary"])
criteria = st.sampled_from([("likelihood", reference.Likelihood()), ("bdeu", reference.BayesianDirichlet())])
all_penalties = st.sampled_from([(0.01, 0.0), (0.05, 0.2), (0.5, 0.0), (0.0, 1.0)])


@dataclass
class Candidate:
    split: reference.Split
    net_gain: float
    cost: int = 0  # when last computed; unknown costs count as 0
    is_fresh: bool = False


@dataclass
class PlainQuick:
    """AC-Quick (section 4.3 of the paper) as a list that is searched from end to end."""

    objective: Objective
    arities: list[int]
    kind: SplitKind
    ordered: list[int]

    def steps(self) -> Iterator[Step]:
        is_ordered = np.isin(np.arange(len(self.arities)), self.ordered).astype(np.uint8)
        core = GrowingCircuit(np.array(self.arities, dtype=np.uint32), self.kind == "binary", is_ordered)
        network = reference.initial_network(self.arities)
        candidates = self.candidates_of(network, [*network.leaves])
        while candidates:
            # Valid splits come in order of leaf, variable, value, and the first of the best is taken.
            best = max(candidates, key=self.score)
            leaf, variable, value = self.in_core(best.split)
            if not best.is_fresh:
                best.cost, best.is_fresh = core.edge_cost(leaf, variable, value), True
                if self.score(best) <= 0:
                    candidates.remove(best)
                continue
            if self.score(best) <= NOISE:
                return
            core.apply_split(leaf, variable, value)
            new = new_leaves(network, best.split)
            kept = {i: d for i, d in network.leaves.items() if i != leaf}
            network = Network(network.arities, kept | new)
            valid = set(reference.valid_splits(network, self.kind, self.ordered))
            candidates = [c for c in candidates if c.split in valid] + self.candidates_of(network, [*new])
            for candidate in candidates:
                candidate.is_fresh = False
            yield leaf, variable, value, best.cost

    def candidates_of(self, network: Network, leaves: list[int]) -> list[Candidate]:
        """Those that would pay if they cost no edges."""
        found = []
        for split in reference.valid_splits(network, self.kind, self.ordered):
            # Two values against each other: the split on the first stands for both.
            if split.leaf in leaves and (self.arities[split.variable] > 2 or split.branches[0] == (0,)):
                candidate = Candidate(split, self.net_gain(network, split))
                found += [candidate] if candidate.net_gain > 0 else []
        return found

    def net_gain(self, network: Network, split: reference.Split) -> float:
        old, new = network.leaves[split.leaf], new_leaves(network, split).values()
        gain = sum(self.objective.leaf_score(network, leaf) for leaf in new)
        gain -= self.objective.leaf_score(network, old)
        n_new_parameters = (len(new) - 1) * network.arities[old.variable]
        return float(np.float32(gain)) - self.objective.parameter_penalty * n_new_parameters

    def score(self, candidate: Candidate) -> float:
        return candidate.net_gain - self.objective.edge_penalty * candidate.cost

    def in_core(self, split: reference.Split) -> tuple[int, int, int]:
        return split.leaf, split.variable, split.branches[0][-1] if self.kind == "binary" else 0


def random_rows(rng: np.random.Generator, arities: list[int], n_rows: int) -> NDArray[np.int64]:
    """Rows near a few prototypes: everything depends on everything, so that there is much to learn."""
    prototypes = rng.integers(arities, size=(6, len(arities)))
    noise = rng.integers(arities, size=(n_rows, len(arities)))
    keeps = rng.random(noise.shape) < 0.8
    return np.where(keeps, prototypes[rng.integers(6, size=n_rows)], noise)


def check_against_plain_quick(
    arities: list[int],
    rows: NDArray[np.int64],
    kind: SplitKind,
    criterion: tuple[str, Any],
    penalties: tuple[float, float],
    *,
    max_splits: int,
    ordered: list[int],
) -> int:
    """The number of splits compared."""
    edge_penalty, parameter_penalty = penalties
    name, score = criterion
    chosen = {"criterion": name, "alpha": 1.0, "shrinkage": 0.0, "splits": kind, "max_splits": max_splits}
    model = learn_table(
        with_ordered(Dataset.from_array(rows, arities=arities), ordered),
        LearnSettings(edge_penalty, parameter_penalty, **chosen),
    )
    distinct, weights = np.unique(rows, axis=0, return_counts=True)
    objective = Objective(distinct.tolist(), weights.tolist(), score, edge_penalty, parameter_penalty)
    expected = itertools.islice(PlainQuick(objective, arities, kind, ordered).steps(), max_splits)

    paying = itertools.takewhile(lambda i: i.net_gain - edge_penalty * i.edge_cost > NOISE, model.trace)
    found = [(info.leaf, info.variable, info.value, info.edge_cost) for info in paying]
    assert found == list(expected)
    return len(found)


@settings(stable, max_examples=60)
@given(seeds, kinds, criteria, all_penalties)
def test_the_splits_are_those_of_the_plain_list(
    seed: int, kind: SplitKind, criterion: tuple[str, Any], penalties: tuple[float, float]
) -> None:
    rng = np.random.default_rng(seed)
    arities = rng.choice([1, 2, 2, 3, 4, 5], size=rng.integers(2, 6)).tolist()
    rows = random_rows(rng, arities, n_rows=200)
    ordered = random_ordered(rng, len(arities))
    check_against_plain_quick(arities, rows, kind, criterion, penalties, max_splits=15, ordered=ordered)


@pytest.mark.parametrize(("kind", "ordered"), [("complete", []), ("binary", []), ("binary", [1, 4])])
def test_many_splits_are_those_of_the_plain_list(kind: SplitKind, ordered: list[int]) -> None:
    rng = np.random.default_rng(3)
    arities = [2, 3, 2, 2, 4, 2, 2]
    rows = random_rows(rng, arities, n_rows=1500)
    criterion = ("likelihood", reference.Likelihood())
    n_splits = check_against_plain_quick(arities, rows, kind, criterion, (0.01, 0.0), max_splits=50, ordered=ordered)
    assert n_splits == 50


@pytest.mark.parametrize("schedule", ["quick", "greedy"])
def test_of_equal_splits_the_one_of_the_smallest_leaf_and_variable_is_taken(schedule: str) -> None:
    """Copies of one column: the first split can be any, the others are cheapest on its variable."""
    column = np.arange(40) % 2
    rows = np.column_stack([column] * 4)
    model = learn_table(Dataset.from_array(rows), LearnSettings(0.01, 0.1, schedule))
    assert [(info.leaf, info.variable) for info in model.trace] == [(0, 1), (2, 1), (3, 1)]


@pytest.mark.parametrize("schedule", ["quick", "greedy"])
def test_of_equal_values_the_smallest_is_set_against_the_rest(schedule: str) -> None:
    rows = np.repeat([[0, 0], [1, 1], [2, 2]], 10, axis=0)
    chosen = LearnSettings(0.01, 0.1, schedule, splits="binary", max_splits=1)
    (info,) = learn_table(Dataset.from_array(rows), chosen).trace
    assert (info.leaf, info.variable, info.value) == (0, 1, 0)


@pytest.mark.parametrize("schedule", ["quick", "greedy"])
def test_an_ordered_variable_is_split_between_the_values_that_differ(schedule: str) -> None:
    rows = np.array([[v, int(v > 2)] for v in range(6)] * 10)
    dataset = with_ordered(Dataset.from_array(rows), [0])
    chosen = LearnSettings(0.01, 0.1, schedule, splits="binary", max_splits=1)
    model = learn_table(dataset, chosen, allowed_parents={"x0": []})
    (info,) = model.trace
    assert (info.leaf, info.variable, info.value) == (1, 0, 2)
    (tree,) = (tree for tree in model.network.trees if tree.n_leaves > 1)
    assert list(tree.branches(0).values()) == [0b000111, 0b111000]
