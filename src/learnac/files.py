"""Writing files so that nothing is lost: the whole new content, or what was there before.

A file is written beside its place, without a name, and gets its name when it is whole: a program that is killed leaves
nothing behind. Where the system cannot do that, the file has a name until then, and who writes there next removes it.
What is no file, as a pipe or a device, is written to as it is. A link stays: the file that it points to is replaced.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EISDIR
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from learnac.file_locks import is_locked, lock

_PARTIAL = re.compile(r"\.learnac-[0-9a-f]{32}\.partial")


def replace_file(path: str | Path, content: bytes) -> None:
    """Writes a file, or leaves the old one as it was. On the disk when this returns."""
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` if the block ends well, and is gone otherwise.

    It has the mode of the file that it replaces.
    """
    if is_special(path):
        with Path(path).open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    with _naming(path, target.parent), _partial_file(target.parent) as (file, name):
        yield file
        file.flush()
        _copy_mode(target, file.fileno())
        os.fsync(file.fileno())
        _give_name(file.fileno(), name, target)


def check_writable(path: str | Path) -> None:
    """Raises OSError now if `replace_file` could not write there later: no such folder, read-only, a folder itself."""
    if Path(path).is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    if is_special(path):  # Not opened: that would wait for the other end of a pipe.
        if not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), str(path))
        return
    folder = Path(os.path.realpath(path)).parent
    with _naming(path, folder), _partial_file(folder):
        _remove_abandoned(folder)


def is_special(path: str | Path) -> bool:
    """Whether there is something that is neither a file nor a folder: a pipe, a device."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def _partial_file(folder: Path) -> Iterator[tuple[BinaryIO, Path | None]]:
    """A new file in a folder, locked and gone in the end, and its name if it has one."""
    descriptor, name = _without_name(folder), None
    if descriptor is None:
        _remove_abandoned(folder)
        descriptor, name = _with_name(folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file, name
    finally:
        if name is not None:
            _remove(name)


def _without_name(folder: Path) -> int | None:
    """Opens a file that has no name yet; None where there is no such thing."""
    flag, can_be_named = getattr(os, "O_TMPFILE", None), os.path.isdir("/proc/self/fd")
    if flag is None or not can_be_named or not folder.is_dir():
        return None
    try:
        descriptor = os.open(folder, flag | os.O_WRONLY, 0o666)
    except OSError:  # Some file systems do not have it; what else is wrong shows when a name is tried.
        return None
    lock(descriptor)
    return descriptor


def _with_name(folder: Path) -> tuple[int, Path]:
    while True:
        name = _new_name(folder)
        descriptor = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        lock(descriptor)
        if os.fstat(descriptor).st_nlink > 0:  # Or somebody took it for abandoned before it was locked.
            return descriptor, name
        os.close(descriptor)


def _new_name(folder: Path) -> Path:
    return folder / f".learnac-{uuid4().hex}.partial"


def _give_name(descriptor: int, name: Path | None, target: Path) -> None:
    """The file takes the place of the target, in one step."""
    if name is not None:
        os.replace(name, target)
        return
    # A link cannot take the place of a file: it gets a name of its own first, for a moment.
    name = _new_name(target.parent)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        # With a folder, or Python would make a link to the link.
        os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=folder, follow_symlinks=True)
        os.replace(name, target)
    finally:
        os.close(folder)
        _remove(name)


def _copy_mode(target: Path, descriptor: int) -> None:
    """The mode, and if possible the owner, of the file that is replaced, if there is one."""
    try:
        old = target.stat()
    except OSError:
        return
    with suppress(OSError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    with suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _remove_abandoned(folder: Path) -> None:
    """Removes what killed programs left: files of ours that nobody holds a lock on."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if _PARTIAL.fullmatch(entry.name) and not is_locked(entry.path):
                _remove(Path(entry.path))


@contextmanager
def _naming(path: str | Path, folder: Path) -> Iterator[None]:
    """Complaints about the partial file, and those that name none, as of a full disk, name the file itself."""
    try:
        yield
    except OSError as error:
        named = error.filename
        is_ours = named is None or (Path(str(named)).parent == folder and _PARTIAL.fullmatch(Path(str(named)).name))
        if is_ours and error.errno is not None:
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise


def _remove(partial: Path) -> None:
    with suppress(OSError):
        partial.unlink(missing_ok=True)
