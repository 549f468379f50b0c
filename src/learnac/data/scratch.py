"""Files without a name for what does not fit into memory: gone when nobody needs them, or when the process ends."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path


class InMemory:
    """The same without a file, for tables whose parts many machines hold in memory. It can be pickled."""

    def __init__(self) -> None:
        self._pieces: dict[int, bytes] = {}  # by where they begin
        self._n_bytes = 0

    def write(self, content: bytes) -> int:
        offset = self._n_bytes
        self._pieces[offset] = content
        self._n_bytes += len(content)
        return offset

    def flush(self) -> None:
        """There is nothing to wait for."""

    def read(self, offset: int, n_bytes: int) -> bytes:
        """What was written there at once, or its beginning."""
        return self._pieces[offset][:n_bytes]


class ScratchFile:
    """A file to write to once, from its beginning to its end, and to read from anywhere."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(tempfile.gettempdir())
        with self.naming_folder():
            self.file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        weakref.finalize(self, self.file.close)
        self.n_bytes = 0

    def write(self, content: bytes) -> int:
        """Where the content begins."""
        with self.naming_folder():
            self.file.write(content)
        self.n_bytes += len(content)
        return self.n_bytes - len(content)

    def flush(self) -> None:
        with self.naming_folder():
            self.file.flush()

    def read(self, offset: int, n_bytes: int) -> bytearray:
        content = bytearray(n_bytes)
        view, done = memoryview(content), 0
        while done < n_bytes:
            done += os.preadv(self.file.fileno(), [view[done:]], offset + done)
        return content

    @contextmanager
    def naming_folder(self) -> Iterator[None]:
        """A full disk, said of the folder: the file has no name."""
        try:
            yield
        except OSError as error:
            if error.errno is None:
                raise
            is_full = error.errno in (ENOSPC, EDQUOT, EFBIG)
            what = "there is no room for a packed table" if is_full else error.strerror
            raise type(error)(error.errno, what, str(self.folder)) from error
