"""Tables on standard input: `-`, in any format, for every command that reads tables."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from learnac import LearnAC, load

Answer = Callable[..., str]


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[bytes], None]:
    """Puts bytes on standard input. Nothing is left in the folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    def put(content: bytes) -> None:
        assert os.listdir(folder) == []
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


def forms(path: Path) -> dict[str, bytes]:
    frame = pd.read_csv(path)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    parquet, arrow = io.BytesIO(), io.BytesIO()
    pq.write_table(table, parquet)
    with pa.ipc.new_stream(arrow, table.schema) as writer:
        writer.write_table(table)
    csv = path.read_bytes()
    return {"csv": csv, "gz": gzip.compress(csv), "parquet": parquet.getvalue(), "arrow": arrow.getvalue()}


@pytest.mark.parametrize("form", ["csv", "gz", "parquet", "arrow"])
def test_every_command_reads_it(
    answer: Answer, give: Callable[[bytes], None], people: LearnAC, tmp_path: Path, form: str
) -> None:
    pd.read_csv(tmp_path / "people.csv").assign(children=None).to_csv(tmp_path / "asked.csv", index=False)
    give(forms(tmp_path / "people.csv")[form])
    document = json.loads(
        answer("learn", "-", "--bins", "age=4", "--edge-penalty", "0.1", "--out", "m.learnac", "--json")
    )
    assert document["files"] == {"train": "standard input"}
    assert load(tmp_path / "m.learnac").schema_ == people.schema_
    for command in (
        ["score", "people.learnac", "TABLE"],
        ["impute", "people.learnac", "TABLE", "--json"],
        ["query", "people.learnac", "-q", "children=1", "--rows", "TABLE"],
        ["mpe", "people.learnac", "--rows", "TABLE"],
        ["marginals", "people.learnac", "--rows", "TABLE", "--variables", "city"],
    ):
        give(forms(tmp_path / "asked.csv")[form])
        found = answer(*[word.replace("TABLE", "-") for word in command])
        if form == "csv":
            assert found == answer(*[word.replace("TABLE", "asked.csv") for word in command])
    assert os.listdir(tmp_path / "temporary") == []


def test_a_format_that_is_said(answer: Answer, give: Callable[[bytes], None]) -> None:
    give(b"a\tb\nx\t1\ny\t2\n")
    assert len(json.loads(answer("learn", "-", "--format", "tsv", "--json"))["columns"]) == 2
    give(b"2|0,1\n1|1,*\n".replace(b"*", b"0"))
    assert json.loads(answer("learn", "-", "--format", "libra", "--json"))["scores"]["train"]["weight"] == 3


@pytest.mark.parametrize(("content", "said"), [(b"", "the file is empty"), (b"a,b\n1\n", ":2: expected 2 values")])
def test_errors_name_it(complaint: Answer, give: Callable[[bytes], None], content: bytes, said: str) -> None:
    give(content)
    assert complaint("learn", "-").startswith("error: standard input:")
    give(content)
    assert said in complaint("learn", "-")


def test_only_one_table_comes_by_it(complaint: Answer, give: Callable[[bytes], None]) -> None:
    give(b"a,b\n1,2\n")
    assert "found '-' more than once" in complaint("learn", "-", "--valid", "-")


def test_through_a_pipe(person: Callable[..., Any], people: LearnAC, tmp_path: Path) -> None:
    code, out, err = person("score", "people.learnac", "-", input=(tmp_path / "people.csv").read_text())
    assert (code, err) == (0, "")
    assert "of 600 rows" in out
