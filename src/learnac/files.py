"""Writing files so that nothing is lost: the whole new content, or what was there before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
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
    try:
        with partial.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except OSError as error:
        if error.filename == str(partial):
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        partial.unlink(missing_ok=True)


def check_writable(path: str | Path) -> None:
    """Raises OSError now if `replace_file` could not write there later: no such folder, read-only, a folder itself."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(path))
    partial = _partial(target)
    try:
        partial.open("xb").close()
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        partial.unlink(missing_ok=True)


def _partial(target: Path) -> Path:
    return target.with_name(f".{uuid4().hex}.partial")
