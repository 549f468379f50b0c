"""The distinct values of a column, and which of them each row has. Every column is turned into codes this way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from learnac.data.bins import Bins
from learnac.data.categories import UNSEEN, codes_of, numbers_of, unseen_category
from learnac.types import Category

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

    def codes(
        self,
        name: str,
        categories: tuple[Category, ...],
        bins: Bins | None = None,
        rows: npt.NDArray[Any] | None = None,
        *,
        takes_unknown: bool = False,
    ) -> npt.NDArray[Any]:
        """The codes of the column `name`; `rows` are the numbers that its rows have in the whole table.

        Only the distinct values are compared to the categories. With `takes_unknown`, a value that is none of them is
        UNSEEN; otherwise, DataError.
        """
        codes_of_values = codes_of(self.values, categories, bins)
        if codes_of_values == list(range(len(codes_of_values))):
            return smallest(self.positions, len(categories))
        if takes_unknown and UNSEEN in codes_of_values:
            return np.array(codes_of_values, dtype=np.int32)[self.positions]
        if UNSEEN in codes_of_values:
            is_unseen = np.array(codes_of_values)[self.positions] == UNSEEN
            if is_unseen.any():
                row = int(is_unseen.argmax())
                row_in_table = row if rows is None else int(rows[row])
                raise unseen_category(name, row_in_table, self.values[self.positions[row]], categories)
        return smallest(np.array(codes_of_values), len(categories))[self.positions]

    def codes_and_numbers(
        self,
        name: str,
        categories: tuple[Category, ...],
        bins: Bins | None,
        rows: npt.NDArray[Any] | None = None,
        *,
        takes_unknown: bool = False,
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64] | None]:
        """The codes, and the numbers if the intervals have densities."""
        codes = self.codes(name, categories, bins, rows, takes_unknown=takes_unknown)
        if bins is None or bins.spread is None:
            return codes, None
        return codes, np.array(numbers_of(self.values, categories, bins), dtype=np.float64)[self.positions]


def smallest(codes: npt.NDArray[Any], arity: int) -> npt.NDArray[Any]:
    """The codes in one or two bytes. What is UNSEEN, and in no row, becomes some code."""
    return codes.astype(np.uint8 if arity <= 256 else np.uint16, copy=False)


def distinct_booleans(values: npt.NDArray[Any]) -> Distinct:
    return Distinct([False, True], values.astype(bool).view(np.uint8))


def distinct_numbers(numbers: npt.NDArray[Any]) -> Distinct:
    if numbers.dtype.kind == "f":
        numbers = numbers.astype(np.float64, copy=False)  # Half floats cannot be sorted fast.
    smallest, largest = numbers.min(), numbers.max()
    if np.isfinite(smallest) and np.isfinite(largest) and float(largest) - float(smallest) < _WIDEST_RANGE:
        # NumPy before 2.1 makes floats of integers to round them down, which large ones do not survive.
        low = int(np.floor(smallest) if numbers.dtype.kind == "f" else smallest)
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
