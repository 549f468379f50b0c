"""The form in which a person gave a table, so that tables go back to them in the same form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import Series

from learnac.data.dataset import Dataset
from learnac.data.frame_columns import open_columns, open_frame
from learnac.data.schema import Schema
from learnac.types import Category, Evidence


class TableForm(Protocol):
    """How rows are given back: `codes` is (variables x rows), everything known."""

    def table(self, schema: Schema, codes: Evidence) -> Any: ...


@dataclass(frozen=True, slots=True)
class ArrayForm:
    """An array of codes, rows x variables; of a wider type if this one cannot hold them all."""

    dtype: np.dtype[Any]

    def table(self, schema: Schema, codes: Evidence) -> Any:
        all_codes = np.arange(int(schema.arities.max()))
        wider = np.dtype(np.float64 if self.dtype.kind == "f" else np.int64)
        dtype = self.dtype if np.array_equal(all_codes.astype(self.dtype), all_codes) else wider
        return np.ascontiguousarray(codes.T).astype(dtype, copy=False)


@dataclass(frozen=True, slots=True)
class DatasetForm:
    """A `Dataset`."""

    def table(self, schema: Schema, codes: Evidence) -> Any:
        return Dataset(schema, codes.astype(schema.code_dtype))


@dataclass(frozen=True, slots=True)
class FrameForm:
    """A frame of the library, columns and types of `like`, a frame without rows, and further columns of the schema."""

    like: Any

    def table(self, schema: Schema, codes: Evidence) -> Any:
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
class MappingForm:
    """One row, as a dict from name to category."""

    def table(self, schema: Schema, codes: Evidence) -> Any:
        row = zip(schema.names, schema.categories, codes[:, 0].tolist(), strict=True)
        return {name: categories[code] for name, categories, code in row}


def form_of(table: object) -> TableForm:
    """The form of a table that has been read without complaint."""
    if isinstance(table, Dataset):
        return DatasetForm()
    if isinstance(table, Mapping):
        return MappingForm()
    if isinstance(table, np.ndarray | list | tuple):
        dtype = np.asarray(table).dtype
        return ArrayForm(dtype if dtype.kind in "iuf" else np.dtype(np.int64))
    return FrameForm(open_frame(table).head(0).to_native())


def form_name(form: TableForm) -> str:
    """A word for a form, to be written down: the frame's library, "array" or "dataset"."""
    match form:
        case FrameForm():
            return str(open_frame(form.like).implementation.value)
        case ArrayForm():
            return "array"
        case _:
            return "dataset"


def form_called(name: str) -> TableForm:
    """The form that goes by such a name; a Dataset where the library is not there, or the name unknown."""
    if name == "array":
        return ArrayForm(np.dtype(np.int64))
    try:
        return FrameForm(nw.from_dict({"": []}, backend=cast(Any, name)).drop("").to_native())
    except (ValueError, TypeError, ImportError):
        return DatasetForm()


def completed(table: object, schema: Schema, gaps: Evidence, codes: Evidence) -> Any:
    """The same table with `codes` where `gaps` has negative ones, and the columns of the schema that it lacks.

    What has no gaps stays as it is. A column of numbers that the schema bins is filled by the labels of intervals, and
    then holds labels in all rows: numbers and intervals do not mix in one column.
    """
    form = form_of(table)
    if not isinstance(form, FrameForm):
        return form.table(schema, codes)
    frame = open_frame(table)
    columns = open_columns(frame)
    labels = dict(zip(columns, frame.columns, strict=True))
    filled = []
    for name in [*columns, *(name for name in schema.names if name not in columns)]:
        position = schema.index(name)
        if name not in columns or (gaps[position] < 0).any():
            categories = _category_column(name, schema.categories[position], columns.get(name), frame)
            filled.append(categories[codes[position].astype(np.int64)].alias(labels.get(name, name)))
    return frame.with_columns(*filled).to_native() if filled else table


def _category_column(
    name: str, categories: tuple[Category, ...], like: Series[Any] | None, frame: nw.DataFrame[Any]
) -> Series[Any]:
    """The categories as a column, of the type of `like` where that can hold them.

    A column of numbers cannot hold intervals: where the schema bins it, it becomes one of strings.
    """
    if like is not None and not (like.dtype.is_numeric() and isinstance(categories[0], str)):
        try:
            column = _of_type(name, categories, like)
        except (TypeError, ValueError, OverflowError, ArithmeticError, _arrow_errors()):
            column = None
        if column is not None and column.to_list() == list(categories):
            return column
    return nw.new_series(name, list(categories), backend=frame.implementation)


def _of_type(name: str, categories: tuple[Category, ...], like: Series[Any]) -> Series[Any]:
    native = like.to_native()
    if like.implementation.is_pandas():
        # Other types than narwhals has: categories with their order, strings of several kinds.
        return nw.from_native(type(native)(list(categories), name=native.name, dtype=native.dtype), series_only=True)
    if like.implementation.is_pyarrow():
        import pyarrow as pa

        values = pa.chunked_array([pa.array(list(categories), type=native.type)])
        return nw.from_native(values, series_only=True).alias(name)
    return nw.new_series(name, list(categories), backend=like.implementation).cast(like.dtype)


def _arrow_errors() -> type[Exception]:
    import pyarrow

    return pyarrow.ArrowException
