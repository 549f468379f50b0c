"""Studies can be interrupted and begun again; data sets and queries are the same every time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import models
import numpy as np
import pytest
from measures import asleep, begetting, doubled, dying, failing
from queries import queries
from sets import load
from study import Results, Task, alone, run
from table5 import measure
from verdicts import pooled, standard_error

from learnac.errors import LearnacError
from learnac.file_locks import lock


def numbers(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for number in settings["numbers"]:
        yield {"number": number}
    # What comes later may depend on what was found.
    yield {"number": max((results.get({"number": n}) or {})["twice"] for n in settings["numbers"])}


class TestStudy:
    def test_every_task_is_measured_and_kept(self, tmp_path: Path) -> None:
        results = Results(tmp_path / "new" / "numbers.json")
        run(results, numbers, doubled, {"numbers": [1, 5]})
        kept = json.loads((tmp_path / "new" / "numbers.json").read_text())
        assert [(r["task"]["number"], r["result"]["twice"]) for r in kept] == [(1, 2), (5, 10), (10, 20)]
        assert {"cpu_seconds", "wall_seconds", "memory_mb", "commit", "machine"} <= set(kept[0])

    def test_begun_again_it_measures_what_is_missing(self, tmp_path: Path) -> None:
        path = tmp_path / "numbers.json"
        run(Results(path), numbers, doubled, {"numbers": [1, 5]})
        before = path.read_text()
        run(Results(path), numbers, failing, {"numbers": [1, 5]})  # would fail if anything were measured
        assert path.read_text() == before

    def test_a_failure_leaves_what_was_done(self, tmp_path: Path) -> None:
        path = tmp_path / "numbers.json"
        run(Results(path), lambda *_: iter([{"number": 1}]), doubled, {})
        with pytest.raises(ZeroDivisionError):
            run(Results(path), lambda *_: iter([{"number": 1}, {"number": 2}]), failing, {})
        assert Results(path).get({"number": 1}) == {"twice": 2}
        assert Results(path).get({"number": 2}) is None

    def test_results_of_other_settings_are_dropped(self, tmp_path: Path) -> None:
        path = tmp_path / "numbers.json"
        run(Results(path), numbers, doubled, {"numbers": [1, 5]})
        run(Results(path), numbers, doubled, {"numbers": [5]})
        assert [record["task"]["number"] for record in Results(path).records] == [5, 10]

    def test_a_file_that_is_no_json_is_an_error(self, tmp_path: Path) -> None:
        path = tmp_path / "numbers.json"
        path.write_text("[{}, {")
        with pytest.raises(LearnacError, match=r"numbers\.json: expected the results of a study in JSON, found Exp"):
            Results(path)
        assert path.read_text() == "[{}, {"

    def test_a_process_that_dies_is_an_error(self, tmp_path: Path) -> None:
        results = Results(tmp_path / "numbers.json")
        with pytest.raises(RuntimeError, match="number 1: the process of the task ended with 3"):
            run(results, lambda *_: iter([{"number": 1}]), dying, {})
        assert results.records == []

    def test_a_study_is_measured_by_one_process_at_a_time(self, tmp_path: Path) -> None:
        path = tmp_path / "new" / "numbers.json"
        with alone(path):
            with (
                pytest.raises(LearnacError, match=r"numbers\.json: another process is measuring this study"),
                alone(path),
            ):
                pass
            with alone(tmp_path / "new" / "others.json"):
                pass
        with alone(path):
            pass

    def test_a_task_is_given_up_after_its_time(self, tmp_path: Path) -> None:
        results = Results(tmp_path / "numbers.json")
        run(results, lambda *_: iter([{"number": 1, "most_seconds": 0.5}]), asleep, {})
        assert results.records[0]["result"] == {"gave_up": True}

    def test_given_up_it_ends_with_all_that_it_began(self, tmp_path: Path) -> None:
        path = tmp_path / "held.lock"
        run(
            Results(tmp_path / "numbers.json"), lambda *_: iter([{"lock": str(path), "most_seconds": 5}]), begetting, {}
        )
        assert path.with_suffix(".begun").exists()
        with path.open("w") as file:
            # What is killed is gone a moment later.
            assert any(lock(file.fileno()) or time.sleep(0.1) for _ in range(100))


class TestSets:
    @pytest.mark.parametrize(("name", "arity"), [("tmovie", 2), ("letter", 4)])
    def test_a_stand_in_is_there_without_data_and_always_the_same(
        self, name: str, arity: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("LEARNAC_DATA", str(tmp_path))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        one, other = (load(name, ("train", "test"), (50, 9)) for _ in range(2))
        assert one.codes.shape == (9, 100)
        assert one.codes.max() == arity - 1
        np.testing.assert_array_equal(one.codes, other.codes)


class TestQueries:
    TASK: Task = {"set": "tmovie", "corner": [50, 10], "rows": 20, "seed": 1, "query": 0.3, "evidence": 0.5}  # noqa: RUF012

    def test_asked_and_known_are_apart_and_of_the_row(self) -> None:
        rows, query, given = queries(self.TASK)
        assert rows.shape == query.shape == given.shape == (20, 10)
        assert ((query >= 0).sum(axis=1) == 3).all()
        assert ((given >= 0).sum(axis=1) == 5).all()
        assert not ((query >= 0) & (given >= 0)).any()
        for part in (query, given):
            np.testing.assert_array_equal(part[part >= 0], rows[part >= 0])

    def test_fewer_queries_are_the_first_of_more(self) -> None:
        many, few = (queries({**self.TASK, "rows": n}) for n in (20, 5))
        for a, b in zip(many, few, strict=True):
            np.testing.assert_array_equal(a[:5], b)

    def test_blocks_are_parts_of_all_queries(self) -> None:
        whole = queries(self.TASK)
        blocks = [queries({**self.TASK, "first": first, "rows": 5}) for first in (0, 5, 10, 15)]
        for part, *of_blocks in zip(whole, *blocks, strict=True):
            np.testing.assert_array_equal(part, np.concatenate(of_blocks))

    def test_pooled_blocks_are_as_one_task(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(models, "KEPT", tmp_path)
        model = {"schedule": "quick", "edge_penalty": 0.5, "parameter_penalty": 1.0, "set": "tmovie"}
        model["corner"] = self.TASK["corner"]
        other = {**model, "edge_penalty": 0.1}
        task = {**self.TASK, "method": "AC-Quick", "model": other, "paired_with": model, "repeats": 3}
        whole = measure(task)
        assert whole["seconds"] > 0
        blocks = [measure({**task, "first": first, "rows": rows}) for first, rows in ((0, 3), (3, 10), (13, 7))]
        found = pooled(blocks)
        assert found.keys() == whole.keys()
        for key in found.keys() - {"seconds"}:
            assert found[key] == pytest.approx(whole[key], rel=1e-12), key
        assert whole["less_than_quick_error"] > 0

    def test_standard_error(self) -> None:
        assert standard_error(np.array([1.0, 3.0])) == pytest.approx(1.0)
