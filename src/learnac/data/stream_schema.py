"""What the columns of a stream hold, gathered batch by batch, and the schema that they make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from learnac.data.categories import MISSING
from learnac.data.column_options import OF_CATEGORIES, ColumnOptions
from learnac.data.compact import GrowingTable
from learnac.data.frame_columns import nothing_known
from learnac.data.growing_column import GrowingColumn
from learnac.data.incomplete import with_missing
from learnac.data.kinds import Kind
from learnac.data.number_counts import RowSample, WeightUnit
from learnac.data.prepare import no_column
from learnac.data.schema import Schema
from learnac.data.settling import ColumnReport, SettledColumn, nothing_in_it, settle, settled_schema
from learnac.data.spread import Numbers
from learnac.errors import DataError, Problem, placed


class GrowingColumns:
    """The values of all columns of the batches so far. Changes in place, and can be pickled.

    `first_row` is the number of the first row, where these are a part of a larger table, and `unit` what the weights
    of its rows are rounded to.
    """

    def __init__(
        self, options: ColumnOptions | None = None, first_row: int = 0, unit: WeightUnit | None = None
    ) -> None:
        self.options = options or ColumnOptions()
        self.n_rows = 0
        self._first_row, self._unit = first_row, unit or WeightUnit()
        self._columns: dict[str, GrowingColumn] = {}
        self._sample = RowSample()

    def __copy__(self) -> GrowingColumns:
        """The same with nothing in it."""
        return GrowingColumns(self.options, self._first_row, self._unit)

    def add(self, batch: Any, weights: Numbers | None = None) -> None:
        """Takes note of the values of a batch."""
        if batch.num_rows == 0:
            return
        growing = GrowingTable(batch.schema.names)
        growing.add(batch)
        first_row = self._first_row + self.n_rows
        times = None if weights is None else self._unit.multiples(weights)
        found = {}
        for field, column in zip(batch.schema, growing.table().itercolumns(), strict=True):
            if field.name not in self.options.drop:
                own = self._column(field.name, pa.types.is_dictionary(field.type))
                found[field.name] = own.add(column, first_row, times)
        numbers = {name: column for name, column in found.items() if column is not None}
        self._sample.add(first_row, batch.num_rows, times, numbers)
        self.n_rows += int(batch.num_rows)

    def merge(self, later: GrowingColumns) -> None:
        """Takes note of what another found in rows that come after these."""
        for name, column in later._columns.items():
            self._column(name, column.is_dictionary).merge(column)
        self._sample.merge(later._sample)
        self.n_rows += later.n_rows

    def found(
        self, name: str, missing: str = "random", but: str | None = None
    ) -> tuple[Schema, tuple[ColumnReport, ...]]:
        """The schema that `prepare` finds in the same table in memory, and what was found out; `name` is for messages.

        With `missing="category"`, columns that have gaps get the category "missing", all but the column `but`.
        Otherwise, DataError for a gap.
        """
        if self.n_rows == 0:
            raise DataError(f"{name}: expected rows of values, found none", source=name)
        if not self._columns:
            raise DataError(f"{name}: expected columns that are not dropped, found none", source=name)
        try:
            if unknown := sorted(self.options.named - self.options.drop - set(self._columns)):
                raise no_column(unknown, list(self._columns))
            found = {each: self._settled(each, column) for each, column in self._columns.items()}
            schema = settled_schema(found, self.options)
            gaps = [each for each in schema.names if self._columns[each].n_missing]
            if missing != "category" or but in gaps:
                self._check_no_gaps(gaps if missing != "category" else [str(but)])
            schema = with_missing(schema, gaps)
        except DataError as error:
            raise placed(error, name, source=name) from error
        return schema, tuple(column.report for column in found.values())

    def _settled(self, name: str, column: GrowingColumn) -> SettledColumn:
        if column.n_rows == 0 and self.options.states(name):
            raise nothing_known(name)
        if column.n_rows == 0:
            return nothing_in_it(name, self.n_rows)
        if self.options.kinds.get(name) is Kind.CATEGORICAL and column.is_number and not column.is_whole:
            column.as_text()
        column.sample = self._sample
        read = settle(name, column, self.options, leave_out=True)
        return replace(read, report=replace(read.report, n_missing=column.n_missing))

    def _check_no_gaps(self, gaps: list[str]) -> None:
        for name in gaps:
            row = self._columns[name].first_gap
            raise DataError(
                f"column {name!r}, row {row:,}: expected a value, found none: rows with gaps are learned from in "
                f"memory only, unless a gap is a category of its own, {MISSING!r}",
                column=name,
                row=row,
                expected="a value",
                problem=Problem.GAPS_IN_STREAM,
            )

    def _column(self, name: str, is_dictionary: bool) -> GrowingColumn:
        if name not in self._columns:
            has_categories = name in self.options.categories or self.options.kinds.get(name) in OF_CATEGORIES
            self._columns[name] = GrowingColumn(
                name, self._unit, is_dictionary=is_dictionary, has_categories=has_categories
            )
        return self._columns[name]
