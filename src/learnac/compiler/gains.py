"""How much the questions of trees gain, by which the learner chose them and their order.

With the counts of the learner's rows, these are the learner's own gains: with the edge penalty that it began with, a
network comes back as it was learned, split by split. Without counts, rows drawn from the network take their place, and
nobody knows how many rows there were. A little difference in the gains, or in the penalty, makes a large one in the
circuit, so several guesses are worth a try.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from learnac.defaults import FIRST_EDGE_PENALTY, PARAMETER_PENALTY, SEARCH_PRIOR
from learnac.network import BayesNet, TreeCPD

Floats = NDArray[np.float64]

_N_DRAWN = 50_000
# What the learner may have begun with: the first is what it does if it is told nothing else.
_PENALTIES = (FIRST_EDGE_PENALTY, 0.1, 0.05, 0.02, 0.01, 0.005)
# How many rows to take the network as learned from, and a power of the gains: less than 1 makes them more alike.
_GUESSES = ((10_000, 1.0), (3_000, 1.0), (30_000, 1.0), (10_000, 0.5))
# The learner chose no split that gains nothing: where that seems to be so, the rows drawn are too few.
_LEAST_GAIN = 1.0
# A split that gains nothing would never pay, and every split must come at last.
_ALMOST_NOTHING = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Worth:
    """What the learner weighs: gains of the nodes of each tree, above 0, against edges, which get cheaper by halves."""

    gains: list[Floats]
    edge_penalty: float = FIRST_EDGE_PENALTY

    def with_gains(self, gains: list[Floats]) -> Worth:
        return replace(self, gains=gains)


def guesses(network: BayesNet, generator: np.random.Generator) -> Iterator[Worth]:
    """What the learner may have weighed, the most likely first."""
    if network.has_counts:
        gains = [_gains(tree, tree.counts) for tree in network.trees]
        yield from (Worth(gains, penalty) for penalty in _PENALTIES)
        return
    rows = _draw(network, generator)
    shares = [np.bincount(tree.leaf_of(rows), minlength=tree.n_nodes) / _N_DRAWN for tree in network.trees]
    for n_rows, power in _GUESSES:
        yield Worth(
            [
                np.maximum(_gains(tree, tree.gathered(n_rows * share[:, None] * tree.parameters)), _LEAST_GAIN) ** power
                for tree, share in zip(network.trees, shares, strict=True)
            ]
        )


def _gains(tree: TreeCPD, counts: Floats) -> Floats:
    """Of each node: log-likelihood with the learner's smoothing, less the penalty for parameters."""
    n_values = counts.shape[1]
    n_rows = counts.sum(axis=1)
    scores = (counts * np.log(counts + SEARCH_PRIOR / n_values)).sum(axis=1) - n_rows * np.log(n_rows + SEARCH_PRIOR)
    gains = np.full(tree.n_nodes, _ALMOST_NOTHING)
    for node in range(tree.n_nodes):
        if branches := list(tree.branches(node)):
            gain = np.float32(scores[branches].sum() - scores[node])  # docs/decisions/0001-single-precision-gains.md
            net_gain = float(gain) - PARAMETER_PENALTY * (len(branches) - 1) * n_values
            gains[node] = max(net_gain, _ALMOST_NOTHING)
    return gains


def _draw(network: BayesNet, generator: np.random.Generator) -> NDArray[np.uint16]:
    """Complete rows, (variables x rows)."""
    codes = np.zeros((len(network.trees), _N_DRAWN), dtype=np.uint16)
    for variable in network.ordered():
        tree = network.trees[variable]
        sums = tree.parameters.cumsum(axis=1)[tree.leaf_of(codes)]
        drawn = (sums[:, :-1] <= generator.random(_N_DRAWN)[:, None]).sum(axis=1)
        codes[variable] = drawn
    return codes
