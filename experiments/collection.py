"""Fourteen sets of the density-estimation collection: single circuits within a budget of edges, beside free networks.

Learned from train, everything chosen on valid, scored once on test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from models import fit
from sets import corner_of, load
from study import Result, Results, Task, main
from tradeoff import query_milliseconds


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name, kind in product(settings["sets"], settings["grid"]):
        tried = tuning_tasks(settings, name, kind)
        yield from tried
        best = max(tried, key=lambda task: (results.get(task) or {})["valid"])
        final = {**best, "stage": "final", "rows": settings["rows"], "seed": settings["seed"]}
        yield final
        if kind in settings.get("refined", {}):
            yield {**final, **settings["refined"][kind]}


def tuning_tasks(settings: Mapping[str, Any], name: str, kind: str) -> list[Task]:
    grid = settings["grid"][kind]
    fixed = {key: value for key, value in grid.items() if not isinstance(value, list)}
    varied = {key: value for key, value in grid.items() if isinstance(value, list)}
    for key, values in settings.get("left_out", {}).get(name, {}).items():
        varied[key] = [value for value in varied[key] if value not in values]
    return [
        {
            "stage": "tune",
            "set": name,
            "kind": kind,
            **fixed,
            **dict(zip(varied, values, strict=True)),
            **corner_of(settings),
        }
        for values in product(*varied.values())
    ]


def measure(task: Task) -> Result:
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    fitted = fit(task, train, validation=valid)
    found = {"valid": fitted.log_likelihood(valid), **fitted.figures}
    if task["stage"] == "final":
        found["test"] = fitted.log_likelihood(load(task["set"], ("test",), task.get("corner")))
        if fitted.model is not None:
            found["query_ms"] = query_milliseconds(fitted.model, task)
    return found


if __name__ == "__main__":
    main("collection", tasks, measure)
