"""The numbers of a column, counted: every different number with its rows, or those of a sample of rows if many differ.

The sample is drawn by the numbers of the rows, so it is the same for a table in memory, in batches of any size, and in
parts that are read at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

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


def count_numbers(numbers: Numbers, weights: Numbers | None = None, rows: Integers | None = None) -> CountedNumbers:
    """The numbers of a column in memory; `rows` are the numbers of their rows, if some rows have none."""
    unit = WeightUnit() if weights is None else WeightUnit.of(float(weights.max(initial=0.0)))
    times = None if weights is None else unit.multiples(weights)
    values, counts = _different(numbers, times)
    is_sample = len(values) > MOST_NUMBERS
    if is_sample:
        is_used = _is_used(numbers, times)
        places = np.flatnonzero(is_used) if rows is None else rows[is_used]
        chosen = np.flatnonzero(is_used)[_lowest(lots_of(places))]
        values, counts = _different(numbers[chosen], None if times is None else times[chosen])
    return CountedNumbers(values, np.float64(unit.size) * counts, is_sample)


class NumberCounts:
    """The same of a column that comes in batches. Changes in place, and can be pickled."""

    def __init__(self, unit: WeightUnit) -> None:
        self._unit = unit
        self._values: Numbers = np.empty(0)
        self._counts: Integers = np.empty(0, np.int64)
        self._is_sample = False
        self._sample = _Sample()

    @property
    def is_sample(self) -> bool:
        return self._is_sample

    def add(
        self, numbers: Numbers, lots: Lots, weights: Numbers | None, different: tuple[Numbers, Integers] | None = None
    ) -> None:
        """More numbers, with the lots of their rows; `different` are the same numbers, counted already."""
        times = None if weights is None else self._unit.multiples(weights)
        if not self._is_sample:
            self._join(*(different if different is not None and times is None else _different(numbers, times)))
        self._sample.add(numbers, lots, times)

    def merge(self, other: NumberCounts) -> None:
        """Numbers of other rows."""
        self._is_sample |= other._is_sample
        if not self._is_sample:
            self._join(other._values, other._counts)
        self._sample.merge(other._sample)

    def counted(self) -> CountedNumbers:
        values, counts = (self._values, self._counts) if not self._is_sample else self._sample.counted()
        return CountedNumbers(values, np.float64(self._unit.size) * counts, self._is_sample)

    def _join(self, values: Numbers, counts: Integers) -> None:
        self._values, self._counts = _different(
            np.concatenate([self._values, values]), np.concatenate([self._counts, counts])
        )
        if len(self._values) > MOST_NUMBERS:
            self._is_sample, self._values, self._counts = True, np.empty(0), np.empty(0, np.int64)


class _Sample:
    """The rows that drew the lowest lots. Changes in place."""

    def __init__(self) -> None:
        self._lots: Lots = np.empty(0, np.uint64)
        self._numbers: Numbers = np.empty(0)
        self._times: Integers = np.empty(0, np.int64)
        self._highest = np.uint64(np.iinfo(np.uint64).max)

    def add(self, numbers: Numbers, lots: Lots, times: Integers | None) -> None:
        low = np.flatnonzero(lots <= self._highest)
        numbers, lots, times = numbers[low], lots[low], np.ones(len(low), np.int64) if times is None else times[low]
        used = _is_used(numbers, times)
        self._lots = np.concatenate([self._lots, lots[used]])
        self._numbers = np.concatenate([self._numbers, numbers[used]])
        self._times = np.concatenate([self._times, times[used]])
        if len(self._lots) > 2 * MOST_NUMBERS:  # not at once: it takes longer than to add some
            self._shrink()

    def merge(self, other: _Sample) -> None:
        self.add(other._numbers, other._lots, other._times)

    def counted(self) -> tuple[Numbers, Integers]:
        self._shrink()
        return _different(self._numbers, self._times)

    def _shrink(self) -> None:
        kept = _lowest(self._lots)
        self._lots, self._numbers, self._times = self._lots[kept], self._numbers[kept], self._times[kept]
        self._highest = self._lots.max(initial=np.uint64(0))


def _is_used(numbers: Numbers, times: Integers | None) -> npt.NDArray[np.bool_]:
    """Infinite and missing numbers have no say in anything, nor do rows without weight."""
    is_used = np.isfinite(numbers)
    return is_used if times is None else is_used & (times > 0)


def _different(numbers: Numbers, times: Integers | None) -> tuple[Numbers, Integers]:
    """The different numbers that are used, in order, and how many rows have each."""
    is_used = _is_used(numbers, times)
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


def lots_of(rows: Integers) -> Lots:
    """What rows draw, by their numbers: those with the lowest lots are the sample."""
    return drawn(rows.astype(np.uint64) + np.uint64(_SALT))


def _lowest(lots: Lots) -> npt.NDArray[np.intp]:
    """Where the lowest lots are."""
    if len(lots) <= MOST_NUMBERS:
        return np.arange(len(lots))
    return np.argpartition(lots, MOST_NUMBERS - 1)[:MOST_NUMBERS]
