"""A function called in a process of its own, within limits of CPU time and memory."""

from __future__ import annotations

import os
import pickle
import resource
import signal
from collections.abc import Callable
from enum import Enum
from typing import TypeVar

T = TypeVar("T")


class Exceeded(Enum):
    """The limit that a call did not stay within."""

    TIME = "time"
    MEMORY = "memory"


def limited(call: Callable[[], T], *, seconds: float, gigabytes: float) -> T | Exceeded:
    """What `call` returns, which must be something that can be pickled.

    The process is a copy of this one, so that what has been read need not be read again. Time is CPU time: it does not
    depend on what else the machine does. An error in `call` is raised here.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(call, writer, seconds, gigabytes)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        sent = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
            return Exceeded.TIME
        raise RuntimeError(f"the process of a call ended by signal {os.WTERMSIG(status)}")
    found = pickle.loads(sent)
    if isinstance(found, BaseException):
        raise found
    return found  # type: ignore[no-any-return]


def _answer(call: Callable[[], object], writer: int, seconds: float, gigabytes: float) -> None:
    """In the copy: calls, sends what came of it, and ends without what Python does at its end."""
    size, time = int(gigabytes * 2**30), max(1, round(seconds))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CPU, (time, time + 5))
    try:
        found: object = call()
    except BaseException as error:
        is_memory = isinstance(error, MemoryError) or "bad_alloc" in str(error)  # as C++ says it
        found = Exceeded.MEMORY if is_memory else RuntimeError(f"{type(error).__name__}: {error}")
    with os.fdopen(writer, "wb") as file:
        pickle.dump(found, file)
    os._exit(0)
