"""Tables as streams of batches: files that may be larger than memory, whole folders of them, or any Arrow batches."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from learnac.data.arrow_files import arrow_batches, parquet_batches
from learnac.data.csv_files import csv_batches
from learnac.data.scratch import ScratchFile
from learnac.data.tables import TableLayout, naming
from learnac.errors import DataError, QueryError, listed, placed

ErrorT = TypeVar("ErrorT", DataError, QueryError)


class BatchSource(Protocol):
    """A table that can be read from its beginning as often as need be."""

    @property
    def name(self) -> str:
        """What to call it in messages."""

    def batches(self) -> Iterator[Any]:
        """Record batches of pyarrow, the same ones every time."""


def batch_source(table: object, layout: TableLayout | None = None, folder: Path | None = None) -> BatchSource:
    """The stream behind a path (a file, a folder or a pattern such as `visits-*.parquet`), or behind Arrow batches.

    Batches that can be read only once are kept in a file without a name, in `folder`.
    """
    if isinstance(table, FileBatches | KeptBatches):
        return table
    if isinstance(table, str | os.PathLike):
        return FileBatches.of(table, layout)
    if hasattr(table, "__arrow_c_stream__"):
        return KeptBatches(pa.RecordBatchReader.from_stream(table), folder)
    if isinstance(table, Iterable):
        return KeptBatches(table, folder)
    raise TypeError(f"expected a path or an iterator of Arrow batches, found {type(table).__name__}")


@dataclass(frozen=True, slots=True)
class FileBatches:
    """Files with the same columns, one after the other. `types` are those of columns of CSV and its like."""

    name: str
    paths: tuple[Path, ...]
    layout: TableLayout
    types: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, pattern: str | os.PathLike[str], layout: TableLayout | None = None) -> FileBatches:
        paths, layout = files_of(pattern), layout or TableLayout()
        if "libra" in {layout.format_of(path) for path in paths}:
            expected = "CSV, TSV, Parquet or Arrow"
            raise DataError(
                f"{pattern}: expected {expected}, found Libra's format, which is read into memory only",
                expected=expected,
                source=str(pattern),
            )
        return cls(str(pattern), paths, layout)

    def batches(self) -> Iterator[Any]:
        names: list[str] | None = None
        for path in self.paths:
            with naming(path), unchanged([path]):
                for batch in self._of_file(path):
                    names = _same_names(names, batch.schema.names)
                    yield batch

    def _of_file(self, path: Path) -> Iterator[Any]:
        match self.layout.format_of(path):
            case "parquet":
                return parquet_batches(path)
            case "arrow":
                return arrow_batches(path)
        dialect = self.layout.dialect_of(path)
        assert dialect is not None
        return csv_batches(path, replace(dialect, types=self.types))

    def wider(self, error: pa.ArrowInvalid, found: Mapping[str, Any]) -> FileBatches:
        """The same files, with a wider type for the column that a value did not fit into: `found` has the types of
        the columns so far. Whole numbers become numbers, all else becomes text.
        """
        place = re.search(r"column #(\d+)", str(error))
        if place is None:
            raise DataError(f"cannot be read: {' '.join(str(error).split())}", source=self.name) from error
        name = list(found)[int(place[1])]
        wider = pa.float64() if pa.types.is_integer(found[name]) else pa.string()
        return replace(self, types={**self.types, name: wider})


class KeptBatches:
    """Batches that come only once, kept in a file without a name: it is gone with the process."""

    name = "the batches"

    def __init__(self, batches: Iterable[Any], folder: Path | None = None) -> None:
        self._scratch = ScratchFile(folder)
        with self._scratch.naming_folder():
            self._keep(batches)

    def _keep(self, batches: Iterable[Any]) -> None:
        writer = None
        for given in batches:
            for batch in given.to_batches() if isinstance(given, pa.Table) else [given]:
                if not isinstance(batch, pa.RecordBatch):
                    expected = "record batches or tables of pyarrow"
                    raise TypeError(f"expected {expected}, found {type(batch).__name__}")
                writer = writer or pa.ipc.new_stream(self._scratch.file, batch.schema)
                writer.write_batch(batch)
        if writer is None:
            raise DataError("expected batches with rows, found none", expected="batches with rows")
        writer.close()

    def batches(self) -> Iterator[Any]:
        self._scratch.flush()
        self._scratch.file.seek(0)
        yield from pa.ipc.open_stream(self._scratch.file)


def files_of(pattern: str | os.PathLike[str]) -> tuple[Path, ...]:
    """The files that a path, a folder or a pattern stands for, by name."""
    path = Path(pattern)
    if path.is_dir():
        inside = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith((".", "_")))
        if not inside:
            raise DataError(f"{path}: expected files with tables, found none in this folder", source=str(path))
        endings = sorted({each.suffix for each in inside})
        if len(endings) > 1:
            raise DataError(
                f"{path}: expected files of one kind in this folder, found {listed(endings)}; say which with a "
                f"pattern, as in '{path / ('*' + endings[0])}'",
                source=str(path),
            )
        return tuple(inside)
    if not path.exists() and glob.has_magic(str(pattern)):
        found = sorted(Path(name) for name in glob.glob(str(pattern)))
        if not found:
            raise DataError(f"{pattern}: expected files, found none whose names fit this pattern", source=str(pattern))
        return tuple(found)
    path.open("rb").close()  # Its complaint names the file.
    return (path,)


def is_many(pattern: str | os.PathLike[str]) -> bool:
    """Whether a path stands for more than a file: a folder, or a pattern."""
    return Path(pattern).is_dir() or (not Path(pattern).exists() and glob.has_magic(str(pattern)))


def _same_names(expected: list[str] | None, found: list[str]) -> list[str]:
    if expected is not None and sorted(found) != sorted(expected):
        raise DataError(
            f"expected the columns of the files before it, {listed(expected)}; found {listed(found)}",
            expected=tuple(expected),
            found=tuple(found),
        )
    return found if expected is None else expected


@contextmanager
def unchanged(paths: Iterable[Path]) -> Iterator[None]:
    """Raises DataError if a file is not the same in the end."""
    before = {path: _state(path) for path in paths}
    yield
    for path, state in before.items():
        if _state(path) != state:
            what = "the file changed while it was read: start again when nobody writes to it"
            raise DataError(f"{path}: {what}", source=str(path))


def _state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def in_whole_table(error: ErrorT, first_row: int, name: str) -> ErrorT:
    """An error about a row of a batch that begins with row `first_row` of the whole table."""
    if error.row is None or first_row == 0:
        return error if error.source is not None else placed(error, name, source=name)
    row = first_row + error.row
    said = str(error).replace(f"row {error.row}", f"row {row:,}", 1)
    return placed(error.saying(said, row=row), name, source=name)
