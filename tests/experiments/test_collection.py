"""What is chosen is the best of a grid and of the steps from there, and no step from it is better."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from collection import chosen, next_values, steps, tuning_tasks
from study import Results, Task

SETTINGS: dict[str, Any] = {
    "grid": {"circuit": {"schedule": "quick", "parameter_penalty": [0.5, 2.0], "shrinkage": [0.0, 10.0], "alpha": 1.0}},
    "steps": {
        "parameter_penalty": {"least": 0.1, "most": 16.0, "zero": True},
        "shrinkage": {"least": 2.0, "most": 40.0, "zero": True},
        "alpha": {"least": 0.2, "most": 4.0},
    },
}


def found(tmp_path: Path, valid: Callable[[Task], float], settings: dict[str, Any] = SETTINGS) -> tuple[Task, Results]:
    """What is chosen where the validation rows have this likelihood."""
    results = Results(tmp_path / "collection.json")
    search = chosen(settings, "nltcs", "circuit", results)
    try:
        while True:
            task = next(search)
            assert results.get(task) is None, "measured twice"
            results.add({"task": task, "result": {"valid": valid(task)}})
    except StopIteration as end:
        return end.value, results


def near(penalty: float, shrinkage: float, alpha: float = 1.0) -> Callable[[Task], float]:
    def valid(task: Task) -> float:
        return -sum(abs(task[k] - v) for k, v in at(penalty, shrinkage, alpha).items())

    return valid


def at(penalty: float, shrinkage: float, alpha: float = 1.0) -> Task:
    return {"parameter_penalty": penalty, "shrinkage": shrinkage, "alpha": alpha}


class TestChosen:
    @pytest.mark.parametrize(
        "best",
        [at(0.5, 10.0), at(8.0, 20.0), at(1.0, 10.0, 0.5), at(0.125, 2.0, 4.0), at(0.0, 0.0), at(0.0, 40.0, 0.25)],
        ids=str,
    )
    def test_steps_lead_to_the_best(self, tmp_path: Path, best: Task) -> None:
        task, results = found(tmp_path, near(*best.values()))
        assert {key: task[key] for key in best} == best
        tried = [record["task"] for record in results.records]
        assert all(each in tried for each in steps(SETTINGS, task))

    def test_one_setting_may_lead_another_to_its_best(self, tmp_path: Path) -> None:
        task, _ = found(tmp_path, lambda task: task["alpha"] - abs(task["parameter_penalty"] - 4 * task["alpha"]) / 10)
        assert (task["parameter_penalty"], task["alpha"]) == (16.0, 4.0)

    def test_it_ends_at_the_limits(self, tmp_path: Path) -> None:
        task, _ = found(tmp_path, near(100.0, 0.0, 0.0))
        assert (task["parameter_penalty"], task["alpha"]) == (16.0, 0.25)

    def test_what_is_left_out_is_not_tried(self, tmp_path: Path) -> None:
        settings = {**SETTINGS, "left_out": {"nltcs": {"parameter_penalty": [0.0]}}}
        task, _ = found(tmp_path, near(0.0, 0.0), settings)
        assert task["parameter_penalty"] == 0.125

    def test_of_equals_the_first_is_taken(self, tmp_path: Path) -> None:
        task, results = found(tmp_path, lambda task: 0.0)
        assert (task["parameter_penalty"], task["shrinkage"]) == (0.5, 0.0)
        assert len(results.records) == 4 + 5  # The grid, and the steps from its first.

    def test_without_steps_the_best_of_the_grid_is_taken(self, tmp_path: Path) -> None:
        task, results = found(tmp_path, near(8.0, 20.0), {"grid": SETTINGS["grid"]})
        assert (task["parameter_penalty"], task["shrinkage"]) == (2.0, 10.0)
        assert len(results.records) == 4


def test_the_grid_is_every_combination() -> None:
    tasks = tuning_tasks(SETTINGS, "nltcs", "circuit")
    assert [(task["parameter_penalty"], task["shrinkage"]) for task in tasks] == [
        (0.5, 0.0),
        (0.5, 10.0),
        (2.0, 0.0),
        (2.0, 10.0),
    ]
    assert all(task["alpha"] == 1.0 and task["schedule"] == "quick" for task in tasks)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, [2.0]), (2.0, [0.0, 4.0]), (3.0, [0.0, 6.0]), (4.0, [2.0, 8.0]), (20.0, [10.0, 40.0]), (40.0, [20.0])],
)
def test_steps_halve_and_double(value: float, expected: list[float]) -> None:
    assert next_values(SETTINGS, {"set": "nltcs", "shrinkage": value}, "shrinkage") == expected


def test_zero_is_a_step_only_where_it_is_allowed() -> None:
    assert next_values(SETTINGS, {"set": "nltcs", "alpha": 0.2}, "alpha") == [0.4]
