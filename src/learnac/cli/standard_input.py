"""Tables on standard input: kept in a file while the command runs, because tables are read more than once."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from learnac.cli.command import UsageError

STANDARD_INPUT = Path("-")
NAME = "standard input"

# What a file begins with says what it is, as its name does elsewhere.
_ENDINGS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"\x1f\x8b": ".csv.gz",
    b"BZh": ".csv.bz2",
    b"\xfd7zXZ\0": ".csv.xz",
    b"\x28\xb5\x2f\xfd": ".csv.zst",
    b"\x04\x22\x4d\x18": ".csv.lz4",
}
_folder: list[Path] = []


@contextmanager
def kept_input() -> Iterator[None]:
    """Removes in the end what standard input was kept in."""
    try:
        yield
    finally:
        while _folder:
            shutil.rmtree(_folder.pop(), ignore_errors=True)


def as_file(path: Path) -> Path:
    """The file itself; for "-", one that holds what standard input gives."""
    return _kept() if path == STANDARD_INPUT else path


def as_files(paths: Mapping[str, Path]) -> dict[str, Path]:
    """The same of several tables, of which one at most may be standard input."""
    if sum(path == STANDARD_INPUT for path in paths.values()) > 1:
        raise UsageError("expected one table on standard input, found '-' more than once")
    return {role: as_file(path) for role, path in paths.items()}


def shown(text: str) -> str:
    """A text about files, with standard input by its name."""
    for folder in _folder:
        for path in folder.iterdir():
            text = text.replace(str(path), NAME)
    return text


def _kept() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="learnac-"))
    _folder.append(folder)
    stream = sys.stdin.buffer
    start = stream.read(8)
    ending = next((ending for magic, ending in _ENDINGS.items() if start.startswith(magic)), ".csv")
    path = folder / f"input{ending}"
    with path.open("wb") as file:
        file.write(start)
        shutil.copyfileobj(stream, file, 1 << 20)
    return path
