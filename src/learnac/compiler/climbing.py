"""A search for the order of splits that takes the fewest edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from learnac.compiler.budget import Budget, Shortfall
from learnac.compiler.draft import Draft
from learnac.compiler.gains import Floats, Worth, guesses
from learnac.compiler.replay import Replay
from learnac.errors import Problem
from learnac.network import BayesNet

# Edges that the attempts to improve on a circuit may make together, which takes some tens of seconds, and how many of
# these attempts may fail one after the other.
_MOST_WORK = 60_000_000
_MOST_FAILURES = 150
# As long as nothing fits, attempts end early: a learned circuit has about 40 edges for each leaf of its network. After
# so many attempts, all edges may be used that are allowed.
_EDGES_PER_LEAF = 60
_MOST_SHORT_ATTEMPTS = 300


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt:
    """What the splits were taken to be worth, and what came of it: fewer splits left, then fewer edges."""

    worth: Worth
    replay: Replay
    n_left: int

    @property
    def cost(self) -> tuple[int, int]:
        return self.n_left, self.replay.circuit.n_edges


def climb(
    network: BayesNet, budget: Budget, max_edges: int, on_attempt: Callable[[int | None], None] = lambda _: None
) -> Draft | Shortfall:
    """The smallest circuit of at most `max_edges` that is found, by changes to the order of the best attempt so far.

    A split that took many edges is tried earlier, with the splits above it in its tree. As long as nothing fits, the
    best attempt is the one with most splits. `on_attempt` is told the edges of each attempt, None if it did not fit.
    """
    generator = np.random.default_rng(0)
    search = _Search(network, budget, generator, max_edges, on_attempt)
    for worth in guesses(network, generator):
        search.attempt(worth)
    search.hasten()
    while search.goes_on():
        search.attempt(search.changed())
    if search.best is None or search.best.n_left > 0:
        problem = Problem.COMPILING_TOO_LONG if budget.is_over() else Problem.CIRCUIT_TOO_LARGE
        return Shortfall(problem, 0 if search.best is None else search.best.replay.circuit.n_edges)
    return search.best.replay.draft()


@dataclass(slots=True)
class _Search:
    """The best attempt so far, and the work of all. Changes in place."""

    network: BayesNet
    budget: Budget
    generator: np.random.Generator
    max_edges: int
    on_attempt: Callable[[int | None], None]
    best: _Attempt | None = None
    n_short_attempts: int | None = None  # None before it hastens
    work: int = 0  # edges that were made since there is a circuit
    n_failures: int = 0

    def goes_on(self) -> bool:
        if self.best is None or not self.best.replay.applied or self.budget.is_over():
            return False
        return self.n_failures < _MOST_FAILURES and (self.best.n_left > 0 or self.work < _MOST_WORK)

    def attempt(self, worth: Worth) -> None:
        """Applies the splits by what they are worth, and keeps what comes of it if it is the best."""
        replay = Replay(self.network)
        is_done = replay.run(worth, self._limit(), self.budget.is_over)
        n_splits = sum(int(np.count_nonzero(tree.variables >= 0)) for tree in self.network.trees)
        found = _Attempt(worth, replay, 0 if is_done else max(1, n_splits - len(replay.applied)))
        self.n_failures += 1
        if self.best is None or found.cost < self.best.cost:
            self.best, self.n_failures = found, 0
        if self.best.n_left == 0:
            self.work += replay.circuit.n_edges
        self.on_attempt(replay.circuit.n_edges if is_done else None)

    def _limit(self) -> int:
        if self.best is not None and self.best.n_left == 0:
            return self.best.replay.circuit.n_edges - 1
        if self.n_short_attempts is None or self.n_short_attempts >= _MOST_SHORT_ATTEMPTS:
            return self.max_edges
        self.n_short_attempts += 1
        return min(self.max_edges, _EDGES_PER_LEAF * self.network.n_leaves)

    def hasten(self) -> None:
        """If nothing fits yet, go on with fewer edges for each attempt: the best of the others no longer counts."""
        if self.best is not None and self.best.n_left > 0:
            worth, self.best, self.n_short_attempts = self.best.worth, None, 0
            self.attempt(worth)

    def changed(self) -> Worth:
        """The best attempt's worth, changed: splits that took many edges come earlier, now and then one later."""
        assert self.best is not None
        gains = [of_tree.copy() for of_tree in self.best.worth.gains]
        generator, applied = self.generator, self.best.replay.applied
        factor = np.exp(generator.uniform(0.2, 1.5))
        costs = np.array([max(split.edge_cost, 0) for split in applied], dtype=float) + 1e-9
        for place in generator.choice(len(applied), generator.integers(1, 8), p=costs / costs.sum()):
            split = applied[place]
            self._multiply(gains, split.tree, split.node, factor if generator.random() < 0.8 else 1 / factor)
        return self.best.worth.with_gains(gains)

    def _multiply(self, gains: list[Floats], place: int, node: int | None, factor: float) -> None:
        """Changes the gain of a split of the tree at this place, and of those above it."""
        tree = self.network.trees[place]
        above = np.repeat(np.arange(tree.n_nodes), np.diff(tree.route_starts, append=len(tree.routes)))
        parent = dict(zip(tree.routes.tolist(), above.tolist(), strict=True))
        while node is not None:
            gains[place][node] *= factor
            node = parent.get(node)
