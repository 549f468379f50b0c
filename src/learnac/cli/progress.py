"""What moves on stderr while a command works, if somebody is looking."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING

from learnac.cli.printable import printable

if TYPE_CHECKING:
    from rich.text import Text

    from learnac.compiler import Attempt
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


@dataclass(slots=True)
class Attempts:
    """The attempts of a compiler so far, as a line that counts down. Changes in place."""

    what: str
    ends: float
    n_attempts: int = 0
    least_edges: int | None = None

    def take_note(self, attempt: Attempt) -> None:
        self.n_attempts += 1
        self.least_edges = attempt.least_edges

    def __str__(self) -> str:
        tried = f"{self.n_attempts:,} attempt" + "s" * (self.n_attempts != 1)
        best = "no circuit yet" if self.least_edges is None else f"best {self.least_edges:,} edges"
        left = max(0.0, self.ends - time.monotonic())
        return printable(f"{self.what}: {tried}, {best}, at most {left:.0f} s left")

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(str(self))


@contextmanager
def attempts_made(what: str, max_seconds: float) -> Iterator[Attempts]:
    """The attempts of a compiler that tells of each, with a line on stderr about them, if somebody is looking."""
    attempts = Attempts(what, time.monotonic() + max_seconds)
    if not _is_watched():
        yield attempts
        return
    from rich.console import Console

    with Console(stderr=True).status(attempts, spinner="line"):
        yield attempts


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
