"""Counting by passes over rows that are not in memory: few passes, each for all leaves that wait for their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from learnac._core import SparseCells
from learnac.learn.counts import BranchedSplit, Floats, LeafCounts
from learnac.learn.paths import LeafPath, PathStep

MOST_CELLS = 1 << 25  # that are kept: 256 MB


class RowSource(Protocol):
    """Rows that can be counted, wherever they are: each call is a pass over all of them.

    `tests/conformance/test_counts.py` says what holds.
    """

    @property
    def arities(self) -> NDArray[np.integer[Any]]: ...

    @property
    def weight(self) -> float:
        """Of all rows; their number, if they have no weights."""

    @property
    def fingerprint(self) -> str:
        """A checksum of the rows and weights."""

    def count(self, paths: Sequence[LeafPath]) -> list[LeafCounts]:
        """Counts of the leaves at the ends of some paths, an entry for each. `PathCounter` does it block by block."""


class PassCounts:
    """A `CountProvider` over a `RowSource`. Changes in place.

    What a leaf has counted says the totals of every split of it, so a leaf can be split before its branches are
    counted. Of the branches of a split all but the largest are counted, the largest is what they leave. One pass counts
    all leaves that are not counted yet, and the branches of splits that may come next (`look_ahead`), if there is room:
    at most so many cells of counts are kept.
    """

    def __init__(self, source: RowSource, most_cells: int = MOST_CELLS) -> None:
        self._source = source
        self._arities = np.asarray(source.arities).astype(np.int64)
        self._first = np.concatenate([[0], np.cumsum(self._arities)])
        self._most_cells = most_cells
        self._n_cells = 0  # that are kept
        self._leaves = [_Leaf(LeafPath(child)) for child in range(len(self._arities))]
        self._pending = dict.fromkeys(range(len(self._leaves)))  # leaves to count, ascending
        self._ahead: list[BranchedSplit] = []
        self.n_passes = 0
        self.n_counted = 0  # leaves, by all passes

    @property
    def weight(self) -> float:
        return self._source.weight

    @property
    def fingerprint(self) -> str:
        return self._source.fingerprint

    def is_ready(self, leaves: Sequence[int]) -> bool:
        return all(self._leaves[leaf].counts is not None for leaf in leaves)

    def look_ahead(self, splits: Sequence[BranchedSplit]) -> None:
        self._ahead = list(splits)

    def split(self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int) -> None:
        asked = BranchedSplit(leaf, variable, branch_of, n_branches)
        parent, first = self._leaves[leaf], len(self._leaves)
        self._leaves += [_Leaf(path) for path in _branch_paths(parent.path, asked)]
        self._pending.pop(leaf, None)
        parent.is_open = False
        self._pending |= dict.fromkeys(range(first, first + n_branches))
        if parent.counts is None:
            return
        family = _Family(self._branch_totals(parent.counts, asked), parent.counts)
        for branch, totals in enumerate(family.totals):
            self._leaves[first + branch].totals = totals
        if family.may_subtract:
            for branch in range(n_branches):
                self._leaves[first + branch].family = family, branch
        # A split into one branch leaves nothing to count.
        counted = parent.ahead.pop(asked.key, [] if n_branches == 1 and family.may_subtract else None)
        self._drop_ahead(parent)
        if counted is not None:
            self._n_cells -= sum(_size(counts) for counts in counted)
            self._take_family(first, family, counted)

    def count(self, leaves: Sequence[int]) -> list[LeafCounts]:
        while not self.is_ready(leaves):
            self._pass(leaves)
        found = [self._leaves[leaf].counts for leaf in leaves]
        result = [counts for counts in found if counts is not None]
        for leaf in leaves:
            self._trim(leaf)
        return result

    def totals(self, leaves: Sequence[int]) -> list[Floats]:
        while any(self._leaves[leaf].totals is None for leaf in leaves):
            self._pass(leaves)
        found = [self._leaves[leaf].totals for leaf in leaves]
        return [totals for totals in found if totals is not None]

    def forget(self, leaf: int) -> None:
        self._pending.pop(leaf, None)
        self._leaves[leaf].is_open = False
        self._drop_ahead(self._leaves[leaf])
        self._drop(self._leaves[leaf])

    def _pass(self, asked: Sequence[int]) -> None:
        """Counts the leaves that were asked for, others that wait, and splits ahead: as many as there is room for."""
        requests = _Requests(max(self._most_cells - self._n_cells, 0), self._arities)
        wanted = dict.fromkeys(leaf for leaf in asked if self._leaves[leaf].counts is None)
        for leaf in wanted | self._pending:
            if not self._request(requests, leaf, is_needed=leaf in wanted):
                break
        for split in self._ahead:
            self._request_ahead(requests, split)
        self._ahead = []
        counted = self._source.count([request.path for request in requests.made])
        self.n_passes += 1
        self.n_counted += len(counted)
        families: dict[int, tuple[int, _Family, list[LeafCounts]]] = {}
        for request, counts in zip(requests.made, counted, strict=True):
            if request.ahead is not None:
                leaf, key = request.ahead
                self._leaves[leaf].ahead.setdefault(key, []).append(counts)
                self._n_cells += _size(counts)
            elif request.family is not None:
                first, family = request.family
                families.setdefault(id(family), (first, family, []))[2].append(counts)
            else:
                self._take(request.leaf, counts)
        for first, family, others in families.values():
            self._take_family(first, family, others)

    def _request(self, requests: _Requests, leaf: int, *, is_needed: bool) -> bool:
        """Whether there is room for what it takes to know the counts of a leaf."""
        asked = self._leaves[leaf]
        if asked.family is None:
            return requests.add(_Request(asked.path, leaf), is_needed)
        family, branch = asked.family
        first = leaf - branch
        if id(family) in requests.families:
            return True
        others = [place for place in range(len(family.totals)) if place != family.largest]
        new = [_Request(self._leaves[first + place].path, first + place, (first, family)) for place in others]
        if not requests.add_all(new, is_needed):
            return False
        requests.families.add(id(family))
        return True

    def _request_ahead(self, requests: _Requests, split: BranchedSplit) -> None:
        leaf = self._leaves[split.leaf]
        if not leaf.is_open or leaf.counts is None or split.key in leaf.ahead:
            return
        family = _Family(self._branch_totals(leaf.counts, split), leaf.counts)
        if not family.may_subtract or split.n_branches == 1:
            return
        paths = _branch_paths(leaf.path, split)
        del paths[family.largest]
        requests.add_all([_Request(path, ahead=(split.leaf, split.key)) for path in paths], is_needed=False)

    def _take(self, leaf: int, counts: LeafCounts) -> None:
        taken = self._leaves[leaf]
        taken.totals = counts.totals
        taken.family = None
        self._pending.pop(leaf, None)
        if taken.is_open:
            taken.counts = counts
            self._n_cells += _size(counts)

    def _take_family(self, first: int, family: _Family, others: Sequence[LeafCounts]) -> None:
        """The branches of a split, all but the largest counted."""
        assert isinstance(family.counts.cells, np.ndarray)
        rest, places = family.counts.cells.copy(), [i for i in range(len(family.totals)) if i != family.largest]
        for place, counts in zip(places, others, strict=True):
            _subtract(rest, counts.cells)
            self._take(first + place, counts)
        self._take(first + family.largest, LeafCounts(rest, family.totals[family.largest]))

    def _branch_totals(self, counts: LeafCounts, split: BranchedSplit) -> list[Floats]:
        first, arity = int(self._first[split.variable]), int(self._arities[split.variable])
        totals = np.zeros((split.n_branches, len(counts.totals)))
        np.add.at(totals, split.branch_of, _rows_of(counts, first, arity))
        return list(totals)

    def _trim(self, leaf: int) -> None:
        """Lets go of the counts of a leaf, now that they are told, if there is no room for them."""
        if self._n_cells > self._most_cells:
            self._drop(self._leaves[leaf])

    def _drop(self, leaf: _Leaf) -> None:
        if leaf.counts is not None:
            self._n_cells -= _size(leaf.counts)
            leaf.counts = None

    def _drop_ahead(self, leaf: _Leaf) -> None:
        self._n_cells -= sum(_size(counts) for others in leaf.ahead.values() for counts in others)
        leaf.ahead = {}


class _Family:
    """The branches of a leaf that was counted."""

    def __init__(self, totals: list[Floats], counts: LeafCounts) -> None:
        self.totals = totals
        self.counts = counts  # of the leaf that was split
        self.largest = int(np.argmax([branch.sum() for branch in totals]))

    @property
    def may_subtract(self) -> bool:
        return isinstance(self.counts.cells, np.ndarray)


@dataclass(slots=True, eq=False)
class _Leaf:
    path: LeafPath
    totals: Floats | None = None
    counts: LeafCounts | None = None
    family: tuple[_Family, int] | None = None  # and which branch it is, until it is counted
    ahead: dict[tuple[int, bytes], list[LeafCounts]] = field(default_factory=dict)  # all but the largest branches
    is_open: bool = True  # neither split nor forgotten


class _Request(NamedTuple):
    path: LeafPath
    leaf: int = -1
    family: tuple[int, _Family] | None = None
    ahead: tuple[int, tuple[int, bytes]] | None = None


class _Requests:
    """What a pass will count, within the room that there is."""

    def __init__(self, room: int, arities: NDArray[np.int64]) -> None:
        self.made: list[_Request] = []
        self.families: set[int] = set()
        self._room = room
        self._arities = arities
        self._n_indicators = int(arities.sum())

    def add(self, request: _Request, is_needed: bool) -> bool:
        return self.add_all([request], is_needed)

    def add_all(self, requests: Sequence[_Request], is_needed: bool) -> bool:
        """All or none. What is needed is counted even if there is no room, as long as nothing else is."""
        size = sum(self._n_indicators * int(self._arities[request.path.child]) for request in requests)
        if size > self._room and not (is_needed and not self.made):
            return False
        self.made += requests
        self._room -= size
        return True


def _branch_paths(path: LeafPath, split: BranchedSplit) -> list[LeafPath]:
    holds = ((split.branch_of == branch).astype(np.uint8).tobytes() for branch in range(split.n_branches))
    return [LeafPath(path.child, (*path.steps, PathStep(split.variable, held))) for held in holds]


def _size(counts: LeafCounts) -> int:
    return len(counts.cells.values) if isinstance(counts.cells, SparseCells) else counts.cells.size


def _rows_of(counts: LeafCounts, first: int, n_rows: int) -> Floats:
    """Some rows of a table of cells."""
    if not isinstance(counts.cells, SparseCells):
        return counts.cells[first : first + n_rows]
    starts = counts.cells.starts[first : first + n_rows + 1].astype(np.int64)
    rows = np.zeros((n_rows, len(counts.totals)))
    inside = slice(starts[0], starts[-1])
    rows[np.repeat(np.arange(n_rows), np.diff(starts)), counts.cells.values[inside]] = counts.cells.counts[inside]
    return rows


def _subtract(rest: Floats, cells: Floats | SparseCells) -> None:
    if not isinstance(cells, SparseCells):
        rest -= cells
        return
    starts: NDArray[np.int64] = cells.starts.astype(np.int64)
    rest[np.repeat(np.arange(len(rest)), np.diff(starts)), cells.values] -= cells.counts
