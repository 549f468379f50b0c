"""What the report says of Gibbs sampling beside circuits, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sampling import Misses, clear_together, is_dominated, misses, not_dominated, seconds_of_queries, table5
from table5 import LEVELS
from tables import Studies

from learnac.errors import LearnacError

Record = dict[str, Any]


def studies(folder: Path, *records: Record) -> Studies:
    (folder / "table5.json").write_text(json.dumps(records))
    return Studies(folder)


def sampled(
    name: str,
    method: str,
    less: float,
    rows: int = 100,
    levels: list[tuple[float, float]] = LEVELS,
    error: float = 0.1,
) -> list[Record]:
    result = {"rows": rows, "less_than_quick": less, "less_than_quick_error": error}
    result |= {"log_probability": -0.5, "log_probability_error": 0.1, "seconds": 1.0}
    return [{"task": {"set": name, "method": method, "query": q, "evidence": e}, "result": result} for q, e in levels]


class TestDominated:
    def test_a_set_where_the_circuit_is_always_clearly_better_is(self, tmp_path: Path) -> None:
        found = studies(tmp_path, *sampled("kdd", "Gibbs-Slow", 1.0))
        assert is_dominated(found, "kdd") is True
        assert not_dominated(found) == ""

    def test_one_unclear_comparison_is_enough_against_it(self, tmp_path: Path) -> None:
        records = sampled("kdd", "Gibbs-Slow", 1.0, levels=LEVELS[:-1])
        records += sampled("kdd", "Gibbs-Slow", 0.0, levels=LEVELS[-1:])
        records += sampled("tmovie", "Gibbs-Slow", 1.0)
        said = not_dominated(studies(tmp_path, *records))
        assert "**This is not reproduced on KDD Cup.** Comparisons" in said
        assert "8 of 9 on KDD Cup and 9 of 9 on EachMovie" in said

    def test_queries_of_very_few_variables_are_left_out_as_in_the_paper(self, tmp_path: Path) -> None:
        few = [level for level in LEVELS if level[0] == 0.1]
        records = sampled("kdd", "Gibbs-Slow", -1.0, levels=few)
        records += sampled("kdd", "Gibbs-Slow", 1.0, levels=[level for level in LEVELS if level not in few])
        assert is_dominated(studies(tmp_path, *records), "kdd") is True

    def test_too_few_queries_are_no_verdict(self, tmp_path: Path) -> None:
        records = sampled("kdd", "Gibbs-VerySlow", -1.0, rows=12)
        found = studies(tmp_path, *records)
        assert is_dominated(found, "kdd") is None
        assert not_dominated(found) == ""
        found = studies(tmp_path, *records, *sampled("kdd", "Gibbs-Slow", 0.0))
        assert "Gibbs-VerySlow answered too few queries to say (fewer than 30)." in not_dominated(found)

    def test_few_queries_speak_for_the_circuit_and_not_against_it(self, tmp_path: Path) -> None:
        slow = sampled("kdd", "Gibbs-Slow", 1.0)
        found = studies(tmp_path, *slow, *sampled("kdd", "Gibbs-VerySlow", 0.0, rows=99))
        assert is_dominated(found, "kdd") is None
        assert "**On KDD Cup it cannot be said**" in not_dominated(found)
        assert is_dominated(studies(tmp_path, *slow, *sampled("kdd", "Gibbs-VerySlow", 0.0, rows=100)), "kdd") is False
        assert is_dominated(studies(tmp_path, *slow, *sampled("kdd", "Gibbs-VerySlow", 1.0, rows=30)), "kdd") is True

    def test_nothing_is_said_as_long_as_comparisons_are_missing(self, tmp_path: Path) -> None:
        some = LEVELS[:3]
        assert is_dominated(studies(tmp_path, *sampled("kdd", "Gibbs-Slow", 1.0, levels=some)), "kdd") is None
        assert is_dominated(studies(tmp_path, *sampled("kdd", "Gibbs-Slow", 0.0, levels=some)), "kdd") is False

    def test_faster_settings_do_not_count(self, tmp_path: Path) -> None:
        records = sampled("kdd", "Gibbs-Fast", 0.0) + sampled("kdd", "Gibbs-Slow", 1.0)
        assert is_dominated(studies(tmp_path, *records), "kdd") is True


def test_what_is_clear_alone_may_not_be_clear_among_many(tmp_path: Path) -> None:
    # At 2.5 standard errors, p is 0.018 with 30 queries: enough for one comparison, not for one of ten.
    found = studies(tmp_path, *sampled("kdd", "Gibbs-Slow", 0.25))
    assert is_dominated(found, "kdd") is True
    assert clear_together(found) == []
    found = studies(tmp_path, *sampled("kdd", "Gibbs-Slow", 0.25, levels=LEVELS[:1]))
    assert clear_together(found) == [("kdd", "Gibbs-Slow", *LEVELS[0])]


def test_the_section_counts_verdicts(tmp_path: Path) -> None:
    quick = sampled("kdd", "AC-Quick", 0.0)
    records = [*quick, *sampled("kdd", "Gibbs-Fast", 1.0), *sampled("kdd", "Gibbs-Medium", -1.0, levels=LEVELS[:1])]
    records += sampled("kdd", "Gibbs-Slow", 0.0, levels=LEVELS[:2]) + sampled("kdd", "Gibbs-Slow", 0.0, 5, LEVELS[2:3])
    said = " ".join(table5(studies(tmp_path, *records)).split())
    assert (
        "Of 40 comparisons of a Gibbs setting with AC-Quick, 14 were made (the cells above). 10 are clearly in favour"
        in said
    )
    assert "2 are not clear (the interval has zero in it), and 1 have too few queries" in said
    asked, known = LEVELS[0]
    assert f"- KDD Cup: Gibbs-Medium ({asked:.0%} asked, {known:.0%} known)" in said
    assert "Gibbs-Slow, 0 to 100 queries" in said
    assert "| 30% asked, 0% known | -500.0 | | -1000.0 ± 198.4 | 1000.0 ± 198.4 | 0.0 ± 198.4 | |" in said


def test_beside_fewer_queries_stands_what_the_circuit_answers_to_these(tmp_path: Path) -> None:
    records = sampled("kdd", "AC-Quick", 0.0) + sampled("kdd", "Gibbs-Slow", 0.25, rows=30)
    assert "| 30% asked, 0% known | -500.0 |  |  |  | -250.0 ± 204.5 (-250.0) |  |" in table5(
        studies(tmp_path, *records)
    )


def test_intervals_of_few_queries_are_compared_with_all(tmp_path: Path) -> None:
    """Four blocks without a difference and one with a large one: the mean of all is in the interval of none."""
    query, evidence = LEVELS[0]
    task = {"set": "kdd", "method": "Gibbs-Slow", "query": query, "evidence": evidence}
    records = [
        {
            "task": {**task, "first": 100 * block},
            "result": {"rows": 100, "less_than_quick": less, "less_than_quick_error": 0.01},
        }
        for block, less in enumerate([0.0, 0.0, 0.0, 0.0, 1.0])
    ]
    assert misses(studies(tmp_path, *records)) == [Misses("kdd", 100, 5, 5, 4)]
    records[4]["result"]["less_than_quick"] = -1.0
    assert misses(studies(tmp_path, *records)) == [Misses("kdd", 100, 5, 5, 1)]
    records[4]["result"]["less_than_quick"] = 0.0
    assert misses(studies(tmp_path, *records)) == [Misses("kdd", 100, 5, 0, 0)]
    assert misses(studies(tmp_path, *records[:4])) == [], "too few blocks to compare with all"


def test_a_mean_over_some_kinds_of_queries_is_not_shown(tmp_path: Path) -> None:
    records = sampled("kdd", "AC-Quick", 0.0) + sampled("kdd", "Gibbs-Fast", 1.0, levels=LEVELS[:-1])
    found = studies(tmp_path, *records)
    assert seconds_of_queries(found, "kdd", "AC-Quick") == 1.0
    assert seconds_of_queries(found, "kdd", "Gibbs-Fast") is None


def test_answers_of_two_models_are_not_put_together(tmp_path: Path) -> None:
    records = sampled("kdd", "Gibbs-Slow", 1.0)
    records += [{**record, "task": {**record["task"], "model": "another"}} for record in records]
    with pytest.raises(LearnacError, match="expected one model for"):
        is_dominated(studies(tmp_path, *records), "kdd")


def test_times_are_beside_the_papers(tmp_path: Path) -> None:
    assert "| Gibbs-Fast | 1 s (1.46 s; x 1) |" in table5(studies(tmp_path, *sampled("kdd", "Gibbs-Fast", 1.0)))
