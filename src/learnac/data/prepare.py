"""From a table as a file holds it to a `Dataset` to learn from, as `Dataset.from_frame` makes one of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from learnac.data.column_options import ColumnOptions
from learnac.data.compact import GrowingTable
from learnac.data.frame_columns import Column, n_missing, open_columns, open_frame
from learnac.data.frames import read_frame, read_partial_frame
from learnac.data.incomplete import TrainingRows, of_partial_codes
from learnac.data.kinds import Kind
from learnac.data.matching import as_text_where_needed, with_text, without_columns
from learnac.data.schema import Schema
from learnac.data.tables import Frame
from learnac.errors import DataError, listed


@dataclass(frozen=True, slots=True, eq=False)
class PreparedTable:
    """A table to learn from, the weights of its rows if they have any, and the columns that were to be left out."""

    dataset: TrainingRows  # with gaps, if it has some
    weights: npt.NDArray[np.float64] | None
    dropped: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        return self.dataset.schema


def prepare(table: object, options: ColumnOptions | None = None) -> PreparedTable:
    """The table to learn from in a `Frame`, or in a frame of pandas, polars or pyarrow.

    Columns that nothing can be learned from are left out, unless the options name them: identifiers, free text, a
    single value. A column whose type declares its categories keeps their order. There may be missing values.
    """
    options = options or ColumnOptions()
    given = as_frame(table)
    frame = without_columns(given, options.drop)
    if unknown := [name for name in sorted(options.named - options.drop) if name not in frame.table.column_names]:
        raise no_column(unknown, frame.table.column_names)
    for name, kind in options.kinds.items():
        if kind is Kind.CATEGORICAL:
            frame = _with_text_of_real_numbers(frame, name)
    undeclared = set(options.kinds) | set(options.bins)
    declared = {name: values for name, values in frame.categories.items() if name not in undeclared}
    categories = {**declared, **options.categories}
    frame = as_text_where_needed(frame, categories)
    dropped = tuple(name for name in given.table.column_names if name in options.drop)
    stated = replace(options, categories=categories, drop=frozenset())
    has_gaps = any(n_missing(column) for column in open_columns(open_frame(frame.table)).values())
    read = read_partial_frame if has_gaps else read_frame
    found = read(frame.table, stated, frame.weights, leave_out=True)
    schema = replace(found.schema, ignored=found.schema.ignored | set(dropped))
    rows = of_partial_codes(schema, found.codes, found.numbers, found.reports)
    return PreparedTable(rows, frame.weights, dropped)


def no_column(names: Sequence[str], columns: Sequence[str]) -> DataError:
    """The error for names that a table should have."""
    return DataError(
        f"no column is called {listed(names)}; there are {listed(columns)}",
        column=names[0],
        expected=tuple(columns),
        found=names[0],
    )


def as_frame(table: object) -> Frame:
    """A frame of any library as a `Frame`; one that is a `Frame` already as it is."""
    if isinstance(table, Frame):
        return table
    columns = open_columns(open_frame(table))
    arrow = pa.table({name: _as_arrow(name, column) for name, column in columns.items()})
    growing = GrowingTable(arrow.column_names)
    for batch in arrow.to_batches():
        growing.add(batch)
    return Frame(growing.table())


def _as_arrow(name: str, column: Column) -> Any:
    try:
        return column.to_arrow()
    except (pa.ArrowException, TypeError) as error:
        details = " ".join(str(error).split())
        raise DataError(
            f"column {name!r}: expected values of one type: {details}", column=name, expected="values of one type"
        ) from error


def _with_text_of_real_numbers(frame: Frame, name: str) -> Frame:
    column = frame.table.column(name)
    is_real = pa.types.is_floating(column.type) and not (_is_whole(column) and _fits_integers(column))
    return with_text(frame, name) if is_real else frame


def _fits_integers(column: Any) -> bool:
    return bool((np.abs(_known(column)) < 2.0**63).all())


def _is_whole(column: Any) -> bool:
    numbers = _known(column)
    return bool((np.isfinite(numbers) & (numbers == np.rint(numbers))).all())


def _known(column: Any) -> Any:
    numbers = column.drop_null().to_numpy()
    return numbers[~np.isnan(numbers)]
