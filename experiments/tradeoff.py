"""Accuracy against size: what AC-Quick's edge penalty buys, down to a tenth of the paper's lowest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from models import fit
from queries import query_milliseconds
from sets import BOTH, corner_of, load
from study import Result, Results, Task, main
from verdicts import scored


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
        **scored("test", fitted.network.log_likelihood(load(task["set"], ("test",), task.get("corner")).codes)),
        **fitted.figures,
        "query_ms": query_milliseconds(fitted.model, task),
    }


def timed(task: Task) -> Result:
    """The times of a model alone."""
    fitted = fit(task, load(task["set"], BOTH, task.get("corner")))
    assert fitted.model is not None
    return {"learning_seconds": fitted.cpu_seconds, "query_ms": query_milliseconds(fitted.model, task)}


if __name__ == "__main__":
    main("tradeoff", tasks, measure)
