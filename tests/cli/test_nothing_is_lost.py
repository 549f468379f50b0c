"""Searches that are killed, disks that are full, folders that take nothing: the work so far and old files remain."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import LearnAC, load
from learnac.circuit import Circuit
from learnac.io import read_checkpoint, read_model
from learnac.network import BayesNet

Answer = Callable[..., str]
Complaint = Callable[..., str]

LONG = ["learn", "long.csv", "--parameter-penalty", "0", "--alpha", "0.5", "--shrinkage", "10"]
SEARCHES = {
    "quick": [*LONG, "--schedule", "quick", "--edge-penalty", "0.01"],
    "greedy": [*LONG, "--schedule", "greedy", "--edge-penalty", "0.06"],
}
KEPT = ["--checkpoint", "c", "--checkpoint-every", "0.01", "--out", "m.learnac"]
N_KILLS = 10  # of each schedule

# Imports once, what takes longer than a search, and then runs each command in a process of its own. It kills those that
# take longer than they may, before it has waited for them: until then, their number is theirs.
DRIVER = """
import json, os, signal, sys, time
import learnac.cli.summary, learnac.cli.tables, learnac.estimator
from learnac.cli import main
print("ready", flush=True)
for line in sys.stdin:
    arguments, seconds = json.loads(line)
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        main(arguments)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def long(tmp_path: Path) -> None:
    """A table that takes a while, in long.csv: mixtures of a few hidden causes."""
    rng = np.random.default_rng(0)
    codes = (rng.random((2000, 8)) @ rng.random((8, 30)) + rng.random((2000, 30)) > 2.5).astype(int)
    pd.DataFrame(codes).add_prefix("v").to_csv(tmp_path / "long.csv", index=False)


@pytest.fixture
def attempt(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """Runs the command, killed after some seconds if it is not done by then; its exit code."""
    command = [sys.executable, "-c", DRIVER]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as driver:
        assert driver.stdout.readline() == "ready\n"

        def try_for(arguments: list[str], seconds: float | None = None) -> int:
            driver.stdin.write(json.dumps([arguments, seconds]) + "\n")
            driver.stdin.flush()
            return int(driver.stdout.readline())

        yield try_for
        driver.stdin.close()


def arrays_of(part: Circuit | BayesNet | None) -> list[bytes]:
    """All numbers of a circuit or network, to the last bit."""
    assert part is not None
    values = part.trees if isinstance(part, BayesNet) else [part]
    found = [np.asarray(getattr(value, name)) for value in values for name in type(value).__dataclass_fields__]
    return [f"{array.dtype} {array.shape}".encode() + array.tobytes() for array in found if array.dtype != object]


def check_same(path: Path, other: Path) -> None:
    mine, others = read_model(path), read_model(other)
    assert mine.schema == others.schema
    assert mine.settings == others.settings
    assert arrays_of(mine.circuit) == arrays_of(others.circuit)
    assert arrays_of(mine.network) == arrays_of(others.network)


def splits_of(path: Path) -> list[tuple[int, ...]]:
    return [(step.leaf, step.variable, step.value) for step in read_checkpoint(path).trace]


@pytest.mark.parametrize("schedule", ["quick", "greedy"])
def test_a_search_killed_at_any_moment_ends_with_the_same_model(
    attempt: Callable[..., int], long: None, tmp_path: Path, schedule: str
) -> None:
    whole = [*SEARCHES[schedule], "--checkpoint", "whole", "--checkpoint-every", "0.01", "--out", "whole.learnac"]
    started = time.monotonic()
    assert attempt(whole) == 0
    duration = time.monotonic() - started
    all_splits = splits_of(tmp_path / "whole")
    assert len(arrays_of(read_model(tmp_path / "whole.learnac").network)) > 100
    resumable = [*SEARCHES[schedule], *KEPT, "--resume"]
    checkpoint, model = tmp_path / "c", tmp_path / "m.learnac"
    n_splits_kept: list[int] = []

    def was_under_way() -> bool:
        return any(0 < n_splits < len(all_splits) for n_splits in n_splits_kept)

    # More often, if no kill has met a search under way: a busy machine may take its time before or after.
    for n_tried, share in enumerate(np.random.default_rng(0).random(5 * N_KILLS)):
        if n_tried >= N_KILLS and was_under_way():
            break
        code = attempt(resumable, share * duration)
        if code == -signal.SIGKILL:
            if checkpoint.exists():  # Never half of one, and never of another search.
                kept = splits_of(checkpoint)
                assert kept == all_splits[: len(kept)]
                n_splits_kept.append(len(kept))
            if not model.exists():
                continue
        check_same(model, tmp_path / "whole.learnac")
        checkpoint.unlink()
        model.unlink()
    assert was_under_way()
    assert attempt(resumable) == 0
    check_same(model, tmp_path / "whole.learnac")
    assert splits_of(checkpoint) == all_splits


@pytest.mark.parametrize(
    ("sent", "code"), [pytest.param(signal.SIGINT, 0, id="Ctrl-C"), pytest.param(signal.SIGKILL, -9, id="kill")]
)
def test_a_person_goes_on_where_the_search_was(
    person: Callable[..., Any], long: None, tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    search = [*SEARCHES["greedy"], *KEPT]
    with subprocess.Popen(
        [sys.executable, "-m", "learnac", *search], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "c").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(sent)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == code
    assert ("interrupted: this is the model so far" in out) == (code == 0)
    put_down = read_checkpoint(tmp_path / "c")
    assert (tmp_path / "m.learnac").exists() == (code == 0)
    code, out, err = person(*search, "--resume", "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["stop"] == "converged"
    assert document["n_splits"] > len(put_down.trace) > 0
    # It did not begin anew: the clock went on from where it was.
    assert read_checkpoint(tmp_path / "c").trace[0].seconds >= put_down.seconds
    frame = pd.read_csv(tmp_path / "long.csv")
    LearnAC(0.06, 0.0, "greedy", alpha=0.5, shrinkage=10.0).fit(frame).save(tmp_path / "whole.learnac")
    check_same(tmp_path / "m.learnac", tmp_path / "whole.learnac")


def test_a_search_whose_time_was_used_up_keeps_its_splits(answer: Answer, long: None, tmp_path: Path) -> None:
    search = [*SEARCHES["greedy"], *KEPT, "--max-seconds", "0.2", "--json"]
    before = json.loads(answer(*search))
    assert before["stop"] == "max_seconds"
    assert before["n_splits"] > 0
    after = json.loads(answer(*search, "--resume"))
    assert after["n_splits"] >= before["n_splits"]
    assert load(tmp_path / "m.learnac").circuit_.n_edges >= before["n_edges"]


PEOPLE = ["learn", "people.csv", "--bins", "age=4"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "the checkpoint exists already"),
        (["--resume", "--edge-penalty", "0.5"], "--edge-penalty: the search to go on with has 10.0, found 0.5"),
        (["--resume", "--schedule", "greedy"], "--schedule: the search to go on with has quick, found greedy"),
        (["--resume", "--drop", "city"], "the search to go on with was over other tables"),
        (["--resume", "--valid", "people.csv"], "the search to go on with was over other tables"),
        (["--resume", "--checkpoint", "people.learnac"], "people.learnac: expected a checkpoint, found a model"),
        (["--resume", "--checkpoint", "people.csv"], "people.csv: this file is also read as a table"),
        (["--resume", "--checkpoint", "cut"], "cut: the file is damaged or cut short"),
    ],
)
def test_a_checkpoint_that_does_not_fit(
    complaint: Complaint, answer: Answer, people: LearnAC, tmp_path: Path, options: list[str], said: str
) -> None:
    answer(*PEOPLE, "--checkpoint", "c")
    (tmp_path / "cut").write_bytes((tmp_path / "c").read_bytes()[:-9])
    assert said in complaint(*PEOPLE, "--checkpoint", "c", "--out", "m.learnac", *options)


def test_to_resume_needs_a_checkpoint(complaint: Complaint, people: LearnAC) -> None:
    assert "--resume: needs a file to resume from: add --checkpoint FILE" in complaint(*PEOPLE, "--resume")


@pytest.mark.parametrize("option", ["--out", "--checkpoint", "--write-schema"])
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("nowhere/m", "nowhere/m: No such file or directory"),
        ("people.csv/m", "people.csv/m: Not a directory"),
        (".", ".: Is a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_found_out_before_the_search(
    complaint: Complaint, people: LearnAC, monkeypatch: pytest.MonkeyPatch, option: str, place: str, said: str
) -> None:
    monkeypatch.setattr("learnac.cli.tables.read_learning_tables", lambda *_, **__: pytest.fail("it began"))
    assert said in complaint(*PEOPLE, option, place)


def obey_permissions() -> None:
    """Takes from root what lets it write everywhere (PR_CAPBSET_DROP, CAP_DAC_OVERRIDE); nothing from others."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)


def test_a_folder_that_is_read_only(person: Callable[..., Any], people: LearnAC, tmp_path: Path) -> None:
    folder = tmp_path / "fixed"
    folder.mkdir()
    (folder / "old.learnac").write_bytes(b"old")
    folder.chmod(0o500)
    try:
        for arguments in (
            [*PEOPLE, "--out", "fixed/old.learnac"],
            ["sample", "people.learnac", "--out", "fixed/s.csv"],
        ):
            code, out, err = person(*arguments, preexec_fn=obey_permissions)
            assert (code, out, err) == (2, "", f"error: {arguments[-1]}: Permission denied\n")
        assert [path.name for path in folder.iterdir()] == ["old.learnac"]
        assert (folder / "old.learnac").read_bytes() == b"old"
    finally:
        folder.chmod(0o700)


@contextmanager
def full_disk(n_bytes: int) -> Iterator[None]:
    """Files cannot grow beyond this. (Python ignores the signal that goes with it.)"""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize(
    "arguments",
    [
        [*PEOPLE, "--out", "old.learnac"],
        [*PEOPLE, "--write-schema", "old.toml"],
        ["tune", "people.csv", "--valid", "people.csv", "--bins", "age=4", "--json", "--out", "old.learnac"],
        *(["sample", "people.learnac", "-n", "5000", "--out", f"old.{end}"] for end in ("csv", "parquet", "arrow")),
        *(["convert", "people.learnac", f"old.{end}"] for end in ("learnac", "bif", "bn", "ac")),
        ["draw", "people.learnac", "old.dot"],
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-1]}",
)
def test_a_full_disk_leaves_the_old_file(
    complaint: Complaint, people: LearnAC, tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / arguments[-1]).write_bytes(b"something old")
    with full_disk(100):
        assert "File too large" in complaint(*arguments)  # Which also sees that no file is changed or left.


def test_a_full_disk_in_a_process_of_its_own(person: Callable[..., Any], people: LearnAC, tmp_path: Path) -> None:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    code, out, err = person(*PEOPLE, "--out", "people.learnac", preexec_fn=limited, env=environment)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert (code, out, err) == (2, "", "error: people.learnac: File too large\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_what_cannot_be_printed_is_an_error(person: Callable[..., Any], people: LearnAC) -> None:
    with Path("/dev/full").open("w") as full:
        for arguments in (["query", "people.learnac", "-q", "city=Bern"], ["sample", "people.learnac"]):
            code, _, err = person(*arguments, capture_output=False, stdout=full, stderr=subprocess.PIPE)
            assert (code, err) == (2, "error: No space left on device\n")


def test_a_reader_that_has_seen_enough_is_no_error(person: Callable[..., Any], people: LearnAC, tmp_path: Path) -> None:
    command = f"{sys.executable} -m learnac sample people.learnac -n 100000 2> err | head -n 1"
    script = ["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"]
    found = subprocess.run(script, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert found.stdout.splitlines()[-1] == "141"
    assert (tmp_path / "err").read_text() == ""


def test_settings_that_only_say_when_to_end_may_change(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    answer(*PEOPLE, "--checkpoint", "c", "--max-splits", "2")
    n_first = len(read_checkpoint(tmp_path / "c").trace)
    document = json.loads(answer(*PEOPLE, "--checkpoint", "c", "--resume", "--max-seconds", "100", "--json"))
    assert document["n_splits"] > n_first == 2
    assert asdict(read_checkpoint(tmp_path / "c").settings)["max_splits"] is None


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_search(
    run: Callable[..., Any], answer: Answer, people: LearnAC, tmp_path: Path
) -> None:
    answer(*PEOPLE, "--checkpoint", "old")
    before = (tmp_path / "old").read_bytes()
    with full_disk(100):
        code, out, err = run(*PEOPLE, "--resume", "--checkpoint", "old", "--json")
    assert (code, json.loads(out)["stop"]) == (0, "converged")
    assert err == (
        "warning: old: File too large: the checkpoint could not be written; the search continues and tries again\n"
    )
    assert (tmp_path / "old").read_bytes() == before


def test_a_checkpoint_is_tried_again_after_a_failure(
    run: Callable[..., Any], long: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from learnac import training

    written, write = [], training.write_checkpoint

    def fail_at_first(state: Any, path: Path) -> None:
        written.append(len(state.trace))
        if len(written) <= 2:
            raise OSError(28, "No space left on device", str(path))
        write(state, path)

    monkeypatch.setattr(training, "write_checkpoint", fail_at_first)
    search = [*SEARCHES["quick"], "--max-splits", "5", "--checkpoint", "c", "--checkpoint-every", "0"]
    code, _, err = run(*search)
    assert code == 0
    assert err.count("warning: c: No space left on device") == err.count("\n") == 2
    assert written == [1, 2, 3, 4, 5, 5]
    assert len(read_checkpoint(tmp_path / "c").trace) == 5


@pytest.mark.parametrize(
    "options",
    [
        ["--out", "m", "--checkpoint", "./m"],
        ["--out", "link", "--checkpoint", "m"],
        ["--checkpoint", "m", "--write-schema", "m"],
    ],
)
def test_two_outputs_into_one_file(complaint: Complaint, people: LearnAC, tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "link").symlink_to("m")
    said = complaint(*PEOPLE, *options)
    assert f"{options[2]}: expected a different file from that of {options[0]}, found " in said
    assert not (tmp_path / "m").exists()
