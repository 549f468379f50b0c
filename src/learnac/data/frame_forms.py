"""Tables that go back as frames of the library they came in: new rows, and rows with their gaps filled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import Series
from numpy.typing import NDArray

from learnac.data.bins import Bins
from learnac.data.forms import NumbersOf, TableForm
from learnac.data.frame_columns import open_columns, open_frame
from learnac.data.frame_filling import filled
from learnac.data.schema import Schema
from learnac.types import Category, PartialCodes


@dataclass(frozen=True, slots=True)
class FrameForm(TableForm):
    """A frame of the library, columns and types of `like`, a frame without rows, and further columns of the schema."""

    like: Any

    @property
    def name(self) -> str:
        return str(open_frame(self.like).implementation.value)

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        like = open_frame(self.like)
        columns = dict(zip([str(label) for label in like.columns], like.iter_columns(), strict=True))
        labels = dict(zip(columns, like.columns, strict=True))
        own = [name for name in columns if name in schema.names]
        made = []
        for name in [*own, *(name for name in schema.names if name not in columns)]:
            column = _made_column(schema, schema.index(name), codes, numbers, columns.get(name), like)
            made.append(column.alias(labels.get(name, name)))
        # Not from_dict, which knows fewer types than pandas has. The rows are numbered anew.
        rows = nw.maybe_reset_index(made[0].to_frame())
        return rows.with_columns(*made[1:]).to_native()


@dataclass(frozen=True, slots=True)
class FrameRows(TableForm):
    """A frame with its rows: what is known stays as it is when the gaps are filled."""

    frame: Any

    @property
    def name(self) -> str:
        return frame_form(self.frame).name

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        return frame_form(self.frame).table(schema, codes, numbers)

    def completed(
        self,
        schema: Schema,
        gaps: PartialCodes,
        codes: PartialCodes,
        rows: NDArray[np.intp],
        numbers: NumbersOf,
    ) -> Any:
        """As promised, and with the columns of the schema that the frame lacks.

        A column keeps its type, and every value that was known. Only a type that cannot hold the categories gives way
        to strings: gaps in a column of numbers without densities are filled by the labels of intervals.
        """
        frame = open_frame(self.frame)
        if not np.array_equal(rows, np.arange(len(frame))):
            frame = frame[rows.tolist()]
        columns = open_columns(frame)
        as_given = dict(zip(columns, frame.iter_columns(), strict=True))
        labels = dict(zip(columns, frame.columns, strict=True))
        made = []
        own = [name for name in columns if name in schema.names]
        for name in [*own, *(name for name in schema.names if name not in columns)]:
            position = schema.index(name)
            is_gap = gaps[position] < 0
            if name in columns and not is_gap.any():
                continue
            column = _made_column(schema, position, codes, numbers, columns.get(name), frame)
            if name in columns:
                column = filled(as_given[name], columns[name], column, is_gap)
            made.append(column.alias(labels.get(name, name)))
        return frame.with_columns(*made).to_native() if made else frame.to_native()


def frame_form(table: object) -> FrameForm:
    """The form of a frame, without its rows."""
    return FrameForm(open_frame(table).head(0).to_native())


def frame_form_called(library: str) -> FrameForm | None:
    """The form of frames of a library, if it is there."""
    try:
        return FrameForm(nw.from_dict({"": []}, backend=cast(Any, library)).drop("").to_native())
    except (ValueError, TypeError, ImportError):
        return None


def _made_column(
    schema: Schema,
    variable: int,
    codes: PartialCodes,
    numbers: NumbersOf,
    like: Series[Any] | None,
    frame: nw.DataFrame[Any],
) -> Series[Any]:
    """The values of a column, of the type of `like` where that can hold them."""
    name, bins = schema.names[variable], schema.bins[variable]
    if bins is not None and variable in numbers:
        return _number_column(name, bins, numbers[variable], like, frame)
    categories = _category_column(name, schema.categories[variable], like, frame)
    return categories[codes[variable].astype(np.int64)]


def _number_column(
    name: str, bins: Bins, numbers: NDArray[np.float64], like: Series[Any] | None, frame: nw.DataFrame[Any]
) -> Series[Any]:
    if bins.calendar is not None:
        if like is not None and like.dtype not in (nw.Date, nw.Datetime):
            texts = [bins.calendar.text(number) for number in numbers.tolist()]
            return nw.new_series(name, texts, backend=frame.implementation)
        column = nw.new_series(
            name, bins.calendar.datetimes(numbers).astype("datetime64[us]"), backend=frame.implementation
        )
        return column if like is None else _cast_time(column, like)
    whole = bins.spread is not None and bins.spread.step >= 1
    column = nw.new_series(name, np.rint(numbers).astype(np.int64) if whole else numbers, backend=frame.implementation)
    if like is None or not like.dtype.is_numeric():
        return column
    if like.dtype.is_integer() and not whole:
        column = nw.new_series(name, np.rint(numbers).astype(np.int64), backend=frame.implementation)
    if like.implementation.is_pandas():
        native = column.to_native().astype(like.to_native().dtype)
        return nw.from_native(native, series_only=True)
    return column.cast(like.dtype)


def _cast_time(column: Series[Any], like: Series[Any]) -> Series[Any]:
    zone = getattr(like.dtype, "time_zone", None)
    if zone is not None:
        column = column.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return column.cast(like.dtype)


def _category_column(
    name: str, categories: tuple[Category, ...], like: Series[Any] | None, frame: nw.DataFrame[Any]
) -> Series[Any]:
    """The categories as a column, of the type of `like` where that can hold them.

    A column of numbers cannot hold intervals: where the schema bins it, it becomes one of strings.
    """
    if like is not None and not (like.dtype.is_numeric() and isinstance(categories[0], str)):
        try:
            column = _of_type(name, categories, like)
        except _errors_of(like):
            column = None
        if column is not None and column.to_list() == list(categories):
            return column
    return nw.new_series(name, list(categories), backend=frame.implementation)


def _of_type(name: str, categories: tuple[Category, ...], like: Series[Any]) -> Series[Any]:
    native = like.to_native()
    if like.implementation.is_pandas():
        # Other types than narwhals has: categories with their order, strings of several kinds.
        if str(native.dtype) == "category" and not set(categories) <= set(native.cat.categories):
            raise ValueError("the column does not declare all categories")
        return nw.from_native(type(native)(list(categories), name=native.name, dtype=native.dtype), series_only=True)
    if like.implementation.is_pyarrow():
        import pyarrow as pa

        values = pa.chunked_array([pa.array(list(categories), type=native.type)])
        return nw.from_native(values, series_only=True).alias(name)
    return nw.new_series(name, list(categories), backend=like.implementation).cast(like.dtype)


def _errors_of(like: Series[Any]) -> tuple[type[Exception], ...]:
    """What the library of a column raises for values that a type cannot hold."""
    import pyarrow

    errors: tuple[type[Exception], ...] = (TypeError, ValueError, ArithmeticError, pyarrow.ArrowException)
    if like.implementation.is_polars():
        errors += (like.implementation.to_native_namespace().exceptions.PolarsError,)
    return errors
