"""From a stream of batches to a table in packed blocks: one reading finds what the columns hold, another packs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from learnac.data.batches import BatchSource, FileBatches
from learnac.data.bins import Binning
from learnac.data.blocks import BlockTable, BlockWriter
from learnac.data.column_options import ColumnOptions
from learnac.data.compact import GrowingTable
from learnac.data.matching import matched
from learnac.data.prepare import prepare
from learnac.data.schema import WAY_OUT, Schema
from learnac.data.tables import Frame
from learnac.data.weights import checked_weights
from learnac.errors import DataError, placed

# A column with more different values than this is no discrete variable, whatever the rules say.
_MOST_DISTINCT = 200_000

OnRows = Callable[[int], object]


@dataclass(frozen=True, slots=True, eq=False)
class StreamedTable:
    """A table in packed blocks, and the columns of its files that it was made without."""

    blocks: BlockTable
    dropped: tuple[str, ...] = ()

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
    options = options or ColumnOptions()
    _check_bins(options)
    source, columns, n_rows = _distinct_values(source, options, on_rows)
    schema = _schema_of(columns, n_rows, options, source.name)
    checked_weights(weights, n_rows)
    blocks = pack_like(schema, source, options.drop, folder, on_rows, weights)
    return StreamedTable(blocks, tuple(sorted(options.drop)))


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
            raise _in_whole_table(error, n_rows, source.name) from error
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


class _Distinct:
    """The values of a column, each once; as a dictionary declares them, if its type is one. Changes in place."""

    def __init__(self, name: str, *, is_declared: bool, is_settled: bool) -> None:
        self._name = name
        self._is_declared = is_declared
        self._is_settled = is_settled  # by what is stated about the column: some values will do
        self._values: Any = None

    def add(self, column: Any, first_row: int) -> None:
        if column.null_count > 0:
            row = first_row + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            raise DataError(
                f"column {self._name!r}, row {row:,}: expected a value, found none; {WAY_OUT}",
                column=self._name,
                row=row,
                expected="a value",
            )
        if self._values is not None and self._is_settled:
            return
        found = _dictionary(column) if self._is_declared else _different(column)
        if self._values is not None:
            kind = _common_type(self._name, self._values.type, found.type)
            found = pa.concat_arrays([self._values.cast(kind), found.cast(kind)]).unique()
        self._values = found
        if len(found) > _MOST_DISTINCT and not self._is_settled:
            raise DataError(
                f"column {self._name!r}: expected a discrete variable, found more than {_MOST_DISTINCT:,} different "
                "values: leave it out, or state limits of intervals",
                column=self._name,
            )

    @property
    def n_values(self) -> int:
        return 1 if self._is_settled else len(self._values)

    def column(self, n_rows: int) -> Any:
        """So many rows, which have all values."""
        places = pa.array(np.minimum(np.arange(n_rows), len(self._values) - 1).astype(np.int32))
        return pa.DictionaryArray.from_arrays(places, self._values) if self._is_declared else self._values.take(places)


def _dictionary(column: Any) -> Any:
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pa.concat_arrays([piece.dictionary for piece in pieces]).unique()


def _different(column: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    found = column.unique()
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _common_type(name: str, a: Any, b: Any) -> Any:
    if a == b:
        return a
    if pa.types.is_integer(a) and pa.types.is_integer(b):
        return pa.int64()
    numeric = (pa.types.is_integer(a) or pa.types.is_floating(a)) and (pa.types.is_integer(b) or pa.types.is_floating(b))
    if numeric:
        return pa.float64()
    raise DataError(f"column {name!r}: expected values of one type, found {a} and {b}", column=name)


def _distinct_values(
    source: BatchSource, options: ColumnOptions, on_rows: OnRows | None
) -> tuple[BatchSource, dict[str, _Distinct], int]:
    """The values of each column, and the number of rows; and the source, with wider types for columns of text files
    that turn out to need them.
    """
    while True:
        types: dict[str, Any] = {}
        columns: dict[str, _Distinct] = {}
        n_rows = 0
        try:
            for batch in source.batches():
                types = types or {field.name: field.type for field in batch.schema}
                n_rows += _take_note(columns, batch, options, n_rows)
                if on_rows is not None:
                    on_rows(n_rows)
        except pa.ArrowInvalid as error:
            if not isinstance(source, FileBatches):
                raise
            source = source.wider(error, types)
        except DataError as error:
            raise error if error.source is not None else placed(error, source.name, source=source.name) from error
        else:
            if n_rows == 0:
                raise DataError(f"{source.name}: expected rows of values, found none", source=source.name)
            return source, columns, n_rows


def _take_note(columns: dict[str, _Distinct], batch: Any, options: ColumnOptions, n_rows: int) -> int:
    """The number of rows of a batch, after a look at their values."""
    if batch.num_rows == 0:
        return 0
    growing = GrowingTable(batch.schema.names)
    growing.add(batch)
    for field, column in zip(batch.schema, growing.table().itercolumns(), strict=True):
        name = field.name
        if name in options.drop:
            continue
        if name not in columns:
            is_settled = name in options.bins or name in options.categories
            columns[name] = _Distinct(name, is_declared=pa.types.is_dictionary(field.type), is_settled=is_settled)
        columns[name].add(column, n_rows)
    return int(batch.num_rows)


def _schema_of(columns: dict[str, _Distinct], n_rows: int, options: ColumnOptions, name: str) -> Schema:
    """The schema that `prepare` finds in a small table with all values of all columns.

    It has two rows for each value, if the table has: with fewer, `prepare` would take them for identifiers.
    """
    if not columns:
        raise DataError(f"{name}: expected columns that are not dropped, found none", source=name)
    n_rows = min(n_rows, 2 * max(column.n_values for column in columns.values()))
    growing = GrowingTable(list(columns))
    for batch in pa.table({name: column.column(n_rows) for name, column in columns.items()}).to_batches():
        growing.add(batch)
    try:
        return prepare(Frame(growing.table()), replace(options, drop=frozenset())).schema
    except DataError as error:
        raise placed(error, name, source=name) from error


def _check_bins(options: ColumnOptions) -> None:
    for name, how in options.bins.items():
        if isinstance(how, Binning):
            raise DataError(
                f"column {name!r}: expected the limits of its intervals, found a number of them: limits with equally "
                "many rows between them would take the whole column in memory",
                column=name,
                expected="limits of intervals",
            )


def _in_whole_table(error: DataError, first_row: int, name: str) -> DataError:
    if error.row is None or first_row == 0:
        return error if error.source is not None else placed(error, name, source=name)
    row = first_row + error.row
    said = str(error).replace(f"row {error.row}", f"row {row:,}", 1)
    error.row = row
    return placed(error.saying(said), name, source=name)

