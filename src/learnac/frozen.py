"""Dataclasses whose arrays stay as they are, for values that many share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np


def freeze_arrays(value: Any, arrays: Mapping[str, tuple[type[np.generic], int]], what: str) -> None:
    """Replaces fields of a frozen dataclass, while it is made, by copies that nobody can write to.

    Their memory is that of a `bytes` object, which NumPy never makes writable. `arrays` has the dtype and the number of
    dimensions that each should have: TypeError where a dtype does not fit, ValueError for another shape.
    """
    for name, (dtype, n_dimensions) in arrays.items():
        array = getattr(value, name)
        if not np.can_cast(array.dtype, dtype, "safe"):
            raise TypeError(f"not {what}: {name}: expected an array of {np.dtype(dtype)}, found one of {array.dtype}")
        if array.ndim != n_dimensions:
            raise ValueError(f"not {what}: {name}: expected {n_dimensions} dimensions, found {array.ndim}")
        content = np.asarray(array, dtype=dtype).tobytes()
        object.__setattr__(value, name, np.frombuffer(content, dtype).reshape(array.shape))


def constructor_call(value: Any) -> tuple[Any, ...]:
    """For `__reduce__`: pickles and copies of a dataclass are made by its constructor, as everything else is."""
    return type(value), tuple(getattr(value, field.name) for field in fields(value))
