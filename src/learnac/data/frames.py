"""Reading data frames (pandas, polars, pyarrow, whatever narwhals opens) into a schema and codes.

Every step works on one whole column: no Python loop over rows, and never more than one column in a wide type.
Only the distinct values of a column are compared to categories.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from learnac.data.categories import OTHER
from learnac.data.column_options import ColumnOptions
from learnac.data.distinct import smallest
from learnac.data.frame_columns import (
    Column,
    Columns,
    check_type,
    check_values,
    distinct_values,
    is_missing,
    is_time,
    nothing_known,
    open_columns,
    open_frame,
    seconds_of,
    without_gaps,
)
from learnac.data.frame_values import FrameValues, check_finite, is_numeric, numbers_of_column
from learnac.data.gathered import gathered
from learnac.data.schema import UNKNOWN, Schema
from learnac.data.settling import ColumnReport, SettledColumn, nothing_in_it, settle, settled_schema
from learnac.data.spread import Numbers
from learnac.data.weights import checked_weights
from learnac.errors import DataError, listed
from learnac.types import Codes, PartialCodes

_Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class ReadTable:
    """A table as codes, the numbers of columns that hold numbers, and what was found out about all its columns."""

    schema: Schema
    codes: Any  # Codes; of a table with gaps, PartialCodes
    numbers: dict[int, Numbers]
    reports: tuple[ColumnReport, ...]


def read_frame(
    table: object,
    options: ColumnOptions | None = None,
    weights: npt.ArrayLike | None = None,
    *,
    leave_out: bool = False,
) -> ReadTable:
    """The schema of a frame and its codes under it, as what is stated about some columns says.

    Columns that nothing can be learned from are left out if that is allowed, unless something is stated about them.
    Otherwise, DataError for identifiers and free text.
    """
    options = options or ColumnOptions()
    columns = open_columns(open_frame(table))
    _check_stated_names(options, columns)
    columns = {name: column for name, column in columns.items() if name not in options.drop}
    check_values(columns)
    n_rows = len(next(iter(columns.values())))
    counts = checked_weights(weights, n_rows)
    values = {name: FrameValues(name, column, counts) for name, column in columns.items()}
    found: dict[str, SettledColumn] = {}
    with gathered() as errors:
        for name, column in values.items():
            with errors.column():
                found[name] = settle(name, column, options, leave_out=leave_out)
    schema = settled_schema(found, options)
    codes: Codes = np.empty((schema.n_variables, n_rows), dtype=schema.code_dtype)
    numbers: dict[int, Numbers] = {}
    for position, name in enumerate(schema.names):
        codes[position], own = values[name].encoded(found[name].categories, found[name].bins)
        if own is not None:
            numbers[position] = own
    codes.flags.writeable = False
    return ReadTable(schema, codes, numbers, tuple(settled.report for settled in found.values()))


def read_partial_frame(
    table: object,
    options: ColumnOptions | None = None,
    weights: npt.ArrayLike | None = None,
    *,
    leave_out: bool = False,
) -> ReadTable:
    """As `read_frame`, of a frame with gaps: UNKNOWN and NaN there. What a column holds is what is known of it."""
    options = options or ColumnOptions()
    columns = open_columns(open_frame(table))
    _check_stated_names(options, columns)
    columns = {name: column for name, column in columns.items() if name not in options.drop}
    n_rows = len(next(iter(columns.values())))
    counts = checked_weights(weights, n_rows)
    found: dict[str, SettledColumn] = {}
    values: dict[str, FrameValues] = {}
    with gathered() as errors:
        for name, whole in columns.items():
            known = np.flatnonzero(~is_missing(whole))
            if len(known) == 0 and leave_out and not options.states(name):
                found[name] = nothing_in_it(name, n_rows)
                continue
            with errors.column():
                values[name] = _known_values(name, whole, known, counts)
                read = settle(name, values[name], options, leave_out=leave_out)
                found[name] = replace(read, report=replace(read.report, n_missing=n_rows - len(known)))
    schema = settled_schema(found, options)
    codes = np.full((schema.n_variables, n_rows), UNKNOWN, dtype=schema.evidence_dtype)
    numbers: dict[int, Numbers] = {}
    for position, name in enumerate(schema.names):
        places = values[name].rows
        codes[position, places], own = values[name].encoded(found[name].categories, found[name].bins)
        if own is not None:
            numbers[position] = np.full(n_rows, np.nan)
            numbers[position][places] = own
    return ReadTable(schema, codes, numbers, tuple(column.report for column in found.values()))


def _known_values(name: str, column: Column, known: _Array, weights: npt.NDArray[np.float64] | None) -> FrameValues:
    """The values in the `known` rows of a column. DataError if there are none, or of a type that cannot be used."""
    if len(known) == 0:
        raise nothing_known(name)
    present = column if len(known) == len(column) else without_gaps(column, known)
    check_type(name, present)
    return FrameValues(name, present, None if weights is None else weights[known], known, len(column))


def _check_stated_names(options: ColumnOptions, columns: Columns) -> None:
    stated = {
        "bins are": options.bins,
        "categories are": options.categories,
        "a kind is": {*options.kinds, *options.drop},
    }
    for what, names in stated.items():
        if unknown := sorted(options.named & set(names) - set(columns)):
            raise ValueError(f"{what} stated for {listed(unknown)}, but the columns of the table are {listed(columns)}")


def encode_frame(schema: Schema, table: object) -> tuple[Codes, dict[int, Numbers]]:
    """The codes of a frame under a given schema, its columns found by name; and its numbers."""
    columns = open_columns(open_frame(table))
    schema.check_same_names(columns)
    check_values({name: columns[name] for name in schema.names})
    codes = np.empty((schema.n_variables, len(columns[schema.names[0]])), dtype=schema.code_dtype)
    numbers: dict[int, Numbers] = {}
    with gathered() as errors:
        for variable, name in enumerate(schema.names):
            with errors.column():
                codes[variable], found = _encode_column(schema, variable, columns[name])
                if found is not None:
                    numbers[variable] = found
    codes.flags.writeable = False
    return codes, numbers


def encode_partial_frame(
    schema: Schema, table: object, may_lack_columns: bool
) -> tuple[PartialCodes, dict[int, Numbers]]:
    """What `Schema.encode_evidence` promises of a frame; and its numbers, NaN where none is known."""
    columns = open_columns(open_frame(table))
    if may_lack_columns:
        schema.check_known_names(columns)
    else:
        schema.check_same_names(columns)
    n_rows = len(next(iter(columns.values())))
    codes = np.full((schema.n_variables, n_rows), UNKNOWN, dtype=schema.evidence_dtype)
    numbers: dict[int, Numbers] = {}
    with gathered() as errors:
        for variable, name in enumerate(schema.names):
            if name not in columns:
                continue
            known = np.flatnonzero(~is_missing(columns[name]))
            if len(known) == 0:
                continue
            with errors.column():
                column = columns[name] if len(known) == n_rows else without_gaps(columns[name], known)
                check_type(name, column)
                codes[variable, known], found = _encode_column(
                    schema, variable, column, known, takes_unknown=schema.takes_unknown
                )
                if found is not None:
                    numbers[variable] = np.full(n_rows, np.nan)
                    numbers[variable][known] = found
    return codes, numbers


def categories_in(schema: Schema, table: object) -> dict[int, list[Any]]:
    """The distinct values of the columns that hold categories, of those types that the schema's are of."""
    columns = open_columns(open_frame(table))
    found = {}
    for variable, (name, categories) in enumerate(zip(schema.names, schema.categories, strict=True)):
        if schema.bins[variable] is None and name in columns and not is_time(columns[name]):
            known = without_gaps(columns[name], np.flatnonzero(~is_missing(columns[name])))
            types = {type(category) for category in categories}
            values = distinct_values(name, known).used() if len(known) > 0 else []
            whole = [int(value) if isinstance(value, float) and value.is_integer() else value for value in values]
            if OTHER not in categories:  # It has a place for all others.
                found[variable] = [value for value in whole if type(value) in types]
    return found


def _encode_column(
    schema: Schema, variable: int, column: Column, rows: _Array | None = None, *, takes_unknown: bool = False
) -> tuple[_Array, Numbers | None]:
    """The codes of a column without missing values, and its numbers if it holds some.

    `rows` are the numbers that its rows have in the whole table.
    """
    name, categories, bins = schema.names[variable], schema.categories[variable], schema.bins[variable]
    if bins is not None and (is_numeric(column) or is_time(column)):
        if is_time(column) != (bins.calendar is not None):
            expected = "numbers" if bins.calendar is None else "points in time"
            raise DataError(
                f"column {name!r}: expected {expected}, found {column.dtype}", column=name, expected=expected
            )
        numbers = (
            numbers_of_column(name, column)
            if bins.calendar is None
            else bins.calendar.of_seconds(seconds_of(name, column))
        )
        if bins.spread is not None:
            check_finite(name, numbers, rows)
        return smallest(bins.codes(numbers), len(categories)), numbers if bins.spread is not None else None
    return distinct_values(name, column).codes_and_numbers(name, categories, bins, rows, takes_unknown=takes_unknown)
