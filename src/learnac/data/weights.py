"""Weights of rows: how often each of them counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checked_weights(given: ArrayLike | None, n_rows: int, name: str = "sample_weight") -> NDArray[np.float64] | None:
    """A weight for each row, if there are weights: finite numbers from 0, not all of them 0."""
    if given is None:
        return None
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"{name}: expected {n_rows} numbers, one per row, found shape {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any():
        row = int(np.argmax(~np.isfinite(weights) | (weights < 0)))
        raise ValueError(f"{name}: expected finite numbers from 0, found {weights[row]} in row {row}")
    if weights.sum() == 0:
        raise ValueError(f"{name}: expected a positive total, found zero")
    return weights


def weighted_mean(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """The mean over rows. One without weight has no say, however impossible it is."""
    if weights is None:
        return float(np.mean(values))
    counts = weights > 0
    return float(np.average(values[counts], weights=weights[counts]))


def some_of(weights: NDArray[np.float64] | None, first_row: int, n_rows: int) -> NDArray[np.float64] | None:
    """The weights of the rows of a batch, if rows have some. ValueError if there are fewer than rows."""
    if weights is None:
        return None
    if len(weights) < first_row + n_rows:
        raise ValueError(f"sample_weight: expected a number for each row, found {len(weights)}")
    return weights[first_row : first_row + n_rows]
