"""Comparisons with pyAgrum: calls within limits, which network is chosen, and what the table says of queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alternatives import asked, best_learned, learned, learner, n_queries, with_priors
from elsewhere import _cell, _cells, _rows, ended_early, priors_at_an_end, told_score
from limited import Exceeded, limited
from study import Results
from tables import Studies


class TestLimited:
    def test_gives_what_the_call_gives(self) -> None:
        assert limited(lambda: [1, "two"], seconds=10, gigabytes=64) == [1, "two"]

    def test_a_call_that_takes_too_long_is_ended(self) -> None:
        def forever() -> None:
            while True:
                pass

        assert limited(forever, seconds=1, gigabytes=64) is Exceeded.TIME

    def test_a_call_that_takes_too_much_memory_is_told(self) -> None:
        assert limited(lambda: bytes(2**40), seconds=10, gigabytes=64) is Exceeded.MEMORY

    def test_an_error_is_raised_here(self) -> None:
        with pytest.raises(RuntimeError, match="ZeroDivisionError: division by zero"):
            limited(lambda: 1 / 0, seconds=10, gigabytes=64)


def test_the_network_that_is_best_on_valid_is_chosen() -> None:
    tasks = [{"score": score} for score in ("BIC", "AIC", "slow")]
    valid = {"BIC": {"valid": -2.0, "test": -1.0}, "AIC": {"valid": -1.0, "test": -2.0}, "slow": {"exceeded": "time"}}
    assert best_learned(tasks, lambda task: valid[task["score"]]) == {"score": "AIC"}
    assert best_learned(tasks[2:], lambda task: valid[task["score"]]) is None


class TestWeakerPenalties:
    """The tasks that learn networks, where these have such likelihoods on valid."""

    def tried(self, tmp_path: Path, *valid: float | None, weakest: int = 16) -> list[str]:
        results = Results(tmp_path / "alternatives.json")
        told = []
        for task, score in zip(learned({"weakest": weakest}, {"set": "nltcs"}, results), valid, strict=True):
            results.add({"task": task, "result": {"exceeded": "time"} if score is None else {"valid": score}})
            told.append(told_score(task))
        return told

    def test_bic_may_be_best(self, tmp_path: Path) -> None:
        assert self.tried(tmp_path, -1.0, -2.0) == ["BIC", "AIC"]

    def test_they_are_tried_as_long_as_valid_gains(self, tmp_path: Path) -> None:
        assert self.tried(tmp_path, -3.0, -2.0, -1.0, -1.5) == ["BIC", "AIC", "AIC / 2", "AIC / 4"]

    def test_one_that_takes_too_long_is_the_last(self, tmp_path: Path) -> None:
        assert self.tried(tmp_path, -3.0, -2.0, None) == ["BIC", "AIC", "AIC / 2"]
        assert self.tried(tmp_path / "none", None, None) == ["BIC", "AIC"]

    def test_they_end_at_the_weakest(self, tmp_path: Path) -> None:
        assert self.tried(tmp_path, -3.0, -2.0, -1.0, weakest=2) == ["BIC", "AIC", "AIC / 2"]


@pytest.mark.parametrize(
    ("valid", "ended"),
    [
        ({"BIC": -1.0, "AIC": -2.0}, []),
        ({"BIC": -3.0, "AIC": -2.0, 2: -2.5}, []),
        ({"BIC": -3.0, "AIC": -2.0, 2: None}, ["nltcs"]),
        ({"BIC": -3.0, "AIC": -2.0, 2: -1.0}, ["nltcs"]),
        ({"BIC": None, "AIC": None}, []),
        ({"BIC": -1.0, "AIC": None}, ["nltcs"]),
    ],
)
def test_sets_where_a_weaker_penalty_might_do_better(
    valid: dict[str | int, float | None], ended: list[str], tmp_path: Path
) -> None:
    results = Results(tmp_path / "alternatives.json")
    for key, score in valid.items():
        said = {"score": key, "weaker": 1} if isinstance(key, str) else {"score": "AIC", "weaker": key}
        task = {"stage": "learn", "set": "nltcs", "max_parents": 0, **said}
        results.add({"task": task, "result": {"exceeded": "time"} if score is None else {"valid": score}})
    assert ended_early(Studies(tmp_path)) == ended


@pytest.mark.parametrize(("prior", "at_an_end"), [(0.5, True), (1.0, False), (2.0, True)])
def test_sets_where_other_priors_might_do_better(prior: float, at_an_end: bool, tmp_path: Path) -> None:
    results = Results(tmp_path / "alternatives.json")
    for name, found in (("nltcs", prior), ("dna", 1.0)):
        task = {"stage": "learn", "set": name, "max_parents": 0, "score": "BIC", "weaker": 1, "priors": [0.5, 1.0, 2.0]}
        results.add({"task": task, "result": {"valid": -1.0, "prior": found}})
    assert priors_at_an_end(Studies(tmp_path)) == (["nltcs"] if at_an_end else [])


@pytest.mark.parametrize(
    ("exceeded", "said", "search"),
    [("time", "none: too slow", "1 s (90 s)"), ("memory", "none: out of memory", "1 s (2 s)")],
)
def test_what_was_given_up_is_told(exceeded: str, said: str, search: str, tmp_path: Path) -> None:
    task = {"stage": "learn", "set": "nltcs", "max_parents": 0, "weaker": 1, "levels": [0.5], "rows": 4}
    task["limits"] = {"learn": {"seconds": 88.0}}
    given_up = {"task": {**task, "score": "AIC"}, "result": {"exceeded": exceeded}}
    (tmp_path / "alternatives.json").write_text(json.dumps([given_up]))
    assert _rows(Studies(tmp_path), "nltcs", 0, [0.5])[0][1:4] == ["pyAgrum", "", said]
    learned = {"valid": -1.0, "test": -1.0, "learning_seconds": 1.0, "search_seconds": 2.0, "arcs": 3}
    records = [{"task": {**task, "score": "BIC"}, "result": learned}, given_up]
    (tmp_path / "alternatives.json").write_text(json.dumps(records))
    assert _rows(Studies(tmp_path), "nltcs", 0, [0.5])[0][1:4] == ["pyAgrum, BIC", "-1.000", search]


class TestLearner:
    """What pyAgrum is asked for."""

    rows = np.random.default_rng(1).integers(0, 2, size=(300, 6))

    def learned(self, score: str, weaker: float) -> Any:
        gum, pandas = (pytest.importorskip(name) for name in ("pyagrum", "pandas"))
        rows = self.rows.copy()
        rows[:200, 1:4] = rows[:200, :1]
        rows[100:250, 4] = rows[100:250, 5]
        frame = pandas.DataFrame(rows, columns=[f"x{v}" for v in range(6)])
        template = gum.BayesNet()
        for name in frame.columns:
            template.add(gum.RangeVariable(name, name, 0, 1))
        task = {"score": score, "weaker": weaker, "max_parents": 0, "priors": [0.5, 2.0]}
        structure = learner(task, frame, template).learnBN().dag()
        return structure, with_priors(task, frame, template, structure), frame

    def test_aic_so_much_stronger_is_bic(self) -> None:
        """AIC's penalty is 1 bit for each parameter, BIC's log2(rows) / 2."""
        assert self.learned("AIC", 2 / np.log2(300))[0].arcs() == self.learned("BIC", 1)[0].arcs()

    def test_a_weaker_penalty_gives_no_fewer_arcs(self) -> None:
        numbers = [len(self.learned("AIC", weaker)[0].arcs()) for weaker in (0.25, 1, 4)]
        assert numbers == sorted(numbers)
        assert numbers[0] < numbers[-1]

    def test_what_is_added_to_counts(self) -> None:
        _, networks, frame = self.learned("BIC", 1)
        for prior, network in networks.items():
            name = next(f"x{node}" for node in network.nodes() if not network.parents(node))
            expected = [(frame[name] == value).sum() + prior for value in (0, 1)]
            found = network.cpt(name).toarray()
            np.testing.assert_allclose(found, np.array(expected) / (len(frame) + 2 * prior))


class TestAsked:
    task = {"set": "nltcs", "rows": 4, "seed": 1, "corner": [20, 6]}  # noqa: RUF012

    def test_counts_every_query_that_is_not_answered(self) -> None:
        answered = []

        def answer(row: np.ndarray) -> list[np.ndarray]:
            if row[0] < 0:
                raise MemoryError
            answered.append(row)
            return [np.eye(2)[value] if value >= 0 else np.array([0.5, 0.5]) for value in row]

        found = asked(self.task, 0.5, answer, {"seconds": 10, "gigabytes": 64, "of_level": 60})
        assert found["asked"] == 4
        assert found["memory"] == 4 - found["answered"]
        assert found["memory"] > 0
        assert found["time"] == 0

    def test_after_some_time_no_more_are_asked(self) -> None:
        limits = {"seconds": 10, "gigabytes": 64, "of_level": 0}
        found = asked(self.task, 0.5, lambda row: [np.eye(2)[max(value, 0)] for value in row], limits)
        assert (found["asked"], found["answered"]) == (1, 1)
        assert _cell(found, n_queries(self.task, 0.5)).endswith("3 not asked)")

    def test_answers_that_are_no_distributions_are_refused(self) -> None:
        with pytest.raises(AssertionError):
            asked(self.task, 0.0, lambda row: [np.array([0.5, 0.6])] * len(row))

    def test_nothing_known_is_asked_three_times(self) -> None:
        assert asked(self.task, 0.0, lambda row: [np.array([0.5, 0.5])] * len(row))["asked"] == 3


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"asked": 4, "answered": 4, "memory": 0, "time": 0, "mean": 1.234, "worst": 56.7}, "1.2 (57)"),
        (
            {"asked": 4, "answered": 1, "memory": 2, "time": 1, "mean": 12.3, "worst": 12.3},
            "12 (12; 2 of 4 out of memory, 1 of 4 too slow)",
        ),
        ({"asked": 1, "answered": 0, "memory": 0, "time": 1}, "none: too slow"),
        (
            {"asked": 2, "answered": 2, "memory": 0, "time": 0, "mean": 12.3, "worst": 12.3},
            "12 (12; 2 not asked)",
        ),
    ],
)
def test_a_cell_tells_what_became_of_the_queries(answers: dict[str, float], said: str) -> None:
    assert _cell(answers, n_planned=4) == said


def test_times_alone_take_the_place_of_others() -> None:
    answers = {"asked": 4, "answered": 4, "memory": 0, "time": 0, "mean": 1.0, "worst": 9.0}
    alone = {"mean": {"0": 2.0}, "mean_range": {"0": [1.9, 2.3]}, "worst_range": {"0": [7.0, 8.0]}}
    task = {"levels": [0.5], "rows": 4}
    alone = {key: {"0.5": value["0"]} for key, value in alone.items()}
    assert _cells({"answers": [answers], **alone}, task) == ["2 ± 10% (8)"]
    assert _cells({"answers": [answers]}, task) == ["1 (9)"]
    assert _cells({}, task) == [""]
