"""A search without a circuit: splits in the order of their gain, at whatever price (section 2.1 of the paper)."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from learnac.learn.splits import SplitSpace


class NoCircuit:
    """Stands where a circuit would grow, when only the network is wanted."""

    n_edges = 0

    def apply_split(self, leaf: int, variable: int, value: int) -> None: ...


class GainSchedule:
    """The split with the largest gain that closes no cycle; equal gains by leaf, variable and value.

    A schedule like those of the core, with all edge costs 0.
    """

    remembers_costs = False
    takes_losses = False
    n_evaluations = 0
    n_visits = 0
    has_unfitting = False
    needs_counts = False

    def __init__(self, space: SplitSpace) -> None:
        self._space = space
        self._child_of = list(range(space.n_variables))  # of every leaf ever numbered
        self._queues: dict[int, _Queue] = {}
        self._heads: list[tuple[float, int, int, int]] = []  # heap: minus the gain, leaf, variable, value
        self._descends = np.eye(space.n_variables, dtype=bool)  # [a, b]: b is a, or descends from it
        self._waiting: dict[int, float] = {}  # by leaf, the most that a split may gain
        self.n_candidates = 0

    def add(
        self,
        leaf: int,
        variables: NDArray[np.uint32],
        values: NDArray[np.uint32],
        net_gains: NDArray[np.float64],
    ) -> None:
        """Candidates of one leaf, ascending by variable and value."""
        self._waiting.pop(leaf, None)
        self.n_candidates += len(variables)
        self._queues[leaf] = _Queue(variables, values, net_gains)
        self._push_head(leaf)

    def wait(self, leaf: int, most_gain: float) -> None:
        self._waiting[leaf] = most_gain

    def promising(self, n_leaves: int) -> list[tuple[int, int, int]]:
        waiting = heapq.nsmallest(n_leaves, self._heads)
        return [(leaf, variable, value) for _, leaf, variable, value in waiting if leaf in self._queues]

    def best_split(self, most_edges: int, should_stop: Callable[[], bool]) -> tuple[int, int, int, float, int] | None:
        most_waiting = max(self._waiting.values(), default=0.0)
        self.needs_counts = False
        while self._heads:
            minus_gain, leaf, variable, value = self._heads[0]
            if -minus_gain <= most_waiting:
                break
            if leaf in self._queues and self._may_be_parent(variable, self._child_of[leaf]):
                return leaf, variable, value, -minus_gain, 0
            heapq.heappop(self._heads)
            if leaf in self._queues:
                self._push_head(leaf)
        self.needs_counts = most_waiting > 0
        return None

    def applying(self, leaf: int, variable: int, value: int) -> None:
        child = self._child_of[leaf]
        if not self._may_be_parent(variable, child):
            raise ValueError(f"expected a split that closes no cycle, found leaf {leaf} on variable {variable}")
        self._queues.pop(leaf, None)
        self._waiting.pop(leaf, None)
        self._child_of.extend([child] * self._space.n_branches(variable))
        if not self._descends[variable, child]:
            self._descends[self._descends[:, variable]] |= self._descends[child]

    def set_edge_penalty(self, edge_penalty: float) -> None:
        """Edges are free at any price."""

    def known_costs(self) -> NDArray[np.int64]:
        return np.empty(0, np.int64)

    def replay(self, costs: NDArray[np.int64]) -> None:
        """There is nothing to remember."""

    def forget_costs(self) -> None:
        """There are none."""

    def drop_candidates(self) -> None:
        self._waiting.clear()
        self._queues.clear()
        self._heads.clear()

    def candidates(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Leaves, variables, values and net gains of all candidates that close no cycle."""
        leaves = np.repeat(list(self._queues), [len(queue.gains) for queue in self._queues.values()])
        parts = [(queue.variables, queue.values, queue.gains) for queue in self._queues.values()]
        variables, values, gains = (np.concatenate(column) for column in zip(*parts, strict=True))
        is_valid = ~self._descends[np.array(self._child_of)[leaves], variables]
        return (
            leaves[is_valid],
            variables[is_valid].astype(np.int64),
            values[is_valid].astype(np.int64),
            gains[is_valid],
        )

    def _may_be_parent(self, variable: int, child: int) -> bool:
        return not self._descends[child, variable]

    def _push_head(self, leaf: int) -> None:
        if (first := self._queues[leaf].pop()) is not None:
            minus_gain, variable, value = first
            heapq.heappush(self._heads, (minus_gain, leaf, variable, value))


class _Queue:
    """The candidates of a leaf, best first. Most leaves never need more than a few, so they are kept as arrays."""

    def __init__(
        self, variables: NDArray[np.uint32], values: NDArray[np.uint32], net_gains: NDArray[np.float64]
    ) -> None:
        order = np.argsort(-net_gains, kind="stable")
        self.variables, self.values, self.gains = variables[order], values[order], net_gains[order]
        self._next = 0

    def pop(self) -> tuple[float, int, int] | None:
        if self._next == len(self.gains):
            return None
        at = self._next
        self._next += 1
        return -float(self.gains[at]), int(self.variables[at]), int(self.values[at])
