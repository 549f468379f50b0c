"""Who counts: the border between the statistics and the search."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from learnac._core import Counter, PackedTable
from learnac.data import Dataset


class CountProvider(Protocol):
    """Counts for the leaves of growing trees.

    Leaf `i`, for `i` below the number of variables, is the whole table with child `i`; every split numbers its
    branches on from there. Counts are float64, (indicators x values of the child), where indicators are all pairs of
    variable and value in order.
    """

    def count(self, leaf: int) -> NDArray[np.float64]:
        """Counts of one leaf."""

    def split_and_count(
        self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int
    ) -> NDArray[np.float64]:
        """Splits a leaf; the counts of its branches, (branches x indicators x values of the child)."""

    def forget(self, leaf: int) -> None:
        """Says that a leaf will not be split or counted again."""


def in_memory(dataset: Dataset, sample_weight: NDArray[np.float64] | None = None) -> Counter:
    """Counts over bit columns and sparse rows in memory."""
    return Counter(pack(dataset, sample_weight))


def pack(dataset: Dataset, sample_weight: NDArray[np.float64] | None = None) -> PackedTable:
    weights = np.empty(0) if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
    return PackedTable(dataset.codes, dataset.arities.astype(np.uint32), weights)
