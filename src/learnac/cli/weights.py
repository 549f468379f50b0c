"""Rows that count by their weights, as those of Libra's `.data` files."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnac.errors import DataError


def check_weights(weights: NDArray[np.float64] | None) -> None:
    """Raises DataError for weights that no mean can be taken by."""
    if weights is None:
        return
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not 0 < total < np.inf:
        expected = "weights of rows with a finite sum above 0"
        raise DataError(f"expected {expected}, found {total:g}", expected=expected, found=total)


def weighted_mean(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """The mean over rows. One without weight has no say, however impossible it is."""
    if weights is None:
        return float(values.mean())
    counts = weights > 0
    return float(np.average(values[counts], weights=weights[counts]))


def described_rows(n_rows: int, weights: NDArray[np.float64] | None) -> str:
    """How many rows a mean is over, and what they weigh if that is something else."""
    return f"{n_rows:,} rows" if weights is None else f"{n_rows:,} rows, by weight ({weights.sum():,g} in all)"
