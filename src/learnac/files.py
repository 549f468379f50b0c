"""Writing files so that nothing is lost: the whole new content, or what was there before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


def replace_file(path: str | Path, content: bytes) -> None:
    """Writes a file, or leaves the old one as it was. On the disk when this returns."""
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` if the block ends well, and is gone otherwise."""
    target = Path(path)
    partial = _partial(target)
    with _naming(path, partial):
        try:
            with partial.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, target)
        finally:
            _remove(partial)


def check_writable(path: str | Path) -> None:
    """Raises OSError now if `replace_file` could not write there later: no such folder, read-only, a folder itself."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    partial = _partial(target)
    with _naming(path, partial):
        try:
            partial.open("xb").close()
        finally:
            _remove(partial)


@contextmanager
def _naming(path: str | Path, partial: Path) -> Iterator[None]:
    """Complaints about the partial file, and those that name none, as of a full disk, name the file itself."""
    try:
        yield
    except OSError as error:
        if error.filename in (None, str(partial)) and error.errno is not None:
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise


def _remove(partial: Path) -> None:
    with suppress(OSError):
        partial.unlink(missing_ok=True)


def _partial(target: Path) -> Path:
    return target.with_name(f".{uuid4().hex}.partial")
