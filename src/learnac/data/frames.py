"""Reading data frames (pandas, polars, pyarrow, whatever narwhals opens) into a schema and codes.

Every step works on one whole column in the frame's own library: no Python loop over rows, and never more than
one column in a wide type. Cost: 10-80 ms per million values, for integers and strings alike.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import Series
from narwhals.exceptions import DuplicateError

from learnac.data.schema import UNKNOWN, UNSEEN, Schema, checked_categories, codes_of, unseen_category
from learnac.errors import DataError, listed
from learnac.types import Category, Codes, Evidence

_Column: TypeAlias = Series[Any]
_Columns: TypeAlias = Mapping[str, _Column]

_LARGEST_INTEGER = int(np.iinfo(np.int64).max)


def read_frame(table: object, categories: Mapping[str, Iterable[Category]] | None = None) -> tuple[Schema, Codes]:
    """The schema of a frame and its codes under it; `categories` states those of some columns."""
    columns = open_columns(open_frame(table))
    stated = _checked_statement(columns, categories)
    _check_values(columns)
    found = [stated.get(name) or _categories_of(name, column) for name, column in columns.items()]
    schema = Schema(tuple(columns), tuple(found))
    return schema, _encode_columns(schema, columns)


def encode_frame(schema: Schema, table: object) -> Codes:
    """The codes of a frame under a given schema, its columns found by name."""
    columns = open_columns(open_frame(table))
    schema.check_same_names(columns)
    _check_values(columns)
    return _encode_columns(schema, columns)


def encode_partial_frame(schema: Schema, table: object, may_lack_columns: bool) -> Evidence:
    """What `Schema.encode_evidence` promises of a frame."""
    columns = open_columns(open_frame(table))
    if may_lack_columns:
        schema.check_known_names(columns)
    else:
        schema.check_same_names(columns)
    n_rows = len(next(iter(columns.values())))
    codes = np.full((schema.n_variables, n_rows), UNKNOWN, dtype=schema.evidence_dtype)
    for name, categories, row_of_codes in zip(schema.names, schema.categories, codes, strict=True):
        if name not in columns:
            continue
        known = np.flatnonzero(~_is_missing(columns[name]))
        if len(known) > 0:
            column = columns[name] if len(known) == n_rows else _without_gaps(columns[name], known)
            _check_type(name, column)
            row_of_codes[known] = _encode_column(column, name, categories, known)
    return codes


def _without_gaps(column: _Column, known: np.ndarray[Any, Any]) -> _Column:
    known_values = column[known]
    if known_values.dtype == nw.Object and known_values.implementation.is_pandas():
        # Booleans with a gap are objects to pandas; what is left may be booleans again.
        return nw.from_native(known_values.to_native().infer_objects(), series_only=True)
    return known_values


def open_columns(frame: nw.DataFrame[Any]) -> _Columns:
    """The columns of a frame by name: labels that are not strings, as pandas allows, become `str(label)`."""
    names = [str(label) for label in frame.columns]
    if not names:
        raise DataError("the table has no columns")
    if len(frame) == 0:
        raise DataError("the table has no rows")
    columns = dict(zip(names, frame.iter_columns(), strict=True))
    if len(columns) < len(names):
        raise DataError(f"column names must be unique, also as strings; found {listed(frame.columns)}")
    return columns


def open_frame(table: object) -> nw.DataFrame[Any]:
    try:
        frame = nw.from_native(table, pass_through=True)
    except DuplicateError as error:
        details = " ".join(str(error).split())
        raise DataError(f"column names must be unique. {details}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"expected a frame in memory, found a lazy one; collect it ({_type_name(table)})")
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            "expected a data frame (pandas, polars, pyarrow) or, for Dataset.from_array, an array of codes; "
            f"found {_type_name(table)}"
        )
    return frame


def _check_values(columns: _Columns) -> None:
    _check_no_missing(columns)
    for name, column in columns.items():
        _check_type(name, column)


def _check_type(name: str, column: _Column) -> None:
    dtype = column.dtype
    if dtype == nw.UInt64 and column.max() > _LARGEST_INTEGER:
        raise DataError(f"column {name!r}: expected integers up to {_LARGEST_INTEGER}, found {column.max()}")
    if dtype in (nw.String, nw.Boolean, nw.Categorical, nw.Enum) or dtype.is_integer() or dtype.is_float():
        return
    native = column.to_native()
    found = getattr(native, "dtype", None) or getattr(native, "type", dtype)
    raise DataError(
        f"column {name!r} has type {found}; expected strings, booleans, integers or categories: "
        "convert it, for example to strings"
    )


def _check_no_missing(columns: _Columns) -> None:
    counts = {name: count for name, column in columns.items() if (count := int(_is_missing(column).sum()))}
    if counts:
        shown = "; ".join(f"column {name!r} has {count}" for name, count in list(counts.items())[:8])
        more = f"; and {len(counts) - 8} more columns" if len(counts) > 8 else ""
        raise DataError(f"missing values are not supported: {shown}{more}")


def _is_missing(column: _Column) -> np.ndarray[Any, np.dtype[np.bool_]]:
    # Only floats can be NaN, which pandas takes for null and the others do not.
    missing = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
    return missing.to_numpy().astype(bool)


def _checked_statement(
    columns: _Columns, categories: Mapping[str, Iterable[Category]] | None
) -> dict[str, tuple[Category, ...]]:
    if categories is None:
        return {}
    if not isinstance(categories, Mapping):
        raise TypeError(f"expected categories as a mapping from column name to list, found {_type_name(categories)}")
    # Columns are called `str(label)`, so a mapping may use the labels themselves.
    stated = {str(label): checked_categories(str(label), values) for label, values in categories.items()}
    if unknown := [name for name in stated if name not in columns]:
        raise ValueError(
            f"categories are stated for {listed(unknown)}, but the columns of the table are {listed(columns)}"
        )
    return stated


def _categories_of(name: str, column: _Column) -> tuple[Category, ...]:
    """The categories that a column's type declares, or else its distinct values in sorted order."""
    if column.dtype == nw.Boolean:
        return (False, True)
    if (declared := _declared_categories(column)) is not None:
        return checked_categories(name, declared)
    values = column.unique().to_list()
    if column.dtype.is_float():
        _check_whole(name, column, values)
    if column.dtype == nw.String:
        _check_strings(name, values)
    return checked_categories(name, sorted(set(values)))  # pyarrow tells 0.0 from -0.0.


def _declared_categories(column: _Column) -> list[Any] | None:
    if column.dtype == nw.Categorical and column.implementation.is_polars():
        return None  # It declares nothing: its categories are its values in order of appearance.
    if column.dtype not in (nw.Categorical, nw.Enum):
        return None
    try:
        return column.cat.get_categories().to_list()
    except AttributeError:
        return None  # pandas hides the categories of an Arrow dictionary.


def _check_whole(name: str, column: _Column, values: list[float]) -> None:
    if all(value.is_integer() for value in values):
        return
    row, value = next((row, value) for row, value in enumerate(column.to_list()) if not value.is_integer())
    raise DataError(
        f"column {name!r}, row {row}: expected whole numbers, found {value!r}; "
        "bin a continuous column first, for example with pandas.cut or polars.Series.cut"
    )


def _check_strings(name: str, values: list[object]) -> None:
    # narwhals looks at the first values only to tell what a pandas column of objects holds.
    if others := [value for value in values if not isinstance(value, str)]:
        raise DataError(f"column {name!r}: expected only strings, found also {listed(others)}; convert them")


def _encode_columns(schema: Schema, columns: _Columns) -> Codes:
    n_rows = len(columns[schema.names[0]])
    codes = np.empty((schema.n_variables, n_rows), dtype=schema.code_dtype)
    for name, categories, row_of_codes in zip(schema.names, schema.categories, codes, strict=True):
        row_of_codes[:] = _encode_column(columns[name], name, categories)
    codes.flags.writeable = False
    return codes


def _encode_column(
    column: _Column, name: str, categories: tuple[Category, ...], rows: np.ndarray[Any, Any] | None = None
) -> np.ndarray[Any, Any]:
    """The codes of a column without missing values; `rows` are the numbers that its rows have in the whole table."""
    column = _replaceable(column)
    # Replacing the column's own values leaves no types to reconcile: only Python compares them to categories.
    values = column.unique().to_list()
    codes_of_values = codes_of(values, categories)
    codes = column.replace_strict(values, codes_of_values, return_dtype=nw.Int32).to_numpy()
    if UNSEEN in codes_of_values:
        row = int(np.argmax(codes == UNSEEN))
        row_in_table = row if rows is None else int(rows[row])
        raise unseen_category(name, row_in_table, column[row : row + 1].to_list()[0], categories)
    return codes


def _replaceable(column: _Column) -> _Column:
    """The same values in a type in which every library can replace them, fast."""
    if column.dtype == nw.String:
        return column.cast(nw.Categorical)  # Strings in pandas are replaced five times slower.
    if column.dtype.is_float():
        return column.cast(nw.Float64)  # Half floats cannot be replaced at all.
    return column


def _type_name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
