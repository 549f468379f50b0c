"""Reading Parquet and Arrow files (Feather is one of them), batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from learnac.data.compact import GrowingTable
from learnac.data.stored import StoredTable
from learnac.data.streams import open_random_access
from learnac.errors import DataError

_ROWS_AT_ONCE = 1 << 14


def read_parquet(path: Path) -> StoredTable:
    """The table of a Parquet file."""
    import pyarrow.parquet as pq

    with open_random_access(path) as file:
        _check_size(file)
        try:
            # A buffer would hold the file in memory.
            content = pq.ParquetFile(file, pre_buffer=False, page_checksum_verification=True)
            return _gathered(content.schema_arrow, content.iter_batches(_ROWS_AT_ONCE))
        except DataError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(f"cannot be read as Parquet: {_in_one_line(error)}") from error


def parquet_batches(path: Path) -> Iterator[Any]:
    """The rows of a Parquet file, batch by batch."""
    import pyarrow.parquet as pq

    with open_random_access(path) as file:
        _check_size(file)
        try:
            content = pq.ParquetFile(file, pre_buffer=False, page_checksum_verification=True)
            yield from _checked(content.iter_batches(_ROWS_AT_ONCE))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _as_data_error(error, "Parquet") from error


def arrow_batches(path: Path) -> Iterator[Any]:
    """The rows of an Arrow file or stream, batch by batch."""
    with open_random_access(path) as file:
        _check_size(file)
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        try:
            if is_file:
                content = pa.ipc.open_file(file)
                yield from _checked(content.get_batch(i) for i in range(content.num_record_batches))
            else:
                yield from _checked(iter(pa.ipc.open_stream(file)))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _as_data_error(error, "an Arrow file") from error


def _checked(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        _check_batch(batch)
        yield from (batch.slice(start, _ROWS_AT_ONCE) for start in range(0, batch.num_rows, _ROWS_AT_ONCE))


def _as_data_error(error: Exception, kind: str) -> DataError:
    return error if isinstance(error, DataError) else DataError(f"cannot be read as {kind}: {_in_one_line(error)}")


def read_arrow(path: Path) -> StoredTable:
    """The table of an Arrow file or stream."""
    with open_random_access(path) as file:
        _check_size(file)
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        try:
            return _read_ipc_file(file) if is_file else _read_ipc_stream(file)
        except DataError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(f"cannot be read as an Arrow file: {_in_one_line(error)}") from error


def _read_ipc_file(file: Any) -> StoredTable:
    content = pa.ipc.open_file(file)
    batches = (content.get_batch(position) for position in range(content.num_record_batches))
    return _gathered(content.schema, batches)


def _read_ipc_stream(file: Any) -> StoredTable:
    content = pa.ipc.open_stream(file)
    return _gathered(content.schema, iter(content))


def _check_size(file: Any) -> None:
    if file.size() == 0:
        raise DataError("the file is empty")


def _gathered(schema: Any, batches: Iterator[Any]) -> StoredTable:
    growing = GrowingTable(schema.names)
    for batch in batches:
        _check_batch(batch)
        # A batch may be as large as the file.
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            growing.add(batch.slice(start, _ROWS_AT_ONCE))
    return StoredTable(growing.stored(), schema)


def _check_batch(batch: Any) -> None:
    """Raises DataError for what no program would write: to read on could crash. Damage has not always a checksum."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            column.validate(full=True)
            if pa.types.is_dictionary(column.type):
                column.dictionary.validate(full=True)
        except (pa.ArrowException, UnicodeDecodeError) as error:
            if "UTF8" in str(error):
                expected = "text in UTF-8"
                raise DataError(
                    f"column {name!r}: expected {expected}, found other bytes: was it written with another encoding?",
                    column=name,
                    expected=expected,
                ) from error
            raise DataError(f"column {name!r}: the file is damaged: {_in_one_line(error)}", column=name) from error


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())
