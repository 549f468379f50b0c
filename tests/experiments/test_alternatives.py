"""Comparisons with pyAgrum: calls within limits, which network is chosen, and what the table says of queries."""

from __future__ import annotations

import numpy as np
import pytest
from alternatives import asked, best_learned
from elsewhere import _cell, _cells
from limited import Exceeded, limited


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
    ],
)
def test_a_cell_tells_what_became_of_the_queries(answers: dict[str, float], said: str) -> None:
    assert _cell(answers) == said


def test_times_alone_take_the_place_of_others() -> None:
    answers = {"asked": 4, "answered": 4, "memory": 0, "time": 0, "mean": 1.0, "worst": 9.0}
    alone = {"mean": {"0": 2.0}, "mean_range": {"0": [1.9, 2.3]}, "worst_range": {"0": [7.0, 8.0]}}
    assert _cells({"answers": [answers], **alone}, [0.0]) == ["2 ± 10% (8)"]
    assert _cells({"answers": [answers]}, [0.0]) == ["1 (9)"]
