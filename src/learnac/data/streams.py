"""Files as streams of bytes, decompressed on the way."""

from __future__ import annotations

import io
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from learnac.errors import DataError

_CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd", ".lz4": "lz4", ".xz": "xz"}


def uncompressed_name(path: Path) -> str:
    """The file's name without the ending that a compression added."""
    return path.stem if path.suffix.lower() in _CODECS else path.name


@contextmanager
def open_stream(path: Path) -> Iterator[Any]:
    """The uncompressed content, from its beginning to its end, for pyarrow to read."""
    path.open("rb").close()  # Its complaints name the file, those of pyarrow do not.
    codec = _CODECS.get(path.suffix.lower())
    with _as_data_errors():
        if codec == "xz":  # pyarrow does not know it.
            with lzma.open(path) as file, pa.PythonFile(file, mode="r") as stream:
                yield stream
        else:
            with pa.input_stream(str(path), compression=codec) as stream:
                yield stream


@contextmanager
def open_random_access(path: Path) -> Iterator[Any]:
    """The same for formats that are not read from beginning to end: what is compressed is held in memory."""
    path.open("rb").close()
    if path.suffix.lower() not in _CODECS:
        with _as_data_errors(), pa.memory_map(str(path)) as file:
            yield file
    else:
        with open_stream(path) as stream:
            content = stream.read()
        yield pa.BufferReader(content)


class EndedLine(io.RawIOBase):
    """A stream and one line feed more: pyarrow does not find the columns of a single line that does not end."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._is_at_end = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """As many bytes as asked for, unless there are fewer: then the line feed is among them."""
        parts, missing = [], size
        while missing != 0 and (part := self._stream.read(missing if size >= 0 else None)):
            parts.append(part)
            missing -= len(part) if size >= 0 else 0
        if missing != 0 and not self._is_at_end:
            self._is_at_end = True
            parts.append(b"\n")
        return b"".join(parts)


@contextmanager
def _as_data_errors() -> Iterator[None]:
    """A file that ends too soon, or that its compression did not write."""
    try:
        yield
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise DataError(f"cannot be read: {error}") from error
