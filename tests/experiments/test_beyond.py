"""What the report says of the searches, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from beyond import greedy_against_quick, greedy_wins
from reproduced import table4
from tables import Studies

Record = dict[str, Any]


def studies(folder: Path, **records: list[Record]) -> Studies:
    for name, found in records.items():
        (folder / f"{name}.json").write_text(json.dumps(found))
    return Studies(folder)


def tuned(schedule: str, valid: float, seconds: float, stop: str = "CONVERGED") -> Record:
    task = {"stage": "tune", "set": "kdd", "schedule": schedule, "edge_penalty": 0.1, "parameter_penalty": 1.0}
    found = {"valid": valid, "edges": 10, "learning_seconds": seconds, "evaluations": 5, "stop": stop}
    return {"task": task, "result": found}


@pytest.mark.parametrize(("stop", "ended"), [("CONVERGED", True), ("MAX_EDGES", False), ("INTERRUPTED", False)])
def test_whether_greedy_ran_to_its_end(stop: str, ended: bool, tmp_path: Path) -> None:
    found = studies(tmp_path, table4=[tuned("greedy", -2.0, 9.0, stop), tuned("quick", -2.1, 1.0)])
    assert ("always ran to its end" in greedy_against_quick(found)) == ended


@pytest.mark.parametrize(("valid", "wins"), [(-2.0, 1), (-2.2, 0)])
def test_how_often_greedy_is_better(valid: float, wins: int, tmp_path: Path) -> None:
    found = studies(tmp_path, table4=[tuned("greedy", valid, 9.0), tuned("quick", -2.1, 1.0)])
    said = greedy_wins(found)
    assert f"better on valid in {wins} of 1 cases of the grids above, and takes 9 times as long (median)" in said


@pytest.mark.parametrize(
    ("seconds", "told"), [(119.0, "| compiled: edges | 147K (3664K) |"), (120.0, "| compiled: edges | ≤147K (3664K) |")]
)
def test_a_compiled_circuit_is_a_bound_where_time_was_up(seconds: float, told: str, tmp_path: Path) -> None:
    figures = {"test": -2.16, "edges": 1, "leaves": 1, "average_parents": 1.0, "largest_parents": 1, "treewidth": 1}
    same = {"set": "kdd", "schedule": "quick"}
    final = {"stage": "final", **same, "edge_penalty": 0.1, "parameter_penalty": 0.5}
    task = {"stage": "compile", **same, "most_edges": 1_000_000, "search_seconds": 120.0}
    records = [
        {"task": final, "result": {**figures, "learning_seconds": 1.0}},
        {"task": task, "result": {"compiled_edges": 147_000}, "wall_seconds": seconds},
    ]
    assert told in table4(studies(tmp_path, table4=records))
