"""A command costs what its work costs: rows are encoded once, and nothing is imported that it does not need."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from learnac import LearnAC, Schema
from learnac.data import evidence_files

Answer = Callable[..., str]


@pytest.mark.parametrize(
    "command",
    [
        ["score", "rows.csv"],
        ["score", "rows.csv", "--per-row"],
        ["query", "--rows", "rows.csv", "-q", "children=1"],
        ["marginals", "--rows", "rows.csv", "--variables", "city"],
        ["mpe", "--rows", "rows.csv"],
        ["impute", "rows.csv"],
    ],
    ids=" ".join,
)
def test_rows_are_encoded_once(
    answer: Answer, people: LearnAC, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """From the file to the answer, although there are more of them than are answered at once."""
    rows = pd.concat([pd.read_csv(tmp_path / "people.csv")] * 34, ignore_index=True).astype(object)
    rows["children"] = None
    rows.to_csv(tmp_path / "rows.csv", index=False)
    encoded: list[int] = []

    def counting(schema: Schema, table: Any, may_lack_columns: bool) -> Any:
        encoded.append(table.num_rows)
        return encode(schema, table, may_lack_columns)

    encode = evidence_files.encode_arrow
    monkeypatch.setattr(evidence_files, "encode_arrow", counting)
    monkeypatch.setattr(Schema, "encode_evidence", lambda *_, **__: pytest.fail("rows are encoded again"))
    monkeypatch.setattr(Schema, "encode", lambda *_, **__: pytest.fail("rows are encoded again"))
    assert answer(command[0], "people.learnac", *command[1:]) != ""
    assert encoded == [len(rows)]
    assert len(rows) > 20_000


# Of libraries that people have, and that some command, or the library, needs.
HEAVY = {
    "sklearn",
    "scipy",
    "pandas",
    "narwhals",
    "pooch",
    "rich",
    "pyarrow.dataset",
    "importlib.metadata",
    "learnac.estimator",
}


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["query", "people.learnac", "-q", "children=1", "-g", "city=Oslo"], "numpy"),
        (["marginals", "people.learnac"], "numpy"),
        (["mpe", "people.learnac", "-g", "age=30"], "numpy"),
        (["info", "people.learnac"], "numpy"),
        (["score", "people.learnac", "asked.csv"], "pyarrow.csv"),
        (["score", "people.learnac", "people.csv", "--per-row"], "pyarrow.csv"),
        (["query", "people.learnac", "-q", "children=1", "--rows", "others.csv"], "pyarrow.csv"),
        (["marginals", "people.learnac", "--rows", "asked.csv"], "pyarrow.csv"),
        (["mpe", "people.learnac", "--rows", "asked.csv"], "pyarrow.csv"),
        (["impute", "people.learnac", "asked.csv"], "pyarrow.csv"),
        (["sample", "people.learnac"], "pyarrow"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else None,
)
def test_only_what_is_needed_is_imported(
    people: LearnAC, asked: pd.DataFrame, tmp_path: Path, command: list[str], needed: str
) -> None:
    asked.drop(columns="children").to_csv(tmp_path / "others.csv", index=False)
    imported = modules_of(tmp_path, *command)
    assert needed in imported
    assert not imported & HEAVY
    if needed == "numpy":
        assert "pyarrow" not in imported


def modules_of(folder: Path, *arguments: str) -> set[str]:
    """What a command imports, run as a program."""
    script = "import sys\nfrom learnac.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    environment = {name: value for name, value in os.environ.items() if name in ("HOME", "PATH")}
    program = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_a_process_that_does_more_may_use_pandas_and_threads(answer: Answer, people: LearnAC) -> None:
    """Only the program itself is spared what it does not need."""
    before = list(sys.meta_path), os.environ.get("OPENBLAS_NUM_THREADS")
    answer("query", "people.learnac", "-q", "children=1")
    assert (list(sys.meta_path), os.environ.get("OPENBLAS_NUM_THREADS")) == before
