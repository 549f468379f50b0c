"""Which rows are held out: a rule that knows their number alone, so that it does not matter where the rows are."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from learnac.data.drawn_rows import drawn
from learnac.defaults import ENOUGH_HELD_OUT, LEAST_ROWS_TO_HOLD_OUT, MOST_ROWS_SHUFFLED

_N_TENTHS = 10


class Tenths:
    """Rows dealt out to ten tenths by lot, always in the same way for the same number of rows.

    Up to some millions of rows they are shuffled, and the tenths are equally large. Of more rows each is drawn on its
    own, by its number, so that nobody needs room for a shuffled list of them.
    """

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        smallest = math.ceil(n_rows / _N_TENTHS)
        self.n_folds = min(_N_TENTHS, n_rows, math.ceil(ENOUGH_HELD_OUT / smallest))

    def labels(self, first_row: int, n_rows: int) -> NDArray[np.int8]:
        """The tenth of each of some rows, by its number."""
        if self.n_rows <= MOST_ROWS_SHUFFLED:
            return _shuffled(self.n_rows)[first_row : first_row + n_rows]
        return _drawn(np.arange(first_row, first_row + n_rows, dtype=np.uint64))


@lru_cache(maxsize=2)
def _shuffled(n_rows: int) -> NDArray[np.int8]:
    labels = np.empty(n_rows, np.int8)
    order = np.random.default_rng(0).permutation(n_rows)
    for tenth, rows in enumerate(np.array_split(order, min(_N_TENTHS, n_rows))):
        labels[rows] = tenth
    return labels


def tenths_of(n_rows: int, least_rows: int = LEAST_ROWS_TO_HOLD_OUT) -> Tenths | None:
    """None for too few rows: they say too little."""
    return None if n_rows < least_rows else Tenths(n_rows)


def _drawn(rows: NDArray[np.uint64]) -> NDArray[np.int8]:
    """A number from 0 to 9 for each row number."""
    return ((drawn(rows) >> np.uint64(32)) * np.uint64(_N_TENTHS) >> np.uint64(32)).astype(np.int8)
