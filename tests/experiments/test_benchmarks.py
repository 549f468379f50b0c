"""Benchmarks measure the circuits that they name, and README's tables are of these."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import extremes
import pytest
import service
from learning import dataset_of, random_rows
from plain_circuits import PLAIN, UnexpectedCircuitError, learned, require_expected

from learnac.learn import LearnSettings

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


@dataclass(frozen=True)
class MadeUp:
    """As a run of the benchmarks."""

    name: str = "made up"
    edge_penalty: float = 0.1
    parameter_penalty: float = 0.5
    schedule: str = "quick"
    expected_leaves: int | None = 100
    expected_edges: float | None = 2.0
    expected_log_likelihood: float | None = -5.0


def results(file: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((RESULTS / f"{file}.json").read_text())["results"]
    return found


class TestExpected:
    def test_a_circuit_as_expected_passes(self) -> None:
        require_expected(MadeUp(), leaves=101, edges=1980, log_likelihood=-5.01)
        require_expected(MadeUp(), leaves=100, edges=2000)

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"leaves": 90}, r"leaves: expected 100, found 90"),
            ({"edges": 2100}, r"edges: expected 2,000, found 2,100"),
            ({"log_likelihood": -5.5}, r"log-likelihood: expected -5, found -5.5"),
        ],
    )
    def test_any_other_is_an_error(self, changed: dict[str, float], message: str) -> None:
        figures: dict[str, Any] = {"leaves": 100, "edges": 2000, "log_likelihood": -5.0, **changed}
        with pytest.raises(UnexpectedCircuitError, match=f"made up, quick: not the expected circuit .{message}"):
            require_expected(MadeUp(), **figures)

    def test_what_is_not_known_is_not_compared(self) -> None:
        run = MadeUp(expected_leaves=None, expected_edges=None, expected_log_likelihood=None)
        require_expected(run, leaves=1, edges=1, log_likelihood=-1.0)


class TestLearned:
    def test_the_settings_are_the_papers_whatever_the_defaults_are(self) -> None:
        arities = [2, 2, 3, 2]
        model = learned(MadeUp(), dataset_of(random_rows(0, 200, arities), arities))
        settings = model.get_params()
        assert {name: settings[name] for name in ("alpha", "shrinkage", "splits")} == {
            "alpha": 1.0,
            "shrinkage": 0.0,
            "splits": "complete",
        }
        assert (settings["edge_penalty"], settings["parameter_penalty"], settings["schedule"]) == (0.1, 0.5, "quick")

    def test_no_setting_is_left_to_its_default(self) -> None:
        of_runs = {"edge_penalty", "parameter_penalty", "schedule"}
        not_used = {"equivalent_sample_size", "max_splits", "max_seconds", "patience"}  # BDeu's; ends of a search
        assert set(LearnSettings.__dataclass_fields__) == set(PLAIN) | of_runs | not_used


class TestCommittedResults:
    @pytest.mark.parametrize("file", ["1-quick", "2-greedy", "3-greedy-long"])
    def test_circuits_are_the_expected_ones(self, file: str) -> None:
        fields = MadeUp.__dataclass_fields__
        for result in results(file):
            run = MadeUp(**{key: value for key, value in result.items() if key in fields})
            require_expected(run, result["leaves"], result["edges"], result["log_likelihood"])

    def test_inference_is_measured_on_circuits_of_the_table_of_learning(self) -> None:
        edges = {result["name"]: result["edges"] for result in results("1-quick")}
        assert results("inference")
        for result in results("inference"):
            assert result["edges"] == edges[result["name"]]


class TestExtremes:
    def test_what_takes_more_than_expected_is_named(self) -> None:
        within = {"memory": 299.0, "cpu": 9.0, "past_budget": 1.0}
        assert extremes.complaints("categories-20000", within) == []
        assert extremes.complaints("categories-20000", {"memory": 301.0, "cpu": 11.0, "past_budget": 2.5}) == [
            "categories-20000: memory: expected at most 300 MB, found 301.0 MB",
            "categories-20000: cpu: expected at most 10 s, found 11.0 s",
            "categories-20000: past budget: expected at most 2 s, found 2.5 s",
        ]

    def test_tables_are_always_the_same(self) -> None:
        for make in (lambda: extremes.binary(30, 20), lambda: extremes.categorical(9, 40, n_rows=20)):
            assert (make().codes == make().codes).all()


class TestVerdicts:
    def test_a_click_at_100_000_edges_has_16_ms(self) -> None:
        explorer = pytest.importorskip("explorer", reason="needs playwright")
        assert explorer.complaints({"name": "100K", "median_ms": 15.9}) == []
        assert explorer.complaints({"name": "300K", "median_ms": 20.0}) == []
        assert explorer.complaints({"name": "100K", "median_ms": 16.1}) == [
            "expected at most 16 ms from click to repaint at 100K edges, found 16.1"
        ]

    def test_memory_of_the_service_may_not_grow(self) -> None:
        assert service.complaint({"early_mb": 100.0, "late_mb": 104.0}) is None
        assert service.complaint({"early_mb": 100.0, "late_mb": 90.0}) is None
        found = service.complaint({"early_mb": 100.0, "late_mb": 106.0})
        assert found == "expected memory that stays as it is, found 100 MB, then 106 MB"
