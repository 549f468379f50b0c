"""Tables, a small model of a mixed one, and ways to run the command: in this process, or as a person would."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from learnac import LearnAC, load
from learnac.cli import main

LEARN_PEOPLE = ["learn", "people.csv", "--bins", "age=4", "--edge-penalty", "0.1", "--out", "people.learnac"]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


def make_people(n_rows: int, seed: int) -> pd.DataFrame:
    """Strings with a comma, a name with a space, one with an equals sign, integers, booleans, numbers for bins."""
    rng = np.random.default_rng(seed)
    age = rng.integers(180, 900, size=n_rows) / 10
    children = np.minimum(rng.poisson(np.where(age < 30, 0.2, 1.5)), 3)
    has_car = rng.random(n_rows) < np.where(children > 0, 0.8, 0.3)
    city = np.array(["Bern", "Bonn, DE", "Oslo"])[np.where(has_car, rng.integers(3, size=n_rows), 1)]
    plan = np.where(rng.random(n_rows) < np.where(city == "Bern", 0.8, 0.2), "x=1", "y")
    return pd.DataFrame({"city": city, "has car": has_car, "plan=b": plan, "children": children, "age": age})


def weather(n_rows: int, seed: int) -> pd.DataFrame:
    """A chain of four variables, and one that depends on nothing."""
    rng = np.random.default_rng(seed)
    season = rng.integers(4, size=n_rows)
    rain = rng.random(n_rows) < np.array([0.2, 0.3, 0.6, 0.8])[season]
    umbrella = rng.random(n_rows) < np.where(rain, 0.9, 0.1)
    mood = np.where(rng.random(n_rows) < np.where(umbrella, 0.7, 0.2), 3, rng.integers(1, 3, size=n_rows))
    return pd.DataFrame(
        {
            "season": np.array(["spring", "summer", "autumn", "winter"])[season],
            "rain": rain,
            "umbrella": np.where(umbrella, "yes", "no"),
            "mood": mood,
            "coin": rng.integers(2, size=n_rows),
        }
    )


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with people.csv and people.learnac, as `learnac learn` wrote it."""
    folder = tmp_path_factory.mktemp("learned")
    make_people(600, 0).to_csv(folder / "people.csv", index=False)
    inside = [str(folder / word) if word.startswith("people.") else word for word in LEARN_PEOPLE]
    with pytest.raises(SystemExit) as exit_info, redirect_stdout(io.StringIO()):
        main(inside)
    assert exit_info.value.code == 0
    return folder


@pytest.fixture
def people(tmp_path: Path, learned: Path) -> LearnAC:
    """The model in people.learnac, which is in the folder of the test, like people.csv that it is learned from."""
    shutil.copytree(learned, tmp_path, dirs_exist_ok=True)
    return load(tmp_path / "people.learnac")


@pytest.fixture
def asked(tmp_path: Path) -> pd.DataFrame:
    """Rows with gaps, and a column that no model has, in asked.csv; without that column, as pandas reads it."""
    frame = make_people(40, 1).astype(object)
    gaps = np.random.default_rng(2).random(frame.shape) < 0.4
    gaps[0], gaps[1] = False, True
    frame = frame.mask(gaps)
    frame.assign(remark=range(len(frame))).to_csv(tmp_path / "asked.csv", index=False)
    return frame


@pytest.fixture
def files(tmp_path: Path) -> dict[str, pd.DataFrame]:
    """The frames that train.csv, valid.csv and test.csv hold."""
    frames = {"train": weather(600, 0), "valid": weather(200, 1), "test": weather(300, 2)}
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return frames


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Runs the command in the folder of the test, in this process."""
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as exit_info:
            main(arguments)
        code = exit_info.value.code
        assert isinstance(code, int)
        return Outcome(code, *capsys.readouterr())

    return run_here


@pytest.fixture
def answer(run: Callable[..., Outcome]) -> Callable[..., str]:
    """Runs the command, which must succeed without a word on stderr, and gives what it prints."""

    def run_well(*arguments: str) -> str:
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        return out

    return run_well


@pytest.fixture
def person(tmp_path: Path) -> Callable[..., Outcome]:
    """Runs the command in the folder of the test, in a process of its own."""

    def run_there(*arguments: str, **options: object) -> Outcome:
        command = [sys.executable, "-m", "learnac", *arguments]
        settings: Any = {"cwd": tmp_path, "capture_output": True, "text": True, "timeout": 60, **options}
        done = subprocess.run(command, check=False, **settings)
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run_there


@pytest.fixture
def complaint(run: Callable[..., Outcome], tmp_path: Path) -> Callable[..., str]:
    """Runs the command, which must refuse: exit code 2, one line on stderr, which it gives, and no file touched.

    A mistake of the person is never "unexpected": that word is for mistakes of ours.
    """

    def run_badly(*arguments: str) -> str:
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        assert "unexpected" not in err
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        return err

    return run_badly
