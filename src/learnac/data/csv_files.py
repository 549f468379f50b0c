"""Reading CSV and its like by pyarrow, block by block, with complaints that say what is wrong and where."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from learnac.data.compact import GrowingTable
from learnac.data.streams import open_stream
from learnac.errors import DataError, Problem

# A line must fit into a block. Small blocks are faster, so the large one is for long lines only.
_BLOCK_SIZES = (1 << 20, 1 << 27)
_PIECE = 1 << 16
_OTHER_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How a file is written. Columns without a header are called x0, x1, ...

    `missing` are the texts that stand for no value; None for those that pyarrow knows, such as an empty cell or
    NA, which in quotes are strings.
    """

    has_header: bool = True
    delimiter: str = ","
    missing: tuple[str, ...] | None = None
    types: Mapping[str, Any] = field(default_factory=dict)


def read_csv(path: Path, dialect: CsvDialect) -> Any:
    """The file as a table of pyarrow. Types that are not stated are found by looking at all rows."""
    _check_text(path)
    for block_size in _BLOCK_SIZES:
        try:
            return _read_by_blocks(path, dialect, block_size)
        except pa.ArrowInvalid as error:
            if _may_be_long_line(error, block_size):
                continue
            if "conversion error" not in str(error):
                raise _parse_error(path, dialect, str(error)) from error
            # The first block did not show what all rows hold; to find out takes the whole table, in wide types.
            return _read_at_once(path, dialect, block_size)
    raise AssertionError("unreachable")


def csv_batches(path: Path, dialect: CsvDialect) -> Iterator[Any]:
    """The rows of the file, batch by batch, under our names of the columns. Types that are not stated are those of the
    first block: pyarrow raises ArrowInvalid when a later block is different.
    """
    _check_text(path)
    for block_size in _BLOCK_SIZES:
        try:
            with _opened(path, dialect, block_size) as reader:
                temporal, names = _temporal(reader.schema, dialect), _our_names(reader.schema.names, dialect)
                if not temporal:
                    yield from (batch.rename_columns(names) for batch in reader)
        except pa.ArrowInvalid as error:
            if _may_be_long_line(error, block_size):
                continue
            if "conversion error" in str(error):
                raise
            raise _parse_error(path, dialect, str(error)) from error
        if temporal:
            yield from csv_batches(path, _with_strings(dialect, temporal))
        return


def column_names(path: Path, dialect: CsvDialect) -> list[str]:
    """The names of the columns, by a look at the first block."""
    _check_text(path)
    for block_size in _BLOCK_SIZES:
        try:
            with _opened(path, dialect, block_size) as reader:
                return _our_names(reader.schema.names, dialect)
        except pa.ArrowInvalid as error:
            if not _may_be_long_line(error, block_size):
                raise _parse_error(path, dialect, str(error)) from error
    raise AssertionError("unreachable")


def _our_names(names: list[str], dialect: CsvDialect) -> list[str]:
    return names if dialect.has_header else [f"x{column}" for column in range(len(names))]


def _may_be_long_line(error: pa.ArrowInvalid, block_size: int) -> bool:
    """Whether the largest block may do better: with a long line, or a single one that does not end."""
    return block_size < _BLOCK_SIZES[-1] and ("straddling" in str(error) or "file or block" in str(error))


def _check_text(path: Path) -> None:
    with open_stream(path) as stream:
        start = stream.read(4096)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError("expected text in UTF-8, found UTF-16: save it as UTF-8", expected="UTF-8", found="UTF-16")
    if b"\0" in start:
        raise DataError("expected text in UTF-8, found binary data: is this another format, with the wrong ending?")


@contextmanager
def _opened(path: Path, dialect: CsvDialect, block_size: int) -> Iterator[Any]:
    options = _options(dialect, block_size, dialect.types)
    line = _only_line(path)
    with open_stream(path) as stream, _naming_encoding():
        # pyarrow does not find the columns of a single line that does not end.
        source = stream if line is None else pa.BufferReader(line + b"\n")
        with pa_csv.open_csv(source, **options) as reader:
            yield reader


def _only_line(path: Path) -> bytes | None:
    """The content of a file that is one line without an end. DataError if its first line is too long to be read.

    Found out before pyarrow reads on in the background, which it does not give up when it finds a line too long.
    """
    pieces, size = [], 0
    with open_stream(path) as stream:
        while piece := stream.read(_PIECE):
            if b"\n" in piece or b"\r" in piece:
                return None
            pieces.append(piece)
            size += len(piece)
            if size > _BLOCK_SIZES[-1]:
                raise _too_long()
    return b"".join(pieces) or None


def _too_long() -> DataError:
    longest = f"lines of at most {_BLOCK_SIZES[-1]:,} characters"
    return DataError(f"expected {longest}, found a longer one", expected=longest)


@contextmanager
def _naming_encoding() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError("expected a header in UTF-8, found other bytes: save it as UTF-8") from error


def _options(dialect: CsvDialect, block_size: int, types: Mapping[str, Any]) -> dict[str, Any]:
    if not dialect.has_header:
        types = {f"f{name.removeprefix('x')}": kind for name, kind in types.items()}  # What pyarrow calls them.
    conversion: dict[str, Any] = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}
    if dialect.missing is not None:
        conversion = {"null_values": list(dialect.missing)}
    return {
        # One thread: with more, pyarrow does not know which row it complains about, and is no faster.
        "read_options": pa_csv.ReadOptions(
            use_threads=False, block_size=block_size, autogenerate_column_names=not dialect.has_header
        ),
        "parse_options": pa_csv.ParseOptions(delimiter=dialect.delimiter),
        "convert_options": pa_csv.ConvertOptions(column_types=types, **conversion),
    }


def _read_by_blocks(path: Path, dialect: CsvDialect, block_size: int) -> Any:
    with _opened(path, dialect, block_size) as reader:
        # Dates and times are categories like any other text: as they are written, not as pyarrow would write them.
        temporal = _temporal(reader.schema, dialect)
        if not temporal:
            growing = GrowingTable(_our_names(reader.schema.names, dialect))
            for batch in reader:
                growing.add(batch)
            return growing.table()
    return _read_by_blocks(path, _with_strings(dialect, temporal), block_size)


def _read_at_once(path: Path, dialect: CsvDialect, block_size: int) -> Any:
    try:
        with open_stream(path) as stream, _naming_encoding():
            table = pa_csv.read_csv(stream, **_options(dialect, block_size, dialect.types))
            names = _our_names(table.column_names, dialect)
    except pa.ArrowInvalid as error:
        raise _parse_error(path, dialect, str(error)) from error
    if temporal := _temporal(table.schema, dialect):
        return _read_at_once(path, _with_strings(dialect, temporal), block_size)
    growing = GrowingTable(names)
    for batch in table.to_batches():
        growing.add(batch)
    return growing.table()


def _temporal(schema: Any, dialect: CsvDialect) -> list[str]:
    names = _our_names(schema.names, dialect)
    return [name for name, column in zip(names, schema, strict=True) if pa.types.is_temporal(column.type)]


def _with_strings(dialect: CsvDialect, names: list[str]) -> CsvDialect:
    types = {**dialect.types, **dict.fromkeys(names, pa.string())}
    return CsvDialect(dialect.has_header, dialect.delimiter, dialect.missing, types)


def _parse_error(path: Path, dialect: CsvDialect, message: str) -> DataError:
    """What pyarrow found wrong, in our words."""
    if "straddling" in message:
        return _too_long()
    if "Empty CSV" in message:
        return DataError("the file is empty")
    if found := re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", message):
        return _wrong_number(path, dialect, *found.groups())
    pattern = r"column #(\d+): Row #(\d+): CSV conversion error to (\w+): invalid value (.*)"
    if found := re.search(pattern, message, re.DOTALL):
        column, line, kind, value = found.groups()
        name = column_names(path, CsvDialect(dialect.has_header, dialect.delimiter))[int(column)]
        return DataError(
            f"{path}:{line}: column {name!r}: expected {_in_words(kind)}, found {_cut(value)}",
            column=name,
            row=_row(line, dialect),
            expected=_in_words(kind),
            found=value.removeprefix("'").removesuffix("'"),
            source=str(path),
            problem=Problem.WRONG_TYPE,
        )
    if found := re.search(r"Row #(\d+): .*invalid UTF8 data", message):
        return DataError(
            f"{path}:{found[1]}: expected text in UTF-8, found other bytes: save it as UTF-8",
            row=_row(found[1], dialect),
            expected="text in UTF-8",
            source=str(path),
        )
    return DataError(_cut(message))


def _wrong_number(path: Path, dialect: CsvDialect, line: str, expected: str, found: str) -> DataError:
    """The error for a line with another number of values than the first."""
    if expected == "1" and (error := wrong_delimiter(_first_line(path), dialect.delimiter, dialect.has_header)):
        return error
    return DataError(
        f"{path}:{line}: expected {expected} values, found {found}",
        row=_row(line, dialect),
        expected=f"{expected} values",
        found=int(found),
        source=str(path),
    )


def wrong_delimiter(sample: str, delimiter: str, has_header: bool) -> DataError | None:
    """The error for a table of one column, if `sample`, of its first line, has another character between values."""
    others = _OTHER_DELIMITERS if has_header else _OTHER_DELIMITERS + " "
    for other in others.replace(delimiter, ""):
        if other in sample:
            return DataError(
                f"expected values separated by {delimiter!r}, found one column, {sample[:40]!r}",
                expected=delimiter,
                found=other,
                problem=Problem.DELIMITER,
            )
    return None


def _first_line(path: Path) -> str:
    with open_stream(path) as stream:
        start: bytes = stream.read(4096)
    return start.decode(errors="replace").partition("\n")[0].rstrip("\r")


def _row(line: str, dialect: CsvDialect) -> int:
    """The number of a row, from 0, of which pyarrow says the line."""
    return int(line) - 1 - dialect.has_header


def _in_words(kind: str) -> str:
    known = {"double": "a number", "int32": "a whole number from 0, or *"}
    return known.get(kind, f"{kind}, as in the training table")


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."
