"""Eliminating variables from a network's moral graph. Neighbours of each variable are the bits of an integer."""

from __future__ import annotations

from learnac.network.bayes_net import BayesNet
from learnac.network.bits import members


def moral_graph(network: BayesNet) -> list[int]:
    """Variables are neighbours if they are in one tree: the child, and what its tree asks."""
    neighbours = [0] * len(network.trees)
    for child, parents in enumerate(network.parents):
        together = sum(1 << member for member in (child, *parents))
        for member in (child, *parents):
            neighbours[member] |= together & ~(1 << member)
    return neighbours


def fill(neighbours: list[int], variable: int) -> int:
    """Twice the number of edges that eliminating a variable would add."""
    around = neighbours[variable]
    return sum((around & ~neighbours[other]).bit_count() - 1 for other in members(around))


def eliminate(neighbours: list[int], variable: int) -> None:
    """Joins the neighbours of a variable to each other, and takes it away from them."""
    for other in members(neighbours[variable]):
        neighbours[other] = (neighbours[other] | neighbours[variable]) & ~(1 << other | 1 << variable)
