"""The learner's state, and one step of it: choose nothing, apply a split, find the new candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnac._core import CandidateFinder, GreedySchedule, GrowingCircuit, GrowingTrees, QuickSchedule
from learnac.errors import ModelFileError
from learnac.learn.by_gain import GainSchedule, NoCircuit
from learnac.learn.counts import BranchedSplit, CountProvider, Floats, LeafCounts, check_counts
from learnac.learn.limits import most_candidates
from learnac.learn.schedule import Schedule, ScoredSplit
from learnac.learn.settings import LearnSettings
from learnac.learn.splits import Split, SplitSpace

NO_LIMIT = 2**62
# Counts are held for as many leaves at once as have this many cells: few enough to look at the clock between them.
_CELLS_AT_ONCE = 1_000_000
# How many splits ahead a pass counts: more if there were many since the last pass.
_LEAST_AHEAD = 64
_AHEAD_A_SPLIT = 2


def never() -> bool:
    """For whoever has all the time that it takes."""
    return False


class _Batch(NamedTuple):
    leaves: Sequence[int]
    counted: list[LeafCounts]  # of all of them, or of none
    totals: list[Floats]


class Learner:
    """Circuit, trees, counts and schedule, kept in step. Changes in place."""

    def __init__(
        self,
        space: SplitSpace,
        counts: CountProvider,
        settings: LearnSettings,
        circuit: GrowingCircuit | NoCircuit,
        schedule: Schedule,
        *,
        is_replayed: bool = False,
    ) -> None:
        self.space = space
        self.counts = counts
        self.follower: CountProvider | None = None  # Other rows, which are counted for the same leaves.
        self.circuit = circuit
        self.schedule = schedule
        self.edge_penalty = settings.first_edge_penalty
        smoothing = settings.search_smoothing
        self.trees = GrowingTrees(
            space.arities.astype(np.uint32),
            space.is_binary,
            smoothing.criterion,
            smoothing.prior,
            smoothing.shrinkage,
            space.ordered_bytes,
        )
        may_remove_edges = _may_remove_edges(space) & (schedule.takes_losses and self.edge_penalty > 0)
        self._may_lose = bool(may_remove_edges.any())
        self._finder = CandidateFinder(
            self.trees,
            smoothing.criterion,
            smoothing.prior,
            settings.parameter_penalty,
            may_remove_edges.astype(np.uint8),
            space.allowed_bytes,
            most_candidates(space.n_variables),
        )
        self._leaves_at_once = max(1, _CELLS_AT_ONCE // (int(space.arities.sum()) * int(space.arities.max())))
        self.n_leaves = space.n_variables
        self._waiting: list[int] = []  # leaves that are not counted yet
        self._n_splits = self._n_splits_counted = 0
        # By leaf, the splits that there are. Only splits that come from elsewhere must be among them.
        self._offered: dict[int, set[tuple[int, int]]] | None = {} if is_replayed else None
        self._leaf_log_likelihood: list[float] = []
        self.log_likelihood = 0.0
        self.is_seeded = len(space.required_arcs) > 0  # Leaves may be split that have no candidates.

    def begin(self, should_stop: Callable[[], bool] = never) -> None:
        """Enters the first leaves, of the whole table, and offers their splits.

        Once `should_stop` says so, no more splits are offered: the trees are whole, but the search has to end there.
        """
        for leaves, counted, all_totals in self._counted(range(self.space.n_variables), should_stop):
            if counted:
                check_counts(counted, leaves, self.space.arities)
            for totals in all_totals:
                self.trees.add_root(totals)
            self._enter(leaves, all_totals)
            self._offer(leaves, counted)
        self.log_likelihood = sum(self._leaf_log_likelihood)

    def best_split(self, max_edges: int | None, should_stop: Callable[[], bool]) -> ScoredSplit | None:
        """The next split of the schedule; none if nothing pays, or fits, or time is up."""
        room = NO_LIMIT if max_edges is None else min(max_edges - self.circuit.n_edges, NO_LIMIT)
        chosen = self.schedule.best_split(room, should_stop)
        while self.schedule.needs_counts and not should_stop():
            self._count_waiting(should_stop)
            chosen = self.schedule.best_split(room, should_stop)
        if chosen is None:
            return None
        leaf, variable, value, net_gain, edge_cost = chosen
        return ScoredSplit(Split(leaf, variable, value), net_gain, edge_cost)

    def check_offered(self, split: Split) -> None:
        """Raise ModelFileError for a split, of a search that is replayed, that was never one to choose."""
        if split.leaf in self._waiting:
            self._count_waiting(never)
        if self._offered is not None and (split.variable, split.value) not in self._offered.get(split.leaf, ()):
            raise ModelFileError(
                f"the search to go on with has a split that cannot be: leaf {split.leaf} on variable {split.variable}, "
                f"value {split.value}"
            )

    def apply(self, split: Split, should_stop: Callable[[], bool] = never) -> range:
        """Applies a split everywhere; returns the new leaves. `should_stop` is as in `begin`."""
        n_branches = self.space.n_branches(split.variable)
        try:
            self.schedule.applying(split.leaf, split.variable, split.value)  # Refuses what is no valid split.
        except ValueError as error:
            raise ModelFileError(f"the search to go on with has a split that cannot be: {error}") from error
        self.circuit.apply_split(split.leaf, split.variable, split.value)
        self.counts.split(split.leaf, split.variable, self.space.branch_of(split), n_branches)
        new_leaves = range(self.trees.n_nodes, self.trees.n_nodes + n_branches)
        if self.counts.is_ready(new_leaves):
            batches = self._counted(new_leaves, should_stop)
            first = next(batches)
            all_totals = first.totals if len(first.leaves) == n_branches else self.counts.totals(new_leaves)
            self.trees.split(split.leaf, split.variable, split.value, all_totals)
            self._enter(new_leaves, all_totals)
            for batch in chain([first], batches):
                self._offer(batch.leaves, batch.counted)
        else:
            all_totals = self.counts.totals(new_leaves)
            self.trees.split(split.leaf, split.variable, split.value, all_totals)
            self._enter(new_leaves, all_totals)
            self._let_wait(new_leaves)
        self.counts.forget(split.leaf)
        if split.leaf in self._waiting:
            self._waiting.remove(split.leaf)
        self._n_splits += 1
        self.log_likelihood += sum(self._leaf_log_likelihood[-n_branches:]) - self._leaf_log_likelihood[split.leaf]
        self.n_leaves += n_branches - 1
        if self._offered is not None:
            self._offered.pop(split.leaf, None)
        return new_leaves

    def set_edge_penalty(self, edge_penalty: float) -> None:
        self.edge_penalty = edge_penalty
        self.schedule.set_edge_penalty(edge_penalty)

    def _let_wait(self, leaves: range) -> None:
        """Lets leaves wait for their counts, but for those that have too few rows to gain anything."""
        for leaf in leaves:
            most_gain = self._finder.most_gain(leaf)
            if most_gain > 0 or self._may_lose:
                self.schedule.wait(leaf, most_gain)
                self._waiting.append(leaf)
            elif not self.is_seeded:
                self.counts.forget(leaf)

    def _count_waiting(self, should_stop: Callable[[], bool]) -> None:
        """Counts all leaves that wait, and with them the branches of splits that may come next."""
        n_ahead = _LEAST_AHEAD + _AHEAD_A_SPLIT * (self._n_splits - self._n_splits_counted)
        self._n_splits_counted = self._n_splits
        ahead = [self._branched(Split(*split)) for split in self.schedule.promising(n_ahead)]
        self.counts.look_ahead(ahead)
        if self.follower is not None:
            self.follower.look_ahead(ahead)
        leaves, self._waiting = self._waiting, []
        for batch in self._counted(leaves, should_stop):
            self._offer(batch.leaves, batch.counted)

    def _branched(self, split: Split) -> BranchedSplit:
        branch_of, n_branches = self.space.branch_of(split), self.space.n_branches(split.variable)
        return BranchedSplit(split.leaf, split.variable, branch_of, n_branches)

    def _counted(self, leaves: Sequence[int], should_stop: Callable[[], bool]) -> Iterator[_Batch]:
        """Some leaves, as many at a time as fit, with their counts: with their totals alone once time is up."""
        for start in range(0, len(leaves), self._leaves_at_once):
            some = leaves[start : start + self._leaves_at_once]
            if should_stop():
                yield _Batch(some, [], self.counts.totals(some))
            else:
                counted = self.counts.count(some)
                yield _Batch(some, counted, [counts.totals for counts in counted])

    def _enter(self, leaves: Sequence[int], all_totals: Sequence[Floats]) -> None:
        """Takes note of leaves that the trees already have."""
        for leaf, totals in zip(leaves, all_totals, strict=True):
            finite, impossible = self.trees.log_likelihood(leaf, totals)
            self._leaf_log_likelihood.append(float("-inf") if impossible > 0 else finite)

    def _offer(self, leaves: Sequence[int], counted: Sequence[LeafCounts]) -> None:
        """Offers the splits of leaves, if they were counted, to the schedule."""
        for leaf, counts in zip(leaves, counted, strict=False):
            variables, values, net_gains = self._finder.find(leaf, counts.cells)
            if len(variables) == 0 and not self.is_seeded:
                self.counts.forget(leaf)
            self.schedule.add(leaf, variables, values, net_gains)
            if self._offered is not None:
                self._offered[leaf] = set(zip(variables.tolist(), values.tolist(), strict=True))


def circuit_learner(
    space: SplitSpace, counts: CountProvider, settings: LearnSettings, *, is_replayed: bool = False
) -> Learner:
    """Every split pays for the edges it adds."""
    circuit = new_circuit(space)
    make_schedule = QuickSchedule if settings.schedule == "quick" else GreedySchedule
    schedule = make_schedule(circuit, settings.first_edge_penalty, settings.halve_edge_penalty)
    return Learner(space, counts, settings, circuit, schedule, is_replayed=is_replayed)


def network_learner(space: SplitSpace, counts: CountProvider, settings: LearnSettings) -> Learner:
    """No circuit: edges are free, and splits come in the order of their gain."""
    return Learner(space, counts, replace(settings, edge_penalty=0.0), NoCircuit(), GainSchedule(space))


def new_circuit(space: SplitSpace) -> GrowingCircuit:
    """The product of marginals."""
    return GrowingCircuit(space.arities.astype(np.uint32), space.is_binary, space.ordered_bytes)


def _may_remove_edges(space: SplitSpace) -> NDArray[np.bool_]:
    """Variables with fewer branches than another has values: only their splits can have a negative edge cost."""
    n_branches = np.array([space.n_branches(variable) for variable in range(space.n_variables)])
    return (n_branches < space.arities.max()) & (space.arities >= 2)
