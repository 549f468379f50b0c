"""Leaves given by their paths, for whoever counts rows without following trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnac._core import PackedTable, PathCounts
from learnac.learn.counts import LeafCounts

_EVERY_ROW = np.empty(0, np.uint64)


class PathStep(NamedTuple):
    """Which values of a variable rows must have: a byte for each value, 1 where it is one of them."""

    variable: int
    holds: bytes


class LeafPath(NamedTuple):
    """A leaf: its child variable, and the steps that all its rows have taken from the root of the child's tree."""

    child: int
    steps: tuple[PathStep, ...] = ()


class PathCounter:
    """Counts of some leaves, summed up over blocks of rows. Changes in place.

    Leaves whose paths begin alike share the work of finding their rows, whatever their children are.
    """

    def __init__(self, arities: NDArray[np.integer[Any]], paths: Sequence[LeafPath]) -> None:
        # By the steps themselves, so that the nodes of the tree of steps come depth first.
        self._order = sorted(range(len(paths)), key=lambda i: (paths[i].steps, paths[i].child))
        nodes: dict[tuple[PathStep, ...], int] = {(): 0}
        parents, variables, holds = [0], [0], [b""]
        ends = []
        for i in self._order:
            steps = paths[i].steps
            for length in range(1, len(steps) + 1):
                if steps[:length] not in nodes:
                    nodes[steps[:length]] = len(parents)
                    parents.append(nodes[steps[: length - 1]])
                    variables.append(steps[length - 1].variable)
                    holds.append(steps[length - 1].holds)
            ends.append(nodes[steps])
        self._counts = PathCounts(
            np.asarray(arities, np.uint32),
            np.array(parents, np.uint32),
            np.array(variables, np.uint32),
            np.frombuffer(b"".join(holds), np.uint8),
            np.array(ends, np.uint32),
            np.array([paths[i].child for i in self._order], np.uint32),
        )

    def add(self, block: PackedTable, mask: NDArray[np.uint64] | None = None) -> None:
        """Counts the rows of a block, or only those of a mask with a bit for each row."""
        self._counts.add(block, _EVERY_ROW if mask is None else mask)

    def add_counts(self, counted: Iterable[LeafCounts]) -> None:
        """Adds what somebody else counted: an entry for each path, in the order of the paths."""
        place_of = {i: place for place, i in enumerate(self._order)}
        for i, counts in enumerate(counted):
            self._counts.add_counts(place_of[i], counts.cells, counts.totals)

    def take(self) -> list[LeafCounts]:
        """The sums, an entry for each path. Nothing is left here."""
        counted = self._counts.take()
        result: list[LeafCounts | None] = [None] * len(counted)
        for i, each in zip(self._order, counted, strict=True):
            result[i] = LeafCounts(*each)
        return [each for each in result if each is not None]
