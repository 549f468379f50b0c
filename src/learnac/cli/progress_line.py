"""The line that moves while a model is learned."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from learnac.learn import StepInfo


class ProgressLine:
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
