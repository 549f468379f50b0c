"""What moves on stderr while a command works, if somebody is looking."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

from learnac.cli.printable import printable

if TYPE_CHECKING:
    from learnac.learn import RoundInfo, StepInfo


def _is_watched() -> bool:
    """Whether somebody is looking, and the system gives a thread to draw with."""
    if not sys.stderr.isatty():
        return False
    try:
        Thread(target=int).start()
    except RuntimeError:
        return False
    return True


@contextmanager
def progress_line() -> Iterator[Callable[[StepInfo | RoundInfo], None] | None]:
    """A callback for the search that keeps a line on stderr up to date; None if nobody is looking at stderr."""
    if not _is_watched():
        yield None
        return
    from learnac.progress import Progress, moving_line

    with moving_line(Progress(), sys.stderr) as take_note:
        yield take_note


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A line on stderr that says what takes its time, if somebody is looking."""
    if not _is_watched():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(printable(what)), spinner="line"):
        yield


@contextmanager
def rows_read(what: str) -> Iterator[Callable[[int], None] | None]:
    """A callback for whoever reads a stream, which is told the number of rows so far; None if nobody is looking."""
    if not _is_watched():
        yield None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(printable(what)), spinner="line") as status:
        yield lambda n_rows: status.update(Text(printable(f"{what}: {n_rows:,} rows")))


def row_blocks(n_rows: int, what: str, block_rows: int = 20_000) -> Iterator[slice]:
    """Slices of rows, with a bar on stderr once they take longer than a second, if somebody is looking."""
    starts = range(0, n_rows, block_rows)
    slices = [slice(start, min(start + block_rows, n_rows)) for start in starts]
    if len(slices) == 1 or not _is_watched():
        yield from slices
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    began = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=False) as progress:
        task = progress.add_task(what, total=n_rows, visible=False)
        for rows in slices:
            yield rows
            progress.update(task, completed=rows.stop, visible=time.monotonic() - began > 1)
