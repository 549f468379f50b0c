"""What the columns of a stream hold: their different values, gathered batch by batch, and the schema they make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from learnac.data.binning import Binning
from learnac.data.bins import Bins
from learnac.data.column_options import ColumnOptions
from learnac.data.compact import GrowingTable
from learnac.data.frames import ColumnReport
from learnac.data.prepare import prepare
from learnac.data.schema import WAY_OUT, Schema
from learnac.data.tables import Frame
from learnac.errors import DataError, Problem, placed

# A column with more different values than this is no discrete variable, whatever is stated.
_MOST_DISTINCT = 200_000
# So that 32 integers are as many to `found_kinds` as they are in more rows.
_FEWEST_ROWS = 1000


class GrowingColumns:
    """The values of all columns of the batches so far. Changes in place, and can be pickled."""

    def __init__(self, options: ColumnOptions | None = None) -> None:
        self.options = options or ColumnOptions()
        _check_bins(self.options)
        self.n_rows = 0
        self._columns: dict[str, _Distinct] = {}

    def add(self, batch: Any) -> None:
        """Takes note of the values of a batch. DataError for a gap."""
        if batch.num_rows == 0:
            return
        growing = GrowingTable(batch.schema.names)
        growing.add(batch)
        for field, column in zip(batch.schema, growing.table().itercolumns(), strict=True):
            if field.name not in self.options.drop:
                self._column(field.name, is_declared=pa.types.is_dictionary(field.type)).add(column, self.n_rows)
        self.n_rows += int(batch.num_rows)

    def merge(self, later: GrowingColumns) -> None:
        """Takes note of what another found in rows that come after these."""
        for name, column in later._columns.items():
            self._column(name, is_declared=column.is_declared).merge(column)
        self.n_rows += later.n_rows

    def found(self, name: str) -> tuple[Schema, tuple[ColumnReport, ...]]:
        """The schema that `prepare` finds in a small table with all values of all columns, and what was found out;
        `name` is for messages.

        The table has as many rows as it takes for the kinds to come out as those of the whole: two for each value, or
        all. Numbers need limits, because bins of equally many rows are not found in it; and nothing is known of how
        numbers are spread between the limits.
        """
        if self.n_rows == 0:
            raise DataError(f"{name}: expected rows of values, found none", source=name)
        if not self._columns:
            raise DataError(f"{name}: expected columns that are not dropped, found none", source=name)
        n_rows = min(self.n_rows, max(_FEWEST_ROWS, 2 * max(column.n_values for column in self._columns.values())))
        growing = GrowingTable(list(self._columns))
        for batch in pa.table({each: column.rows(n_rows) for each, column in self._columns.items()}).to_batches():
            growing.add(batch)
        try:
            prepared = prepare(Frame(growing.table()), replace(self.options, drop=frozenset())).dataset
            for column, own in zip(prepared.schema.names, prepared.schema.bins, strict=True):
                if own is not None and column not in self.options.bins:
                    raise _no_limits(column, "none")
        except DataError as error:
            raise placed(error, name, source=name) from error
        bins = tuple(None if each is None else Bins(each.edges) for each in prepared.schema.bins)
        ignored = prepared.schema.ignored | self.options.drop
        return replace(prepared.schema, bins=bins, ignored=ignored), prepared.reports

    def _column(self, name: str, *, is_declared: bool) -> _Distinct:
        if name not in self._columns:
            is_settled = name in self.options.bins or name in self.options.categories
            self._columns[name] = _Distinct(name, is_declared=is_declared, is_settled=is_settled)
        return self._columns[name]


class _Distinct:
    """The values of a column, each once; as a dictionary declares them, if its type is one. Changes in place."""

    def __init__(self, name: str, *, is_declared: bool, is_settled: bool) -> None:
        self._name = name
        self.is_declared = is_declared
        self._is_settled = is_settled  # by what is stated about the column: some values will do
        self._values: Any = None

    def add(self, column: Any, first_row: int) -> None:
        if column.null_count > 0:
            row = first_row + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            raise DataError(
                f"column {self._name!r}, row {row:,}: expected a value, found none; {WAY_OUT}",
                column=self._name,
                row=row,
                expected="a value",
            )
        if self._values is None or not self._is_settled:
            self._add_values(_dictionary(column) if self.is_declared else _different(column))

    def merge(self, other: _Distinct) -> None:
        if self._values is None or not self._is_settled:
            self._add_values(other._values)

    def _add_values(self, found: Any) -> None:
        if self._values is not None:
            kind = _common_type(self._name, self._values.type, found.type)
            found = pa.concat_arrays([self._values.cast(kind), found.cast(kind)]).unique()
        self._values = found
        if len(found) > _MOST_DISTINCT and not self._is_settled:
            raise DataError(
                f"column {self._name!r}: expected a discrete variable, found more than {_MOST_DISTINCT:,} different "
                "values: leave it out, or state limits of intervals",
                column=self._name,
            )

    @property
    def n_values(self) -> int:
        return 1 if self._is_settled else len(self._values)

    def rows(self, n_rows: int) -> Any:
        """So many rows, which have all values."""
        places = pa.array(np.minimum(np.arange(n_rows), len(self._values) - 1).astype(np.int32))
        return pa.DictionaryArray.from_arrays(places, self._values) if self.is_declared else self._values.take(places)


def _dictionary(column: Any) -> Any:
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pa.concat_arrays([piece.dictionary for piece in pieces]).unique()


def _different(column: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    found = column.unique()
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _common_type(name: str, a: Any, b: Any) -> Any:
    if a == b:
        return a
    if pa.types.is_integer(a) and pa.types.is_integer(b):
        return pa.int64()
    numeric = (pa.types.is_integer(a) or pa.types.is_floating(a)) and (
        pa.types.is_integer(b) or pa.types.is_floating(b)
    )
    if numeric:
        return pa.float64()
    raise DataError(f"column {name!r}: expected values of one type, found {a} and {b}", column=name)


def _check_bins(options: ColumnOptions) -> None:
    for name, how in options.bins.items():
        if isinstance(how, Binning):
            raise _no_limits(name, "a number of them")


def _no_limits(column: str, found: str) -> DataError:
    return DataError(
        f"column {column!r}: expected the limits of its intervals, found {found}: limits with equally many rows "
        "between them would take the whole column in memory; state limits, or leave the column out",
        column=column,
        expected="limits of intervals",
        problem=Problem.CONTINUOUS,
    )
