"""Tables that come after the first: their columns made ready for a schema that is there already."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa

from learnac.data.number_text import number_text
from learnac.data.schema import Schema
from learnac.data.tables import Frame
from learnac.errors import DataError
from learnac.types import Category


def matched(frame: Frame, schema: Schema, drop: Collection[str] = ()) -> Frame:
    """A later table, ready for `schema.encode` or `schema.encode_evidence`.

    Columns of `drop` are left out if they are there. Numbers become strings where the categories are strings.
    """
    return as_text_where_needed(without_columns(frame, drop), unbinned(schema))


def unbinned(schema: Schema) -> dict[str, tuple[Category, ...]]:
    """The categories of the variables that are no intervals of numbers."""
    columns = zip(schema.names, schema.categories, schema.bins, strict=True)
    return {name: categories for name, categories, bins in columns if bins is None}


def without_columns(frame: Frame, names: Collection[str]) -> Frame:
    """The frame without some of its columns. Those that it does not have are no matter."""
    # By their places: a name that is left out may be there twice.
    kept = [place for place, name in enumerate(frame.table.column_names) if name not in names]
    if not kept:
        raise DataError("expected columns that are not dropped, found none")
    categories = {name: values for name, values in frame.categories.items() if name not in names}
    return replace(frame, table=frame.table.select(kept), categories=categories)


def as_text_where_needed(frame: Frame, categories: Mapping[str, tuple[Category, ...]]) -> Frame:
    """Columns of numbers whose categories are strings become strings."""
    numeric = [column.name for column in frame.table.schema if is_numeric(column)]
    for name in numeric:
        if all(isinstance(value, str) for value in categories.get(name, (0,))):
            frame = with_text(frame, name)
    return frame


def with_text(frame: Frame, name: str) -> Frame:
    """The frame with a column of numbers as strings."""
    encoded = frame.table.column(name).combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().chunk(0)
    texts = pa.array([number_text(value) for value in encoded.dictionary.to_pylist()], pa.string())
    # Text by text, not as a dictionary: -0.0 and 0.0 are one, and their order is not that of categories.
    strings = texts.take(encoded.indices)
    return replace(frame, table=frame.table.set_column(frame.table.column_names.index(name), name, strings))


def with_whole_numbers(table: Any, categories: Mapping[str, tuple[Category, ...]]) -> Any:
    """Columns of whole numbers as such: they were read as real ones, which is what gaps make of them elsewhere."""
    for position, field in enumerate(table.schema):
        if pa.types.is_floating(field.type) and any(type(value) is int for value in categories.get(field.name, ())):
            with suppress(pa.ArrowInvalid):  # Others are complained of when they are looked up.
                table = table.set_column(position, field.name, table.column(position).cast(pa.int64()))
    return table


def is_numeric(column: Any) -> bool:
    """Whether a column or field of pyarrow holds numbers."""
    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type))
