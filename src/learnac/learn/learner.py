"""The learner's state, and one step of it: choose nothing, apply a split, find the new candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from learnac._core import GreedySchedule, GrowingCircuit, QuickSchedule
from learnac.learn.by_gain import GainSchedule, NoCircuit
from learnac.learn.candidates import CandidateGenerator, Candidates
from learnac.learn.counts import CountProvider
from learnac.learn.scores import Score, log_likelihood
from learnac.learn.settings import LearnSettings
from learnac.learn.splits import Split, SplitSpace
from learnac.learn.trees import GrowingTrees

NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class ScoredSplit:
    """A split that a schedule chose."""

    split: Split
    net_gain: float
    edge_cost: int


class Schedule(Protocol):
    """Which split comes next: AC-Greedy, AC-Quick, or by gain alone."""

    def add(
        self,
        leaf: int,
        variables: NDArray[np.uint32],
        values: NDArray[np.uint32],
        net_gains: NDArray[np.float64],
    ) -> None: ...

    def best_split(
        self, most_edges: int, should_stop: Callable[[], bool]
    ) -> tuple[int, int, int, float, int] | None: ...

    def applying(self, leaf: int, variable: int, value: int) -> None: ...

    def set_edge_penalty(self, edge_penalty: float) -> None: ...

    @property
    def has_unfitting(self) -> bool:
        """Whether a split that may pay was left out because it needs more edges than there is room for."""

    @property
    def n_candidates(self) -> int: ...

    @property
    def n_evaluations(self) -> int: ...

    @property
    def n_visits(self) -> int: ...


class Learner:
    """Circuit, trees, counts and schedule, kept in step. Changes in place."""

    def __init__(
        self,
        space: SplitSpace,
        counts: CountProvider,
        settings: LearnSettings,
        circuit: GrowingCircuit | NoCircuit,
        schedule: Schedule,
    ) -> None:
        self.space = space
        self.counts = counts
        self.circuit = circuit
        self.schedule = schedule
        self.score: Score = settings.make_score()
        self.edge_penalty = settings.first_edge_penalty
        may_remove_edges = isinstance(schedule, GreedySchedule) and self.edge_penalty > 0
        self._generator = CandidateGenerator(
            space, self.score, settings.parameter_penalty, _may_remove_edges(space) & may_remove_edges
        )
        root_counts = [counts.count(child) for child in range(space.n_variables)]
        first = space.starts[0], space.starts[0] + space.arities[0]
        self.trees = GrowingTrees(
            space, [table[slice(*first)].sum(axis=0) for table in root_counts], settings.make_estimate()
        )
        for child, table in enumerate(root_counts):
            self._offer(self._generator.candidates(self.trees, [child], table[None]))
        self._leaf_log_likelihood: dict[int, float] = {}
        self.log_likelihood = sum(self._enter_leaves([child]) for child in range(space.n_variables))

    def best_split(self, max_edges: int | None, should_stop: Callable[[], bool]) -> ScoredSplit | None:
        """The next split of the schedule; none if nothing pays, or fits, or time is up."""
        room = NO_LIMIT if max_edges is None else max_edges - self.circuit.n_edges
        chosen = self.schedule.best_split(room, should_stop)
        if chosen is None:
            return None
        leaf, variable, value, net_gain, edge_cost = chosen
        return ScoredSplit(Split(leaf, variable, value), net_gain, edge_cost)

    def apply(self, split: Split) -> list[int]:
        """Applies a split everywhere; returns the new leaves."""
        self.schedule.applying(split.leaf, split.variable, split.value)  # Refuses what is no valid split.
        self.circuit.apply_split(split.leaf, split.variable, split.value)
        counts = self.counts.split_and_count(
            split.leaf, split.variable, self.space.branch_of(split), self.space.n_branches(split.variable)
        )
        start, stop = self.space.starts[0], self.space.starts[0] + self.space.arities[0]
        new_leaves = self.trees.split(split, counts[:, start:stop].sum(axis=1))
        self.log_likelihood += self._enter_leaves(new_leaves) - self._leaf_log_likelihood.pop(split.leaf)
        self._offer(self._generator.candidates(self.trees, new_leaves, counts))
        return new_leaves

    def set_edge_penalty(self, edge_penalty: float) -> None:
        self.edge_penalty = edge_penalty
        self.schedule.set_edge_penalty(edge_penalty)

    @property
    def forgets_costs(self) -> bool:
        """Whether the schedule's choices depend on the circuit alone, and not on edge costs that it saw before."""
        return not isinstance(self.schedule, QuickSchedule)

    def known_costs(self) -> NDArray[np.int64]:
        """The edge costs that such a schedule has seen, in order."""
        return self.schedule.known_costs() if isinstance(self.schedule, QuickSchedule) else np.empty(0, np.int64)

    def replay_costs(self, costs: NDArray[np.int64]) -> None:
        """Lets the schedule see these costs again, without computing them."""
        if isinstance(self.schedule, QuickSchedule):
            self.schedule.replay(costs)

    def _offer(self, found: list[Candidates]) -> None:
        for candidates in found:
            if len(candidates.variables) == 0:
                self.counts.forget(candidates.leaf)
            self.schedule.add(candidates.leaf, candidates.variables, candidates.values, candidates.net_gains)

    def _enter_leaves(self, leaves: list[int]) -> float:
        """Keeps the log-likelihood of new leaves of one child, and returns their sum."""
        nodes = [self.trees.nodes[leaf] for leaf in leaves]
        counts = np.array([node.counts for node in nodes])
        found = log_likelihood(counts, np.array([node.parameters for node in nodes])).tolist()
        self._leaf_log_likelihood.update(zip(leaves, found, strict=True))
        return float(sum(found))


def circuit_learner(space: SplitSpace, counts: CountProvider, settings: LearnSettings) -> Learner:
    """Every split pays for the edges it adds."""
    circuit = new_circuit(space)
    make_schedule = QuickSchedule if settings.schedule == "quick" else GreedySchedule
    schedule = make_schedule(circuit, settings.first_edge_penalty, settings.halve_edge_penalty)
    return Learner(space, counts, settings, circuit, schedule)


def network_learner(space: SplitSpace, counts: CountProvider, settings: LearnSettings) -> Learner:
    """No circuit: edges are free, and splits come in the order of their gain."""
    return Learner(space, counts, replace(settings, edge_penalty=0.0), NoCircuit(), GainSchedule(space))


def new_circuit(space: SplitSpace) -> GrowingCircuit:
    """The product of marginals."""
    return GrowingCircuit(space.arities.astype(np.uint32), space.is_binary)


def _may_remove_edges(space: SplitSpace) -> NDArray[np.bool_]:
    """Variables with fewer branches than another has values: only their splits can have a negative edge cost."""
    n_branches = np.array([space.n_branches(variable) for variable in range(space.n_variables)])
    return (n_branches < space.arities.max()) & (space.arities >= 2)
