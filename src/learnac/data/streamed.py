"""From a stream of batches to a table in packed blocks: one reading finds what the columns hold, another packs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from learnac.data.batches import BatchSource, FileBatches, in_whole_table
from learnac.data.blocks import BlockTable, BlockWriter
from learnac.data.column_options import ColumnOptions
from learnac.data.compact import GrowingTable
from learnac.data.frames import ColumnReport
from learnac.data.matching import matched
from learnac.data.schema import Schema
from learnac.data.stream_schema import GrowingColumns
from learnac.data.tables import Frame
from learnac.data.weights import checked_weights
from learnac.errors import DataError, placed

OnRows = Callable[[int], object]


@dataclass(frozen=True, slots=True, eq=False)
class StreamedTable:
    """A table in packed blocks, and the columns of its files that it was made without."""

    blocks: BlockTable
    dropped: tuple[str, ...] = ()
    reports: tuple[ColumnReport, ...] = ()  # what was found out about its columns

    @property
    def schema(self) -> Schema:
        return self.blocks.schema


def pack_stream(
    source: BatchSource,
    options: ColumnOptions | None = None,
    folder: Path | None = None,
    on_rows: OnRows | None = None,
    weights: NDArray[np.float64] | None = None,
) -> StreamedTable:
    """Reads the source twice: for the schema that `prepare` would find, and to pack the rows into blocks.

    The blocks are in a file without a name in `folder`. `on_rows` is told how many rows were read so far.
    """
    source, columns = read_columns(source, options, on_rows)
    checked_weights(weights, columns.n_rows)
    dropped = columns.options.drop
    schema, reports = columns.found(source.name)
    blocks = pack_like(schema, source, dropped, folder, on_rows, weights)
    return StreamedTable(blocks, tuple(sorted(dropped)), reports)


def read_columns(
    source: BatchSource, options: ColumnOptions | None = None, on_rows: OnRows | None = None
) -> tuple[BatchSource, GrowingColumns]:
    """What the columns hold; and the source, with wider types for columns of text files that turn out to need them."""
    while True:
        types: dict[str, Any] = {}
        columns = GrowingColumns(options)
        try:
            for batch in source.batches():
                types = types or {field.name: field.type for field in batch.schema}
                columns.add(batch)
                if on_rows is not None:
                    on_rows(columns.n_rows)
        except pa.ArrowInvalid as error:
            if not isinstance(source, FileBatches):
                raise
            source = source.wider(error, types)
        except DataError as error:
            raise error if error.source is not None else placed(error, source.name, source=source.name) from error
        else:
            return source, columns


def pack_like(
    schema: Schema,
    source: BatchSource,
    drop: frozenset[str] = frozenset(),
    folder: Path | None = None,
    on_rows: OnRows | None = None,
    weights: NDArray[np.float64] | None = None,
) -> BlockTable:
    """Packs the rows of a source with a schema that is there already; `weights` are those of its rows."""
    writer = BlockWriter(schema, folder, has_weights=weights is not None)
    n_rows = 0
    for codes in encoded(schema, source, drop, on_rows):
        writer.add(codes, None if weights is None else weights[n_rows : n_rows + codes.shape[1]])
        n_rows += codes.shape[1]
    table = writer.table()
    if table.n_rows == 0:
        raise DataError(f"{source.name}: expected rows of values, found none", source=source.name)
    return table


def encoded(
    schema: Schema, source: BatchSource, drop: frozenset[str] = frozenset(), on_rows: OnRows | None = None
) -> Iterator[NDArray[np.unsignedinteger[Any]]]:
    """The codes of all rows, batch by batch. An error names the row by its number in the whole table."""
    n_rows = 0
    for frame in frames(source):
        try:
            yield schema.encode(matched(frame, schema, drop).table)
        except DataError as error:
            raise in_whole_table(error, n_rows, source.name) from error
        n_rows += frame.table.num_rows
        if on_rows is not None:
            on_rows(n_rows)


def frames(source: BatchSource) -> Iterator[Frame]:
    """The batches as the readers of whole files give tables: strings as dictionaries, dates as strings."""
    for batch in source.batches():
        if batch.num_rows > 0:
            growing = GrowingTable(batch.schema.names)
            growing.add(batch)
            yield Frame(growing.table())
