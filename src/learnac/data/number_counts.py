"""The numbers of a column, counted: every different number with its rows, or those of a sample of rows if many differ.

The sample is drawn by the numbers of the rows, so it is the same for a table in memory, in batches of any size, and in
parts that are read at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from learnac.data.drawn_rows import drawn
from learnac.data.spread import Numbers

Integers = npt.NDArray[np.int64]
Lots = npt.NDArray[np.uint64]

MOST_NUMBERS = 1 << 16
"""Different numbers of a column that are counted one by one; of more, a sample of so many rows is looked at."""

# A weight is rounded to a share of the largest one, so that sums of weights are exact in any order.
_WEIGHT_BITS = 30
_SLACK = 1.25  # of the sample of a stream, before the rows that drew the highest lots are taken out of it
_SALT = 1 << 62  # so that the sample has nothing to do with the rows that are held out


@dataclass(frozen=True, slots=True, eq=False)
class CountedNumbers:
    """Different numbers in order, and how many rows have each; of a sample if there are more than these."""

    values: Numbers
    counts: Numbers
    is_sample: bool = False


@dataclass(frozen=True, slots=True)
class WeightUnit:
    """What weights of rows are rounded to multiples of."""

    size: float = 1.0

    @classmethod
    def of(cls, largest: float) -> WeightUnit:
        return cls(float(np.ldexp(1.0, int(np.frexp(largest)[1]) - _WEIGHT_BITS)) if largest > 0 else 1.0)

    def multiples(self, weights: Numbers) -> Integers:
        return np.rint(weights / self.size).astype(np.int64)


def count_numbers(
    numbers: Numbers,
    weights: Numbers | None = None,
    rows: npt.NDArray[np.integer] | None = None,
    n_rows: int | None = None,
) -> CountedNumbers:
    """The numbers of a column in memory; `rows` are those of the `n_rows` rows of the table that have one."""
    unit = WeightUnit() if weights is None else WeightUnit.of(float(weights.max(initial=0.0)))
    times = None if weights is None else unit.multiples(weights)
    values, counts = _different(numbers, times)
    is_sample = len(values) > MOST_NUMBERS
    if is_sample:
        chosen = sampled_rows(len(numbers) if n_rows is None else n_rows, MOST_NUMBERS)
        chosen = chosen if rows is None else np.flatnonzero(np.isin(rows, chosen, assume_unique=True))
        values, counts = _different(numbers[chosen], None if times is None else times[chosen])
    return CountedNumbers(values, np.float64(unit.size) * counts, is_sample)


@lru_cache(maxsize=2)
def sampled_rows(n_rows: int, most: int) -> npt.NDArray[np.intp]:
    """The rows of a table that are looked at where its numbers are too many: those that draw the lowest lots."""
    return np.sort(_lowest(_lots(0, n_rows), most))


class NumberCounts:
    """Different numbers of a column that comes in batches, unless they are too many. Changes in place."""

    def __init__(self, unit: WeightUnit) -> None:
        self._unit = unit
        self._values: Numbers = np.empty(0)
        self._counts: Integers = np.empty(0, np.int64)
        self.are_too_many = False

    def add(self, numbers: Numbers, times: Integers | None, different: tuple[Numbers, Integers]) -> None:
        """More numbers, and how many times each row counts; `different` are the same numbers, counted as rows."""
        if not self.are_too_many:
            self._join(*(different if times is None else _different(numbers, times)))

    def merge(self, other: NumberCounts) -> None:
        self.are_too_many |= other.are_too_many
        self._join(other._values, other._counts)

    def counted(self, sample: RowSample, name: str) -> CountedNumbers:
        """All of them, or those of the sample."""
        values, counts = sample.counted(name) if self.are_too_many else (self._values, self._counts)
        return CountedNumbers(values, np.float64(self._unit.size) * counts, self.are_too_many)

    def _join(self, values: Numbers, counts: Integers) -> None:
        self._values, self._counts = _different(
            np.concatenate([self._values, values]), np.concatenate([self._counts, counts])
        )
        self.are_too_many |= len(self._values) > MOST_NUMBERS
        if self.are_too_many:
            self._values, self._counts = np.empty(0), np.empty(0, np.int64)


class RowSample:
    """The rows of a table in batches that `sampled_rows` chooses, of the columns that hold numbers. Changes in place.

    Columns are kept in the types they come in: a small integer takes a byte.
    """

    def __init__(self) -> None:
        self._lots: Lots = np.empty(0, np.uint64)
        self._times: Integers | None = None
        self._columns: dict[str, npt.NDArray[Any]] = {}
        self._highest = np.uint64(np.iinfo(np.uint64).max)

    def add(self, first_row: int, n_rows: int, times: Integers | None, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """A batch that begins with row `first_row`: numbers of all rows, NaN where there is none.

        A column that a batch does not have is none of numbers, and forgotten.
        """
        self._join(_lots(first_row, n_rows), times, columns)

    def merge(self, other: RowSample) -> None:
        self._join(other._lots, other._times, other._columns)

    def counted(self, name: str) -> tuple[Numbers, Integers]:
        """The different numbers of a column, and how many of the rows have each."""
        self._shrink()
        return _different(self._columns[name].astype(np.float64), self._times)

    def _join(self, lots: Lots, times: Integers | None, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        if len(lots) == 0:
            return
        low = np.flatnonzero(lots <= self._highest)
        if len(self._lots) == 0:
            self._columns = {name: numbers[low] for name, numbers in columns.items()}
            self._times = None if times is None else times[low]
        else:
            self._columns = {
                name: np.concatenate([numbers, columns[name][low]])
                for name, numbers in self._columns.items()
                if name in columns
            }
            self._times = None if self._times is None or times is None else np.concatenate([self._times, times[low]])
        self._lots = np.concatenate([self._lots, lots[low]])
        if len(self._lots) > _SLACK * MOST_NUMBERS:  # not at once: it takes longer than to add some
            self._shrink()

    def _shrink(self) -> None:
        kept = _lowest(self._lots, MOST_NUMBERS)
        self._columns = {name: numbers[kept] for name, numbers in self._columns.items()}
        self._times = None if self._times is None else self._times[kept]
        self._lots = self._lots[kept]
        if len(self._lots) == MOST_NUMBERS:
            self._highest = self._lots.max()


def _different(numbers: Numbers, times: Integers | None) -> tuple[Numbers, Integers]:
    """The different numbers in order, and how many rows have each.

    Infinite and missing numbers have no say in anything, nor do rows without weight.
    """
    is_used = np.isfinite(numbers) if times is None else np.isfinite(numbers) & (times > 0)
    numbers = numbers[is_used] + 0.0  # which turns -0.0 into 0.0
    if times is None:  # Arrow finds them without sorting.
        import pyarrow as pa

        found = pa.array(numbers).value_counts()
        values, counts = (found.field(i).to_numpy(zero_copy_only=False) for i in range(2))
        order = np.argsort(values)
        return values[order], counts[order].astype(np.int64)
    values, inverse = np.unique(numbers, return_inverse=True)
    counts = np.zeros(len(values), np.int64)
    np.add.at(counts, inverse, times[is_used])
    return values, counts


def _lots(first_row: int, n_rows: int) -> Lots:
    """What rows draw, by their numbers."""
    return drawn(np.arange(first_row, first_row + n_rows, dtype=np.uint64) + np.uint64(_SALT))


def _lowest(lots: Lots, most: int) -> npt.NDArray[np.intp]:
    """Where the lowest lots are, so many of them."""
    return np.arange(len(lots)) if len(lots) <= most else np.argpartition(lots, most - 1)[:most]
