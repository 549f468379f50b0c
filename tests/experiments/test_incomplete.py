"""What the report says of tables with gaps, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from incomplete import gaps
from tables import Studies


def said(tmp_path: Path, **less: tuple[float, float]) -> str:
    """Of one table: by method, how much less it scores than ours, and the standard error of this."""
    task: dict[str, Any] = {"set": "a", "share": 0.3}
    records = [{"task": {**task, "method": "gaps"}, "result": {"test": -1.0, "test_error": 0.1}}]
    for method, (by, error) in less.items():
        result = {"test": -1.0 - by, "test_error": 0.1, "less_than_ours": by, "less_than_ours_error": error}
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


def test_every_method_is_a_case(tmp_path: Path) -> None:
    found = said(tmp_path, dropped=(0.5, 0.1), mode=(0.0, 0.1), category=(-0.5, 0.1), mixture=(-9.0, 0.1))
    assert "clearly better (by more than two standard errors) in 1 of 3 cases" in found
    assert "| a | 30% | -1.000 ± 0.100 | -1.500 | -1.000 | -0.500 | | 8.000 |" in found
