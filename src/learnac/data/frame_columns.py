"""The columns of a frame (pandas, polars, pyarrow, whatever narwhals opens), and whether codes can be made of them."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from os import PathLike
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from narwhals import Series
from narwhals.exceptions import DuplicateError

from learnac.data.calendars import seconds_of_texts
from learnac.data.categories import check_largest_integer, unusable_type
from learnac.data.distinct import Distinct, distinct_booleans, distinct_numbers
from learnac.data.gathered import gathered
from learnac.data.schema import WAY_OUT
from learnac.errors import DataError, listed

Column: TypeAlias = Series[Any]
Columns: TypeAlias = Mapping[str, Column]


def open_columns(frame: nw.DataFrame[Any]) -> Columns:
    """The columns of a frame by name: labels that are not strings, as pandas allows, become `str(label)`."""
    names = [str(label) for label in frame.columns]
    if not names:
        raise DataError("the table has no columns")
    if len(frame) == 0:
        raise DataError("the table has no rows")
    columns = dict(zip(names, map(_with_plain_type, frame.iter_columns()), strict=True))
    if len(columns) < len(names):
        raise DataError(f"expected column names that are unique, also as strings; found {listed(frame.columns)}")
    return columns


def _with_plain_type(column: Column) -> Column:
    return _with_plain_categories(_with_common_type(_with_plain_objects(column)))


def _with_plain_objects(column: Column) -> Column:
    """Dates and decimals that are no more than objects to pandas, as points in time and numbers."""
    if column.dtype != nw.Object or not column.implementation.is_pandas():
        return column
    native: Any = column.to_native()
    known = native.dropna()
    if len(known) > 0 and all(isinstance(value, date) for value in known):
        return nw.from_native(native.astype("datetime64[us]"), series_only=True)
    if len(known) > 0 and all(isinstance(value, Decimal) for value in known):
        return nw.from_native(native.astype("float64"), series_only=True)
    return column


def _with_common_type(column: Column) -> Column:
    """Rare types of pandas and pyarrow as common ones: narwhals and older versions of pyarrow do little with them."""
    native: Any = column.to_native()
    if isinstance(native, pa.ChunkedArray) and pa.types.is_date64(native.type):
        return nw.from_native(native.cast(pa.date32()), series_only=True)
    if isinstance(native, pa.ChunkedArray) and pa.types.is_decimal(native.type):
        return nw.from_native(native.cast(pa.float64()), series_only=True)
    if isinstance(native, pa.ChunkedArray) and pa.types.is_float16(native.type):
        return nw.from_native(native.cast(pa.float32()), series_only=True)
    if column.implementation.is_pandas() and native.dtype == np.float16:
        return nw.from_native(native.astype(np.float32), series_only=True)
    return column


def _with_plain_categories(column: Column) -> Column:
    """Intervals, as pandas' cut and qcut make them, under the names that pandas prints."""
    native = column.to_native() if column.implementation.is_pandas() else None
    if native is None or str(native.dtype) != "category" or not str(native.cat.categories.dtype).startswith("interval"):
        return column
    return nw.from_native(native.cat.rename_categories(str), series_only=True)


def open_frame(table: object) -> nw.DataFrame[Any]:
    try:
        frame = nw.from_native(table, pass_through=True)
    except DuplicateError:
        native: Any = table
        names = list(native.column_names if isinstance(native, pa.Table) else native.columns)
        repeated = sorted({str(name) for name in names if names.count(name) > 1})
        raise DataError(f"column names must be unique; repeated: {listed(repeated)}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"expected a frame in memory, found a lazy frame: call its collect() first ({type_name(table)})"
        )
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
    with gathered() as errors:
        for name, column in columns.items():
            with errors.column():
                check_type(name, column)


def check_type(name: str, column: Column) -> None:
    dtype = column.dtype
    if dtype == nw.UInt64:
        check_largest_integer(name, int(column.max()))
    if dtype in (nw.String, nw.Boolean, nw.Categorical, nw.Enum) or dtype.is_numeric() or is_time(column):
        return
    native = column.to_native()
    raise unusable_type(name, str(getattr(native, "dtype", None) or getattr(native, "type", dtype)))


def is_time(column: Column) -> bool:
    """Whether a column holds points in time: dates, with or without a time of day."""
    return column.dtype in (nw.Date, nw.Datetime)


def seconds_of(name: str, column: Column) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Points in time, or their texts in ISO's form, in seconds since 1970. Nothing is missing."""
    if is_time(column):
        times = column.cast(nw.Datetime("us")) if column.dtype == nw.Date else column
        return np.asarray(times.dt.timestamp("us").to_numpy(), np.float64) / 1e6
    distinct = distinct_values(name, column)
    seconds = seconds_of_texts(distinct.values)
    if seconds is None:
        expected = "dates such as 2024-05-17 or 2024-05-17 13:45:00"
        other = next(value for value in distinct.values if seconds_of_texts([value]) is None)
        raise DataError(
            f"column {name!r}: expected {expected}, found {other!r}", column=name, expected=expected, found=other
        )
    return seconds[distinct.positions]


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


def nothing_known(name: str) -> DataError:
    """The error for a column that has only gaps."""
    return DataError(
        f"column {name!r}: expected values to learn from, found only missing ones: leave the column out",
        column=name,
        expected="values",
    )


def type_name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def distinct_values(name: str, column: Column) -> Distinct:
    """The distinct values of a column without gaps.

    It goes to NumPy or pyarrow as a whole: 2-15 ms for a million values, no Python loop over rows.
    """
    dtype = column.dtype
    if dtype == nw.Boolean:
        return distinct_booleans(column.to_numpy())
    if dtype == nw.Decimal:
        column, dtype = column.cast(nw.Float64), nw.Float64()
    if (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128)) or dtype.is_float():
        return distinct_numbers(column.to_numpy())
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        encoded = _dictionary(name, column)
        if encoded is not None:
            return Distinct(encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False))
    values = column.unique().to_list()
    positions = column.replace_strict(values, list(range(len(values))), return_dtype=nw.Int32)
    return Distinct(values, positions.to_numpy())


def _dictionary(name: str, column: Column) -> Any | None:
    """The column as one dictionary array of pyarrow; None if pyarrow does not take its values."""
    try:
        array: Any = column.to_arrow()
    except (pa.ArrowException, TypeError, ValueError):
        if column.dtype == nw.String:
            _check_strings(name, column.unique().to_list())
        return None
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # Older versions of pyarrow keep the chunks of a dictionary.
        array = pa.concat_arrays(array.chunks)
    return array


def _check_strings(name: str, values: list[object]) -> None:
    # narwhals looks at the first values only to tell what a pandas column of objects holds.
    if others := [value for value in values if not isinstance(value, str)]:
        raise DataError(
            f"column {name!r}: expected only strings, found also {listed(others)}; convert them",
            column=name,
            expected="only strings",
            found=others[0],
        )
