"""Grids grow until the best is inside them, and what is chosen is the best."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from collection import Grid, chosen, edges, grid_of, widened
from study import Results, Task
from verdicts import Edge

SETTINGS: dict[str, Any] = {
    "grid": {"circuit": {"schedule": "quick", "parameter_penalty": [0.5, 1.0, 2.0], "shrinkage": [0.0, 10.0]}},
    "widen": {"parameter_penalty": [0.1, 16.0], "shrinkage": [0.0, 40.0]},
}


def found(tmp_path: Path, valid: Callable[[Task], float], settings: dict[str, Any] = SETTINGS) -> tuple[Task, Results]:
    """What is chosen where the validation rows have this likelihood."""
    results = Results(tmp_path / "collection.json")
    steps = chosen(settings, "nltcs", "circuit", results)
    try:
        while True:
            task = next(steps)
            assert results.get(task) is None, "measured twice"
            results.add({"task": task, "result": {"valid": valid(task)}})
    except StopIteration as end:
        return end.value, results


def near(penalty: float, shrinkage: float) -> Callable[[Task], float]:
    return lambda task: -abs(task["parameter_penalty"] - penalty) - abs(task["shrinkage"] - shrinkage)


class TestChosen:
    def test_the_best_inside_a_grid_needs_no_wider_one(self, tmp_path: Path) -> None:
        best, results = found(tmp_path, near(1.0, 0.0))
        assert (best["parameter_penalty"], best["shrinkage"]) == (1.0, 0.0)
        assert len(results.records) == 6

    def test_the_grid_grows_until_the_best_is_inside(self, tmp_path: Path) -> None:
        best, results = found(tmp_path, near(8.0, 20.0))
        assert (best["parameter_penalty"], best["shrinkage"]) == (8.0, 20.0)
        tried = [record["task"] for record in results.records]
        assert max(task["parameter_penalty"] for task in tried) == 16.0
        assert max(task["shrinkage"] for task in tried) == 40.0

    def test_it_grows_downwards_too_and_below_the_limit_to_0(self, tmp_path: Path) -> None:
        best, results = found(tmp_path, near(0.0, 0.0))
        assert best["parameter_penalty"] == 0.0
        tried = {record["task"]["parameter_penalty"] for record in results.records}
        assert tried == {0.0, 0.125, 0.25, 0.5, 1.0, 2.0}

    def test_upwards_it_ends_at_the_limit(self, tmp_path: Path) -> None:
        best, _ = found(tmp_path, near(100.0, 0.0))
        assert best["parameter_penalty"] == 16.0

    def test_what_is_left_out_is_not_tried_later_either(self, tmp_path: Path) -> None:
        settings = {**SETTINGS, "left_out": {"nltcs": {"parameter_penalty": [0.0]}}}
        best, _ = found(tmp_path, near(0.0, 0.0), settings)
        assert best["parameter_penalty"] == 0.125

    def test_of_equals_the_one_inside_is_taken(self, tmp_path: Path) -> None:
        best, results = found(tmp_path, lambda task: -max(task["parameter_penalty"], 1.0))
        assert best["parameter_penalty"] == 1.0
        assert len(results.records) == 6

    def test_without_limits_nothing_is_widened(self, tmp_path: Path) -> None:
        best, results = found(tmp_path, near(8.0, 20.0), {"grid": SETTINGS["grid"]})
        assert (best["parameter_penalty"], best["shrinkage"]) == (2.0, 10.0)
        assert len(results.records) == 6


def test_what_takes_too_long_is_left_out() -> None:
    settings = {**SETTINGS, "left_out": {"nltcs": {"parameter_penalty": [0.5]}}}
    assert grid_of(settings, "nltcs", "circuit") == {"parameter_penalty": [1.0, 2.0], "shrinkage": [0.0, 10.0]}
    assert grid_of(settings, "kdd", "circuit")["parameter_penalty"] == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("penalty", "expected"),
    [(0.5, [0.25, 0.5, 1.0, 2.0]), (1.0, [0.5, 1.0, 2.0]), (2.0, [0.5, 1.0, 2.0, 4.0])],
)
def test_one_value_is_added_beyond_the_edge(penalty: float, expected: list[float]) -> None:
    grid: Grid = {"parameter_penalty": [0.5, 1.0, 2.0]}
    task = {"parameter_penalty": penalty}
    assert widened(grid, task, {"parameter_penalty": (0.1, 16.0)})["parameter_penalty"] == expected
    assert widened(grid, {"parameter_penalty": 0.5}, {"parameter_penalty": (0.3, 16.0)})["parameter_penalty"][0] == 0.0
    assert widened(grid, task, {}) == grid


def test_nothing_is_below_zero() -> None:
    assert edges({"shrinkage": 0.0}, {"shrinkage": [0.0, 10.0]}) == {}
    assert edges({"shrinkage": 10.0}, {"shrinkage": [0.0, 10.0]}) == {"shrinkage": Edge.HIGHEST}
