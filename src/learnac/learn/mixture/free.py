"""Free vectors: expectation maximisation, each leaf's vector drawn towards the parameters that all rows give it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnac._core import LeafRows, expected_counts
from learnac.learn.mixture.cells import CellRows

Floats = NDArray[np.float64]

STEPS_PER_ROUND = 2
PATIENCE = 5  # rounds


class FreeFit:
    """Vectors of their own for all components. Changes in place.

    `strength` is how many rows the shared parameters count as, in each leaf of each component. With a strength of 0 the
    likelihood of the rows never falls; otherwise likelihood and prior together do not.
    """

    def __init__(self, rows: CellRows, n_components: int, rng: np.random.Generator, strength: float) -> None:
        # Where no row is expected at all, the shared parameters stand.
        self._rows, self._strength = rows, max(strength, 1e-6)
        shared = rows.cells.shared[:, None]
        noise = rng.gamma(1.0, size=(rows.cells.n_cells, n_components))
        self._parameters = rows.cells.normalised(shared * (noise + 0.3))
        self._weights = np.full(n_components, 1 / n_components)

    def round(self, rows: LeafRows) -> float:
        found = 0.0
        for _ in range(STEPS_PER_ROUND):
            found, counts, totals = self._expected(rows)
            self._parameters = self._rows.cells.normalised(counts + self._strength * self._rows.cells.shared[:, None])
            self._weights = (totals + self._strength) / (totals + self._strength).sum()
        return found

    def log_likelihood(self, rows: LeafRows) -> float:
        return self._expected(rows)[0]

    @property
    def vectors(self) -> tuple[Floats, Floats]:
        return self._parameters, self._weights

    def _expected(self, rows: LeafRows) -> tuple[float, Floats, Floats]:
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(self._parameters), -1e4).astype(np.float32)
        return expected_counts(
            *self._rows.cells.layout, self._rows.usual, logs, np.log(self._weights).astype(np.float32), rows
        )
