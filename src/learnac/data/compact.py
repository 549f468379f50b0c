"""`GrowingTable`: record batches of pyarrow gathered into one table of little memory.

Integers take the bytes they need, strings are stored once with a small number for each row. A million rows of a
hundred columns with few values each take 100 MB instead of 800 MB and more.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Values to gather before they are made small: enough that the work by column does not count.
_N_GATHERED = 1 << 22

_INTEGERS = tuple((pa.from_numpy_dtype(kind), np.iinfo(kind)) for kind in (np.int8, np.int16, np.int32, np.int64))


class GrowingTable:
    """Takes batches of one schema."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._gathered: list[Any] = []
        self._n_values = 0
        self._pieces: list[list[Any]] = [[] for _ in names]

    def add(self, batch: Any) -> None:
        self._gathered.append(batch)
        self._n_values += batch.num_rows * batch.num_columns
        if self._n_values >= _N_GATHERED:
            self._make_small()

    def table(self) -> Any:
        """The table of all batches. Dates and times are strings, decimal numbers floats. Nothing is left here."""
        return with_plain_types(self.stored())

    def stored(self) -> Any:
        """The table of all batches, every value as it was, each column in one piece. Nothing is left here."""
        self._make_small()
        columns = []
        for pieces in self._pieces:
            columns.append(_joined(pieces))
            pieces.clear()
        return pa.Table.from_arrays(columns, names=self._names)

    def _make_small(self) -> None:
        if not self._gathered:
            return
        table = pa.Table.from_batches(self._gathered)
        self._gathered, self._n_values = [], 0
        for pieces, column in zip(self._pieces, table.itercolumns(), strict=True):
            pieces.append(_small(column))


def _small(column: Any) -> Any:
    kind = column.type
    if pa.types.is_integer(kind):
        return column.cast(_smallest_integer(column))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        return _encoded(column)
    if str(kind) == "string_view":
        return _encoded(_without_views(column))
    return column


def with_plain_types(table: Any) -> Any:
    """The table with dates and times as strings, and decimal numbers as floats, for categories and bins."""
    for place, field in enumerate(table.schema):
        with suppress(pa.ArrowNotImplementedError):  # What has no text is complained of by whoever needs the column.
            if pa.types.is_temporal(field.type):
                texts = _joined_strings([_encoded(table.column(place).cast(pa.string()))])
                table = table.set_column(place, field.name, texts)
            elif pa.types.is_decimal(field.type):
                table = table.set_column(place, field.name, table.column(place).cast(pa.float64()))
    return table


def restored(column: Any, kind: Any) -> Any:
    """A column that a `GrowingTable` stored, as an array of the type it came in."""
    array = one_piece(column)
    if array.type == kind:
        return array
    if pa.types.is_dictionary(array.type) and not pa.types.is_dictionary(kind):
        return _as_type(array.dictionary, kind).take(array.indices)
    return array.cast(kind)


def one_piece(column: Any) -> Any:
    """A column as one array."""
    if isinstance(column, pa.Array):
        return column
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _as_type(values: Any, kind: Any) -> Any:
    try:
        return values.cast(kind)
    except pa.ArrowNotImplementedError:  # Views, in older versions of pyarrow.
        return pa.array(values.to_pylist(), kind)


def _without_views(column: Any) -> Any:
    try:
        return column.cast(pa.string())
    except pa.ArrowNotImplementedError:  # Older versions of pyarrow.
        return pa.chunked_array([pa.array(column.to_pylist(), pa.string())])


def _smallest_integer(column: Any) -> Any:
    limits = pc.min_max(column).as_py()
    if limits["min"] is None:
        return pa.int8()
    fitting = (kind for kind, info in _INTEGERS if info.min <= limits["min"] and limits["max"] <= info.max)
    return next(fitting, column.type)


class _Encoded:
    """A piece of a column of strings: its distinct values, and in which row is which, -1 for none."""

    def __init__(self, values: Any, positions: Any) -> None:
        self.values = values
        self.positions = positions


def _encoded(column: Any) -> _Encoded:
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().chunk(0)
    positions = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    values = encoded.dictionary
    if pa.types.is_large_string(values.type):
        values = values.cast(pa.string())
    return _Encoded(values, positions.astype(_smallest_position(len(values))))


def _smallest_position(n_values: int) -> type[np.signedinteger[Any]]:
    return next(kind for kind in (np.int8, np.int16, np.int32) if n_values <= np.iinfo(kind).max)


def _joined(pieces: list[Any]) -> Any:
    if not pieces:
        return pa.chunked_array([], type=pa.null())
    if isinstance(pieces[0], _Encoded):
        return _joined_strings(pieces)
    if pa.types.is_dictionary(pieces[0].type):
        return pa.chunked_array([chunk for piece in pieces for chunk in piece.chunks]).unify_dictionaries()
    if pa.types.is_integer(pieces[0].type):
        widest = max((piece.type for piece in pieces), key=lambda kind: kind.bit_width)
        pieces = [piece.cast(widest) for piece in pieces]
    return pa.chunked_array([chunk for piece in pieces for chunk in piece.chunks]).combine_chunks()


def _joined_strings(pieces: list[_Encoded]) -> Any:
    """One dictionary for all pieces, sorted: a schema would sort the categories too, and takes these as they are."""
    everything = pa.concat_arrays([piece.values for piece in pieces]).dictionary_encode()
    order = pc.sort_indices(everything.dictionary)
    kind = _smallest_position(len(order))
    rank = np.empty(len(order), dtype=kind)
    rank[order.to_numpy()] = np.arange(len(order))
    ranks = rank[everything.indices.to_numpy(zero_copy_only=False)]
    positions = np.empty(sum(len(piece.positions) for piece in pieces), dtype=kind)
    row = value = 0
    for piece in pieces:
        # The last entry is what -1 picks: no value.
        rank_of = np.append(ranks[value : value + len(piece.values)], -1).astype(kind)
        positions[row : row + len(piece.positions)] = rank_of[piece.positions]
        row, value = row + len(piece.positions), value + len(piece.values)
    indices = pa.array(positions, mask=positions < 0)
    return pa.DictionaryArray.from_arrays(indices, everything.dictionary.take(order))
