"""Reading tables from files: CSV, TSV, Parquet, Arrow and Feather, Libra's `.data`, each also compressed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from learnac.data.arrow_files import read_arrow, read_parquet
from learnac.data.csv_files import CsvDialect, column_names, read_csv, wrong_delimiter
from learnac.data.libra_files import read_libra
from learnac.data.stored import StoredTable
from learnac.data.streams import uncompressed_name
from learnac.errors import DataError, Problem, listed, placed
from learnac.types import Category

TableFormat: TypeAlias = Literal["csv", "tsv", "parquet", "arrow", "libra"]

_FORMATS: dict[str, TableFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".data": "libra",
}

# Longer texts are no names or categories, and would fill the screen if a message quoted them.
_LONGEST_TEXT = 1000


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How a file is written, as far as its name does not say. Only CSV and its like need it.

    `format` is by default that of the file's ending, and CSV for one that is not known; `delimiter` is that of
    the format. Without a header, the columns are called x0, x1, ...
    """

    has_header: bool = True
    delimiter: str | None = None
    format: TableFormat | None = None

    def format_of(self, path: Path) -> TableFormat:
        return self.format or _FORMATS.get(Path(uncompressed_name(path)).suffix.lower(), "csv")

    def delimiter_of(self, path: Path) -> str:
        return self.delimiter or ("\t" if self.format_of(path) == "tsv" else ",")

    def dialect_of(self, path: Path) -> CsvDialect | None:
        """How the cells of a file are written; None if it is of another format than CSV and TSV."""
        if self.format_of(path) not in ("csv", "tsv"):
            return None
        return CsvDialect(self.has_header, self.delimiter_of(path))


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A table of pyarrow as a file holds it: values, with gaps. `weights` are those of the rows, if they have any.

    `categories` are those of columns of which the file says it. `stored` has the columns in the types of the file.
    """

    table: Any
    weights: npt.NDArray[np.float64] | None = None
    categories: Mapping[str, tuple[Category, ...]] = field(default_factory=dict)
    stored: StoredTable | None = None

    @property
    def types(self) -> dict[str, Any]:
        """What the columns hold, to read others like them: a column of strings may look like numbers elsewhere."""
        return {column.name: _read_type(column.type) for column in self.table.schema}


def read_frame(
    path: Path | str,
    layout: TableLayout | None = None,
    types: Mapping[str, Any] | None = None,
    wanted: Collection[str] | None = None,
) -> Frame:
    """The table in a file; `types` are stated for some columns of CSV and its like, as types of pyarrow.

    Of columns that are not `wanted`, if that is said, nothing is asked: they may hold what no category can be.
    Raises DataError, which names the file, if it is none; OSError if it cannot be opened.
    """
    path, layout = Path(path), layout or TableLayout()
    with naming(path):
        frame = _read(path, layout, dict(types or {}), wanted)
        _check_frame(frame.table, path, layout, wanted)
        return frame


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Puts the file's name before a complaint that does not say where it is from."""
    try:
        yield
    except DataError as error:
        if error.source is not None:
            raise
        raise placed(error, path, source=str(path)) from error


def _read(path: Path, layout: TableLayout, types: dict[str, Any], wanted: Collection[str] | None) -> Frame:
    match layout.format_of(path):
        case "parquet":
            return _as_stored(read_parquet(path))
        case "arrow":
            return _as_stored(read_arrow(path))
        case "libra":
            table, weights, ranges = read_libra(path, layout.delimiter_of(path))
            categories = {name: tuple(codes) for name, codes in ranges.items()}
            return Frame(table, weights, categories, StoredTable.of_texts(table))
        case "csv" | "tsv":
            dialect = CsvDialect(layout.has_header, layout.delimiter_of(path))
            if wanted is not None:
                others = (name for name in column_names(path, dialect) if name not in wanted)
                types = {**types, **dict.fromkeys(others, pa.binary())}
            table = read_csv(path, replace(dialect, types=types))
            return Frame(table, stored=StoredTable.of_texts(table))


def _as_stored(stored: StoredTable) -> Frame:
    return Frame(stored.values, stored=stored)


def _read_type(kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.int64() if pa.types.is_integer(kind) else kind


def _check_frame(table: Any, path: Path, layout: TableLayout, wanted: Collection[str] | None) -> None:
    _check_names(table, layout)
    if layout.format_of(path) in ("csv", "tsv"):
        _check_delimiter(table, layout.has_header, layout.delimiter_of(path))
    if table.num_rows == 0:
        raise DataError("expected rows of values, found only a header")
    for name, column in zip(table.column_names, table.itercolumns(), strict=True):
        if wanted is not None and name not in wanted:
            continue
        if pa.types.is_binary(_read_type(column.type)):
            expected = "text in UTF-8"
            raise DataError(
                f"column {name!r}: expected {expected}, found other bytes: save it as UTF-8",
                column=name,
                expected=expected,
            )
        if pa.types.is_dictionary(column.type):
            _check_texts(name, column)


def _check_names(table: Any, layout: TableLayout) -> None:
    names = table.column_names
    for position, name in enumerate(names):
        if len(name) > _LONGEST_TEXT:
            expected = f"names of at most {_LONGEST_TEXT:,} characters"
            raise DataError(
                f"expected {expected} in the first line, found one of "
                f"{len(name):,} at position {position}, {name[:40]!r}...: is this a table?",
                column=name,
                expected=expected,
                found=len(name),
            )
    are_numbers = all(re.fullmatch(r"-?[\d.]+", name) for name in names)
    # Numbers may be names, as long as each occurs once.
    if layout.has_header and are_numbers and len(set(names)) < len(names):
        raise DataError(
            f"expected names in the first line, found numbers: {listed(names)}",
            expected="names in the first line",
            found=tuple(names),
            problem=Problem.NO_HEADER,
        )


def _check_texts(name: str, column: Any) -> None:
    values = column.chunk(0).dictionary
    if len(values) == 0 or not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return
    lengths = pc.utf8_length(values).to_numpy()
    if (longest := int(lengths.max())) > _LONGEST_TEXT:
        value = values[int(lengths.argmax())].as_py()
        row = pc.index(column.cast(values.type), value).as_py()
        expected = f"categories of at most {_LONGEST_TEXT:,} characters"
        raise DataError(
            f"column {name!r}, row {row}: expected {expected}, found one of {longest:,}: {value[:40]!r}...",
            column=name,
            row=row,
            expected=expected,
            found=value,
        )


def _check_delimiter(table: Any, has_header: bool, delimiter: str) -> None:
    if table.num_columns > 1:
        return
    sample = table.column_names[0] if has_header or table.num_rows == 0 else str(table[0][0])
    if error := wrong_delimiter(sample, delimiter, has_header):
        raise error
