"""What the report says of tables with gaps, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from incomplete import gaps, times_as_long
from tables import Studies


def said(tmp_path: Path, **less: tuple[float, float]) -> str:
    """Of one table: by method, how much less it scores than ours, and the standard error of this."""
    task: dict[str, Any] = {"set": "a", "share": 0.3}
    records = [{"task": {**task, "method": "gaps"}, "result": {"test": -1.0, "test_error": 0.1, "edges": 9}}]
    for method, (by, error) in less.items():
        result = {"test": -1.0 - by, "test_error": 0.1, "edges": 9, "less_than_ours": by, "less_than_ours_error": error}
        records.append({"task": {**task, "method": method}, "result": result})
    (tmp_path / "gaps.json").write_text(json.dumps(records))
    return " ".join(gaps(Studies(tmp_path)).split())


@pytest.mark.parametrize(
    ("less", "expected"),
    [
        ((0.3, 0.1), "in 1 of 1 cases, not clearly different in 0 (none), and clearly worse in 0 (none)."),
        ((0.1, 0.1), "in 0 of 1 cases, not clearly different in 1 (a with 30% missing, rows dropped: +0.100 ± 0.100)"),
        ((-0.3, 0.1), "and clearly worse in 1 (a with 30% missing, rows dropped: -0.300 ± 0.100)."),
    ],
)
def test_a_difference_must_be_clear(less: tuple[float, float], expected: str, tmp_path: Path) -> None:
    assert expected in said(tmp_path, dropped=less)


def test_a_table_without_whole_rows_is_told(tmp_path: Path) -> None:
    said(tmp_path, mode=(0.3, 0.1))
    records = json.loads((tmp_path / "gaps.json").read_text())
    records.append({"task": {"set": "a", "share": 0.3, "method": "dropped"}, "result": {"rows": 0}})
    (tmp_path / "gaps.json").write_text(json.dumps(records))
    told = " ".join(gaps(Studies(tmp_path)).split())
    assert "in 1 of 1 cases" in told
    assert "Not among these cases: dropping leaves no rows of a with 30% missing." in told
    assert "leaves no rows" not in said(tmp_path, dropped=(0.3, 0.1))


def test_what_is_clear_alone_may_not_be_clear_among_many(tmp_path: Path) -> None:
    """At 2.2 standard errors, p is 0.028: enough for one comparison, not for two."""
    assert "in 1 of 1 cases" in said(tmp_path, dropped=(0.22, 0.1))
    assert "in 0 of 2 cases" in said(tmp_path, dropped=(0.22, 0.1), mode=(0.22, 0.1))


def test_a_mixture_that_is_the_single_circuit_is_named(tmp_path: Path) -> None:
    assert "a single circuit did best on a with 30% missing." in said(tmp_path, mixture=(0.0, 0.0))
    assert "single circuit did best" not in said(tmp_path, mixture=(0.1, 0.1))


def test_how_many_times_as_long_learning_takes(tmp_path: Path) -> None:
    said(tmp_path)
    record = json.loads((tmp_path / "gaps.json").read_text())[0]
    record["result"]["learning_seconds"] = 3.0
    whole = {"task": {**record["task"], "method": "everything"}, "result": {"learning_seconds": 0.5}}
    (tmp_path / "gaps.json").write_text(json.dumps([record, whole]))
    assert times_as_long(Studies(tmp_path)) == "6 to 6"


def test_every_method_is_a_case(tmp_path: Path) -> None:
    found = said(tmp_path, dropped=(0.5, 0.1), mode=(0.0, 0.1), category=(-0.5, 0.1), mixture=(-9.0, 0.1))
    assert "and by Holm's correction for so many cases) in 1 of 3 cases" in found
    assert "| a | 30% | -1.000 ± 0.100 | -1.500 | -1.000 | -0.500 | | 8.000 |" in found
