"""Locks on files, which the system takes away when a program ends, however it ends."""

from __future__ import annotations

import os

try:
    import fcntl
except ImportError:  # Windows has others.
    fcntl = None  # type: ignore[assignment]


def lock(descriptor: int) -> bool:
    """Holds a lock on an open file until it is closed, where there are locks; False if somebody else holds it."""
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # A file system without locks.
            pass
    return True


def is_locked(path: str) -> bool:
    """Whether somebody holds a lock on a file; True too where that cannot be known."""
    if fcntl is None:
        return True
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
