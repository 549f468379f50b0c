"""Files as streams of bytes, decompressed on the way."""

from __future__ import annotations

import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from learnac.errors import DataError

_LIMIT_VARIABLE = "LEARNAC_MAX_DECOMPRESSED"
_MOST_BYTES = 1 << 30
_PIECE = 1 << 22
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
            # Not closed here, but when nobody reads from it any more: pyarrow reads on in the background, and would go
            # on in the file that is opened next, which gets the number of the closed one.
            yield pa.input_stream(str(path), compression=codec)


@contextmanager
def open_random_access(path: Path) -> Iterator[Any]:
    """The same for formats that are not read from beginning to end: what is compressed is held in memory."""
    path.open("rb").close()
    if path.suffix.lower() not in _CODECS:
        with _as_data_errors(), pa.memory_map(str(path)) as file:
            yield file
    else:
        with open_stream(path) as stream:
            content = _read_all(stream)
        yield pa.BufferReader(content)


def _read_all(stream: Any) -> bytes:
    """What a stream holds, up to a limit: a small file may decompress into more than there is memory."""
    most, pieces, size = _most_bytes(), [], 0
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            expected = f"at most {most:,} bytes after decompression"
            raise DataError(
                f"expected {expected}, found more: decompress the file first, or set the environment variable "
                f"{_LIMIT_VARIABLE} to a larger number of bytes",
                expected=expected,
            )
    return b"".join(pieces)


def _most_bytes() -> int:
    stated = os.environ.get(_LIMIT_VARIABLE, "")
    if not stated:
        return _MOST_BYTES
    if not stated.isdecimal():
        raise DataError(f"{_LIMIT_VARIABLE}: expected a number of bytes, found {stated!r}")
    return int(stated)


@contextmanager
def _as_data_errors() -> Iterator[None]:
    """A file that ends too soon, or that its compression did not write."""
    try:
        yield
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise DataError(f"cannot be read: {error}") from error
