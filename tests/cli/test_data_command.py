"""`learnac data`, and what every command says of itself: its help, with an example that works, and at once."""

from __future__ import annotations

import gzip
import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac.data import catalog

Answer = Callable[..., str]
Complaint = Callable[..., str]

ROWS = "0,1,0\n1,1,0\n0,0,1\n"
COMMANDS = [
    *("learn", "tune", "score", "query", "marginals", "mpe", "sample", "impute", "info", "convert", "draw"),
    *("data list", "data fetch"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one small data set, which LEARNAC_DATA names, and no way to download others."""
    there = tmp_path / "data"
    for part in ("train", "valid", "test"):
        path = there / catalog.data_set("plants").files[part].path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ROWS)
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(ROWS.encode()))
    path.unlink()
    monkeypatch.setenv("LEARNAC_DATA", str(there))
    monkeypatch.setattr("pooch.retrieve", lambda *_, **__: pytest.fail("a test must not download"))
    return there


def test_the_list_of_sets(answer: Answer) -> None:
    header, *lines = answer("data", "list").splitlines()
    assert header.split() == ["name", "variables", "rows", "collection", "source"]
    assert [line.split()[0] for line in lines] == [entry.name for entry in catalog.sets()]
    (nltcs,) = [line for line in lines if line.startswith("nltcs ")]
    assert nltcs.split()[1:7] == ["16", "16,181", "+", "2,157", "+", "3,236"]
    (alarm,) = [line for line in lines if line.startswith("alarm ")]
    assert "under LEARNAC_DATA only" in alarm
    sets = {entry["name"]: entry for entry in json.loads(answer("data", "list", "--json"))["sets"]}
    assert list(sets) == [entry.name for entry in catalog.sets()]
    assert sets["nltcs"]["n_rows"] == {"train": 16181, "valid": 2157, "test": 3236}
    assert sets["alarm"]["files"]["network"]["url"] is None


def test_files_of_a_folder_are_found_and_can_be_learned_from(answer: Answer, folder: Path) -> None:
    paths = answer("data", "fetch", "plants").splitlines()
    names = ["plants.train.data", "plants.valid.data", "plants.test.data.gz"]
    assert [Path(path).name for path in paths] == names
    assert all(Path(path).is_relative_to(folder) and Path(path).is_file() for path in paths)
    document = json.loads(answer("data", "fetch", "plants", "--json"))
    assert document == {"name": "plants", "files": dict(zip(("train", "valid", "test"), paths, strict=True))}
    train, valid, test = paths
    learned = json.loads(answer("learn", train, "--valid", valid, "--test", test, "--json"))
    assert {role: score["n_rows"] for role, score in learned["scores"].items()} == {
        "train": 3,
        "validation": 3,
        "test": 3,
    }


def test_sets_that_cannot_be_had(complaint: Complaint, folder: Path) -> None:
    assert "no data set is called 'plant'; there are 'plants'" in complaint("data", "fetch", "plant")
    assert "'alarm' has no public source" in complaint("data", "fetch", "alarm")
    assert "Missing argument 'NAME'" in complaint("data", "fetch")
    assert "No such command 'get'" in complaint("data", "get")


def test_without_a_connection(
    complaint: Complaint, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr("pooch.retrieve", unreachable)
    said = complaint("data", "fetch", "nltcs")
    assert "data set 'nltcs': cannot download https://" in said
    assert "set LEARNAC_DATA to a folder that holds debd/nltcs/nltcs.train.data" in said


def test_data_in_a_process_of_its_own(person: Callable[..., Any], folder: Path) -> None:
    code, out, err = person("data", "fetch", "plants")
    assert (code, err) == (0, "")
    assert out.count("\n") == 3
    code, out, err = person("data", "list")
    assert (code, err) == (0, "")
    assert max(len(line) for line in out.splitlines()) > 80  # Lines are not broken where a program reads them.


def test_data_alone_says_what_there_is(run: Callable[..., Any]) -> None:
    for arguments in ([], ["data"]):
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        assert "Usage: learnac" in out


def help_of(answer: Answer, command: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The help of a command, and the example at its end."""
    monkeypatch.setenv("COLUMNS", "400")
    text = answer(*command.split(), "--help")
    before, found, example = text.partition(" Example ")
    assert found, text
    return before, " ".join(example.split())


@pytest.fixture
def everything(tmp_path: Path, folder: Path) -> None:
    """All files that the examples speak of."""
    rng = np.random.default_rng(0)

    def rows(n_rows: int) -> pd.DataFrame:
        smoker = rng.choice(["no", "yes"], n_rows)
        age = rng.choice(["0-59", "60+"], n_rows)
        bronchitis = np.where(rng.random(n_rows) < np.where(smoker == "yes", 0.7, 0.2), "yes", "no")
        diagnosis = np.where(rng.random(n_rows) < np.where(bronchitis == "yes", 0.7, 0.2), "malignant", "benign")
        radius, texture = rng.integers(3, size=(2, n_rows))
        columns = {"smoker": smoker, "age": age, "bronchitis": bronchitis, "diagnosis": diagnosis}
        return pd.DataFrame({**columns, "radius": radius, "texture": texture})

    for name in ("train", "valid", "test"):
        rows(120).to_csv(tmp_path / f"{name}.csv", index=False)
    answers = rows(20).astype(object)
    answers.mask(rng.random(answers.shape) < 0.3).to_csv(tmp_path / "answers.csv", index=False)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_example_in_the_help_works(
    answer: Answer, everything: None, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, example = help_of(answer, command, monkeypatch)
    program, *arguments = shlex.split(example)
    assert program == "learnac"
    assert arguments[: len(command.split())] == command.split()
    if any(word.endswith(".svg") for word in arguments) and shutil.which("dot") is None:
        pytest.skip("the program `dot` of Graphviz is not there")
    answer("learn", "train.csv", "--out", "model.learnac")
    before = set(tmp_path.iterdir())
    printed = answer(*arguments)
    written = {path.name for path in set(tmp_path.iterdir()) - before}
    # Whatever looks like a file of the example and was not there is what it was to write.
    assert written == {
        word for word in arguments if "." in word and (tmp_path / word) not in before and "," not in word
    }
    assert printed or written


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_explains_every_option(answer: Answer, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = help_of(answer, command, monkeypatch)
    lines = [line.strip("│ *") for line in text.splitlines() if line.startswith("│")]
    options = [line for line in lines if line.startswith("--")]
    assert {"--json", "--debug"} <= {line.split()[0] for line in options}
    for line in options:
        explained = re.sub(r"^--\S+(\s+-\w)?(\s+\S*[A-Z<\[]\S*)*\s", "", line)
        assert len(explained.split()) >= 2, line
    sentences = text.split(" Usage: ")[1].split("╭")[0].splitlines()[1:]
    assert len(" ".join(sentences).split()) >= 4


HEAVY = ["numpy", "sklearn", "scipy", "pyarrow", "pandas", "narwhals", "pooch"]


@pytest.mark.parametrize("arguments", [["--help"], ["query", "--help"], ["data", "list", "--help"], ["--version"]])
def test_help_is_there_at_once(arguments: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "learnac", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "learnac.cli.app" in imported
    assert not imported.intersection(HEAVY)
    # As a share of what the libraries for help take alone, in the same run: machines differ, and are busy.
    spent = {"help": [], "libraries": []}
    for _ in range(3):
        spent["help"].append(cpu_seconds("-m", "learnac", *arguments))
        spent["libraries"].append(cpu_seconds("-c", "import rich.console, rich.table, rich.panel"))
    assert min(spent["help"]) < 4 * min(spent["libraries"])


def cpu_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
