"""Reading data frames (pandas, polars, pyarrow, whatever narwhals opens) into a schema and codes.

Every step works on one whole column: no Python loop over rows, and never more than one column in a wide type.
Only the distinct values of a column are compared to categories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from learnac.data.binning import Binning, spread_over
from learnac.data.bins import LARGEST_NUMBER, Bins
from learnac.data.calendars import calendar_of, seconds_of_texts
from learnac.data.categories import OTHER, checked_categories
from learnac.data.column_options import ColumnOptions
from learnac.data.distinct import Distinct, smallest
from learnac.data.found_kinds import Found, kind_of
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
from learnac.data.gathered import gathered
from learnac.data.kinds import Kind
from learnac.data.schema import UNKNOWN, Schema
from learnac.data.spread import Numbers
from learnac.data.weights import checked_weights
from learnac.errors import DataError, Problem, listed
from learnac.types import Category, Codes, PartialCodes

_Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """What was found out about a column, and what was done with it."""

    name: str
    kind: str
    n_values: int  # different ones
    n_missing: int
    done: str  # "kept", "12 bins", "left out: the same value in every row"
    is_left_out: bool = False


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
    found: dict[str, _Column] = {}
    with gathered() as errors:
        for name, column in columns.items():
            with errors.column():
                found[name] = _read_column(name, column, options, counts, leave_out)
    kept, schema = _kept(found, options)
    codes: Codes = np.empty((len(kept), n_rows), dtype=schema.code_dtype)
    numbers: dict[int, Numbers] = {}
    for position, read in enumerate(kept.values()):
        assert read.codes is not None
        codes[position] = read.codes
        if read.numbers is not None:
            numbers[position] = read.numbers
    codes.flags.writeable = False
    return ReadTable(schema, codes, numbers, tuple(read.report for read in found.values()))


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
    found: dict[str, _Column] = {}
    places: dict[str, _Array] = {}
    with gathered() as errors:
        for name, whole in columns.items():
            places[name] = known = np.flatnonzero(~is_missing(whole))
            with errors.column():
                read = _read_known(name, whole, known, options, counts, leave_out)
                found[name] = replace(read, report=replace(read.report, n_missing=n_rows - len(known)))
    kept, schema = _kept(found, options)
    codes = np.full((len(kept), n_rows), UNKNOWN, dtype=schema.evidence_dtype)
    numbers: dict[int, Numbers] = {}
    for position, (name, column) in enumerate(kept.items()):
        codes[position, places[name]] = column.codes
        if column.numbers is not None:
            numbers[position] = np.full(n_rows, np.nan)
            numbers[position][places[name]] = column.numbers
    return ReadTable(schema, codes, numbers, tuple(column.report for column in found.values()))


def _read_known(
    name: str,
    column: Column,
    known: _Array,
    options: ColumnOptions,
    weights: npt.NDArray[np.float64] | None,
    leave_out: bool,
) -> _Column:
    """A column with gaps, read as what is in its `known` rows."""
    if len(known) == 0 and leave_out and not options.states(name):
        return _Column(ColumnReport(name, "", 0, 0, "left out: no value in any row", is_left_out=True))
    if len(known) == 0:
        raise nothing_known(name)
    present = column if len(known) == len(column) else without_gaps(column, known)
    check_type(name, present)
    return _read_column(name, present, options, None if weights is None else weights[known], leave_out)


def _kept(found: Mapping[str, _Column], options: ColumnOptions) -> tuple[dict[str, _Column], Schema]:
    """The columns that are not left out, and their schema."""
    kept = {name: column for name, column in found.items() if not column.report.is_left_out}
    if not kept:
        shown = "; ".join(
            f"{name!r} has {column.report.done.removeprefix('left out: ')}" for name, column in found.items()
        )
        raise DataError(
            f"expected columns to learn from, found none: {shown}",
            column=next(iter(found)),
            expected="columns to learn from",
            problem=Problem.NOTHING_TO_LEARN,
        )
    schema = Schema(
        tuple(kept),
        tuple(column.categories for column in kept.values()),
        tuple(column.bins for column in kept.values()),
        tuple(column.is_ordered for column in kept.values()),
        frozenset(set(found) - set(kept)) | options.drop,
    )
    return kept, schema


def _check_stated_names(options: ColumnOptions, columns: Columns) -> None:
    stated = {
        "bins are": options.bins,
        "categories are": options.categories,
        "a kind is": {*options.kinds, *options.drop},
    }
    for what, names in stated.items():
        if unknown := sorted(options.named & set(names) - set(columns)):
            raise ValueError(f"{what} stated for {listed(unknown)}, but the columns of the table are {listed(columns)}")


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """A column that was read."""

    report: ColumnReport
    categories: tuple[Category, ...] = ()
    codes: _Array | None = None
    bins: Bins | None = None
    is_ordered: bool = False
    numbers: Numbers | None = None


def _read_column(
    name: str, column: Column, options: ColumnOptions, weights: npt.NDArray[np.float64] | None, leave_out: bool
) -> _Column:
    how, stated = options.bins.get(name), options.kinds.get(name)
    if how is not None or stated in (Kind.NUMBER, Kind.DATE) or is_time(column):
        may_leave_out = leave_out and not options.states(name)
        return _read_numbers(name, column, how or options.bins_of_others, weights, may_leave_out, stated)
    distinct = distinct_values(name, column)
    if name in options.categories:
        categories = options.categories[name]
        return _categories(name, distinct, categories, stated or Kind.CATEGORICAL)
    is_declared = _declares_categories(column)
    found = kind_of(column, distinct, is_declared=is_declared, is_ordered=is_declared and _is_ordered(column))
    if stated is not None:
        _check_stated_kind(name, column, stated, distinct)
        found = Found(stated)
    if found.useless and leave_out:
        n_values = len(distinct.used())
        return _Column(ColumnReport(name, found.kind, n_values, 0, f"left out: {found.useless}", is_left_out=True))
    if found.useless and found.is_identifier and found.kind is not Kind.NUMBER:
        raise _identifier(name, found.useless, len(distinct.used()))
    if found.kind in (Kind.NUMBER, Kind.DATE):
        return _read_numbers(name, column, options.bins_of_others, weights, leave_out)
    categories = _categories_of(name, column, distinct)
    if not is_declared and found.kind is Kind.CATEGORICAL and options.min_count > 1:
        categories = _without_rare(distinct, categories, options.min_count)
    return _categories(name, distinct, categories, found.kind)


def _without_rare(distinct: Distinct, categories: tuple[Category, ...], min_count: int) -> tuple[Category, ...]:
    """Strings that fewer rows have become one category, the last, if there are two of them or more."""
    counts = dict(zip(distinct.values, np.bincount(distinct.positions, minlength=len(distinct.values)), strict=True))
    frequent = tuple(value for value in categories if not isinstance(value, str) or counts[value] >= min_count)
    return categories if len(categories) - len(frequent) < 2 else (*frequent, OTHER)


def _categories(name: str, distinct: Distinct, categories: tuple[Category, ...], kind: Kind) -> _Column:
    codes = distinct.codes(name, categories)
    n_gathered = len(distinct.used()) - len(categories) + 1 if OTHER in categories else 0
    rare = f", {n_gathered:,} rare ones in one" if n_gathered > 0 else ""
    report = ColumnReport(name, kind, len(distinct.used()), 0, f"{len(categories):,} categories{rare}")
    return _Column(report, categories, codes, is_ordered=kind is Kind.ORDERED)


def _check_stated_kind(name: str, column: Column, stated: Kind, distinct: Distinct) -> None:
    """Raise DataError for values that cannot be the categories that somebody says they are."""
    used = distinct.used()
    if stated is Kind.BOOLEAN and len(used) > 2:
        expected = "at most two different values of a boolean"
        raise DataError(
            f"column {name!r}: expected {expected}, found {listed(sorted(used))}",
            column=name,
            expected=expected,
            found=len(used),
        )
    if column.dtype.is_numeric() and (other := next((v for v in used if v != np.rint(v)), None)) is not None:
        expected = "whole numbers as categories"
        raise DataError(
            f"column {name!r}: expected {expected}, found {other}: "
            f"leave it a number, give it bins, or convert it to strings",
            column=name,
            expected=expected,
            found=other,
        )


def _read_numbers(
    name: str,
    column: Column,
    how: Bins | Binning | None,
    weights: npt.NDArray[np.float64] | None,
    leave_out: bool,
    stated: Kind | None = None,
) -> _Column:
    calendar = None
    if stated is Kind.DATE or is_time(column) or (stated is None and _are_dates(name, column)):
        seconds = seconds_of(name, column)
        calendar = calendar_of(seconds)
        numbers: Numbers = calendar.of_seconds(seconds)
    else:
        numbers = _numbers(name, column)
    check_finite(name, numbers)
    kind = Kind.NUMBER if calendar is None else Kind.DATE
    n_values = len(np.unique(numbers))
    if n_values == 1 and leave_out:
        return _Column(ColumnReport(name, kind, 1, 0, "left out: the same value in every row", is_left_out=True))
    try:
        if isinstance(how, Bins):
            bins = spread_over(how, numbers, weights)
        else:
            bins = (how or Binning.for_rows(len(numbers))).fit(numbers, weights)
        bins = replace(bins, calendar=calendar)
    except ValueError as error:
        raise DataError(f"column {name!r}: {error}", column=name) from None
    report = ColumnReport(name, kind, n_values, 0, f"{len(bins):,} bins")
    return _Column(report, bins.labels, smallest(bins.codes(numbers), len(bins)), bins, True, numbers)


def _identifier(name: str, useless: str, n_values: int) -> DataError:
    expected = "categories that rows share"
    return DataError(
        f"column {name!r}: expected {expected}, found {useless}",
        column=name,
        expected=expected,
        found=n_values,
        problem=Problem.IDENTIFIER,
    )


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
    if bins is not None and (_is_numeric(column) or is_time(column)):
        if is_time(column) != (bins.calendar is not None):
            expected = "numbers" if bins.calendar is None else "points in time"
            raise DataError(
                f"column {name!r}: expected {expected}, found {column.dtype}", column=name, expected=expected
            )
        numbers = (
            _numbers(name, column) if bins.calendar is None else bins.calendar.of_seconds(seconds_of(name, column))
        )
        if bins.spread is not None:
            check_finite(name, numbers, rows)
        return smallest(bins.codes(numbers), len(categories)), numbers if bins.spread is not None else None
    return distinct_values(name, column).codes_and_numbers(name, categories, bins, rows, takes_unknown=takes_unknown)


def _is_numeric(column: Column) -> bool:
    return bool(column.dtype.is_numeric())


def _is_text(column: Column) -> bool:
    return column.dtype in (nw.String, nw.Categorical, nw.Enum)


def _are_dates(name: str, column: Column) -> bool:
    return _is_text(column) and seconds_of_texts(distinct_values(name, column).values) is not None


def _numbers(name: str, column: Column) -> Numbers:
    if not _is_numeric(column):
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


def _categories_of(name: str, column: Column, distinct: Distinct) -> tuple[Category, ...]:
    """The categories that a column's type declares, or else its distinct values in sorted order."""
    if column.dtype == nw.Boolean:
        return (False, True)
    if (declared := _declared_categories(column)) is not None:
        return checked_categories(name, declared)
    return checked_categories(name, sorted(distinct.used()))


def _declares_categories(column: Column) -> bool:
    """Whether a person stated the categories, by the type of the column: a dictionary of Arrow only saves memory."""
    is_plain = column.implementation.is_pyarrow() and not _is_ordered(column)
    return _declared_categories(column) is not None and not is_plain


def _is_ordered(column: Column) -> bool:
    """Whether a person stated an order of the categories: pandas and Arrow say so, an enum of polars always has one."""
    native: Any = column.to_native()
    if column.implementation.is_polars():
        return column.dtype == nw.Enum
    declares = native.type if column.implementation.is_pyarrow() else getattr(native, "cat", None)
    return bool(getattr(declares, "ordered", False))


def _declared_categories(column: Column) -> list[Any] | None:
    if column.dtype == nw.Categorical and column.implementation.is_polars():
        return None  # It declares nothing: its categories are its values in order of appearance.
    if column.dtype not in (nw.Categorical, nw.Enum):
        return None
    try:
        return column.cat.get_categories().to_list()
    except AttributeError:
        return None  # pandas hides the categories of an Arrow dictionary.
