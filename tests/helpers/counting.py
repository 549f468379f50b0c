"""The protocol of `CountProvider` in NumPy, row by row: what every other implementation must agree with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from learnac.data import Dataset
from learnac.learn import BranchedSplit, LeafCounts, SparseCells

Floats = NDArray[np.float64]


def all_cells(cells: Floats | SparseCells, n_values: int) -> Floats:
    """(indicators x values of the child), whichever form they came in."""
    if not isinstance(cells, SparseCells):
        return cells
    starts = cells.starts.astype(np.int64)
    table = np.zeros((len(starts) - 1, n_values))
    table[np.repeat(np.arange(len(starts) - 1), np.diff(starts)), cells.values] = cells.counts
    return table


class PlainCounts:
    """A mask over the rows for each leaf."""

    n_passes = 0

    def __init__(self, dataset: Dataset, sample_weight: Floats | None = None) -> None:
        self._codes, self._arities = dataset.codes, dataset.arities
        self._weights = np.ones(dataset.n_rows) if sample_weight is None else sample_weight
        everything = np.ones(dataset.n_rows, dtype=bool)
        self._leaves = [(child, everything) for child in range(dataset.n_variables)]
        self.weight = float(self._weights.sum())
        self.fingerprint = repr((self._codes.tolist(), self._weights.tolist()))

    def is_ready(self, leaves: Sequence[int]) -> bool:
        return True

    def look_ahead(self, splits: Sequence[BranchedSplit]) -> None:
        pass

    def split(self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int) -> None:
        child, rows = self._leaves[leaf]
        branches = branch_of[self._codes[variable]]
        self._leaves += [(child, rows & (branches == branch)) for branch in range(n_branches)]

    def count(self, leaves: Sequence[int]) -> list[LeafCounts]:
        return [LeafCounts(self._cells(leaf), totals) for leaf, totals in zip(leaves, self.totals(leaves), strict=True)]

    def totals(self, leaves: Sequence[int]) -> list[Floats]:
        found = []
        for child, rows in (self._leaves[leaf] for leaf in leaves):
            codes = self._codes[child][rows]
            totals = np.bincount(codes, weights=self._weights[rows], minlength=self._arities[child])
            found.append(totals.astype(np.float64))
        return found

    def forget(self, leaf: int) -> None:
        pass

    def _cells(self, leaf: int) -> Floats:
        child, rows = self._leaves[leaf]
        tables = [np.zeros((arity, self._arities[child])) for arity in self._arities]
        for column, table in zip(self._codes, tables, strict=True):
            np.add.at(table, (column[rows], self._codes[child][rows]), self._weights[rows])
        return np.concatenate(tables)
