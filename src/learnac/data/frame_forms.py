"""Tables that go back as frames of the library they came in: new rows, and rows with their gaps filled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import Series
from numpy.typing import NDArray

from learnac.data.forms import TableForm
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

    def table(self, schema: Schema, codes: PartialCodes) -> Any:
        like = open_frame(self.like)
        columns = dict(zip([str(label) for label in like.columns], like.iter_columns(), strict=True))
        labels = dict(zip(columns, like.columns, strict=True))
        names = [*columns, *(name for name in schema.names if name not in columns)]
        made = []
        for name in names:
            position = schema.index(name)
            categories = _category_column(name, schema.categories[position], columns.get(name), like)
            made.append(categories[codes[position].astype(np.int64)].alias(labels.get(name, name)))
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

    def table(self, schema: Schema, codes: PartialCodes) -> Any:
        return frame_form(self.frame).table(schema, codes)

    def completed(self, schema: Schema, gaps: PartialCodes, codes: PartialCodes, rows: NDArray[np.intp]) -> Any:
        """As promised, and with the columns of the schema that the frame lacks.

        A column keeps its type, and every value that was known. Only a type that cannot hold the categories gives way
        to strings: where the schema bins a column of numbers, gaps are filled by the labels of intervals.
        """
        frame = open_frame(self.frame)
        if not np.array_equal(rows, np.arange(len(frame))):
            frame = frame[rows.tolist()]
        columns = open_columns(frame)
        as_given = dict(zip(columns, frame.iter_columns(), strict=True))
        labels = dict(zip(columns, frame.columns, strict=True))
        made = []
        for name in [*columns, *(name for name in schema.names if name not in columns)]:
            position = schema.index(name)
            is_gap = gaps[position] < 0
            if name in columns and not is_gap.any():
                continue
            categories = _category_column(name, schema.categories[position], columns.get(name), frame)
            column = categories[codes[position].astype(np.int64)]
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
