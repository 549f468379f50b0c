"""The report on mixtures: what it counts, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from mixed import AtLargest, ahead_of_all, ahead_with, at_largest, curve, headline_table, mixtures
from mixtures import next_number
from tables import Studies
from verdicts import Ended

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
    assert "| dna | -80.000 ± 0.100 | -79.000 ± 0.100 | 8 x 100 | -78.200 ± 0.100 |  |  | 0.200 |" in text


class TestWhyNoMoreComponents:
    SETTINGS: ClassVar[dict[str, Any]] = {
        "averaged": [64, 256],
        "averaged_max_edges": 1_000_000,
        "averaged_most_seconds": 60.0,
    }

    @pytest.mark.parametrize(
        ("scores", "n_edges", "expected"),
        [
            ({}, 100, 64),
            ({64: -80.0}, 100, 256),
            ({64: -80.0, 256: -79.9}, 100, 1024),
            ({64: -80.0, 256: -79.95}, 100, Ended.WORTH_LITTLE),
            ({64: -80.0, 256: -80.1}, 100, Ended.WORTH_LITTLE),
            ({64: -80.0, 256: -79.9}, 245, Ended.LIMIT),
            ({64: -80.0}, 977, Ended.LIMIT),  # The smaller structures' numbers are stated, and too many for this one.
            ({}, 3907, Ended.LIMIT),
        ],
    )
    def test_each_reason(self, scores: dict[int, float], n_edges: int, expected: int | Ended) -> None:
        averaged = {number: {"valid": valid, "learning_seconds": 60.0} for number, valid in scores.items()}
        assert next_number(self.SETTINGS, averaged, n_edges) == expected

    def test_no_more_are_tried_where_the_last_took_long(self) -> None:
        averaged = {64: {"valid": -80.0, "learning_seconds": 61.0}}
        assert next_number(self.SETTINGS, averaged, 100) == 256  # It is stated.
        averaged[256] = {"valid": -79.0, "learning_seconds": 61.0}
        assert next_number(self.SETTINGS, averaged, 100) is Ended.TOO_LONG

    def test_the_report_tells_them(self, tmp_path: Path) -> None:
        few, many = ({"kind": "averaged", "set": "dna", "n_components": n, "max_edges": n * 400} for n in (64, 256))
        circuit = ({"kind": "circuit", "set": "dna"}, -80.0, -80.0)

        def found(gain: float, most_edges: int, seconds: float = 60.0) -> tuple[AtLargest, str]:
            made = studies(tmp_path, circuit, (few, -79.0, -80.0), (many, -79.5, -80.0 + gain))
            made.settings = {
                "mixtures": {**self.SETTINGS, "averaged_max_edges": most_edges, "averaged_most_seconds": seconds}
            }
            return at_largest(made), " ".join(mixtures(made).split())

        limited, text = found(0.1, 409_599)
        assert limited == AtLargest(["dna"], [], [], [], 1)
        assert "on 1 of 1 sets. Four times as many were not tried, because they might be beyond the limit, on 1" in text
        little, text = found(0.05, 409_600)
        assert little == AtLargest([], ["dna"], [], [], 1)
        assert "beyond the limit, on none; because the last step gained less than 0.1%, on 1 (dna);" in text
        long, text = found(0.1, 409_600, 0.5)
        assert long == AtLargest([], [], ["dna"], [], 1)
        assert "because the last step took more than 0.5 s to learn" in text
        missing, text = found(0.1, 409_600)
        assert missing == AtLargest([], [], [], ["dna"], 1)
        assert "and are not measured yet on 1 (dna)." in text
        assert found(-0.1, 409_600)[0] == AtLargest([], [], [], [], 1)


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


@pytest.mark.parametrize(("test", "lead"), [(-79.0, "+0.06"), (-79.06, "level"), (-79.10, "-0.04")])
def test_the_headline_has_the_lead_over_the_best(test: float, lead: str, tmp_path: Path) -> None:
    circuit = ({"kind": "circuit", "set": "dna"}, -80.0, -80.0)
    found = studies(tmp_path, circuit, ({"kind": "averaged", "set": "dna"}, test, test))
    assert headline_table(found).endswith(f"| dna | -79.06 | -80.00 |  |  | {test:.2f} ± 0.10 | {lead} | 800 |\n")
