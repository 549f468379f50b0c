"""Free vectors: expectation maximisation, each leaf's vector drawn towards the parameters that all rows give it."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from learnac._core import LeafRows, expected_counts, log_likelihood
from learnac.learn.mixture.cells import CellRows
from learnac.learn.mixture.fit import Seed, State, Vectors

Floats = NDArray[np.float64]

STEPS_PER_ROUND = 2
PATIENCE = 5  # rounds


class FreeFit:
    """Vectors of their own for all components. Changes in place.

    `strength` is how many rows the parameters that vectors are drawn towards count as, in each leaf of each component.
    With a strength of 0 the likelihood of the rows never falls; otherwise likelihood and prior together do not.
    """

    def __init__(self, rows: CellRows, start: Vectors, towards: Vectors, strength: float) -> None:
        self._rows, self._vectors = rows, start
        # Where no row is expected at all, what they are drawn towards stands.
        self._parameter_prior = max(strength, 1e-6) * towards.parameters
        self._weight_prior = strength * len(towards.weights) * towards.weights

    @classmethod
    def from_chance(cls, rows: CellRows, n_components: int, seed: Seed, strength: float) -> Self:
        """Drawn towards the parameters that all rows share, from random ones near these."""
        shared, weights = rows.cells.shared[:, None], np.full(n_components, 1 / n_components)
        noise = np.random.default_rng(seed).gamma(1.0, size=(rows.cells.n_cells, n_components))
        start = Vectors(rows.cells.normalised(shared * (noise + 0.3)), weights)
        return cls(rows, start, Vectors(shared, weights), strength)

    @classmethod
    def loosened(cls, rows: CellRows, vectors: Vectors, strength: float) -> Self:
        """From vectors that were learned otherwise, and drawn towards these."""
        return cls(rows, vectors, vectors, strength)

    def round(self, rows: LeafRows) -> float:
        found = 0.0
        for _ in range(STEPS_PER_ROUND):
            found, counts, totals = expected_counts(self._rows.layout, *self._vectors.logs, rows)
            weights = totals + self._weight_prior
            parameters = self._rows.cells.normalised(counts + self._parameter_prior)
            self._vectors = Vectors(parameters, weights / weights.sum())
        return found

    def log_likelihood(self, rows: LeafRows) -> float:
        return log_likelihood(self._rows.layout, *self._vectors.logs, rows)

    @property
    def state(self) -> State:
        return self._vectors._asdict()

    def restore(self, state: State) -> None:
        found = Vectors(**state)
        if any(a.shape != b.shape for a, b in zip(found, self._vectors, strict=True)):
            raise ValueError("expected vectors of the same shape")
        self._vectors = found

    @property
    def vectors(self) -> Vectors:
        return self._vectors
