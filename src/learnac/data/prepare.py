"""From a table as a file holds it to a `Dataset` to learn from: stricter than `Dataset.from_frame`.

A column with real numbers or very many values is no discrete variable. A person who learns from a file is told so,
with the ways out, rather than given a circuit of identifiers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from learnac.data.bins import Binning, Bins
from learnac.data.column_options import ALL_COLUMNS, ColumnOptions
from learnac.data.compact import GrowingTable
from learnac.data.dataset import Dataset
from learnac.data.frame_columns import Column, check_no_missing, open_columns, open_frame
from learnac.data.frames import no_numbers
from learnac.data.matching import as_text_where_needed, is_numeric, with_text, without_columns
from learnac.data.schema import Schema
from learnac.data.tables import Frame
from learnac.errors import DataError, Problem, listed

MOST_INTEGERS = 64
"""Distinct integers of a column that are categories unless stated: days, weeks and minutes are, ages and years not."""

MOST_STRINGS = 1000
"""Distinct strings of a column that are categories unless stated: a circuit has three edges or more for each."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedTable:
    """A table to learn from, the weights of its rows if they have any, and the columns left out."""

    dataset: Dataset
    weights: npt.NDArray[np.float64] | None
    dropped: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        return self.dataset.schema


def prepare(table: object, options: ColumnOptions | None = None) -> PreparedTable:
    """The table to learn from in a `Frame`, or in a frame of pandas, polars or pyarrow.

    Raises DataError for missing values, and for a column of real numbers or of too many values that the options
    do not settle. A column whose type declares its categories keeps their order.
    """
    options = options or ColumnOptions()
    given = as_frame(table)
    frame = without_columns(given, options.drop)
    if unknown := [name for name in sorted(options.named - options.drop) if name not in frame.table.column_names]:
        raise no_column(unknown, frame)
    check_no_missing(open_columns(open_frame(frame.table)))
    categories = {**frame.categories, **options.categories}
    bins: dict[str, Bins] = {}
    for name in frame.table.column_names:
        if name in options.as_category:
            categories.pop(name, None)
            frame = _with_text_of_real_numbers(frame, name)
        elif name in options.bins:
            categories.pop(name, None)
            bins[name] = _fitted(frame, name, options.bins[name])
        elif name not in categories and (problem := _problem(frame.table, name)) is not None:
            bins[name] = _fitted_as_all(frame, name, options, problem)
    frame = as_text_where_needed(frame, categories)
    dataset = Dataset.from_frame(frame.table, categories, bins)
    return PreparedTable(
        dataset, frame.weights, tuple(name for name in given.table.column_names if name in options.drop)
    )


def no_column(names: Sequence[str], frame: Frame) -> DataError:
    """The error for names that a table should have."""
    columns = frame.table.column_names
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
    is_real = pa.types.is_floating(column.type) and not _is_whole(column)
    return with_text(frame, name) if is_real else frame


def _problem(table: Any, name: str) -> DataError | None:
    """What is wrong with a column as a discrete variable, if anything."""
    column = table.column(name)
    kind = column.type
    if pa.types.is_floating(kind) and not _is_whole(column):
        return _real_numbers(name, column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        limit, what, problem = MOST_INTEGERS, "integers", Problem.CONTINUOUS
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        limit, what, problem = MOST_STRINGS, "strings", Problem.IDENTIFIER
    else:
        return None
    n_values = _n_values(column)
    if n_values > limit:
        expected, more = f"at most {limit:,} distinct {what}", ""
    elif n_values > MOST_INTEGERS and n_values > len(column) / 2:
        expected, more = f"few distinct {what}", f" in {len(column):,} rows"
    else:
        return None
    message = f"column {name!r}: expected {expected}, found {n_values:,}{more}"
    return DataError(message, column=name, expected=expected, found=n_values, problem=problem)


def _real_numbers(name: str, column: Any) -> DataError:
    row, value = _first_fraction(column)
    n_values = pc.count_distinct(column).as_py()
    return DataError(
        f"column {name!r}, row {row}: expected whole numbers, found {value!r} ({_values(n_values)})",
        column=name,
        row=row,
        expected="whole numbers",
        found=value,
        problem=Problem.CONTINUOUS,
    )


def _n_values(column: Any) -> int:
    if pa.types.is_dictionary(column.type):
        return len(column.unify_dictionaries().chunk(0).dictionary)
    return int(pc.count_distinct(column).as_py())


def _values(n_values: int) -> str:
    return f"{n_values:,} distinct value{'s' if n_values != 1 else ''}"


def _is_whole(column: Any) -> bool:
    numbers = column.to_numpy()
    return bool((np.isfinite(numbers) & (numbers == np.rint(numbers))).all())


def _first_fraction(column: Any) -> tuple[int, float]:
    numbers = column.to_numpy()
    row = int(np.argmax(~np.isfinite(numbers) | (numbers != np.rint(numbers))))
    return row, float(numbers[row])


def _fitted_as_all(frame: Frame, name: str, options: ColumnOptions, problem: DataError) -> Bins:
    if ALL_COLUMNS in options.bins and is_numeric(frame.table.column(name)):
        return _fitted(frame, name, options.bins[ALL_COLUMNS])
    raise problem


def _fitted(frame: Frame, name: str, how: Bins | Binning) -> Bins:
    if isinstance(how, Bins):
        return how
    column = frame.table.column(name)
    if not is_numeric(column):
        kind = "strings" if pa.types.is_dictionary(column.type) else str(column.type)
        raise no_numbers(name, kind)
    try:
        return how.fit(column.to_numpy(), frame.weights)
    except ValueError as error:
        raise DataError(f"column {name!r}: {error}", column=name) from None
