"""What a search tells people while it lasts: a line that moves in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from learnac.learn import RoundInfo, StepInfo

REFRESHES_PER_SECOND = 8

SECONDS_BETWEEN_LINES = 5.0
"""Of plain lines, so that the log of an hour has some hundreds of them."""


class Progress:
    """The last step of a search, in words. Changes in place."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self._step: StepInfo | RoundInfo | None = None
        self._best_validation = float("-inf")

    def take_note(self, step: StepInfo | RoundInfo) -> None:
        self._step = step
        if step.validation_log_likelihood is not None:
            self._best_validation = max(self._best_validation, step.validation_log_likelihood)

    @property
    def seconds(self) -> float:
        return self._clock() - self._start

    def __str__(self) -> str:
        return "   ".join(self._parts())

    def _parts(self) -> list[str]:
        seconds = f"{self.seconds:.0f} s"
        step = self._step
        if step is None:
            return ["counting", seconds]
        parts = [str(step), f"log-likelihood {step.log_likelihood:.4f}"]
        if step.validation_log_likelihood is not None:
            parts.append(f"validation {step.validation_log_likelihood:.4f} (best {self._best_validation:.4f})")
        return [*parts, seconds]


class PlainLines:
    """Writes a line every few seconds, and one at the end, for notebooks and logs."""

    def __init__(self, progress: Progress, stream: TextIO, every_seconds: float = SECONDS_BETWEEN_LINES) -> None:
        self._progress = progress
        self._stream = stream
        self._every_seconds = every_seconds
        self._next = every_seconds

    def take_note(self, step: StepInfo | RoundInfo) -> None:
        self._progress.take_note(step)
        if self._progress.seconds >= self._next:
            self._next = self._progress.seconds + self._every_seconds
            self.write()

    def write(self) -> None:
        print(f"learning: {self._progress}", file=self._stream, flush=True)


@contextmanager
def moving_line(progress: Progress, stream: TextIO) -> Iterator[Callable[[StepInfo | RoundInfo], None]]:
    """A callback that keeps a line in a terminal up to date, and takes it away at the end.

    The callback only takes note of the step. A thread draws, a few times a second.
    """
    from rich.console import Console
    from rich.live import Live

    console = Console(file=stream)
    line = _MovingLine(progress)
    with Live(line, console=console, refresh_per_second=REFRESHES_PER_SECOND, transient=True):
        yield progress.take_note


@contextmanager
def shown_progress(stream: TextIO | None = None) -> Iterator[Callable[[StepInfo | RoundInfo], None]]:
    """A callback that shows each step on `stream`, or else stderr: in a terminal as a line that moves.

    When all is done, a plain line says where the search ended.
    """
    out, progress = stream or sys.stderr, Progress()
    lines = PlainLines(progress, out)
    if out.isatty():
        with moving_line(progress, out) as take_note:
            yield take_note
    else:
        yield lines.take_note
    lines.write()


class _MovingLine:
    """As rich draws it: a spinner, and the words as far as there is room."""

    def __init__(self, progress: Progress) -> None:
        from rich.spinner import Spinner

        self._progress = progress
        self._spinner = Spinner("line")

    def __rich__(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        grid.add_row(self._spinner, Text(str(self._progress), no_wrap=True, overflow="ellipsis"))
        return grid
