"""A search for the order of splits that takes the fewest edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnac.compiler.budget import Budget, Shortfall
from learnac.compiler.draft import Draft
from learnac.compiler.replay import Replay, gains_of
from learnac.errors import Problem
from learnac.network import BayesNet

Floats = NDArray[np.float64]

# Edges that the attempts to improve on a circuit may make together, which takes some tens of seconds, and how many of
# these attempts may fail one after the other.
_MOST_WORK = 60_000_000
_MOST_FAILURES = 150
# How often to start from scratch.
_N_STARTS = 3


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt:
    """Boosts of the gains (logs, by tree and node), and what came of them: fewer splits left, then fewer edges."""

    boosts: list[Floats]
    replay: Replay
    n_left: int

    @property
    def cost(self) -> tuple[int, int]:
        return self.n_left, self.replay.circuit.n_edges


def climb(network: BayesNet, budget: Budget, max_edges: int) -> Draft | Shortfall:
    """The smallest circuit of at most `max_edges` that is found, by changes to the order of the best attempt so far.

    A split that took many edges is tried earlier, with the splits above it in its tree. As long as nothing fits, the
    best attempt is the one with most splits.
    """
    generator = np.random.default_rng(0)
    search = _Search(network, budget, generator, gains_of(network, generator), max_edges)
    for _ in range(_N_STARTS):
        search.start()
    while search.goes_on():
        search.attempt()
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
    gains: list[Floats]
    max_edges: int
    best: _Attempt | None = None
    work: int = 0  # edges that were made since there is a circuit
    n_failures: int = 0

    def goes_on(self) -> bool:
        if self.best is None or not self.best.replay.applied or self.budget.is_over():
            return False
        return self.n_failures < _MOST_FAILURES and (self.best.n_left > 0 or self.work < _MOST_WORK)

    def start(self) -> None:
        """An attempt from scratch: by the gains, with some noise after the first."""
        spread = 0.0 if self.best is None else 0.3
        self._try([spread * self.generator.standard_normal(len(gains)) for gains in self.gains])

    def attempt(self) -> None:
        """A change to the best attempt so far."""
        assert self.best is not None
        self._try(self._changed(self.best))

    def _try(self, boosts: list[Floats]) -> None:
        replay = Replay(self.network)
        fits = self.best is not None and self.best.n_left == 0
        limit = self.best.replay.circuit.n_edges - 1 if self.best is not None and fits else self.max_edges
        boosted = [gains * np.exp(boost) for gains, boost in zip(self.gains, boosts, strict=True)]
        is_done = replay.run(boosted, limit, self.budget.is_over)
        n_splits = sum(int(np.count_nonzero(tree.variables >= 0)) for tree in self.network.trees)
        found = _Attempt(boosts, replay, 0 if is_done else max(1, n_splits - len(replay.applied)))
        self.n_failures += 1
        if self.best is None or found.cost < self.best.cost:
            self.best, self.n_failures = found, 0
        if self.best.n_left == 0:
            self.work += replay.circuit.n_edges

    def _changed(self, best: _Attempt) -> list[Floats]:
        """Other boosts: splits that took many edges are tried earlier; now and then one is tried later."""
        boosts = [boost.copy() for boost in best.boosts]
        generator, applied = self.generator, best.replay.applied
        step = generator.uniform(0.2, 1.5)
        costs = np.array([max(split.edge_cost, 0) for split in applied], dtype=float) + 1e-9
        for place in generator.choice(len(applied), generator.integers(1, 8), p=costs / costs.sum()):
            split = applied[place]
            self._boost(boosts, split.tree, split.node, step if generator.random() < 0.8 else -step)
        return boosts

    def _boost(self, boosts: list[Floats], place: int, node: int | None, step: float) -> None:
        """Boosts a split of the tree at this place, and those above it."""
        tree = self.network.trees[place]
        above = np.repeat(np.arange(tree.n_nodes), np.diff(tree.route_starts, append=len(tree.routes)))
        parent = dict(zip(tree.routes.tolist(), above.tolist(), strict=True))
        while node is not None:
            boosts[place][node] += step
            node = parent.get(node)
