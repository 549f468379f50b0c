"""Tied vectors: a leaf's logits are linear in smooth features of points that stand for the components.

As many points as components are spread over a standard normal distribution of a few dimensions; components near each
other have similar parameters, so that many of them can be learned from few rows. Features are random Fourier features
(Rahimi & Recht 2007).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnac._core import LeafRows, TiedMixture
from learnac.learn.mixture.cells import CellRows
from learnac.learn.mixture.fit import Seed, State, Vectors

Floats = NDArray[np.float64]

N_DIMENSIONS = 4
N_FEATURES = 128
LEARNING_RATE = 0.006
RIDGE = 2.0
EPOCHS_PER_ROUND = 4
PATIENCE = 4  # rounds
_FIRST_WEIGHTS = 0.05
_AMPLITUDE = 3.0
_LEAST_SHARED = 1e-9  # Where a value was never seen and nothing was smoothed.
_SMALLEST_BATCH = 128
_BATCHES_PER_EPOCH = 60


class TiedFit:
    """Tied vectors, learned by Adam on the log-likelihood. Changes in place."""

    def __init__(self, rows: CellRows, n_components: int, seed: Seed) -> None:
        self._seed, self._cells, self._n_epochs = seed, rows.cells, 0
        cells, rng = rows.cells, np.random.default_rng(seed)
        first_weights = _FIRST_WEIGHTS * rng.standard_normal((cells.n_cells, N_FEATURES))
        self._core = TiedMixture(
            rows.layout,
            fourier_features(n_components, rng).astype(np.float32),
            _logits(cells.shared, cells.arities).astype(np.float32),
            first_weights.astype(np.float32),
        )

    def round(self, rows: LeafRows) -> float:
        batch = max(_SMALLEST_BATCH, rows.n_rows // _BATCHES_PER_EPOCH)
        found = 0.0
        for _ in range(EPOCHS_PER_ROUND):
            # Of the seed and the epoch alone, so that a fit can be taken up again at any of them.
            self._n_epochs += 1
            order = np.random.default_rng((*self._seed, self._n_epochs)).permutation(rows.n_rows).astype(np.uint32)
            found = self._core.epoch(rows, order, batch, LEARNING_RATE, RIDGE)
        return found

    def log_likelihood(self, rows: LeafRows) -> float:
        return self._core.log_likelihood(rows)

    @property
    def state(self) -> State:
        return {"numbers": self._core.state(), "counts": np.array([self._n_epochs, self._core.n_steps])}

    def restore(self, state: State) -> None:
        self._n_epochs, n_steps = (int(count) for count in state["counts"])
        self._core.restore(state["numbers"], n_steps)

    @property
    def vectors(self) -> Vectors:
        weights = self._core.component_weights()
        # In single precision they sum to almost 1.
        return Vectors(self._cells.normalised(self._core.parameters().reshape(-1, len(weights))), weights)


def fourier_features(n_components: int, rng: np.random.Generator) -> Floats:
    """(features x components): cosines, in random directions, of points that a Sobol sequence spreads evenly."""
    from scipy.special import ndtri  # What asks a model should not wait for these.
    from scipy.stats import qmc

    n_points = 1 << (n_components - 1).bit_length()  # A power of two is what the sequence is balanced for.
    points = ndtri(np.clip(qmc.Sobol(N_DIMENSIONS, seed=rng).random(n_points)[:n_components], 1e-6, 1 - 1e-6))
    directions = rng.standard_normal((N_FEATURES, N_DIMENSIONS))
    phases = rng.uniform(0, 2 * np.pi, size=(N_FEATURES, 1))
    return np.asarray(_AMPLITUDE * np.sqrt(2 / N_FEATURES) * np.cos(directions @ points.T + phases), dtype=np.float64)


def _logits(shared: Floats, arities: NDArray[np.int64]) -> Floats:
    """Of each cell: log-parameters; of the second cell of two, its log-odds."""
    logits = np.log(np.maximum(shared, _LEAST_SHARED))
    firsts = np.concatenate([[0], np.cumsum(arities)[:-1]])[arities == 2]
    logits[firsts + 1] -= logits[firsts]
    return logits
