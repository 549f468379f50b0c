"""Running out of memory, said of what needed it: a way out for one thing is none for another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

TOO_LITTLE = "there is not enough memory"
FEWER_EDGES = "with a smaller --max-edges, the circuit needs less"


class OutOfMemory(MemoryError):  # noqa: N818
    """There is not enough memory: the message says what for."""


@contextmanager
def memory_for(what: str, way_out: str = "") -> Iterator[None]:
    """Names what was being done when memory ran out."""
    try:
        yield
    except MemoryError as error:
        raise OutOfMemory(f"{TOO_LITTLE} for {what}" + (f"; {way_out}" if way_out else "")) from error
