"""Tables in which the same rows come again and again: each different row once, and how often it comes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac._core import PackedTable
from learnac.data.blocks import BlockTable
from learnac.learn.counts import LeafCounts
from learnac.learn.paths import LeafPath, PathCounter

# Rows with weights are counted one by one, others 64 at a time: they must be fewer by far.
_LEAST_REPEATS = 32
_MOST_DISTINCT = 1 << 19


class DistinctRows:
    """A `RowSource` in memory. Counts of whole weights are as exact as those of rows."""

    def __init__(self, codes: NDArray[np.unsignedinteger[Any]], times: NDArray[np.int64], like: Any) -> None:
        self.arities: NDArray[np.integer[Any]] = like.arities
        self.fingerprint, self.weight = like.fingerprint, like.weight
        self._packed = PackedTable(codes, self.arities.astype(np.uint32), times.astype(np.float64))

    def count(self, paths: Sequence[LeafPath]) -> list[LeafCounts]:
        counter = PathCounter(self.arities, paths)
        counter.add(self._packed)
        return counter.take()


class GrowingDistinct:
    """Different rows, and how often each came. Changes in place."""

    def __init__(self) -> None:
        self._rows: NDArray[Any] | None = None  # as bytes, sorted
        self._times = np.empty(0, np.int64)
        self._n_seen = 0

    def add(self, codes: NDArray[np.unsignedinteger[Any]]) -> bool:
        """Whether it still pays, with these rows."""
        rows = np.ascontiguousarray(codes.T)
        as_bytes = rows.view(f"V{rows.dtype.itemsize * rows.shape[1]}").ravel()
        times = np.ones(len(as_bytes), np.int64)
        if self._rows is not None:
            as_bytes, times = np.concatenate([self._rows, as_bytes]), np.concatenate([self._times, times])
        self._rows, places = np.unique(as_bytes, return_inverse=True)
        self._times = np.bincount(places, times, len(self._rows)).astype(np.int64)
        self._n_seen += codes.shape[1]
        return len(self._rows) <= min(self._n_seen / _LEAST_REPEATS, _MOST_DISTINCT)

    def codes(self, n_variables: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        assert self._rows is not None
        return np.ascontiguousarray(self._rows.view(dtype).reshape(-1, n_variables).T)

    @property
    def times(self) -> NDArray[np.int64]:
        return self._times


def distinct_rows(table: BlockTable, masks: Any, like: Any) -> DistinctRows | None:
    """The different rows of a table, of those that the masks of its blocks mark; None if they are too many to pay.

    It does not take long to see that: after the first block, in most tables.
    """
    if table.has_weights:
        return None
    growing = GrowingDistinct()
    for block, mask in masks:
        codes = table.codes(block)
        if not growing.add(codes if mask is None else codes[:, mask]):
            return None
    return DistinctRows(growing.codes(table.schema.n_variables, table.schema.code_dtype), growing.times, like)
