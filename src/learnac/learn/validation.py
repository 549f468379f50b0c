"""Early stopping: how well each prefix of the splits does on rows that were not learned from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingTrees
from learnac.learn.counts import CountProvider
from learnac.learn.splits import Split, SplitSpace


class ValidationTracker:
    """Follows other rows through the growing trees. A split costs only the rows of its leaf."""

    def __init__(self, counts: CountProvider, space: SplitSpace, trees: GrowingTrees) -> None:
        self._counts = counts
        self._space = space
        self._trees = trees
        self.totals: list[NDArray[np.float64]] = []  # of every node of the trees
        self._contributions: list[tuple[float, float]] = []  # weight of impossible values, log-likelihood of others
        self._enter(range(space.n_variables))
        # Rows with probability zero (only without smoothing) are counted apart: infinity can not be undone.
        self._n_impossible = sum(impossible for impossible, _ in self._contributions)
        self._finite = sum(finite for _, finite in self._contributions)
        self.best_n_splits = 0
        self._n_splits = 0
        self._best = self._rank()

    def split(self, split: Split, new_leaves: range) -> None:
        """Takes note of a split that the trees already have."""
        self._counts.split(split.leaf, split.variable, self._space.branch_of(split), len(new_leaves))
        self._counts.forget(split.leaf)
        self._enter(new_leaves)
        before, after = self._contributions[split.leaf], self._contributions[-len(new_leaves) :]
        self._n_impossible += sum(impossible for impossible, _ in after) - before[0]
        self._finite += sum(finite for _, finite in after) - before[1]
        self._n_splits += 1
        if self._rank() > self._best:
            self._best = self._rank()
            self.best_n_splits = self._n_splits

    @property
    def n_splits_since_best(self) -> int:
        return self._n_splits - self.best_n_splits

    @property
    def log_likelihood(self) -> float:
        """Mean over the rows."""
        return float("-inf") if self._n_impossible > 0 else self._finite / self._counts.weight

    def _rank(self) -> tuple[float, float]:
        return -self._n_impossible, self._finite

    def _enter(self, leaves: range) -> None:
        for leaf, totals in zip(leaves, self._counts.totals(leaves), strict=True):
            finite, impossible = self._trees.log_likelihood(leaf, totals)
            self.totals.append(totals)
            self._contributions.append((impossible, finite))
