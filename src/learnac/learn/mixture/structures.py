"""Structures to choose from, and the rows of each fold in the form that vectors are learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from learnac.data.weights import weighted_mean
from learnac.learn.mixture.cells import CellRows, Cells
from learnac.learn.model import Learned
from learnac.learn.tables import Rows


class RowFold(NamedTuple):
    """Rows to learn from, and others to judge by."""

    learned: Rows
    judging: Rows


@dataclass(frozen=True, eq=False)
class Structure:
    """What searches of the same settings found, one for each fold."""

    max_edges: int  # that they were allowed
    folds: Sequence[RowFold]
    found: Sequence[Learned]

    @property
    def n_edges(self) -> int:
        return max(each.circuit.n_edges for each in self.found)

    @cached_property
    def judged(self) -> float:
        """The mean log-likelihood of the judging rows of all folds under the circuits alone."""
        judging = [fold.judging for fold in self.folds]
        parts = zip(judging, self.found, strict=True)
        logs = [learned.network.log_likelihood(rows.dataset.codes) for rows, learned in parts]
        weights = [np.ones(rows.dataset.n_rows) if rows.weights is None else rows.weights for rows in judging]
        return weighted_mean(np.concatenate(logs), np.concatenate(weights))

    @cached_property
    def rows(self) -> list[CellRows]:
        """Of each fold. Made when first asked for."""
        return [
            CellRows.of(Cells.of(learned.network), *fold) for fold, learned in zip(self.folds, self.found, strict=True)
        ]
