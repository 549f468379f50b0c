"""From a stream of batches to a table in packed blocks: one reading finds what the columns hold, another packs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from learnac.data.batches import BatchSource, FileBatches, in_whole_table, unchanged
from learnac.data.blocks import BlockTable, BlockWriter
from learnac.data.column_options import ColumnOptions
from learnac.data.compact import GrowingTable
from learnac.data.dataset import Dataset
from learnac.data.incomplete import complete_rows
from learnac.data.matching import matched
from learnac.data.number_counts import WeightUnit
from learnac.data.schema import Schema
from learnac.data.settling import ColumnReport
from learnac.data.spread import Numbers
from learnac.data.stream_schema import GrowingColumns
from learnac.data.tables import Frame
from learnac.data.weights import checked_weights, some_of
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
    weights: Numbers | None = None,
    missing: str = "random",
    but: str | None = None,
) -> StreamedTable:
    """Reads the source twice: for the schema that `prepare` would find, and to pack the rows into blocks.

    The blocks are in a file without a name in `folder`. `on_rows` is told how many rows were read so far. With
    `missing="category"`, gaps are a category of their own, but for the column `but`; otherwise, there may be none.
    """
    columns = GrowingColumns(options, unit=None if weights is None else WeightUnit.of(float(weights.max(initial=0.0))))
    dropped = columns.options.drop
    with unchanged(source.paths if isinstance(source, FileBatches) else ()):  # from the first reading to the second
        source, columns = read_columns(source, columns, on_rows, weights)
        checked_weights(weights, columns.n_rows)
        schema, reports = columns.found(source.name, missing, but)
        blocks = pack_like(schema, source, dropped, folder, on_rows, weights)
    return StreamedTable(blocks, tuple(sorted(dropped)), reports)


def read_columns(
    source: BatchSource, empty: GrowingColumns, on_rows: OnRows | None = None, weights: Numbers | None = None
) -> tuple[BatchSource, GrowingColumns]:
    """What the columns hold; and the source, with wider types for columns of text files that turn out to need them."""
    while True:
        types: dict[str, Any] = {}
        columns = copy(empty)
        try:
            for batch in source.batches():
                types = types or {field.name: field.type for field in batch.schema}
                columns.add(batch, some_of(weights, columns.n_rows, batch.num_rows))
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
    weights: Numbers | None = None,
) -> BlockTable:
    """Packs the rows of a source with a schema that is there already; `weights` are those of its rows."""
    writer = BlockWriter(schema, folder, has_weights=weights is not None)
    write_rows(writer, encoded(schema, source, drop, on_rows), weights)
    table = writer.table()
    if table.n_rows == 0:
        raise DataError(f"{source.name}: expected rows of values, found none", source=source.name)
    return table


def write_rows(writer: BlockWriter, batches: Iterable[Dataset], weights: Numbers | None = None) -> None:
    """All rows of a table, batch by batch; `weights` are those of all of them."""
    n_rows = 0
    for rows in batches:
        writer.add(rows.codes, some_of(weights, n_rows, rows.n_rows), log_density_of(rows))
        n_rows += rows.n_rows
    if weights is not None and len(weights) != n_rows:
        raise ValueError(f"sample_weight: expected a number for each row, found {len(weights)} for {n_rows}")


def log_density_of(rows: Dataset) -> float:
    """The log-densities of all numbers within their intervals: what learning cannot change."""
    total = 0.0
    for variable, column in rows.numbers.items():
        bins = rows.schema.bins[variable]
        assert bins is not None
        total += float(bins.log_densities(column).sum())
    return total


def encoded(
    schema: Schema, source: BatchSource, drop: frozenset[str] = frozenset(), on_rows: OnRows | None = None
) -> Iterator[Dataset]:
    """All rows, batch by batch. An error names the row by its number in the whole table."""
    n_rows = 0
    for frame in frames(source):
        try:
            yield complete_rows(schema, matched(frame, schema, drop).table)
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
