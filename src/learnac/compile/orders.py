"""Orders of a network's variables that its splits may follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from learnac.network import BayesNet
from learnac.network.bits import members
from learnac.network.elimination import LowestFirst, eliminate, fill, moral_graph

# Variables whose fill is counted at each step of an elimination: counting all takes minutes on dense networks.
_N_COUNTED = 16
# Elimination orders that break ties at random. On the networks of the tests the best of a few needs half the edges of
# a typical one.
_N_RANDOM = 6


def orders_of(network: BayesNet) -> Iterator[Sequence[int]]:
    """A few orders, always the same. ValueError if the network has a cycle."""
    sizes = network.schema.arities.tolist()
    generator = np.random.default_rng(0)
    shuffled = [generator.permutation(len(sizes)).tolist() for _ in range(_N_RANDOM)]
    for ranks in (sizes, [-size for size in sizes], *shuffled):
        yield _elimination_order(network, ranks)
    # These suit networks that were learned, whose trees have many parents and few leaves.
    parents_first = network.ordered()
    yield parents_first
    yield parents_first[::-1]


def _elimination_order(network: BayesNet, ranks: Sequence[int]) -> list[int]:
    """Variables, each time one whose neighbours are most nearly joined already (min-fill); of several, the lowest rank.

    Neighbours are those that share a tree; what is eliminated leaves its neighbours joined.
    """
    neighbours = moral_graph(network)
    by_degree = LowestFirst((around.bit_count(), variable) for variable, around in enumerate(neighbours))
    order = []
    while few := by_degree.lowest(_N_COUNTED):
        chosen = min(few, key=lambda variable: (fill(neighbours, variable), ranks[variable], variable))
        by_degree.remove(chosen)
        around = list(members(neighbours[chosen]))
        eliminate(neighbours, chosen)
        for other in around:
            by_degree.set(other, neighbours[other].bit_count())
        order.append(chosen)
    return order
