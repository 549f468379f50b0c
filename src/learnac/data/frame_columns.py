"""The columns of a frame (pandas, polars, pyarrow, whatever narwhals opens), and whether codes can be made of them."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from learnac.data.distinct import Column
from learnac.errors import DataError, listed

Columns: TypeAlias = Mapping[str, Column]

WAY_OUT = "queries may have gaps, training rows not: drop these, or fill them, say with a category 'missing'"

_LARGEST_INTEGER = int(np.iinfo(np.int64).max)


def open_columns(frame: nw.DataFrame[Any]) -> Columns:
    """The columns of a frame by name: labels that are not strings, as pandas allows, become `str(label)`."""
    names = [str(label) for label in frame.columns]
    if not names:
        raise DataError("the table has no columns")
    if len(frame) == 0:
        raise DataError("the table has no rows")
    columns = dict(zip(names, map(_with_plain_categories, frame.iter_columns()), strict=True))
    if len(columns) < len(names):
        raise DataError(f"column names must be unique, also as strings; found {listed(frame.columns)}")
    return columns


def _with_plain_categories(column: Column) -> Column:
    """Intervals, as pandas' cut and qcut make them, under the names that pandas prints."""
    native = column.to_native() if column.implementation.is_pandas() else None
    if native is None or str(native.dtype) != "category" or not str(native.cat.categories.dtype).startswith("interval"):
        return column
    return nw.from_native(native.cat.rename_categories(str), series_only=True)


def open_frame(table: object) -> nw.DataFrame[Any]:
    try:
        frame = nw.from_native(table, pass_through=True)
    except DuplicateError as error:
        details = " ".join(str(error).split())
        raise DataError(f"column names must be unique. {details}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"expected a frame in memory, found a lazy one; collect it ({type_name(table)})")
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            "expected a data frame (pandas, polars, pyarrow) or, for Dataset.from_array, an array of codes; "
            f"found {type_name(table)}{_hint(table)}"
        )
    return frame


def _hint(table: object) -> str:
    if isinstance(table, str | PathLike):
        return ": read the file first, for example with pandas.read_csv"
    if type(table).__name__ == "Series":
        return ": one row is frame.iloc[[0]], or a dict"
    return ""


def check_values(columns: Columns) -> None:
    check_no_missing(columns)
    for name, column in columns.items():
        check_type(name, column)


def check_type(name: str, column: Column) -> None:
    dtype = column.dtype
    if dtype == nw.UInt64 and column.max() > _LARGEST_INTEGER:
        expected = f"integers up to {_LARGEST_INTEGER}"
        raise DataError(
            f"column {name!r}: expected {expected}, found {column.max()}",
            column=name,
            expected=expected,
            found=int(column.max()),
        )
    if dtype in (nw.String, nw.Boolean, nw.Categorical, nw.Enum) or dtype.is_integer() or dtype.is_float():
        return
    native = column.to_native()
    found = getattr(native, "dtype", None) or getattr(native, "type", dtype)
    raise DataError(
        f"column {name!r} has type {found}; expected strings, booleans, integers or categories: "
        "convert it, for example to strings",
        column=name,
        expected="strings, booleans, integers or categories",
        found=str(found),
    )


def check_no_missing(columns: Columns) -> None:
    counts = {name: count for name, column in columns.items() if (count := n_missing(column))}
    if counts:
        shown = "; ".join(f"column {name!r} has {count}" for name, count in list(counts.items())[:8])
        more = f"; and {len(counts) - 8} more columns" if len(counts) > 8 else ""
        raise DataError(f"missing values are not supported: {shown}{more}; {WAY_OUT}", column=next(iter(counts)))


def n_missing(column: Column) -> int:
    """How many rows of a column hold no value."""
    return int(is_missing(column).sum()) if column.dtype.is_float() else int(column.null_count())


def is_missing(column: Column) -> np.ndarray[Any, np.dtype[np.bool_]]:
    # Only floats can be NaN, which pandas takes for null and the others do not.
    missing = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
    return missing.to_numpy().astype(bool)


def without_gaps(column: Column, known: np.ndarray[Any, Any]) -> Column:
    known_values = column[known]
    if known_values.dtype == nw.Object and known_values.implementation.is_pandas():
        # Booleans with a gap are objects to pandas; what is left may be booleans again.
        return nw.from_native(known_values.to_native().infer_objects(), series_only=True)
    return known_values


def type_name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
