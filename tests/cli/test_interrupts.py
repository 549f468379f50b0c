"""Ctrl-C during `learnac learn`: what was learned by then is not lost."""

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import Dataset
from learnac.learn import LearnSettings, StepInfo, TableCounts, learn

Run = Callable[..., Any]


def interrupt_after(
    n_splits: int,
) -> Callable[[], contextlib.AbstractContextManager[Callable[[StepInfo], None]]]:
    def press(step: StepInfo) -> None:
        if step.n_splits == n_splits:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def progress_line() -> Iterator[Callable[[StepInfo], None]]:
        yield press

    return progress_line


def test_an_interrupted_search_keeps_its_work(
    run: Run, files: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("learnac.cli.progress.progress_line", interrupt_after(3))
    code, out, err = run("learn", "train.csv", "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["stop"] == "interrupted"
    assert document["n_splits"] == 3
    # Nobody waits for the searches that would choose how much to smooth.
    train = Dataset.from_frame(files["train"])
    expected = learn(train.schema, TableCounts(train), LearnSettings(max_splits=3)).network.log_likelihood(train.codes)
    assert document["scores"]["train"]["log_likelihood"] == pytest.approx(expected.mean())
    assert "interrupted: this is the model so far" in run("learn", "train.csv").out


def test_an_interrupt_before_the_search_leaves_nothing(
    run: Run, files: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("learnac.cli.tables.read_learning_tables", interrupted)
    assert run("learn", "train.csv") == (130, "", "error: interrupted\n")


def test_ctrl_c_at_a_terminal(tmp_path: Path) -> None:
    """There is a line that moves on stderr, Ctrl-C ends the search, and the summary is on stdout."""
    rng = np.random.default_rng(0)
    hidden = rng.random((3000, 8))
    codes = (hidden @ rng.random((8, 60)) + rng.random((3000, 60)) > 2.5).astype(int)
    np.savetxt(tmp_path / "long.csv", codes, fmt="%d", delimiter=",")
    command = [
        sys.executable,
        "-m",
        "learnac",
        "learn",
        "long.csv",
        "--no-header",
        "--arity",
        "2",
        "--edge-penalty",
        "1e-4",
    ]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*command, "--schedule", "greedy", "--parameter-penalty", "0"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    ) as process:
        os.close(theirs)
        shown = read_until(ours, b"edges", seconds=30)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        out = process.stdout.read().decode()
        code = process.wait(timeout=30)
    os.close(ours)
    assert b"log-likelihood" in shown
    assert code == 0, out
    assert "interrupted: this is the model so far" in out


def read_until(descriptor: int, what: bytes, seconds: float) -> bytes:
    """What a terminal shows, up to some time after `what` came up."""
    shown = b""
    deadline = time.monotonic() + seconds
    while what not in shown and time.monotonic() < deadline:
        if select.select([descriptor], [], [], 0.1)[0]:
            shown += os.read(descriptor, 4096)
    return shown
