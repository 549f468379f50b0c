"""The values of a column, gathered batch by batch, as settling asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from learnac.data.bins import LARGEST_NUMBER
from learnac.data.calendars import Calendar, calendar_of, seconds_of_texts
from learnac.data.categories import MAX_ARITY, check_largest_integer, unusable_type
from learnac.data.found_kinds import MOST_INTEGERS
from learnac.data.frame_values import check_finite
from learnac.data.number_counts import CountedNumbers, NumberCounts, RowSample, WeightUnit
from learnac.data.number_text import number_text
from learnac.data.spread import Numbers
from learnac.errors import DataError


class GrowingColumn:
    """What is known of a column of the batches so far: `settle` takes it. Changes in place, and can be pickled.

    `is_dictionary` says that its type is one of Arrow's dictionaries; `has_categories`, that somebody stated that its
    values are categories, even if they are numbers.
    """

    is_time = False  # Points in time come as texts.

    def __init__(self, name: str, unit: WeightUnit, *, is_dictionary: bool, has_categories: bool) -> None:
        self._name, self._has_categories = name, has_categories
        self.is_dictionary, self.is_ordered = is_dictionary, False
        self._dictionary: Any = None
        self.n_rows = self.n_missing = 0
        self.first_gap: int | None = None
        self._values: Any = None  # each once, in the order of their first rows
        self._counts: NDArray[np.int64] = np.empty(0, np.int64)  # of the rows of each
        self._are_too_many = False  # the values, to be categories
        self._numbers = NumberCounts(unit)
        self._steps = _Steps()
        self.is_whole = self._are_dates = self._are_days = True
        self.sample = RowSample()  # that of the whole table, when all of it was read
        self._too_large: DataError | None = None

    # What settling asks for.

    @property
    def n_values(self) -> int:
        if not self._are_too_many:
            return len(self._values)
        return max(len(self._counted().values), MOST_INTEGERS + 1) if self._is_binned else MAX_ARITY

    @property
    def has_more(self) -> bool:
        return self._numbers.are_too_many if self._is_binned else self._are_too_many

    @property
    def is_boolean(self) -> bool:
        return bool(pa.types.is_boolean(self._type))

    @property
    def is_number(self) -> bool:
        return not self.is_dictionary and bool(pa.types.is_integer(self._type) or pa.types.is_floating(self._type))

    @property
    def are_dates(self) -> bool:
        return bool(pa.types.is_string(self._type)) and self._are_dates

    @property
    def is_in_order(self) -> bool:
        return self._steps.are_ones

    @property
    def is_declared(self) -> bool:
        """A dictionary of Arrow only saves memory, unless it is ordered."""
        return self.is_ordered

    def used(self) -> list[Any]:
        found: list[Any] = self._values.to_pylist()
        return found

    def declared(self) -> list[Any] | None:
        return self._dictionary.to_pylist() if self.is_dictionary else None

    def n_rows_of(self) -> Mapping[Any, int]:
        return dict(zip(self.used(), self._counts.tolist(), strict=True))

    def numbers(self) -> CountedNumbers:
        if not self.is_number:
            expected = "numbers to put into bins"
            found = "strings" if pa.types.is_string(self._type) else str(self._type)
            raise DataError(
                f"column {self._name!r}: expected {expected}, found {found}",
                column=self._name,
                expected=expected,
                found=found,
            )
        if self._too_large is not None:
            raise self._too_large
        return self._counted()

    def times(self) -> tuple[CountedNumbers, Calendar]:
        if not self.are_dates:
            expected = "dates such as 2024-05-17 or 2024-05-17 13:45:00"
            raise DataError(f"column {self._name!r}: expected {expected}", column=self._name, expected=expected)
        calendar = Calendar.DAYS if self._are_days else Calendar.SECONDS
        seconds = self._counted()
        return CountedNumbers(calendar.of_seconds(seconds.values), seconds.counts, seconds.is_sample), calendar

    # How it grows.

    def add(self, column: Any, first_row: int, times: NDArray[np.int64] | None) -> NDArray[Any] | None:
        """The rows of a batch, which begins with row `first_row` of the whole table; each counts so many `times`.

        Their numbers, NaN for a gap, if they are some, or points in time.
        """
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        is_known = _is_known(column)
        is_full = bool(is_known.all())
        if not is_full:
            self.n_missing += int(np.count_nonzero(~is_known))
            if self.first_gap is None:
                self.first_gap = first_row + int(np.argmin(is_known))
            column = column.filter(pa.array(is_known))
            times = None if times is None else times[is_known]
        numbers = self._add_known(column, first_row, is_known, times) if len(column) else np.empty(0)
        if is_full or numbers is None:
            return numbers
        with_gaps = np.full(len(is_known), np.nan)
        with_gaps[is_known] = numbers
        return with_gaps

    def _add_known(
        self, column: Any, first_row: int, is_known: NDArray[np.bool_], times: NDArray[np.int64] | None
    ) -> NDArray[Any] | None:
        self.n_rows += len(column)
        if self.is_dictionary:
            self.is_ordered |= bool(column.type.ordered)
            self._dictionary = _joined(self._name, self._dictionary, column.dictionary)
        values, counts = _value_counts(self._name, column)
        self._add_values(values, counts)
        if self.is_number:
            numbers = column.to_numpy(zero_copy_only=False)
            different = values.to_numpy().astype(np.float64)
            self._note_numbers(numbers, different, first_row, is_known)
            self._numbers.add(numbers, times, (different, counts))
            return numbers
        return self._add_dates(column, times) if self.are_dates else None

    def merge(self, later: GrowingColumn) -> None:
        """What another found in rows that come after these."""
        self.n_rows += later.n_rows
        self.n_missing += later.n_missing
        self.first_gap = later.first_gap if self.first_gap is None else self.first_gap
        if later.n_rows == 0:
            return
        if later._dictionary is not None:
            self.is_ordered |= later.is_ordered
            self._dictionary = _joined(self._name, self._dictionary, later._dictionary)
        self._add_values(later._values, later._counts)
        self._are_too_many |= later._are_too_many
        self._numbers.merge(later._numbers)
        self._steps = self._steps.then(later._steps)
        self.is_whole &= later.is_whole
        self._are_dates &= later._are_dates
        self._are_days &= later._are_days
        self._too_large = self._too_large or later._too_large

    def as_text(self) -> None:
        """Numbers that are no integers become texts, as categories must be."""
        values, counts = [number_text(value) for value in self.used()], self._counts
        self._values, self._are_dates = None, False
        for text, count in zip(values, counts, strict=True):
            self._add_values(pa.array([text]), np.array([count]))

    @property
    def _type(self) -> Any:
        return pa.null() if self._values is None else self._values.type

    def _add_values(self, values: Any, counts: NDArray[np.int64]) -> None:
        """Different values with the numbers of their rows. Beyond a limit some will do: there are too many."""
        if self._values is None:
            self._values, self._counts = values.slice(0, 0), np.empty(0, np.int64)
        kind = _common_type(self._name, self._type, values.type)
        self._values, values = self._values.cast(kind), values.cast(kind)
        if self._are_too_many:
            return
        places = pc.index_in(values, self._values)
        is_new = places.is_null().to_numpy(zero_copy_only=False)
        self._counts[places.drop_null().to_numpy()] += counts[~is_new]
        most = MOST_INTEGERS if self._is_binned else MAX_ARITY
        self._are_too_many = len(self._values) + int(is_new.sum()) > most
        if is_new.any():
            more = values.filter(pa.array(is_new))
            self._values = pa.concat_arrays([self._values, more]).slice(0, most + 1)
            self._counts = np.concatenate([self._counts, counts[is_new]])[: most + 1]

    @property
    def _is_binned(self) -> bool:
        """Whether many different values are no matter: numbers that may become intervals."""
        return self.is_number and not self._has_categories

    def _note_numbers(
        self, numbers: NDArray[Any], different: Numbers, first_row: int, is_known: NDArray[np.bool_]
    ) -> None:
        if self._too_large is None and np.abs(different).max() > LARGEST_NUMBER:
            self._too_large = _too_large(self._name, numbers, first_row + np.flatnonzero(is_known))
        if self.is_whole:
            is_small = (np.abs(different) < 2.0**63) | (numbers.dtype.kind in "iu")
            self.is_whole = bool(((different == np.rint(different)) & is_small).all())
        self._steps = self._steps.then_numbers(numbers)

    def _add_dates(self, column: Any, times: NDArray[np.int64] | None) -> Numbers | None:
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        seconds = seconds_of_texts(encoded.dictionary.to_pylist())
        self._are_dates = seconds is not None
        if seconds is None:
            return None
        self._are_days &= calendar_of(seconds) is Calendar.DAYS
        places = encoded.indices.to_numpy()
        self._numbers.add(seconds[places], times, (seconds, np.bincount(places, minlength=len(seconds))))
        return seconds[places]

    def _counted(self) -> CountedNumbers:
        return self._numbers.counted(self.sample, self._name)


class _Steps:
    """Whether numbers go up by one from row to row, or down by one: those of the rows so far."""

    def __init__(self, first: float = 0.0, last: float = 0.0, step: float | None = None, is_empty: bool = True) -> None:
        self._first, self._last, self._is_empty = first, last, is_empty
        self._step = step  # None for a single row; nan for rows with different steps, or none of one

    @classmethod
    def of(cls, numbers: NDArray[Any]) -> _Steps:
        numbers = numbers.astype(np.float64)
        with np.errstate(invalid="ignore"):
            steps = np.diff(numbers)
        step = None
        if len(steps):
            step = float(steps[0]) if abs(steps[0]) == 1 and (steps == steps[0]).all() else np.nan
        return cls(float(numbers[0]), float(numbers[-1]), step, is_empty=False)

    def then(self, later: _Steps) -> _Steps:
        if self._is_empty or later._is_empty:
            return later if self._is_empty else self
        between = later._first - self._last
        steps = {step for step in (self._step, between, later._step) if step is not None}
        return _Steps(self._first, later._last, steps.pop() if steps in ({1.0}, {-1.0}) else np.nan, is_empty=False)

    def then_numbers(self, numbers: NDArray[Any]) -> _Steps:
        is_broken = self._step is not None and not self.are_ones
        return self if is_broken else self.then(_Steps.of(numbers))

    @property
    def are_ones(self) -> bool:
        return self._step in (1.0, -1.0)


def _is_known(column: Any) -> NDArray[np.bool_]:
    """Which rows have a value. Only floats can be NaN, which is no value either."""
    is_known = column.is_valid()
    if pa.types.is_floating(column.type):
        is_known = pc.and_(is_known, pc.invert(pc.is_nan(column)).fill_null(False))
    found: NDArray[np.bool_] = is_known.to_numpy(zero_copy_only=False)
    return found


def _too_large(name: str, numbers: NDArray[Any], rows: NDArray[np.intp]) -> DataError:
    try:
        check_finite(name, numbers, rows)
    except DataError as error:
        return error
    raise AssertionError("some number is too large")


def _value_counts(name: str, column: Any) -> tuple[Any, NDArray[np.int64]]:
    """The different values of a column in one of a few types, and the number of their rows."""
    is_dictionary = pa.types.is_dictionary(column.type)
    found = (column.indices if is_dictionary else column).value_counts()
    values, counts = found.field(0), found.field(1).to_numpy()
    return _plain(name, column.dictionary.take(values) if is_dictionary else values), counts


def _plain(name: str, values: Any) -> Any:
    """Values in one of a few types, so that those of all batches can be compared."""
    kind = values.type
    if pa.types.is_uint64(kind):
        check_largest_integer(name, pc.max(values).as_py())
    if pa.types.is_integer(kind):
        return values.cast(pa.int64())
    if pa.types.is_floating(kind):
        return values.cast(pa.float64())
    if pa.types.is_large_string(kind):
        return values.cast(pa.string())
    if pa.types.is_string(kind) or pa.types.is_boolean(kind):
        return values
    raise unusable_type(name, str(kind))


def _joined(name: str, before: Any, later: Any) -> Any:
    """The values of two dictionaries, each once."""
    later = _plain(name, later)
    if before is None or before.equals(later):
        return later
    kind = _common_type(name, before.type, later.type)
    return pa.concat_arrays([before.cast(kind), later.cast(kind)]).unique()


def _common_type(name: str, a: Any, b: Any) -> Any:
    if a == b:
        return a
    if {a, b} == {pa.int64(), pa.float64()}:
        return pa.float64()
    raise DataError(f"column {name!r}: expected values of one type, found {a} and {b}", column=name)
