"""Reading data frames (pandas, polars, pyarrow, whatever narwhals opens) into a schema and codes.

Every step works on one whole column: no Python loop over rows, and never more than one column in a wide type.
Only the distinct values of a column are compared to categories.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from learnac.data.bins import Binning, Bins, BinsStatement
from learnac.data.categories import checked_categories
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
from learnac.errors import DataError, Problem, listed
from learnac.types import Category, Codes, PartialCodes

_Array: TypeAlias = np.ndarray[Any, Any]


def read_frame(
    table: object,
    categories: Mapping[str, Iterable[Category]] | None = None,
    bins: BinsStatement | None = None,
) -> tuple[Schema, Codes]:
    """The schema of a frame and its codes under it; `categories` and `bins` state those of some columns."""
    columns = open_columns(open_frame(table))
    stated = _checked_statement(columns, categories)
    binned = _checked_bins(columns, bins, stated)
    check_values(columns)
    n_rows = len(next(iter(columns.values())))
    codes: Codes = np.empty((len(columns), n_rows), dtype=np.uint8)
    wide: dict[int, _Array] = {}
    found: list[tuple[Category, ...]] = []
    intervals: list[Bins | None] = []
    for position, (name, column) in enumerate(columns.items()):
        fitted = _fitted(name, column, binned[name]) if name in binned else None
        categories_of_column, coded = _read_column(name, column, fitted, stated.get(name))
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


def _read_column(
    name: str, column: Column, bins: Bins | None, stated: tuple[Category, ...] | None
) -> tuple[tuple[Category, ...], _Array]:
    """The categories of a column, and its codes under them."""
    if bins is not None:
        return bins.labels, _encode_column(column, name, bins.labels, bins)
    distinct = distinct_values(name, column)
    categories = stated or _categories_of(name, column, distinct)
    return categories, distinct.codes(name, categories)


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
) -> dict[str, Bins | Binning]:
    if bins is None:
        return {}
    if isinstance(bins, int) and not isinstance(bins, bool):
        wanted = [name for name, column in columns.items() if name not in stated and _has_fractions(column)]
        return dict.fromkeys(wanted, Binning(bins))
    if not isinstance(bins, Mapping):
        raise TypeError(f"expected bins as a mapping from column name to their number, found {type_name(bins)}")
    found = {str(label): _as_binning(how) for label, how in bins.items()}
    for name, how in found.items():
        if name not in columns:
            raise ValueError(f"bins are stated for {name!r}, but the columns of the table are {listed(columns)}")
        if name in stated:
            raise ValueError(f"column {name!r}: expected categories or bins, found both")
        if not isinstance(how, Bins | Binning):
            raise TypeError(f"column {name!r}: expected a number of bins, edges, Bins or a Binning, found {how!r}")
    return found


def _as_binning(how: Any) -> Any:
    if isinstance(how, int) and not isinstance(how, bool):
        return Binning(how)
    return Bins(tuple(how)) if isinstance(how, list | tuple) else how


def _has_fractions(column: Column) -> bool:
    """Whether a column holds numbers that are no categories."""
    if not column.dtype.is_float():
        return False
    numbers = _numbers(column)
    return not (numbers == np.rint(numbers)).all()


def _fitted(name: str, column: Column, how: Bins | Binning) -> Bins:
    if isinstance(how, Bins):
        return how
    if not _is_numeric(column):
        raise no_numbers(name, str(column.dtype))
    try:
        return how.fit(_numbers(column))
    except ValueError as error:
        raise DataError(f"column {name!r}: {error}", column=name) from None


def no_numbers(name: str, kind: str) -> DataError:
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
    values = distinct.used()
    if column.dtype.is_float():
        _check_whole(name, column, values)
    return checked_categories(name, sorted(values))


def _declared_categories(column: Column) -> list[Any] | None:
    if column.dtype == nw.Categorical and column.implementation.is_polars():
        return None  # It declares nothing: its categories are its values in order of appearance.
    if column.dtype not in (nw.Categorical, nw.Enum):
        return None
    try:
        return column.cat.get_categories().to_list()
    except AttributeError:
        return None  # pandas hides the categories of an Arrow dictionary.


def _check_whole(name: str, column: Column, values: list[float]) -> None:
    if all(float(value).is_integer() for value in values):
        return
    row, value = next((row, value) for row, value in enumerate(column.to_list()) if not value.is_integer())
    raise DataError(
        f"column {name!r}, row {row}: expected whole numbers, found {value!r}; "
        f"bin a continuous column first, for example by Dataset.from_frame(frame, bins={{{name!r}: 5}})",
        column=name,
        row=row,
        expected="whole numbers",
        found=value,
        problem=Problem.CONTINUOUS,
    )


def _encode_column(
    column: Column, name: str, categories: tuple[Category, ...], bins: Bins | None = None, rows: _Array | None = None
) -> _Array:
    """The codes of a column without missing values; `rows` are the numbers that its rows have in the whole table."""
    if bins is not None and _is_numeric(column):
        return smallest(bins.codes(_numbers(column)), len(categories))
    return distinct_values(name, column).codes(name, categories, bins, rows)
