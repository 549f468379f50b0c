"""The distinct values of a column, and which of them each row has. Every column is turned into codes this way.

A column goes to NumPy or pyarrow as a whole: 2-15 ms for a million values, no Python loop over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from narwhals import Series

from learnac.errors import DataError, listed

Column: TypeAlias = Series[Any]

# Integers that lie closer together than this are marked in a table of this size, others are sorted.
_WIDEST_RANGE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Row `i` of the column holds `values[positions[i]]`. Some of the values may be in no row."""

    values: list[Any]
    positions: npt.NDArray[np.integer[Any]]

    def used(self) -> list[Any]:
        """The values that some row holds, in the order of `values`."""
        is_used = np.zeros(len(self.values), dtype=bool)
        is_used[self.positions] = True
        return [value for value, used in zip(self.values, is_used, strict=True) if used]


def distinct_values(name: str, column: Column) -> Distinct:
    """The distinct values of a column without gaps."""
    dtype = column.dtype
    if dtype == nw.Boolean:
        return Distinct([False, True], column.to_numpy().astype(bool).view(np.uint8))
    if (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128)) or dtype.is_float():
        return _distinct_numbers(column.to_numpy())
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        encoded = _dictionary(name, column)
        if encoded is not None:
            return Distinct(encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False))
    values = column.unique().to_list()
    positions = column.replace_strict(values, list(range(len(values))), return_dtype=nw.Int32)
    return Distinct(values, positions.to_numpy())


def _distinct_numbers(numbers: npt.NDArray[Any]) -> Distinct:
    if numbers.dtype.kind == "f":
        numbers = numbers.astype(np.float64, copy=False)  # Half floats cannot be sorted fast.
    smallest, largest = numbers.min(), numbers.max()
    if np.isfinite(smallest) and np.isfinite(largest) and float(largest) - float(smallest) < _WIDEST_RANGE:
        low = int(np.floor(smallest))
        whole = _from_zero(numbers, low)
        if numbers.dtype.kind != "f" or (whole + float(low) == numbers).all():
            return _distinct_near(whole, low)
    values, positions = np.unique(numbers, return_inverse=True)
    return Distinct(values.tolist(), positions)


def _from_zero(numbers: npt.NDArray[Any], low: int) -> npt.NDArray[np.integer[Any]]:
    """The numbers less `low`, cut to integers, which then lie below `_WIDEST_RANGE`."""
    if numbers.dtype.kind == "f":
        return (numbers - low).astype(np.int32)
    if low == 0:
        return numbers
    if numbers.dtype.itemsize < 4:
        return numbers.astype(np.int32) - low
    return numbers - numbers.dtype.type(low)


def _distinct_near(whole: npt.NDArray[np.integer[Any]], low: int) -> Distinct:
    is_used = np.zeros(int(whole.max()) + 1, dtype=bool)
    is_used[whole] = True
    present = np.flatnonzero(is_used)
    values = (present + low).tolist()
    if len(present) == len(is_used):
        return Distinct(values, whole)
    rank = np.zeros(len(is_used), dtype=np.int32)
    rank[present] = np.arange(len(present))
    return Distinct(values, rank[whole])


def _dictionary(name: str, column: Column) -> Any | None:
    """The column as one dictionary array of pyarrow; None if pyarrow does not take its values."""
    try:
        array: Any = column.to_arrow()
    except (pa.ArrowException, TypeError, ValueError):
        if column.dtype == nw.String:
            _check_strings(name, column.unique().to_list())
        return None
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # Older versions of pyarrow keep the chunks of a dictionary.
        array = pa.concat_arrays(array.chunks)
    return array


def _check_strings(name: str, values: list[object]) -> None:
    # narwhals looks at the first values only to tell what a pandas column of objects holds.
    if others := [value for value in values if not isinstance(value, str)]:
        raise DataError(
            f"column {name!r}: expected only strings, found also {listed(others)}; convert them",
            column=name,
            expected="only strings",
            found=others[0],
        )
