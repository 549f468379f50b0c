"""Table 4: penalties chosen on the validation rows, and the models learned with them from train and valid together.

The grids serve to compare AC-Greedy with AC-Quick, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from models import fit, structure
from sets import BOTH, corner_of, load
from study import Result, Results, Task, main

from learnac.io import compile_network
from learnac.network import BayesNet

SCHEDULES = ("network", "quick", "greedy")


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for schedule, name in product(SCHEDULES, settings["sets"]):
        tried = tuning_tasks(settings, name, schedule)
        yield from tried
        best = max(tried, key=lambda task: (results.get(task) or {})["valid"])
        yield {**best, "stage": "final"}
    for schedule, name in product(SCHEDULES, settings["sets"]):
        yield {"stage": "compile", **settings["compile"], **chosen(results, name, schedule)}


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


def chosen(results: Results, name: str, schedule: str) -> Task:
    """What to learn again, with the penalties that were best."""
    finals = [record["task"] for record in results.records if record["task"]["stage"] == "final"]
    task = next(task for task in finals if (task["set"], task["schedule"]) == (name, schedule))
    return {key: value for key, value in task.items() if key != "stage"}


def measure(task: Task) -> Result:
    if task["stage"] == "tune":
        train, valid = (load(task["set"], (part,), task.get("corner")) for part in BOTH)
        fitted = fit(task, train)
        return {"valid": fitted.log_likelihood(valid), **fitted.figures}
    fitted = fit(task, load(task["set"], BOTH, task.get("corner")))
    if task["stage"] == "compile":
        return {"compiled_edges": compiled_edges(fitted.network, task["most_edges"])}
    return {
        "test": fitted.log_likelihood(load(task["set"], ("test",), task.get("corner"))),
        **fitted.figures,
        **structure(fitted.network),
    }


def compiled_edges(network: BayesNet, most: int) -> int | None:
    """Of the circuit that the network is compiled into, without a word on how it was learned; none if beyond `most`."""
    try:
        return compile_network(network, most).n_edges
    except ValueError:
        return None


if __name__ == "__main__":
    main("table4", tasks, measure)
