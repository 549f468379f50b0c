"""What commands give: text for people, JSON for programs, tables for files."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from learnac.cli.command import UsageError
from learnac.cli.printable import printable, printable_json, printable_lines

TEXT_SUFFIXES = (".csv", ".tsv")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, ".parquet", ".feather", ".arrow")


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON object: null for numbers that JSON does not have, such as the logarithm of zero."""
    print(printable_json(json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False)))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(item) for item in value]
    return value


def check_table_path(path: Path | None) -> None:
    """Complains about a table's name or place before the work is done."""
    from learnac.files import check_writable

    if path is None:
        return
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise UsageError(f"expected a name that ends in {', '.join(TABLE_SUFFIXES)}, found {path.name!r}", "--out")
    check_writable(path)


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[Path]) -> None:
    """Complains of files that cannot be written, that are read too, or that are one: now, not after hours of work.

    `outputs` are by the option that each comes from.
    """
    from learnac.errors import QueryError
    from learnac.files import check_writable, is_special

    taken: dict[Path, str] = {}
    sources = list(inputs)
    for option, path in outputs.items():
        if path is None:
            continue
        for source in sources:
            if path.resolve() == source.resolve():
                raise QueryError(f"{path}: this file is also read as a table; choose another name to write to")
        check_writable(path)
        if is_special(path):
            continue  # A device or a pipe takes it all.
        if (other := taken.setdefault(path.resolve(), option)) != option:
            raise UsageError(f"expected a different file from that of {other}, found {path} for both", option)


@contextmanager
def table_writer(path: Path | None) -> Iterator[Callable[[Any], None]]:
    """Writes pyarrow tables one after the other: to a file in the format of its name, all of it or nothing; without
    a path, as CSV to stdout.
    """
    from learnac.files import replacing

    if path is None:
        with closing(_Writer(_stdout(), ".csv")) as writer:
            yield writer.write
        sys.stdout.flush()
        return
    with replacing(path) as file, closing(_Writer(file, path.suffix.lower())) as writer:
        yield writer.write


def _stdout() -> Any:
    """Standard output for bytes."""
    return _Terminal() if sys.stdout.isatty() else sys.stdout.buffer


class _Terminal(io.RawIOBase):
    """Prints a table where a person reads it: characters that steer the terminal are written out."""

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        sys.stdout.write(printable_lines(bytes(content).decode(errors="backslashreplace")))
        return len(content)


@contextmanager
def bytes_writer(path: Path | None) -> Iterator[Callable[[bytes], object]]:
    """Writes bytes one after the other: to a file, all of it or nothing; without a path, to stdout."""
    from learnac.files import replacing

    if path is None:
        yield _stdout().write
        sys.stdout.flush()
        return
    with replacing(path) as file:
        yield file.write


class _Writer:
    """Opens pyarrow's writer with the columns of the first table."""

    def __init__(self, file: Any, suffix: str) -> None:
        self._file = file
        self._suffix = suffix
        self._writer: Any = None

    def write(self, table: Any) -> None:
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _open(self, schema: Any) -> Any:
        if self._suffix in (".csv", ".tsv"):
            return _CsvWriter(self._file, schema, "," if self._suffix == ".csv" else "\t")
        if self._suffix == ".parquet":
            import pyarrow.parquet as pa_parquet

            return pa_parquet.ParquetWriter(self._file, schema)
        import pyarrow as pa

        return pa.ipc.new_file(self._file, schema)


class _CsvWriter:
    """Quotes only where that is needed: pyarrow's own way is to quote every string."""

    def __init__(self, file: Any, schema: Any, delimiter: str) -> None:
        self._file = file
        self._delimiter = delimiter
        header = io.StringIO()
        csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
        file.write(header.getvalue().encode())

    def write_table(self, table: Any) -> None:
        import pyarrow.csv as pa_csv

        style = "needed" if any(map(self._needs_quotes, table.itercolumns())) else "none"
        options = pa_csv.WriteOptions(include_header=False, delimiter=self._delimiter, quoting_style=style)
        pa_csv.write_csv(table, self._file, options)

    def _needs_quotes(self, column: Any) -> bool:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.csv as pa_csv

        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            return bool(pa.types.is_dictionary(column.type))
        special = f'[{self._delimiter}"\r\n]'
        # What readers take for unknown is a category in quotes.
        unknown = pc.is_in(column, value_set=pa.array(pa_csv.ConvertOptions().null_values))
        return any(pc.any(test).as_py() for test in (pc.match_substring_regex(column, special), unknown))

    def close(self) -> None:
        self._file.flush()


def density_note(names: Sequence[str]) -> str:
    """What the answer is, if the query has numbers that are exact."""
    per = " and of ".join(map(printable, names))
    return (
        f"This is a density, per unit of {per}, not a probability: it may be above 1. "
        f"An interval, such as {printable(names[0])}=LOW..HIGH, has a probability."
    )


def density_fields(names: Sequence[str]) -> dict[str, Any]:
    """The same for programs, beside the field `probability`."""
    return {"is_density": bool(names), **({"note": density_note(names)} if names else {})}


def print_rows(rows: Sequence[Sequence[str]], header: Sequence[str] | None = None, right: Sequence[int] = ()) -> None:
    """Rows of text with aligned columns; those in `right` to the right."""
    from learnac.data.describe import aligned

    if sys.stdout.isatty():
        _print_for_a_person(rows, header, right)
        return
    # Programs that read this do not want lines to be broken.
    lines = [
        [printable(" ".join(cell.split())) for cell in row] for row in ([] if header is None else [header]) + [*rows]
    ]
    for line in aligned(lines, right):
        print(line)


def _print_for_a_person(rows: Sequence[Sequence[str]], header: Sequence[str] | None, right: Sequence[int]) -> None:
    """In the width of the terminal: long cells go on in the next line, within their column."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    width = len(rows[0]) if rows else len(header or ())
    for column in range(width):
        table.add_column(justify="right" if column in right else "left", no_wrap=column in right)
    if header is not None:
        table.add_row(*(Text(printable(cell), style="dim") for cell in header))
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(highlight=False).print(table)


def probability(value: float) -> str:
    """A probability with as many digits as tell something."""
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    return f"{value:.4f}" if 1e-3 <= value <= 0.9999 else f"{value:.6g}"
