"""Ctrl-C during learning: the step under way is finished, and the model so far is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.is_set = False

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        # Whoever presses it twice wants out at once.
        if self.is_set:
            raise KeyboardInterrupt
        self.is_set = True


@contextmanager
def held_interrupt() -> Iterator[Interrupt]:
    """Turns the first Ctrl-C into a flag. Only in the main thread, and only if nobody else handles the signal.

    Within another such block, the flag is the same.
    """
    held = signal.getsignal(signal.SIGINT)
    if isinstance(held, Interrupt) and threading.current_thread() is threading.main_thread():
        yield held
        return
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread() or held is not signal.default_int_handler:
        yield interrupt
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
