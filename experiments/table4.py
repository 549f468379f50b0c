"""Table 4: penalties chosen on the validation rows, and the models learned with them from train and valid together.

The grids serve to compare AC-Greedy with AC-Quick, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from models import fit, kept, structure
from queries import query_milliseconds
from sets import BOTH, corner_of, load
from study import Result, Results, Task, main
from tables import PUBLISHED
from verdicts import scored

from learnac.compiler import compile_network
from learnac.errors import LearnacError, SizeError

FIRST_EDGE_PENALTY = 10.0  # It falls until there are as many edges as in the paper.
SCHEDULES = ("network", "quick", "greedy")


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    chosen = []
    for schedule, name in product(SCHEDULES, settings["sets"]):
        tried = tuning_tasks(settings, name, schedule)
        yield from tried
        chosen.append(max(tried, key=lambda task: (results.get(task) or {})["valid"]))
        repeats = {"repeats": settings["repeats"]}
        yield {**chosen[-1], "stage": "final", **repeats}
        if schedule != "network":
            limited = {"edge_penalty": FIRST_EDGE_PENALTY, "halve_edge_penalty": True}
            limited["max_edges"] = edges_of_the_paper(name, schedule)
            yield {**chosen[-1], "stage": "size", **limited, **repeats, **settings["queries"]}
    for task in chosen:
        compiling = {**task, "stage": "compile", **settings["compile"]}
        if results.get(compiling) is None and task["schedule"] != "network":
            kept(task)  # Learned before the clock starts.
        yield compiling


def tuning_tasks(settings: Mapping[str, Any], name: str, schedule: str) -> list[Task]:
    penalties = settings["penalties"][schedule]
    of_parameters = penalties["parameter"].get(name, penalties["parameter"]["others"])
    return [
        {
            "stage": "tune",
            "set": name,
            "schedule": schedule,
            "edge_penalty": edge_penalty,
            "parameter_penalty": parameter_penalty,
            **corner_of(settings),
        }
        for edge_penalty, parameter_penalty in product(penalties["edge"], of_parameters)
    ]


def chosen(results: Results, name: str, schedule: str, stage: str = "final") -> Task:
    """What to learn again, with the penalties that were best; of "size", too, with the paper's edges as a limit."""
    learned = [record["task"] for record in results.records if record["task"]["stage"] == stage]
    found = [task for task in learned if (task["set"], task["schedule"]) == (name, schedule)]
    if not found:
        raise LearnacError(f"{results.path}: there is no {stage} model of {name}, {schedule}: run table4.py first")
    return {key: value for key, value in found[-1].items() if key not in ("stage", "repeats", "rows", "seed")}


def measure(task: Task) -> Result:
    if task["stage"] == "tune":
        train, valid = (load(task["set"], (part,), task.get("corner")) for part in BOTH)
        fitted = fit(task, train)
        return {"valid": fitted.log_likelihood(valid), **fitted.figures}
    if task["stage"] == "compile":
        return compiled(task)
    rows = load(task["set"], BOTH, task.get("corner"))
    models = [fit(task, rows) for _ in range(task["repeats"])]
    times = sorted(model.cpu_seconds for model in models)
    fitted = models[0]
    test = load(task["set"], ("test",), task.get("corner"))
    found = {
        **scored("test", fitted.network.log_likelihood(test.codes)),
        **fitted.figures,
        **structure(fitted.network),
        "learning_seconds": round(times[len(times) // 2], 3),
        "learning_range": [round(times[0], 3), round(times[-1], 3)],
    }
    if task["stage"] == "size":
        assert fitted.model is not None
        found["query_ms"] = query_milliseconds(fitted.model, task)
    return found


def timed(task: Task) -> Result:
    """The times of a model alone."""
    fitted = fit(task, load(task["set"], ("train",) if task["stage"] == "tune" else BOTH, task.get("corner")))
    found = {"learning_seconds": fitted.cpu_seconds}
    if task["stage"] == "size":
        assert fitted.model is not None
        found["query_ms"] = query_milliseconds(fitted.model, task)
    return found


def edges_of_the_paper(name: str, schedule: str) -> int:
    """Of the paper's own circuit."""
    return 1000 * int(PUBLISHED["paper"]["table4"][name][schedule]["edges"].removesuffix("K"))


def compiled(task: Task) -> Result:
    """The edges of the circuit that the network is compiled into, by what its trees say, counts among it."""
    if task["schedule"] == "network":
        network = fit(task, load(task["set"], BOTH, task.get("corner"))).network
    else:
        network = kept(task).network_
    started = time.process_time()
    try:
        edges = compile_network(network, task["most_edges"], max_seconds=task["search_seconds"]).n_edges
    except SizeError:
        edges = None  # beyond the limit
    return {"compiled_edges": edges, "compiling_seconds": round(time.process_time() - started, 3)}


if __name__ == "__main__":
    main("table4", tasks, measure)
