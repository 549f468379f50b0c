"""Arrays that stay as they are, for values that many share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def frozen(array: NDArray[Any], dtype: DTypeLike, n_dimensions: int, name: str) -> NDArray[Any]:
    """A copy that nobody can write to: its memory is that of a `bytes` object, which NumPy never makes writable.

    TypeError for an array whose dtype does not fit into `dtype`, ValueError for one of another shape.
    """
    if not np.can_cast(array.dtype, dtype, "safe"):
        raise TypeError(f"{name}: expected an array of {np.dtype(dtype)}, found one of {array.dtype}")
    if array.ndim != n_dimensions:
        raise ValueError(f"{name}: expected {n_dimensions} dimensions, found {array.ndim}")
    return np.frombuffer(np.asarray(array, dtype=dtype).tobytes(), dtype).reshape(array.shape)
