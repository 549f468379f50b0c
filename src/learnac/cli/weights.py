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


def described_rows(n_rows: int, weight: float | None) -> str:
    """How many rows a mean is over, and what they weigh if they have weights."""
    return f"{n_rows:,} rows" if weight is None else f"{n_rows:,} rows, by weight ({weight:,g} in all)"
