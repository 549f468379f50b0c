"""What the report says of the searches, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from beyond import (
    best_of_the_grid,
    candidate_losses,
    chosen_default,
    defaults_table,
    greedy_against_quick,
    greedy_wins,
    optimisations,
)
from reproduced import table4
from tables import Studies

from learnac.learn import LearnSettings

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
    assert (
        f"better on valid (unrounded) in {wins} of 1 cases of the grids above, and takes 9 times as long (median)"
        in said
    )


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


@pytest.mark.parametrize(("edge_penalty", "edge"), [(0.01, "(lowest)"), (0.05, ""), (0.1, "(highest)")])
def test_penalties_at_the_edge_of_their_grid_are_told(edge_penalty: float, edge: str, tmp_path: Path) -> None:
    tried = [tuned("quick", -2.0, 1.0) for _ in range(3)]
    for record, value in zip(tried, (0.01, 0.05, 0.1), strict=True):
        record["task"]["edge_penalty"] = value
    figures = {"test": -2.16, "edges": 1, "leaves": 1, "average_parents": 1.0, "largest_parents": 1, "treewidth": 9}
    final = {**tried[0]["task"], "stage": "final", "edge_penalty": edge_penalty}
    said = table4(studies(tmp_path, table4=[*tried, {"task": final, "result": {**figures, "learning_seconds": 1.0}}]))
    assert ("At the edge of the grid: k_e of KDD Cup's AC-Quick" in said) == bool(edge)
    assert edge in said


DEFAULT = {
    name: value
    for name in ("edge_penalty", "halve_edge_penalty", "max_edges", "parameter_penalty", "splits")
    if (value := getattr(LearnSettings().for_circuit(0), name)) is not None
} | {"alpha": "chosen", "shrinkage": "chosen"}


def candidates(folder: Path, default: float, other: float, best: float = -10.0, error: float = 0.01) -> Studies:
    """Two candidates for the defaults on one set, and the best smoothing of the first."""
    records = [
        {"task": {"set": "nltcs", "candidate": "ours", **DEFAULT}, "result": {"valid": default}},
        {"task": {"set": "nltcs", "candidate": "other", **DEFAULT, "alpha": 1.0}, "result": {"valid": other}},
    ]
    for record in records:
        record["result"] |= {"edges": 10, "learning_seconds": 1.0}
    bests = dict.fromkeys(("best_smoothing", "best_of_grid"), best)
    records[0]["result"] |= bests | {f"{key}_error": error for key in bests}
    return studies(folder, defaults=records)


@pytest.mark.parametrize(("default", "losses"), [(-10.0, (0.0, 0.1)), (-12.1, (0.1, 0.0))])
def test_losses_are_to_the_best_candidate(default: float, losses: tuple[float, float], tmp_path: Path) -> None:
    found = candidates(tmp_path, default, -11.0)
    assert chosen_default(found) == "ours"
    sets, by_candidate = candidate_losses(found)
    assert sets == ["nltcs"]
    assert (by_candidate["ours"][0], by_candidate["other"][0]) == pytest.approx(losses)
    told = f"| **ours** | {losses[0]:.2%} | {losses[0]:.1%} (nltcs, {-default - min(-default, 11.0):.2f} nats) |"
    assert told in defaults_table(found)


@pytest.mark.parametrize(
    ("default", "said"),
    [
        (
            -10.1,
            "at most 1.00% of the log-likelihood (nltcs, 0.100 ± 0.010 nats a row); clearly more than nothing on 1",
        ),
        (
            -10.01,
            "at most 0.10% of the log-likelihood (nltcs, 0.010 ± 0.010 nats a row); clearly more than nothing on 0",
        ),
    ],
)
def test_what_the_default_loses_against_its_grid(default: float, said: str, tmp_path: Path) -> None:
    assert best_of_the_grid(candidates(tmp_path, default, -11.0)).count(said) == 2


@pytest.mark.parametrize(("edge_penalty", "said"), [(0.1, False), (0.05, True)])
def test_searches_with_other_penalties_are_told(edge_penalty: float, said: bool, tmp_path: Path) -> None:
    final = {"stage": "final", "set": "kdd", "schedule": "greedy", "edge_penalty": 0.1, "parameter_penalty": 1.0}
    counts = dict.fromkeys(("all", "changed", "by_gain", "quick", "ours", "visits", "visits_with_exit"), 10)
    task = {"set": "kdd", "edge_penalty": edge_penalty, "parameter_penalty": 1.0, "watched_splits": 40}
    found = studies(tmp_path, table4=[{"task": final, "result": {}}], optimisations=[{"task": task, "result": counts}])
    assert ("Penalties are not those of Table 4 on KDD Cup." in optimisations(found)) == said
