"""What holds of every schedule: it chooses valid splits that pay and fit, and says what it can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac._core import GreedySchedule, GrowingCircuit, QuickSchedule
from learnac.learn.by_gain import GainSchedule, NoCircuit
from learnac.learn.schedule import Schedule
from learnac.learn.splits import Split, SplitKind, SplitSpace

# Every schedule, with the circuit it prices splits on. A new one is added here.
Made = tuple[Schedule, Any]
Make = Callable[[SplitSpace, float], Made]


def _core(kind: Any) -> Make:
    def make(space: SplitSpace, edge_penalty: float) -> Made:
        circuit = GrowingCircuit(space.arities.astype(np.uint32), space.is_binary, space.ordered_bytes)
        return kind(circuit, edge_penalty, True), circuit

    return make


def _by_gain(space: SplitSpace, edge_penalty: float) -> Made:
    return GainSchedule(space), NoCircuit()


each_make = pytest.mark.parametrize("make", [_core(QuickSchedule), _core(GreedySchedule), _by_gain])
stable = settings(derandomize=True, max_examples=60)
UNLIMITED = 2**62


class Search:
    """A schedule on random gains, and what a plain reading of the paper says of its choices."""

    def __init__(self, make: Make, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        arities = self.rng.choice([2, 2, 3], size=self.rng.integers(2, 6)).astype(np.int64)
        ordered = tuple((self.rng.random(len(arities)) < 0.4).tolist())
        self.space = SplitSpace(arities, SplitKind.BINARY, ordered=ordered)
        self.edge_penalty = float(self.rng.choice([0.05, 0.5]))
        self.schedule, self.circuit = make(self.space, self.edge_penalty)
        self.children = list(range(len(arities)))
        self.gains: dict[Split, float] = {}
        self.parents: list[set[int]] = [set() for _ in arities]
        for leaf in range(len(arities)):
            self.offer(leaf)

    def offer(self, leaf: int) -> None:
        splits = [
            Split(leaf, variable, value)
            for variable in range(self.space.n_variables)
            for value in range(1 if self.space.arities[variable] == 2 else 2 if self.space.ordered[variable] else 3)
            if variable != self.children[leaf] and self.rng.random() < 0.6
        ]
        gains = self.rng.exponential(20, size=len(splits))
        self.gains.update(zip(splits, gains.tolist(), strict=True))
        columns = np.array([[split.variable, split.value] for split in splits], dtype=np.uint32).reshape(-1, 2)
        self.schedule.add(leaf, columns[:, 0].copy(), columns[:, 1].copy(), gains)

    def descends(self, variable: int, ancestor: int) -> bool:
        return variable == ancestor or any(self.descends(parent, ancestor) for parent in self.parents[variable])

    def is_valid(self, split: Split) -> bool:
        return not self.descends(split.variable, self.children[split.leaf])

    def apply(self, split: Split) -> None:
        self.schedule.applying(split.leaf, split.variable, split.value)
        self.circuit.apply_split(split.leaf, split.variable, split.value)
        child = self.children[split.leaf]
        self.parents[child].add(split.variable)
        self.gains = {other: gain for other, gain in self.gains.items() if other.leaf != split.leaf}
        for _ in range(2):
            self.children.append(child)

    def next(self, most_edges: int = UNLIMITED) -> tuple[Split, float, int] | None:
        chosen = self.schedule.best_split(most_edges, lambda: False)
        return None if chosen is None else (Split(*chosen[:3]), chosen[3], chosen[4])


@each_make
@stable
@given(seed=st.integers(0, 9999))
def test_choices_are_valid_and_pay_and_fit(make: Make, seed: int) -> None:
    search = Search(make, seed)
    for _ in range(8):
        room = int(search.rng.choice([10, 50, UNLIMITED]))
        chosen = search.next(room)
        if chosen is None:
            return
        split, net_gain, edge_cost = chosen
        assert search.gains[split] == net_gain
        assert search.is_valid(split)
        assert edge_cost <= room
        before = search.circuit.n_edges
        if edge_cost != 0:
            assert net_gain > search.edge_penalty * edge_cost
        search.apply(split)
        assert search.circuit.n_edges - before == edge_cost


@each_make
@stable
@given(seed=st.integers(0, 9999))
def test_a_search_ends_only_when_nothing_valid_is_left_that_pays(make: Make, seed: int) -> None:
    search = Search(make, seed)
    while (chosen := search.next()) is not None:
        search.apply(chosen[0])
    for split, gain in search.gains.items():
        if search.is_valid(split) and isinstance(search.circuit, GrowingCircuit):
            cost = search.circuit.edge_cost(split.leaf, split.variable, split.value)
            # AC-Quick may hold on to a cost that has fallen since.
            assert gain <= search.edge_penalty * cost or search.schedule.remembers_costs
        else:
            assert not search.is_valid(split)


@each_make
@stable
@given(seed=st.integers(0, 9999))
def test_a_schedule_that_remembers_costs_comes_to_the_same_choices_by_replaying_them(make: Make, seed: int) -> None:
    first, again = Search(make, seed), Search(make, seed)
    choices = []
    while (chosen := first.next()) is not None and len(choices) < 6:
        choices.append(chosen)
        first.apply(chosen[0])
    costs = first.schedule.known_costs()
    assert costs.dtype == np.int64
    assert len(costs) == 0 or first.schedule.remembers_costs
    again.schedule.replay(costs)
    for expected in choices:
        if again.schedule.remembers_costs:
            assert again.next() == expected
        again.apply(expected[0])


@each_make
def test_an_invalid_split_is_refused(make: Make) -> None:
    space = SplitSpace(np.array([2, 2, 2]), SplitKind.BINARY)
    schedule, circuit = make(space, 0.1)
    for leaf in range(3):
        schedule.add(leaf, np.array([], np.uint32), np.array([], np.uint32), np.array([]))
    schedule.applying(0, 1, 0)
    circuit.apply_split(0, 1, 0)
    with pytest.raises(ValueError, match="cycle"):
        schedule.applying(1, 0, 0)


@each_make
def test_a_lower_price_makes_more_splits_pay(make: Make) -> None:
    space = SplitSpace(np.array([2, 2]), SplitKind.BINARY)
    schedule, _ = make(space, 100.0)
    schedule.add(0, np.array([1], np.uint32), np.array([0], np.uint32), np.array([1.0]))
    if schedule.best_split(UNLIMITED, lambda: False) is None:
        schedule.set_edge_penalty(1e-3)
        assert schedule.best_split(UNLIMITED, lambda: False) is not None


@each_make
def test_without_its_candidates_it_has_no_split_and_still_tells_its_work(make: Make) -> None:
    search = Search(make, seed=3)
    assert search.schedule.best_split(UNLIMITED, lambda: False) is not None
    n_candidates = search.schedule.n_candidates
    search.schedule.drop_candidates()
    assert search.schedule.best_split(UNLIMITED, lambda: False) is None
    assert search.schedule.n_candidates == n_candidates > 0


@each_make
def test_costs_that_nobody_keeps_are_not_missed(make: Make) -> None:
    keeping, forgetting = Search(make, seed=5), Search(make, seed=5)
    forgetting.schedule.forget_costs()
    for _ in range(3):
        chosen = keeping.schedule.best_split(UNLIMITED, lambda: False)
        assert forgetting.schedule.best_split(UNLIMITED, lambda: False) == chosen
        assert chosen is not None
        for search in (keeping, forgetting):
            search.apply(Split(*chosen[:3]))
    assert len(forgetting.schedule.known_costs()) == 0


class WaitingSearch(Search):
    """The same, but leaves wait with a bound, and their candidates come when they are needed, in any order."""

    def __init__(self, make: Make, seed: int) -> None:
        self.other_rng = np.random.default_rng(seed + 1)
        self.kept: dict[int, tuple[Any, ...]] = {}
        self.n_asked = 0
        super().__init__(make, seed)

    def offer(self, leaf: int) -> None:
        schedule = self.schedule
        self.schedule = self  # type: ignore[assignment]
        super().offer(leaf)
        self.schedule = schedule
        gains = self.kept[leaf][3]
        schedule.wait(leaf, max(gains, default=0.0) * float(self.other_rng.choice([1.0, 1.0 + 1e-12, 2.0])))

    def add(self, *candidates: Any) -> None:
        self.kept[candidates[0]] = candidates

    def next(self, most_edges: int = UNLIMITED) -> tuple[Split, float, int] | None:
        chosen = super().next(most_edges)
        while self.schedule.needs_counts:
            assert chosen is None
            self.n_asked += 1
            for leaf in self.other_rng.permutation(list(self.kept)).tolist():
                if len(self.kept) == 1 or self.other_rng.random() < 0.7:
                    self.schedule.add(*self.kept.pop(leaf))
            chosen = super().next(most_edges)
        return chosen


@each_make
@stable
@given(seed=st.integers(0, 9999))
def test_leaves_that_wait_make_no_difference(make: Make, seed: int) -> None:
    at_once, waiting = Search(make, seed), WaitingSearch(make, seed)
    for _ in range(12):
        expected = at_once.next()
        assert waiting.next() == expected
        if expected is None:
            break
        promising = [Split(*split) for split in at_once.schedule.promising(100)]
        assert len({split.leaf for split in promising}) == len(promising)
        assert all(split in at_once.gains for split in promising)
        at_once.apply(expected[0])
        waiting.kept.pop(expected[0].leaf, None)
        waiting.apply(expected[0])
    np.testing.assert_array_equal(waiting.schedule.known_costs(), at_once.schedule.known_costs())
