"""Reading data frames (pandas, polars, pyarrow, whatever narwhals opens) into a schema and codes.

Every step works on one whole column: no Python loop over rows, and never more than one column in a wide type.
Only the distinct values of a column are compared to categories.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from learnac.data.bins import ALL_COLUMNS, Binning, Bins, BinsStatement
from learnac.data.categories import checked_categories, checked_columns
from learnac.data.discrete import problem_of
from learnac.data.distinct import Distinct, smallest
from learnac.data.frame_columns import (
    Column,
    Columns,
    check_type,
    check_values,
    distinct_values,
    is_missing,
    open_columns,
    open_frame,
    type_name,
    without_gaps,
)
from learnac.data.schema import UNKNOWN, Schema
from learnac.data.weights import checked_weights
from learnac.errors import DataError, listed
from learnac.types import Category, Codes, PartialCodes

_Array: TypeAlias = np.ndarray[Any, Any]


def read_frame(
    table: object,
    categories: Mapping[str, Iterable[Category]] | None = None,
    bins: BinsStatement | None = None,
    as_category: Iterable[str] = (),
    weights: npt.ArrayLike | None = None,
) -> tuple[Schema, Codes]:
    """The schema of a frame and its codes under it, as what is stated about some columns says.

    Raises DataError for a column that is no discrete variable, unless something is stated about it.
    """
    columns = open_columns(open_frame(table))
    stated = _checked_statement(columns, categories)
    named, for_others = _checked_bins(columns, bins, stated)
    kept = _checked_names(columns, as_category, {**stated, **named})
    check_values(columns)
    n_rows = len(next(iter(columns.values())))
    counts = checked_weights(weights, n_rows)
    codes: Codes = np.empty((len(columns), n_rows), dtype=np.uint8)
    wide: dict[int, _Array] = {}
    found: list[tuple[Category, ...]] = []
    intervals: list[Bins | None] = []
    for position, (name, column) in enumerate(columns.items()):
        statement = _Statement(stated.get(name), named.get(name), for_others, name in kept, counts)
        fitted, categories_of_column, coded = _read_column(name, column, statement)
        if coded.dtype == np.uint8:
            codes[position] = coded
        else:
            wide[position] = coded
        found.append(categories_of_column)
        intervals.append(fitted)
    if wide:
        codes = codes.astype(np.uint16)
        for position, coded in wide.items():
            codes[position] = coded
    codes.flags.writeable = False
    return Schema(tuple(columns), tuple(found), tuple(intervals)), codes


class _Statement(NamedTuple):
    """What is said about a column."""

    categories: tuple[Category, ...] | None
    bins: Bins | Binning | None
    bins_if_needed: Bins | Binning | None
    keeps_values: bool
    weights: npt.ArrayLike | None


def _read_column(name: str, column: Column, stated: _Statement) -> tuple[Bins | None, tuple[Category, ...], _Array]:
    """The bins of a column if it has some, its categories, and its codes under them."""
    if stated.bins is not None:
        return _read_intervals(name, column, stated.bins, stated.weights)
    distinct = distinct_values(name, column)
    if stated.categories is not None:
        return None, stated.categories, distinct.codes(name, stated.categories)
    problem = problem_of(name, column, distinct, is_declared=_declares_categories(column))
    if problem is not None and not (stated.keeps_values and problem.row is None):
        if stated.bins_if_needed is None or stated.keeps_values or not _is_numeric(column):
            raise problem
        return _read_intervals(name, column, stated.bins_if_needed, stated.weights)
    categories = _categories_of(name, column, distinct)
    return None, categories, distinct.codes(name, categories)


def _read_intervals(
    name: str, column: Column, how: Bins | Binning, weights: npt.ArrayLike | None
) -> tuple[Bins, tuple[Category, ...], _Array]:
    bins = _fitted(name, column, how, weights)
    return bins, bins.labels, _encode_column(column, name, bins.labels, bins)


def encode_frame(schema: Schema, table: object) -> Codes:
    """The codes of a frame under a given schema, its columns found by name."""
    columns = open_columns(open_frame(table))
    schema.check_same_names(columns)
    check_values(columns)
    codes = np.empty((schema.n_variables, len(columns[schema.names[0]])), dtype=schema.code_dtype)
    for name, categories, bins, row_of_codes in zip(schema.names, schema.categories, schema.bins, codes, strict=True):
        row_of_codes[:] = _encode_column(columns[name], name, categories, bins)
    codes.flags.writeable = False
    return codes


def encode_partial_frame(schema: Schema, table: object, may_lack_columns: bool) -> PartialCodes:
    """What `Schema.encode_evidence` promises of a frame."""
    columns = open_columns(open_frame(table))
    if may_lack_columns:
        schema.check_known_names(columns)
    else:
        schema.check_same_names(columns)
    n_rows = len(next(iter(columns.values())))
    codes = np.full((schema.n_variables, n_rows), UNKNOWN, dtype=schema.evidence_dtype)
    for name, categories, bins, row_of_codes in zip(schema.names, schema.categories, schema.bins, codes, strict=True):
        if name not in columns:
            continue
        known = np.flatnonzero(~is_missing(columns[name]))
        if len(known) > 0:
            column = columns[name] if len(known) == n_rows else without_gaps(columns[name], known)
            check_type(name, column)
            row_of_codes[known] = _encode_column(column, name, categories, bins, known)
    return codes


def _checked_statement(
    columns: Columns, categories: Mapping[str, Iterable[Category]] | None
) -> dict[str, tuple[Category, ...]]:
    if categories is None:
        return {}
    if not isinstance(categories, Mapping):
        raise TypeError(f"expected categories as a mapping from column name to list, found {type_name(categories)}")
    # Columns are called `str(label)`, so a mapping may use the labels themselves.
    stated = {str(label): checked_categories(str(label), values) for label, values in categories.items()}
    if unknown := [name for name in stated if name not in columns]:
        raise ValueError(
            f"categories are stated for {listed(unknown)}, but the columns of the table are {listed(columns)}"
        )
    return stated


def _checked_bins(
    columns: Columns, bins: BinsStatement | None, stated: Mapping[str, object]
) -> tuple[dict[str, Bins | Binning], Bins | Binning | None]:
    """The bins of columns that are named, and those of others that need some."""
    if bins is None:
        return {}, None
    if isinstance(bins, int) and not isinstance(bins, bool):
        return {}, Binning(bins)
    if not isinstance(bins, Mapping):
        raise TypeError(f"expected bins as a mapping from column name to their number, found {type_name(bins)}")
    found = {str(label): _as_binning(how) for label, how in bins.items()}
    for name, how in found.items():
        if name not in columns and name != ALL_COLUMNS:
            raise ValueError(f"bins are stated for {name!r}, but the columns of the table are {listed(columns)}")
        if name in stated:
            raise ValueError(f"column {name!r}: expected categories or bins, found both")
        if not isinstance(how, Bins | Binning):
            raise TypeError(f"column {name!r}: expected a number of bins, edges, Bins or a Binning, found {how!r}")
    return found, None if ALL_COLUMNS in columns else found.pop(ALL_COLUMNS, None)


def _checked_names(columns: Columns, names: Iterable[object], stated: Mapping[str, object]) -> frozenset[str]:
    wanted = checked_columns(columns, names)
    if twice := sorted(wanted & set(stated)):
        raise ValueError(f"column {twice[0]!r}: expected one of categories, bins and as_category, found two")
    return wanted


def _as_binning(how: Any) -> Any:
    if isinstance(how, int) and not isinstance(how, bool):
        return Binning(how)
    return Bins(tuple(how)) if isinstance(how, list | tuple) else how


def _fitted(name: str, column: Column, how: Bins | Binning, weights: npt.ArrayLike | None) -> Bins:
    if isinstance(how, Bins):
        return how
    if not _is_numeric(column):
        is_text = column.dtype in (nw.String, nw.Categorical, nw.Enum)
        raise _no_numbers(name, "strings" if is_text else str(column.dtype))
    try:
        return how.fit(_numbers(column), weights)
    except ValueError as error:
        raise DataError(f"column {name!r}: {error}", column=name) from None


def _no_numbers(name: str, kind: str) -> DataError:
    """The error for a column that is to have bins, and holds no numbers."""
    expected = "numbers to put into bins"
    return DataError(f"column {name!r}: expected {expected}, found {kind}", column=name, expected=expected, found=kind)


def _is_numeric(column: Column) -> bool:
    return bool(column.dtype.is_numeric())


def _numbers(column: Column) -> _Array:
    return column.cast(nw.Float64).to_numpy()


def _categories_of(name: str, column: Column, distinct: Distinct) -> tuple[Category, ...]:
    """The categories that a column's type declares, or else its distinct values in sorted order."""
    if column.dtype == nw.Boolean:
        return (False, True)
    if (declared := _declared_categories(column)) is not None:
        return checked_categories(name, declared)
    return checked_categories(name, sorted(distinct.used()))


def _declares_categories(column: Column) -> bool:
    """Whether a person stated the categories, by the type of the column: a dictionary of Arrow only saves memory."""
    return _declared_categories(column) is not None and not column.implementation.is_pyarrow()


def _declared_categories(column: Column) -> list[Any] | None:
    if column.dtype == nw.Categorical and column.implementation.is_polars():
        return None  # It declares nothing: its categories are its values in order of appearance.
    if column.dtype not in (nw.Categorical, nw.Enum):
        return None
    try:
        return column.cat.get_categories().to_list()
    except AttributeError:
        return None  # pandas hides the categories of an Arrow dictionary.


def _encode_column(
    column: Column, name: str, categories: tuple[Category, ...], bins: Bins | None = None, rows: _Array | None = None
) -> _Array:
    """The codes of a column without missing values; `rows` are the numbers that its rows have in the whole table."""
    if bins is not None and _is_numeric(column):
        return smallest(bins.codes(_numbers(column)), len(categories))
    return distinct_values(name, column).codes(name, categories, bins, rows)
