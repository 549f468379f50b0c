"""Times that are measured alone: of which models, and how they come into the report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import times
from study import Results
from tables import AsMeasured, Studies, middle_and_range, timing
from times import gathered, measure, processor_seconds, processors_in_use, tasks, wait_until_alone

from learnac.errors import LearnacError

Record = dict[str, Any]
SETTINGS = {"studies": [], "libra": False, "alone": False, "repeats": 3, "most_seconds": {"others": 30.0}}


def written(folder: Path, **records: list[tuple[Record, Record]]) -> Results:
    for name, found in records.items():
        told = [{"task": task, "result": result, "commit": "first"} for task, result in found]
        (folder / f"{name}.json").write_text(json.dumps(told))
    return Results(folder / "times.json")


def models(results: Results, **settings: object) -> list[Record]:
    found = list(tasks({**SETTINGS, **settings}, results))
    assert all(task["repeats"] == 3 for task in found)
    return [task["model"] for task in found]


class TestWhatIsTimed:
    def test_final_and_untuned_circuits_that_do_not_take_too_long(self, tmp_path: Path) -> None:
        final = {"stage": "final", "set": "a", "kind": "circuit", "schedule": "quick"}
        untuned = {"stage": "untuned", "set": "a", "n_components": 1}
        results = written(
            tmp_path,
            collection=[
                ({**final, "stage": "tune"}, {"learning_seconds": 1.0}),
                (final, {"learning_seconds": 30.0}),
                ({**final, "schedule": "greedy"}, {"learning_seconds": 30.1}),
                ({**final, "set": "b"}, {"gave_up": True}),
                ({**final, "kind": "network"}, {"learning_seconds": 1.0}),
                (untuned, {"learning_seconds": 2.0}),
            ],
        )
        assert models(results, studies=["collection"]) == [final, untuned]

    def test_one_seed_of_a_mixture_and_the_average_that_was_chosen(self, tmp_path: Path) -> None:
        mixture = {"kind": "mixture", "set": "a", "random_state": 0}
        average = {"kind": "averaged", "set": "a", "n_components": 64, "random_state": 0}
        quick = {"learning_seconds": 1.0}
        results = written(
            tmp_path,
            mixtures=[
                (mixture, quick),
                ({**mixture, "random_state": 1}, quick),
                ({"kind": "components", "set": "a", "n_components": 64}, quick),
                (average, {**quick, "valid": -2.0}),
                ({**average, "n_components": 256}, {**quick, "valid": -1.0}),
                ({"kind": "mixture curve", "set": "a"}, quick),
            ],
        )
        assert models(results, studies=["mixtures"]) == [mixture, {**average, "n_components": 256}]

    def test_samplers_by_the_time_of_all_their_queries(self, tmp_path: Path) -> None:
        task = {"method": "Gibbs-Slow", "query": 0.3, "evidence": 0.3, "first": 0}
        results = written(
            tmp_path,
            table5=[
                (task, {"seconds": 1.0, "rows": 100}),
                ({**task, "first": 100}, {"seconds": 1.0, "rows": 100}),
                ({**task, "evidence": 0.1}, {"seconds": 1.0, "rows": 100}),
                ({**task, "method": "Gibbs-VerySlow"}, {"seconds": 10.0, "rows": 30}),
            ],
        )
        assert models(results, studies=["table5"], most_seconds={"table5": 150.0, "others": 1.0}) == [task]

    def test_models_of_table_4_but_the_grid_of_free_networks(self, tmp_path: Path) -> None:
        tasks = [
            {"stage": stage, "schedule": schedule}
            for stage in ("tune", "final", "compile")
            for schedule in ("quick", "network")
        ]
        results = written(tmp_path, table4=[(task, {"learning_seconds": 1.0}) for task in tasks])
        assert models(results, studies=["table4"]) == [tasks[0], tasks[2], tasks[3]]

    def test_networks_of_others_that_were_chosen_and_all_that_they_answer(self, tmp_path: Path) -> None:
        learn = {"stage": "learn", "set": "a", "score": "BIC", "max_parents": 0}
        other, ask, compiled = {**learn, "score": "AIC"}, {**learn, "stage": "ask"}, {**learn, "stage": "compile"}
        circuit, slow = {"stage": "circuit", "set": "a"}, {"stage": "circuit", "set": "b"}
        whole, in_part = {"asked": 3, "answered": 3}, {"asked": 3, "answered": 2}

        def tasks_shown(asked: Record, made: Record, most_seconds: float) -> list[Record]:
            found = [
                (learn, {"valid": -1.0}, 10.0),
                (other, {"valid": -2.0}, 10.0),
                (ask, {"answers": [whole, asked]}, 8.0),
                (compiled, made, 8.0),
                (circuit, {"answers": [whole]}, 1.0),
                (slow, {"answers": [whole]}, 100.0),
            ]
            records = [
                {"task": task, "result": result, "wall_seconds": wall, "commit": "first"}
                for task, result, wall in found
            ]
            (tmp_path / "alternatives.json").write_text(json.dumps(records))
            limits = {"others": most_seconds}
            return models(Results(tmp_path / "times.json"), studies=["alternatives"], most_seconds=limits)

        assert tasks_shown(whole, {"answers": []}, 18.0) == [learn, ask, compiled, circuit]
        assert tasks_shown(in_part, {"exceeded": "time"}, 18.0) == [learn, circuit]
        assert tasks_shown(whole, {"answers": []}, 17.0) == [learn, circuit], "a network must be learned to be asked"


class TestAlone:
    def test_waits_until_others_are_idle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        use = iter([1.0, 0.5, 0.05])
        monkeypatch.setattr(times, "processors_in_use", lambda: next(use))
        wait_until_alone()
        assert list(use) == []

    def test_gives_up_on_a_machine_that_goes_on_working(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(times, "processors_in_use", lambda: 1.2)
        with pytest.raises(LearnacError, match=r"others use 1\.2 processors"):
            wait_until_alone()

    def test_a_model_is_timed_again_if_others_begin_meanwhile(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(times, "wait_until_alone", lambda: None)
        monkeypatch.setattr(
            times, "import_module", lambda _: SimpleNamespace(timed=lambda _: {"learning_seconds": 1.0})
        )
        monkeypatch.setattr(times, "cpu_seconds", lambda: 0.0)
        moments = iter(range(100))
        monkeypatch.setattr(times.time, "monotonic", lambda: next(moments))
        task = {"study": "gaps", "model": {}, "repeats": 2, "alone": True}
        # What all processors have worked, before and after each attempt.
        work = iter([0.0, 0.9, 1.0, 1.05])
        monkeypatch.setattr(times, "processor_seconds", lambda: next(work))
        assert measure(task) == {"times": {"learning_seconds": [1.0, 1.0]}, "others": 0.05}
        work = iter(range(100))
        monkeypatch.setattr(times, "processor_seconds", lambda: next(work))
        with pytest.raises(LearnacError, match=r"others use 1\.0 processors"):
            measure(task)

    @pytest.mark.skipif(not Path("/proc/stat").exists(), reason="the system does not count its processors' time")
    def test_work_of_another_process_is_seen(self) -> None:
        before = processor_seconds()
        subprocess.run([sys.executable, "-c", "for _ in range(10**7): pass"], check=True)
        assert processor_seconds() - before > 0.05
        assert processors_in_use() >= 0


def test_all_runs_are_kept_in_order() -> None:
    found = [{"learning_seconds": 2.0, "query_ms": {"0": 5.0}}, {"learning_seconds": 1.0, "query_ms": {"0": 7.0}}]
    assert gathered(found) == {"learning_seconds": [1.0, 2.0], "query_ms": {"0": [5.0, 7.0]}}


class TestWhatTheReportTells:
    TIMES: ClassVar[Record] = {"learning_seconds": [3.0, 4.0, 6.0], "query_ms": {"0": [1.0, 2.0, 2.5]}}

    def test_the_median_with_half_of_the_range_over_it(self) -> None:
        assert timing(middle_and_range(self.TIMES), "learning_seconds") == "4 s ± 38%"
        assert timing(middle_and_range({"query_ms": [1.0, 2.0, 2.5]}), "query_ms") == "2 ms ± 38%"

    def test_one_run_has_no_range(self) -> None:
        assert timing({"learning_seconds": 4.0}, "learning_seconds") == "4 s"

    def test_ranges_are_kept_for_each_kind_of_query(self) -> None:
        found = middle_and_range(self.TIMES)
        assert (found["query_ms"], found["query_range"]) == ({"0": 2.0}, {"0": [1.0, 2.5]})

    def test_times_alone_take_the_place_of_those_beside_other_work(self, tmp_path: Path) -> None:
        first, second = {"set": "a", "edge_penalty": 1.0}, {"set": "a", "edge_penalty": 0.5}
        result = {"test": -1.0, "learning_seconds": 9.0, "query_ms": 9.0}
        of_its_own = {**result, "learning_range": [8.0, 10.0]}
        alone = {"learning_seconds": [3.0, 4.0, 6.0], "query_ms": [1.0, 2.0, 2.5]}
        said = {"commit": "first"}
        written(
            tmp_path,
            tradeoff=[(first, of_its_own), (second, result)],
            times=[
                ({"study": "tradeoff", "model": second, **said, "alone": True}, {"times": alone, "others": 0.0}),
                ({"study": "tradeoff", "model": first, **said, "alone": False}, {"times": alone}),
                ({"study": "gaps", "model": first, **said, "alone": True}, {"times": alone, "others": 0.0}),
                (
                    {"study": "tradeoff", "model": first, "commit": "an earlier one", "alone": True},
                    {"times": alone, "others": 0.0},
                ),
            ],
        )
        studies = Studies(tmp_path)
        assert studies.result("tradeoff", **first) == result, "what was measured beside other work has no range"
        expected = {"test": -1.0, "learning_seconds": 4.0, "query_ms": 2.0}
        expected |= {"learning_range": [3.0, 6.0], "query_range": [1.0, 2.5]}
        assert studies.result("tradeoff", **second) == expected
        assert AsMeasured(tmp_path).result("tradeoff", **second) == result
