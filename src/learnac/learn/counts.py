"""Who counts: the border between the statistics and the search."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from learnac._core import Counter, PackedTable, SparseCells
from learnac.data import Dataset

Floats = NDArray[np.float64]


class LeafCounts(NamedTuple):
    """What is counted of the rows that reach a leaf."""

    # (indicators x values of the child), where indicators are all pairs of variable and value, in order; or only the
    # cells that are not empty, as SparseCells: for each indicator its values of the child, ascending, and their counts
    cells: Floats | SparseCells
    totals: Floats  # by value of the child


class BranchedSplit(NamedTuple):
    """A split, with the branch that each value of its variable goes to."""

    leaf: int
    variable: int
    branch_of: NDArray[np.uint32]
    n_branches: int

    @property
    def key(self) -> tuple[int, bytes]:
        """What tells splits of one leaf apart."""
        return self.variable, self.branch_of.tobytes()


class CountProvider(Protocol):
    """Counts for the leaves of growing trees: all that learning, and validation, ever ask of rows.

    Leaf `i`, for `i` below the number of variables, is the whole table with child `i`; every split numbers its
    branches on from there. Counts are float64, and exact sums of the rows' weights, so that they do not depend on the
    order of the rows or on how they are spread over machines. `tests/conformance/test_counts.py` says what holds.
    """

    @property
    def weight(self) -> float:
        """Of all rows; their number, if they have no weights."""

    @property
    def fingerprint(self) -> str:
        """A checksum of what is counted: the same for the same rows and weights."""

    @property
    def n_passes(self) -> int:
        """How often all rows were read, where that is what counting takes; 0 where it is not."""

    def is_ready(self, leaves: Sequence[int]) -> bool:
        """Whether these leaves can be counted without another pass over all rows. If not, a search lets them wait."""

    def look_ahead(self, splits: Sequence[BranchedSplit]) -> None:
        """Says which splits may come next: the next pass may count their branches along with other leaves."""

    def split(self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int) -> None:
        """Splits a leaf: `branch_of` has the branch of each value of the variable. Nothing need be counted yet."""

    def count(self, leaves: Sequence[int]) -> list[LeafCounts]:
        """Counts of some leaves, ascending. Branches of a split are asked for together, if they are not too many."""

    def totals(self, leaves: Sequence[int]) -> list[Floats]:
        """Only the totals of some leaves: all that validation needs, and a search whose time is up."""

    def forget(self, leaf: int) -> None:
        """Says that a leaf will not be split or counted again."""


def check_counts(counted: Sequence[LeafCounts], children: Sequence[int], arities: NDArray[np.int64]) -> None:
    """Raise ValueError if this is not what was asked for: an entry for each leaf, with the given child, of this shape.

    What a provider of somebody else gets wrong is said here, before the core is asked to read it.
    """
    if len(counted) != len(children):
        raise ValueError(f"counts: expected an entry for each of {len(children)} leaves, found {len(counted)}")
    n_indicators = int(arities.sum())
    for counts, child in zip(counted, children, strict=True):
        arity = int(arities[child])
        _check_array(child, "totals", counts.totals, (arity,))
        if isinstance(counts.cells, SparseCells):
            _check_array(child, "starts of the cells", counts.cells.starts, (n_indicators + 1,), np.uint64)
        else:
            _check_array(child, "cells", counts.cells, (n_indicators, arity))


def _check_array(
    child: int, name: str, array: NDArray[Any], shape: tuple[int, ...], dtype: type[np.generic] = np.float64
) -> None:
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(
            f"counts of a leaf with child {child}: {name}: expected {np.dtype(dtype)} of shape {shape}, "
            f"found {array.dtype} of shape {array.shape}"
        )


class TableCounts:
    """Counts over a table in memory, packed into bit columns and sparse rows."""

    n_passes = 0

    def __init__(self, dataset: Dataset, sample_weight: Floats | None = None) -> None:
        self._dataset = dataset
        self._sample_weight = sample_weight
        packed = pack(dataset, sample_weight)
        self._counter = Counter(packed)
        self.weight = packed.total_weight

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.blake2b(np.ascontiguousarray(self._dataset.codes).tobytes(), digest_size=16)
        if self._sample_weight is not None:
            digest.update(b"weights" + np.ascontiguousarray(self._sample_weight).tobytes())
        return digest.hexdigest()

    def is_ready(self, leaves: Sequence[int]) -> bool:
        return True

    def look_ahead(self, splits: Sequence[BranchedSplit]) -> None:
        """A table in memory is read where it is asked for."""

    def split(self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int) -> None:
        self._counter.split(leaf, variable, branch_of, n_branches)

    def count(self, leaves: Sequence[int]) -> list[LeafCounts]:
        return [LeafCounts(*counted) for counted in self._counter.count(list(leaves))]

    def totals(self, leaves: Sequence[int]) -> list[Floats]:
        return [self._counter.totals(leaf) for leaf in leaves]

    def forget(self, leaf: int) -> None:
        self._counter.forget(leaf)


def pack(dataset: Dataset, sample_weight: Floats | None = None) -> PackedTable:
    weights = np.empty(0) if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
    return PackedTable(dataset.codes, dataset.arities.astype(np.uint32), weights)
