"""Which split comes next: the protocol of schedules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from learnac.learn.splits import Split


@dataclass(frozen=True, slots=True)
class ScoredSplit:
    """A split that a schedule chose."""

    split: Split
    net_gain: float
    edge_cost: int


class Schedule(Protocol):
    """AC-Greedy, AC-Quick, or by gain alone. `tests/conformance/test_schedules.py` says what holds of each."""

    @property
    def remembers_costs(self) -> bool:
        """Whether choices depend on edge costs seen before, and not on the circuit alone.

        Then a search is taken up again by choosing again, with `replay` in place of computing costs; otherwise by
        applying its splits.
        """

    @property
    def takes_losses(self) -> bool:
        """Whether a split without a gain may be chosen because it removes edges."""

    def add(
        self, leaf: int, variables: NDArray[np.uint32], values: NDArray[np.uint32], net_gains: NDArray[np.float64]
    ) -> None:
        """Takes the candidates of a new leaf, ascending by variable and value."""

    def wait(self, leaf: int, most_gain: float) -> None:
        """Takes note of a leaf that is not counted yet: `add` will tell its candidates, none with more net gain."""

    @property
    def needs_counts(self) -> bool:
        """Whether `best_split` chose none because a split of a leaf that waits may come first."""

    def promising(self, n_leaves: int) -> list[tuple[int, int, int]]:
        """Leaf, variable and value of splits that may soon be chosen, one for each of so many leaves, best first."""

    def best_split(self, most_edges: int, should_stop: Callable[[], bool]) -> tuple[int, int, int, float, int] | None:
        """Leaf, variable, value, net gain and edge cost of the next split that adds at most so many edges.

        None if no split pays, or fits, or `should_stop` said so.
        """

    def applying(self, leaf: int, variable: int, value: int) -> None:
        """Is told of a split before the circuit changes; refuses one that is not valid."""

    def set_edge_penalty(self, edge_penalty: float) -> None:
        """Changes the price, as halving does."""

    def known_costs(self) -> NDArray[np.int64]:
        """The edge costs seen so far, in order; none if they are not remembered."""

    def replay(self, costs: NDArray[np.int64]) -> None:
        """Lets the schedule see these costs again, without computing them."""

    def forget_costs(self) -> None:
        """Keeps no costs, for a search that nobody will resume: there may be more of them than there is memory."""

    def drop_candidates(self) -> None:
        """Lets go of all candidates, when no split will be asked for any more: they take most of the memory."""

    @property
    def has_unfitting(self) -> bool:
        """Whether a split that may pay was left out because it needs more edges than there is room for."""

    @property
    def n_candidates(self) -> int: ...

    @property
    def n_evaluations(self) -> int: ...

    @property
    def n_visits(self) -> int: ...
