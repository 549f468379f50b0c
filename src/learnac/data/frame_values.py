"""The values of a column of a frame, as settling asks for them; and their codes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from learnac.data.bins import LARGEST_NUMBER, Bins
from learnac.data.calendars import Calendar, calendar_of, seconds_of_texts
from learnac.data.distinct import Distinct, smallest
from learnac.data.frame_columns import Column, distinct_values, is_time, seconds_of
from learnac.data.number_counts import CountedNumbers, count_numbers
from learnac.data.spread import Numbers
from learnac.errors import DataError
from learnac.types import Category

_Array = np.ndarray[Any, Any]


class FrameValues:
    """A column without gaps, which `settle` takes; `rows` are those of the `n_in_table` rows that have a value."""

    has_more = False

    def __init__(
        self,
        name: str,
        column: Column,
        weights: Numbers | None,
        rows: npt.NDArray[np.intp] | None = None,
        n_in_table: int | None = None,
    ) -> None:
        self._name, self._column, self._weights, self._n_in_table = name, column, weights, n_in_table
        self.rows = np.arange(len(column)) if rows is None else rows
        self._calendar: Calendar | None = None

    @property
    def n_rows(self) -> int:
        return len(self._column)

    @property
    def n_values(self) -> int:
        return len(np.unique(self._numbers)) if self.is_time else len(self.used())

    @property
    def is_boolean(self) -> bool:
        return bool(self._column.dtype == nw.Boolean)

    @property
    def is_number(self) -> bool:
        return is_numeric(self._column)

    @property
    def is_time(self) -> bool:
        return is_time(self._column)

    @property
    def are_dates(self) -> bool:
        return _is_text(self._column) and seconds_of_texts(self.used()) is not None

    @property
    def is_whole(self) -> bool:
        used = np.array(self.used(), dtype=np.float64)
        is_whole = np.isfinite(used) & (used == np.rint(used))
        return bool((is_whole & ((np.abs(used) < 2.0**63) | self._column.dtype.is_integer())).all())

    @property
    def is_in_order(self) -> bool:
        if len(self.used()) < self.n_rows:
            return False
        steps = np.diff(np.array(self._distinct.values, dtype=np.float64)[self._distinct.positions])
        return bool((steps == 1).all() or (steps == -1).all())

    @property
    def is_declared(self) -> bool:
        """A dictionary of Arrow only saves memory."""
        is_plain = self._column.implementation.is_pyarrow() and not self.is_ordered
        return self.declared() is not None and not is_plain

    @property
    def is_ordered(self) -> bool:
        """Pandas and Arrow say so, an enum of polars always has an order."""
        if self.declared() is None:
            return False
        native: Any = self._column.to_native()
        if self._column.implementation.is_polars():
            return self._column.dtype == nw.Enum
        declares = native.type if self._column.implementation.is_pyarrow() else getattr(native, "cat", None)
        return bool(getattr(declares, "ordered", False))

    def used(self) -> list[Any]:
        return self._used

    def declared(self) -> list[Any] | None:
        return _declared_categories(self._column)

    def n_rows_of(self) -> Mapping[Any, int]:
        counts = np.bincount(self._distinct.positions, minlength=len(self._distinct.values))
        return dict(zip(self._distinct.values, counts.tolist(), strict=True))

    def numbers(self) -> CountedNumbers:
        return self._counted()

    def times(self) -> tuple[CountedNumbers, Calendar]:
        self._calendar = calendar_of(self._seconds)
        return self._counted(), self._calendar

    def encoded(self, categories: tuple[Category, ...], bins: Bins | None) -> tuple[_Array, Numbers | None]:
        """The codes of all rows, and their numbers if the column was settled to hold some."""
        if bins is None:
            return self._distinct.codes(self._name, categories), None
        return smallest(bins.codes(self._numbers), len(bins)), self._numbers

    def _counted(self) -> CountedNumbers:
        check_finite(self._name, self._numbers, self.rows)
        return count_numbers(self._numbers, self._weights, self.rows, self._n_in_table)

    @cached_property
    def _distinct(self) -> Distinct:
        return distinct_values(self._name, self._column)

    @cached_property
    def _used(self) -> list[Any]:
        return self._distinct.used()

    @cached_property
    def _numbers(self) -> Numbers:
        if self._calendar is None:
            return numbers_of_column(self._name, self._column)
        found: Numbers = self._calendar.of_seconds(self._seconds)
        return found

    @cached_property
    def _seconds(self) -> Numbers:
        return seconds_of(self._name, self._column)


def is_numeric(column: Column) -> bool:
    return bool(column.dtype.is_numeric())


def _is_text(column: Column) -> bool:
    return column.dtype in (nw.String, nw.Categorical, nw.Enum)


def numbers_of_column(name: str, column: Column) -> Numbers:
    if not is_numeric(column):
        expected = "numbers to put into bins"
        found = "strings" if _is_text(column) else str(column.dtype)
        raise DataError(
            f"column {name!r}: expected {expected}, found {found}", column=name, expected=expected, found=found
        )
    # Arrow refuses to cast integers that no float is equal to.
    if column.dtype in (nw.Int64, nw.UInt64):
        return column.to_numpy().astype(np.float64)
    numbers: Numbers = column.cast(nw.Float64).to_numpy()
    return numbers


def check_finite(name: str, numbers: Numbers, rows: _Array | None = None) -> None:
    """Raise DataError for numbers that are too large for a density. `rows` are their numbers in the whole table."""
    with np.errstate(invalid="ignore"):
        is_larger = np.abs(numbers) > LARGEST_NUMBER
    if not is_larger.any():
        return
    place = int(is_larger.argmax())
    row = place if rows is None else int(rows[place])
    expected = f"numbers up to {LARGEST_NUMBER:g}"
    raise DataError(
        f"column {name!r}, row {row}: expected {expected}, found {numbers[place]}: make it a missing value",
        column=name,
        row=row,
        expected=expected,
        found=float(numbers[place]),
    )


def _declared_categories(column: Column) -> list[Any] | None:
    if column.dtype == nw.Categorical and column.implementation.is_polars():
        return None  # It declares nothing: its categories are its values in order of appearance.
    if column.dtype not in (nw.Categorical, nw.Enum):
        return None
    try:
        return column.cat.get_categories().to_list()
    except AttributeError:
        return None  # pandas hides the categories of an Arrow dictionary.
