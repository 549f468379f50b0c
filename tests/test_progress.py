"""`LearnAC(verbose=True)`: a line that moves in a terminal, plain lines elsewhere."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest

from learnac import LearnAC
from learnac.learn import StepInfo, Stop
from learnac.progress import PlainLines, Progress

ROWS = np.random.default_rng(0).integers(2, size=(200, 3))
ROWS[:, 2] = ROWS[:, 0] ^ ROWS[:, 1]


def step(n_splits: int, validation: float | None = None) -> StepInfo:
    return StepInfo(n_splits, 0, 0, 0, 1.0, 10, 0.1, 1000 * n_splits, n_splits, -2.5, validation, 0.0)


def test_it_is_silent_unless_asked(capfd: pytest.CaptureFixture[str]) -> None:
    LearnAC().fit(ROWS)
    assert capfd.readouterr() == ("", "")


def test_where_nobody_looks_there_is_a_line_at_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    model = LearnAC(verbose=True, max_splits=2).fit(ROWS)
    out, err = capfd.readouterr()
    assert out == ""
    log_likelihood = model.trace_[-1].log_likelihood
    edges = model.trace_[-1].n_edges
    assert re.fullmatch(rf"learning: 2 splits   {edges} edges   log-likelihood {log_likelihood:.4f}   \d s\n", err)


def test_the_callback_is_still_called_and_can_end_learning(capfd: pytest.CaptureFixture[str]) -> None:
    model = LearnAC(verbose=True, callback=lambda info: info.n_splits == 1).fit(ROWS)
    assert model.stop_ is Stop.CALLBACK
    assert capfd.readouterr().err.startswith("learning: 1 splits")


def test_plain_lines_come_every_few_seconds() -> None:
    now = 100.0
    out = io.StringIO()
    lines = PlainLines(Progress(lambda: now), out, every_seconds=5)
    for seconds in (1, 4, 5, 6, 9, 30, 31):
        now = 100.0 + seconds
        lines.take_note(step(seconds, validation=-3.0 - seconds))
    assert out.getvalue().splitlines() == [
        "learning: 5 splits   5,000 edges   log-likelihood -2.5000   validation -8.0000 (best -4.0000)   5 s",
        "learning: 30 splits   30,000 edges   log-likelihood -2.5000   validation -33.0000 (best -4.0000)   30 s",
    ]


PROGRAM = """
import numpy as np
from learnac import LearnAC

rows = np.random.default_rng(0).integers(3, size=(3000, 20))
LearnAC(edge_penalty=1e-6, parameter_penalty=0, max_seconds=1.2, alpha=1, shrinkage=1, verbose=True).fit(rows)
print("done")
"""


def test_in_a_terminal_the_line_moves() -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        shown = read_all(ours, seconds=60)
        assert process.stdout is not None
        assert process.stdout.read() == b"done\n"
    os.close(ours)
    counts = [int(found.replace(b",", b"")) for found in re.findall(rb"([\d,]+) splits", shown)]
    assert len(set(counts)) > 1, shown
    assert counts == sorted(counts)
    assert b"\x1b[2K" in shown  # The line is erased before it is written again.
    assert shown.count(b"learning: ") == 1


def read_all(descriptor: int, seconds: float) -> bytes:
    """What a terminal shows until its program ends."""
    shown, deadline = b"", time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not select.select([descriptor], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(descriptor, 4096)
        except OSError:  # How Linux says that nobody holds the other end any more.
            break
        if not part:
            break
        shown += part
    return shown
