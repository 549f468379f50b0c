"""The line that moves while a model is learned."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from learnac.learn import StepInfo

REFRESHES_PER_SECOND = 8


@contextmanager
def progress_line() -> Iterator[Callable[[StepInfo], None] | None]:
    """A callback for `LearnAC` that keeps a line on stderr up to date; None if nobody is looking at stderr.

    The callback only takes note of the step. A thread draws, a few times a second.
    """
    if not sys.stderr.isatty():
        yield None
        return
    line = _Line()
    with Live(line, console=Console(stderr=True), refresh_per_second=REFRESHES_PER_SECOND, transient=True):
        yield line.take_note


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A line on stderr that says what takes its time, if somebody is looking."""
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(what, spinner="line"):
        yield


def row_blocks(n_rows: int, what: str, block_rows: int = 20_000) -> Iterator[slice]:
    """Slices of rows, with a bar on stderr once they take longer than a second, if somebody is looking."""
    starts = range(0, n_rows, block_rows)
    slices = [slice(start, min(start + block_rows, n_rows)) for start in starts]
    if not sys.stderr.isatty() or len(slices) == 1:
        yield from slices
        return
    began = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=False) as progress:
        task = progress.add_task(what, total=n_rows, visible=False)
        for rows in slices:
            yield rows
            progress.update(task, completed=rows.stop, visible=time.monotonic() - began > 1)


class _Line:
    """Draws the last step that it was told of."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._spinner = Spinner("line")
        self._step: StepInfo | None = None
        self._best_validation = float("-inf")

    def take_note(self, step: StepInfo) -> None:
        self._step = step
        if step.validation_log_likelihood is not None:
            self._best_validation = max(self._best_validation, step.validation_log_likelihood)

    def __rich__(self) -> Table:
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        grid.add_row(self._spinner, Text("   ".join(self._parts()), no_wrap=True, overflow="ellipsis"))
        return grid

    def _parts(self) -> list[str]:
        seconds = f"{time.monotonic() - self._start:.0f} s"
        step = self._step
        if step is None:
            return ["counting", seconds]
        parts = [
            f"{step.n_splits:,} splits",
            f"{step.n_edges:,} edges",
            f"log-likelihood {step.log_likelihood:.4f}",
        ]
        if step.validation_log_likelihood is not None:
            parts.append(f"validation {step.validation_log_likelihood:.4f} (best {self._best_validation:.4f})")
        return [*parts, seconds]
