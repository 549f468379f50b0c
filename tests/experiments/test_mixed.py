"""The report on mixtures: what it counts, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mixed import AtLargest, ahead_of_all, ahead_with, at_largest, curve, mixtures
from tables import Studies

FOUND = {"standard_error": 0.1, "structure_edges": 100, "components": 8, "edges": 800, "learning_seconds": 1.0}
QUERY = {"query_ms": {"0": 1.0, "0.3": 0.5}}


def studies(tmp_path: Path, *results: tuple[dict[str, Any], float, float]) -> Studies:
    records = [
        {
            "task": {"max_edges": 1000, "n_components": 64, **task},
            "result": {**FOUND, **QUERY, "test": test, "valid": valid},
        }
        for task, test, valid in results
    ]
    (tmp_path / "mixtures.json").write_text(json.dumps(records))
    return Studies(tmp_path)


def test_ahead_is_ahead_of_every_tractable_model(tmp_path: Path) -> None:
    found = studies(
        tmp_path,
        ({"kind": "averaged", "set": "dna"}, -79.05, -79.05),  # the best has -79.06
        ({"kind": "averaged", "set": "nltcs"}, -5.99, -5.99),  # level
        ({"kind": "averaged", "set": "pumsb_star"}, -22.0, -22.0),  # ahead of all but a network
        ({"kind": "averaged", "set": "bbc"}, -245.0, -245.0),  # behind one
        ({"kind": "averaged", "set": "car"}, -1.0, -1.0),  # nobody published it
    )
    ahead, compared = ahead_of_all(found)
    assert ahead == ["dna", "pumsb_star"]
    assert compared == ["dna", "nltcs", "pumsb_star", "bbc"]


def test_valid_chooses_how_many_are_averaged(tmp_path: Path) -> None:
    few, many = ({"kind": "averaged", "set": "dna", "n_components": n} for n in (64, 256))
    assert ahead_of_all(studies(tmp_path, (few, -79.0, -80.0), (many, -79.5, -79.9)))[0] == []
    assert ahead_of_all(studies(tmp_path, (few, -79.0, -80.0), (many, -79.5, -80.1)))[0] == ["dna"]


def test_a_worse_mixture_is_told(tmp_path: Path) -> None:
    better = [({"kind": "circuit", "set": "dna"}, -80.0, -80.0), ({"kind": "mixture", "set": "dna"}, -79.0, -79.0)]
    assert "One mixture is worse than one circuit on no set." in mixtures(studies(tmp_path, *better))
    worse = [
        *better,
        ({"kind": "circuit", "set": "bbc"}, -250.0, -250.0),
        ({"kind": "mixture", "set": "bbc"}, -250.5, -250.5),
    ]
    assert "One mixture is worse than one circuit on bbc by 0.500." in mixtures(studies(tmp_path, *worse))


def test_seeds_and_components_have_their_columns(tmp_path: Path) -> None:
    text = mixtures(
        studies(
            tmp_path,
            ({"kind": "circuit", "set": "dna"}, -80.0, -80.0),
            ({"kind": "mixture", "set": "dna", "random_state": 0}, -79.0, -79.0),
            ({"kind": "mixture", "set": "dna", "random_state": 1}, -79.2, -79.2),
            ({"kind": "components", "set": "dna", "n_components": 64}, -78.5, -78.5),
            ({"kind": "components", "set": "dna", "n_components": 256}, -78.2, -78.2),
        )
    )
    assert "| dna | -80.000 ± 0.100 | -79.000 ± 0.100 | 8 x 100 | -78.200 ± 0.100 |  | 0.200 |" in text


def test_the_largest_number_of_components_is_told(tmp_path: Path) -> None:
    few, many = ({"kind": "averaged", "set": "dna", "n_components": n} for n in (64, 256))
    circuit = ({"kind": "circuit", "set": "dna"}, -80.0, -80.0)
    at_limit = studies(tmp_path, circuit, (few, -79.0, -80.0), (many, -79.5, -79.9))
    assert at_largest(at_limit) == AtLargest(["dna"], [], 1)
    text = " ".join(mixtures(at_limit).split())
    assert (
        "on 1 of 1 sets. Four times as many were not tried, because they would be beyond the limit, on 1 (dna)" in text
    )
    worth_little = studies(tmp_path, circuit, (few, -79.0, -80.0), (many, -79.5, -79.95))
    assert at_largest(worth_little) == AtLargest([], ["dna"], 1)
    text = " ".join(mixtures(worth_little).split())
    assert "beyond the limit, on none; because the last step gained less than 0.1%, on 1 (dna)" in text
    assert at_largest(studies(tmp_path, (few, -79.0, -80.0), (many, -79.5, -80.1))) == AtLargest([], [], 1)


def test_ahead_with_fewer_components(tmp_path: Path) -> None:
    few, many = ({"kind": "averaged", "set": "dna", "n_components": n} for n in (64, 256))
    found = studies(tmp_path, (few, -79.1, -80.0), (many, -79.0, -79.9))  # the best has -79.06
    assert ahead_with(found, 64) == []
    assert ahead_with(found, 128) == []
    assert ahead_with(found, 256) == ["dna"]


def test_a_curve_ascends_and_ends_with_the_budget(tmp_path: Path) -> None:
    found = studies(
        tmp_path,
        ({"kind": "mixture", "set": "dna"}, -79.0, -79.0),
        ({"kind": "mixture curve", "set": "dna", "max_edges": 10}, -81.0, -81.0),
    )
    assert curve(found, "dna", "mixture") == [(800, -81.0), (800, -79.0)]
