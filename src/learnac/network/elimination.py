"""Eliminating variables from a network's moral graph. Neighbours of each variable are the bits of an integer."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from learnac.network.bayes_net import BayesNet
from learnac.network.bits import members


class LowestFirst:
    """Variables by a number each, of several the lower variable first. Changes in place; a change costs a logarithm."""

    def __init__(self, numbers: Iterable[tuple[int, int]]) -> None:
        # Pairs of a number and a variable. What a variable had before it was changed stays, and is passed over.
        self._heap = list(numbers)
        self._numbers = {variable: number for number, variable in self._heap}
        heapify(self._heap)

    def set(self, variable: int, number: int) -> None:
        if self._numbers[variable] != number:
            self._numbers[variable] = number
            heappush(self._heap, (number, variable))

    def remove(self, variable: int) -> None:
        del self._numbers[variable]

    def lowest(self, how_many: int) -> list[int]:
        """The first variables: as many, or all that are left."""
        found: dict[int, int] = {}
        while self._heap and len(found) < how_many:
            number, variable = heappop(self._heap)
            if self._numbers.get(variable) == number:
                found[variable] = number
        for variable, number in found.items():
            heappush(self._heap, (number, variable))
        return list(found)


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
