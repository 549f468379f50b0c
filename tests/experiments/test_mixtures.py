"""The study of mixtures: more components are tried where the most do best, up to a limit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mixtures import tasks
from study import Results

SETTINGS: dict[str, Any] = {
    "sets": ["dna"],
    "max_edges": 10_000,
    "seeds": [0],
    "components": [],
    "averaged": [4, 16],
    "averaged_max_edges": 100 * 4 * 64,  # four of 64 components, over a structure of 100 edges
    "averaged_most_seconds": 60.0,
    "curves": [],
}

FOUND = {"structure_edges": 100, "learning_seconds": 1.0}


def averaged(tmp_path: Path, valid: Callable[[int], float], **changed: object) -> list[int]:
    """The numbers of components that are tried where the validation rows have this likelihood."""
    results = Results(tmp_path / "mixtures.json")
    tried = []
    for task in tasks({**SETTINGS, **changed}, results):
        n_components = task.get("n_components", 1)
        if task["kind"] == "averaged":
            tried.append(n_components)
            assert task["max_edges"] == 100 * 4 * n_components
        results.add({"task": task, "result": {**FOUND, "valid": valid(n_components)}})
    return tried


def test_more_components_are_tried_as_long_as_the_most_do_best(tmp_path: Path) -> None:
    assert averaged(tmp_path, lambda n: -abs(n - 16.0), averaged_max_edges=1e9) == [4, 16, 64]


def test_no_more_are_tried_where_fewer_do_best(tmp_path: Path) -> None:
    assert averaged(tmp_path, lambda n: -n) == [4, 16]


def test_no_more_are_tried_than_the_limit_allows(tmp_path: Path) -> None:
    assert averaged(tmp_path, lambda n: n) == [4, 16, 64]


def test_what_is_beyond_the_limit_from_the_start_is_left_out(tmp_path: Path) -> None:
    assert averaged(tmp_path, lambda n: n, averaged=[16, 4, 256]) == [4, 16]


def test_all_that_are_asked_for_are_tried(tmp_path: Path) -> None:
    assert averaged(tmp_path, lambda n: -n, averaged=[64, 4, 16], averaged_max_edges=1e9) == [4, 16, 64]
