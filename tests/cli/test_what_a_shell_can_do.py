"""Closed streams, numbers that are far too large, characters that steer a terminal, memory and threads that run out."""

from __future__ import annotations

import json
import os
import pty
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from learnac import LearnAC
from learnac.cli import answers, progress, tables
from learnac.cli.printable import printable, printable_json

Answer = Callable[..., str]
Complaint = Callable[..., str]

HUGE = [str(2**31), str(2**32), str(2**63), str(2**64), "9" * 400]
RED = "\x1b[31m"
TITLE = "\x1b]0;owned\x07"


@pytest.fixture
def steering(tmp_path: Path, answer: Answer) -> None:
    """A table with escape sequences in a name and a value, and a model of it."""
    rows = "".join(f"{TITLE if number % 3 else 'calm'},{number % 3 > 0:d}\n" for number in range(60))
    (tmp_path / "steering.csv").write_text(f"mood{RED},b\n{rows}")
    answer("learn", "steering.csv", "--out", "steering.learnac")


@pytest.mark.parametrize("number", HUGE)
def test_huge_numbers_are_as_good_as_no_limit(answer: Answer, people: LearnAC, number: str) -> None:
    for option in ("--max-edges", "--max-splits"):
        assert "Edges" in answer("learn", "people.csv", "--drop", "age", "--edge-penalty", "1", option, number)
    assert "Edges" in answer("learn", "people.csv", "--drop", "age", "--max-edges", number, "--max-splits", "3")
    for command in (["score", "people.learnac", "people.csv"], ["marginals", "people.learnac", "--rows", "people.csv"]):
        assert answer(*command, "--threads", number) == answer(*command)
    answer("convert", "people.learnac", "people.bif")
    answer("convert", "people.bif", "people.ac", "--max-edges", number)
    answer("draw", "people.learnac", "p.dot", "--max-arcs", number)
    answer("draw", "people.learnac", "p.dot", "--tree", "age", "--max-depth", number)


@pytest.mark.parametrize("number", [*HUGE, "65537"])
def test_more_codes_than_a_column_may_have(complaint: Complaint, people: LearnAC, number: str) -> None:
    said = complaint("learn", "people.csv", "--arity", number)
    assert f"--arity: expected at most 65,536, found {int(number):,}" in said


def test_a_number_as_long_as_a_book_is_not_repeated(complaint: Complaint, people: LearnAC) -> None:
    for command in (["learn", "people.csv", "--max-edges"], ["learn", "people.csv", "--bins"]):
        said = complaint(*command, "9" * 5000)
        assert "expected a" in said
    assert len(complaint("learn", "people.csv", "--max-edges", "9" * 5000)) < 200


@pytest.mark.parametrize("n_threads", [0, -1, 1.5, True, "2"])
def test_threads_are_a_number_from_1(people: LearnAC, n_threads: Any) -> None:
    from learnac.infer import marginals

    with pytest.raises((TypeError, ValueError), match=r"n_threads: expected (a whole number|at least 1), found"):
        marginals(people.circuit_, {}, n_threads=n_threads)


def in_shell(folder: Path, redirected: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with some of its streams closed."""
    line = f'exec "$@" {redirected}'
    command = ["sh", "-c", line, "sh", sys.executable, "-m", "learnac", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


CLOSED = "error: standard output: closed, so the result cannot be printed\n"


@pytest.mark.parametrize(
    ("redirected", "arguments", "code", "out", "err"),
    [
        (">&-", ["query", "people.learnac", "-q", "children=1"], 2, "", CLOSED),
        (">&-", ["score", "people.learnac", "people.csv", "--per-row"], 2, "", CLOSED),
        (">&-", ["--version"], 2, "", CLOSED),
        (">&-", ["query", "--help"], 2, "", CLOSED),
        (">&-", ["convert", "people.learnac", "m.bn"], 0, "", ""),
        (">&-", ["mpe", "people.learnac", "-g", "x=1"], 2, "", "error: --given: no variable is called 'x'; there are "),
        ("2>&-", ["query", "people.learnac", "-q", "children=1"], 0, "P(children = 1) = ", ""),
        ("2>&-", ["query", "people.learnac", "-q", "x=1"], 2, "", ""),
        ("<&- >&- 2>&-", ["info", "people.learnac"], 2, "", ""),
        ("<&- >&- 2>&-", ["convert", "people.learnac", "m.bn"], 0, "", ""),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else None,
)
def test_closed_streams(
    people: LearnAC, tmp_path: Path, redirected: str, arguments: list[str], code: int, out: str, err: str
) -> None:
    done = in_shell(tmp_path, redirected, *arguments)
    assert done.returncode == code
    assert done.stdout.startswith(out)
    assert bool(done.stdout) == bool(out)
    assert done.stderr.startswith(err)
    assert bool(done.stderr) == bool(err)
    if arguments[0] == "convert":
        assert (tmp_path / "m.bn").read_text().startswith("3,2,2,4,4\nBN {")


def test_a_terminal_with_few_characters_gets_the_codes_of_others(people: LearnAC, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "learnac", "marginals", "people.learnac", "--variables", "children"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"children  0")


@pytest.mark.usefixtures("steering")
@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "steering.csv"],
        ["learn", "steering.csv", "--drop", f"mood{RED}"],
        ["marginals", "steering.learnac"],
        ["mpe", "steering.learnac"],
        ["query", "steering.learnac", "-q", f"mood{RED}={TITLE}"],
        ["query", "steering.learnac", "-q", "b=1", "-g", f"mood{RED}=calm"],
        ["info", "steering.learnac"],
        ["marginals", "steering.learnac", "--json"],
    ],
    ids=lambda words: " ".join(words[:1] + words[2:3]),
)
def test_what_is_printed_does_not_steer_the_terminal(answer: Answer, arguments: list[str]) -> None:
    printed = answer(*arguments)
    assert "\x1b" not in printed
    assert "\x07" not in printed
    assert ("\\u001b[31m" if "--json" in arguments else "\\x1b[31m") in printed


@pytest.mark.usefixtures("steering")
def test_errors_and_pictures_do_not_steer_the_terminal(complaint: Complaint, answer: Answer, tmp_path: Path) -> None:
    for arguments in (
        ["query", "steering.learnac", "-q", f"{RED}=1"],
        ["query", "steering.learnac", "-q", f"mood{RED}={RED}"],
        ["query", f"{RED}.learnac", "-q", "b=1"],
        ["learn", f"{RED}.csv"],
        ["learn", "steering.csv", "--schedule", RED],
        ["learn", "steering.csv", f"--{RED}"],
        [RED],
    ):
        said = complaint(*arguments)
        assert "\x1b" not in said
        assert "\\x1b[31m" in said
    answer("draw", "steering.learnac", "p.dot")
    answer("draw", "steering.learnac", "t.dot", "--tree", "b")
    assert all("\x1b" not in (tmp_path / name).read_text() for name in ("p.dot", "t.dot"))


@pytest.mark.usefixtures("steering")
def test_a_table_on_a_terminal_does_not_steer_it_and_in_a_pipe_is_as_it_is(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "learnac", "sample", "steering.learnac", "-n", "20", "--seed", "1"]
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout.decode()
    assert RED in piped
    assert TITLE in piped
    shown = on_terminal(tmp_path, command)
    assert "\x1b" not in shown
    assert shown.replace("\r\n", "\n") == piped.replace("\x1b", "\\x1b").replace("\x07", "\\x07")


def on_terminal(folder: Path, command: list[str]) -> str:
    """What a command writes to stdout if that is a terminal."""
    ours, theirs = pty.openpty()
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, check=True)
    os.close(theirs)
    read = b""
    try:
        while part := os.read(ours, 65536):
            read += part
    except OSError:  # All of it has been read.
        pass
    os.close(ours)
    return read.decode()


def test_what_is_printable() -> None:
    assert printable("naïve 東京 👩‍🔬") == "naïve 東京 👩‍🔬"
    assert printable("a\tb\nc\x9b31m\u202egnp\udcff") == "a\\tb\\nc\\x9b31m\\u202egnp\\udcff"
    text = json.dumps({"\x9b\u202e\udcff\x1b": "ü"}, ensure_ascii=False)
    assert printable_json(text).isprintable()
    assert json.loads(printable_json(text)) == json.loads(text)


def no_memory(*_: Any, **__: Any) -> Any:
    raise MemoryError


def test_too_little_memory_for_a_table_is_about_the_table(
    complaint: Complaint, people: LearnAC, monkeypatch: pytest.MonkeyPatch
) -> None:
    from learnac.data import evidence_files

    monkeypatch.setattr(tables, "read_frame", no_memory)
    assert complaint("learn", "people.csv") == "error: there is not enough memory for the table people.csv\n"
    monkeypatch.setattr(evidence_files, "read_frame", no_memory)
    said = complaint("score", "people.learnac", "people.csv")
    assert said == "error: there is not enough memory for the table people.csv\n"
    monkeypatch.setattr(answers, "open_model", no_memory)
    assert complaint("mpe", "people.learnac") == "error: there is not enough memory\n"


def test_too_little_memory_for_a_circuit_is_about_its_edges(
    complaint: Complaint, answer: Answer, people: LearnAC, monkeypatch: pytest.MonkeyPatch
) -> None:
    from learnac import training
    from learnac.io import convert

    monkeypatch.setattr(training, "train", no_memory)
    said = complaint("learn", "people.csv", "--bins", "3")
    assert "there is not enough memory for the search; with a smaller --max-edges, the circuit needs less" in said
    answer("convert", "people.learnac", "people.bif")
    monkeypatch.setattr(convert, "compile_model", no_memory)
    said = complaint("convert", "people.bif", "again.learnac")
    assert "there is not enough memory for writing again.learnac; with a smaller --max-edges" in said
    assert "--max-edges" not in complaint("mpe", "people.bif")


def no_stack_for_threads() -> None:
    """No thread gets the memory for its stack, which is larger than all that there may be."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 36, 1 << 36))
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 40, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def without_threads(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # Or NumPy would start threads of its own.
            preexec_fn=no_stack_for_threads,
        )
    except subprocess.SubprocessError:
        pytest.skip("the system sets no such limits")


def test_without_threads_one_answers_alone(people: LearnAC, tmp_path: Path) -> None:
    script = """
import numpy as np
from learnac.infer import marginals
from learnac.io import read_model
from threading import Thread
try:
    Thread(target=int).start()
except RuntimeError:
    print("no threads")
circuit = read_model("people.learnac").circuit
rows = np.full((2000, 5), -1)
rows[:, 0] = np.arange(2000) % 3
one, many = (marginals(circuit, rows, n_threads=n) for n in (1, 8))
print(all((one[name] == many[name]).all() for name in one))
"""
    done = without_threads(tmp_path, "-c", script)
    assert done.stderr == ""
    assert done.stdout == "no threads\nTrue\n"


@pytest.mark.skipif(int(pa.__version__.split(".")[0]) < 26, reason="pyarrow before 26 ends the process itself")
def test_without_threads_a_table_is_refused_in_one_line(people: LearnAC, tmp_path: Path) -> None:
    done = without_threads(tmp_path, "-m", "learnac", "score", "people.learnac", "people.csv")
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: the system starts no more threads for this user")


def test_without_threads_nothing_moves_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(progress.Thread, "start", no_thread)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.busy("reading"), progress.progress_line() as on_step:
        assert on_step is None
