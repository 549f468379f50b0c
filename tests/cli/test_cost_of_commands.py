"""A command costs what its work costs: rows are encoded once, and nothing is imported that it does not need."""

from __future__ import annotations

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
