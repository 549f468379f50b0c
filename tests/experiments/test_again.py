"""Tasks measured a second time: what counts as the same, and what the report says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from again import compared, tasks
from repeated import again, told
from study import Results
from tables import Studies

THEN = {"test": -2.0, "edges": 10, "stop": "CONVERGED", "learning_seconds": 2.0, "query_ms": {"0": 4.0, "50": 1.0}}


def test_equal_results_are_the_same_and_times_are_compared_apart() -> None:
    now = {**THEN, "learning_seconds": 3.0, "query_ms": {"0": 2.0, "50": 1.0}}
    assert compared(THEN, now) == {"values": 3, "different": 0, "largest_difference": 0.0, "times": [1.5, 0.5, 1.0]}


@pytest.mark.parametrize(
    ("changes", "largest"),
    [
        ({"test": -2.5}, 0.2),
        ({"edges": 11}, 1 / 11),
        ({"stop": "EXHAUSTED"}, 1.0),
        ({"test": None}, 1.0),
    ],
)
def test_what_is_different_is_found(changes: dict[str, Any], largest: float) -> None:
    found = compared(THEN, {**THEN, **changes})
    assert found["different"] == 1
    assert found["largest_difference"] == pytest.approx(largest)


def test_what_is_missing_is_different() -> None:
    assert compared(THEN, {key: value for key, value in THEN.items() if key != "test"})["different"] == 1


def test_what_is_new_is_different() -> None:
    assert compared({"a": [1.0]}, {"a": [1.0, 2.0]}) == {
        "values": 2,
        "different": 1,
        "largest_difference": 1.0,
        "times": [],
    }


def test_the_range_of_a_time_is_a_time() -> None:
    assert compared({"learning_range": [1.0, 2.0]}, {"learning_range": [2.0, 2.0]})["values"] == 0


def test_lists_are_compared_place_by_place() -> None:
    found = compared({"a": [1.0, 2.0], "runs": [{"seconds": 1.0}]}, {"a": [1.0, 4.0], "runs": [{"seconds": 2.0}]})
    assert found == {"values": 2, "different": 1, "largest_difference": 0.5, "times": [2.0]}


def test_tasks_are_drawn_from_those_that_are_short(tmp_path: Path) -> None:
    records = [{"task": {"place": i}, "result": {"test": i}, "cpu_seconds": 10.0 * i} for i in range(12)]
    (tmp_path / "table4.json").write_text(json.dumps(records))
    settings = {"studies": ["table4", "table5"], "tasks": 4, "most_cpu_seconds": 60, "seed": 1}
    found = list(tasks(settings, Results(tmp_path / "again.json")))
    assert len(found) == 4
    assert all(1 <= task["again"]["place"] <= 6 and task["found"]["test"] == task["again"]["place"] for task in found)
    assert found == list(tasks(settings, Results(tmp_path / "again.json")))
    assert found != list(tasks({**settings, "seed": 2}, Results(tmp_path / "again.json")))


def studies_of(folder: Path, *results: dict[str, Any]) -> Studies:
    task = {"study": "table4", "again": {}, "found": {}}
    records = [{"task": task, "result": result, "commit": "abc"} for result in results]
    (folder / "again.json").write_text(json.dumps(records))
    return Studies(folder)


SAME = {"values": 3, "different": 0, "largest_difference": 0.0, "times": [0.8, 1.2]}


def test_the_report_says_so_if_everything_is_the_same(tmp_path: Path) -> None:
    studies = studies_of(tmp_path, SAME, {**SAME, "different": 1, "largest_difference": 1e-13})
    assert "All 6 values that are no times came out the same; times were 0.80 to 1.20 times" in told(studies)
    assert told(studies).startswith("Some tasks of `table4`, drawn")
    assert "later, at abc,\nbeside other work." in told(studies)
    assert "| table4 | 2 | 6 | 1 | 1e-13 | 1.00 (0.80 to 1.20) |" in again(studies)


def test_the_report_says_so_if_something_is_not(tmp_path: Path) -> None:
    studies = studies_of(tmp_path, SAME, {**SAME, "different": 1, "largest_difference": 0.02})
    assert "Of 6 values that are no times, some of 1 tasks came out otherwise" in told(studies)
