"""Accuracy against size: what AC-Quick's edge penalty buys, down to a tenth of the paper's lowest."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from models import fit
from sets import BOTH, corner_of, load
from study import Result, Results, Task, main
from table5 import queries

from learnac import LearnAC


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name, edge_penalty in product(settings["sets"], settings["edge_penalties"]):
        for parameter_penalty in settings["parameter_penalties"]:
            yield {
                "set": name,
                "schedule": "quick",
                "edge_penalty": edge_penalty,
                "parameter_penalty": parameter_penalty,
                "rows": settings["rows"],
                "seed": settings["seed"],
                **corner_of(settings),
            }


def measure(task: Task) -> Result:
    fitted = fit(task, load(task["set"], BOTH, task.get("corner")))
    assert fitted.model is not None
    return {
        "test": fitted.log_likelihood(load(task["set"], ("test",), task.get("corner"))),
        **fitted.figures,
        "query_ms": query_milliseconds(fitted.model, task),
    }


def query_milliseconds(model: LearnAC, task: Task) -> float:
    """Median CPU time of P(30 % of the variables | 30 % others), one at a time."""
    _, query, given = queries({**task, "query": 0.3, "evidence": 0.3})
    model.log_probability(query[:1], given[:1])
    times = []
    for i in range(len(query)):
        started = time.process_time()
        model.log_probability(query[i : i + 1], given[i : i + 1])
        times.append(time.process_time() - started)
    return 1000 * float(np.median(times))


if __name__ == "__main__":
    main("tradeoff", tasks, measure)
