"""`StoredTable`: the columns of a file as they are there, so that they can go back as they came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from learnac.data.compact import one_piece, restored, with_plain_types


@dataclass(frozen=True, slots=True, eq=False)
class StoredTable:
    """Columns that a `GrowingTable` stored, and the schema of the file: types, metadata, names that may repeat."""

    columns: Any
    schema: Any

    @classmethod
    def of_texts(cls, table: Any) -> StoredTable:
        """The table of a text file: columns of bytes, of which nothing is known, become what these say."""
        for place, field in enumerate(table.schema):
            if pa.types.is_dictionary(field.type) and pa.types.is_binary(field.type.value_type):
                table = table.set_column(place, field.name, _with_values_of_texts(table.column(place)))
        fields = [field.with_type(_text_type(field.type)) for field in table.schema]
        return cls(table, pa.schema(fields))

    @property
    def values(self) -> Any:
        """The table that categories and bins are made of."""
        return with_plain_types(self.columns)

    def with_columns(self, others: Any) -> StoredTable:
        """With some columns in another type, those of the table `others`."""
        columns, schema = self.columns, self.schema
        for field, column in zip(others.schema, others.itercolumns(), strict=True):
            place = schema.names.index(field.name)
            columns = columns.set_column(place, field.name, column)
            schema = schema.set(place, field.with_type(_text_type(field.type)))
        return StoredTable(columns, schema)

    def rows(self, place: int, rows: NDArray[np.intp]) -> Any:
        """Some rows of a column, as an array of the type in the file."""
        column = self.columns.column(place)
        is_slice = len(rows) > 0 and np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows)))
        some = column.slice(int(rows[0]), len(rows)) if is_slice else column.take(pa.array(rows))
        return restored(some, self.schema.field(place).type)


def _text_type(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _with_values_of_texts(column: Any) -> Any:
    """Numbers where they say all that the texts do: 0042 and 1.50 are texts, like whole numbers beyond 64 bits."""
    encoded = one_piece(column)
    values = encoded.dictionary
    try:
        values = values.cast(pa.string())
    except pa.ArrowInvalid:  # Not in UTF-8.
        return encoded
    for kind in (pa.int64(), pa.float64()):
        try:
            numbers = values.cast(kind)
        except pa.ArrowInvalid:
            continue
        if len(numbers) > 0 and numbers.cast(pa.string()).equals(values):
            values = numbers
            break
    return pa.DictionaryArray.from_arrays(encoded.indices, values)
