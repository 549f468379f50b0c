"""Random numbers of rows, drawn by the numbers of the rows alone: the same wherever the rows are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def drawn(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """64 random bits for each row number, different ones for different rows: SplitMix64."""
    mixed = (rows + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
