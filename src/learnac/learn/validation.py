"""Early stopping: how well each prefix of the splits does on a table that was not learned from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnac._core import Counter
from learnac.data import Dataset
from learnac.learn.counts import in_memory
from learnac.learn.scores import log_likelihood
from learnac.learn.splits import Split
from learnac.learn.trees import GrowingTrees

Floats = NDArray[np.float64]


class ValidationTracker:
    """Follows the validation rows through the growing trees. A split costs only the rows of its leaf."""

    def __init__(self, dataset: Dataset, trees: GrowingTrees) -> None:
        self._counter: Counter = in_memory(dataset)
        self._trees = trees
        self.n_rows = dataset.n_rows
        contributions = [self._contribution(leaf) for leaf in range(dataset.n_variables)]
        # Rows with probability zero (only without smoothing) are counted apart: infinity can not be undone.
        self._n_impossible = sum(impossible for impossible, _ in contributions)
        self._finite = sum(finite for _, finite in contributions)
        self.best_n_splits = 0
        self._n_splits = 0
        self._best = self._rank()

    def split(self, split: Split, new_leaves: list[int]) -> None:
        """Takes note of a split that the trees already have."""
        before = self._contribution(split.leaf)
        branch_of = self._trees.space.branch_of(split)
        self._counter.split(split.leaf, split.variable, branch_of, len(new_leaves))
        after = [self._contribution(leaf) for leaf in new_leaves]
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
        """Mean over the validation rows."""
        return float("-inf") if self._n_impossible > 0 else self._finite / self.n_rows

    def _rank(self) -> tuple[float, float]:
        return -self._n_impossible, self._finite

    def _contribution(self, leaf: int) -> tuple[float, float]:
        """Weight of impossible values and log-likelihood of the others, for the rows that reach a leaf."""
        counts = self._counter.child_totals(leaf)
        parameters = self._trees.nodes[leaf].parameters
        is_possible = parameters > 0
        finite = log_likelihood(counts[is_possible], parameters[is_possible])
        return float(counts[~is_possible].sum()), float(finite)
