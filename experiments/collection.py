"""Fourteen sets of the density-estimation collection: single circuits within a budget of edges, beside free networks.

Learned from train, everything chosen on valid, scored once on test. And what an untuned `LearnAC()` does.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from itertools import product
from typing import Any

from models import fit
from queries import query_milliseconds
from sets import corner_of, load
from study import Result, Results, Task, main
from verdicts import scored

from learnac import Dataset, LearnAC
from learnac.infer import log_likelihood


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    common = {"rows": settings["rows"], "seed": settings["seed"]}
    for name in settings["sets"]:
        best: dict[str, Task] = {}
        for kind in settings["grid"]:
            best[kind] = yield from chosen(settings, name, kind, results)
            final = {**best[kind], "stage": "final", **common}
            if kind in settings.get("beside", {}):
                final["beside"] = best[settings["beside"][kind]]
            yield final
            if kind in settings.get("refined", {}):
                yield {**final, **settings["refined"][kind]}
        for n_components in settings.get("untuned", []):
            yield {"stage": "untuned", "set": name, "n_components": n_components, **common, **corner_of(settings)}


def chosen(settings: Mapping[str, Any], name: str, kind: str, results: Results) -> Generator[Task, None, Task]:
    """The best of a grid, and from there by single steps until none does better; the tasks to find it on the way."""
    done, new = list[Task](), tuning_tasks(settings, name, kind)
    best = new[0]
    while new:
        yield from new
        done += new
        best = max(done, key=lambda task: (results.get(task) or {})["valid"])
        new = [task for task in steps(settings, best) if task not in done]
    return best


def tuning_tasks(settings: Mapping[str, Any], name: str, kind: str) -> list[Task]:
    """Every combination of what is a list in the settings."""
    said = settings["grid"][kind]
    fixed = {key: value for key, value in said.items() if not isinstance(value, list)}
    lists = {key: value for key, value in said.items() if isinstance(value, list)}
    common = {"stage": "tune", "set": name, "kind": kind, **fixed}
    varied = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    return [{**common, **each, **corner_of(settings)} for each in varied]


def steps(settings: Mapping[str, Any], task: Task) -> list[Task]:
    """The tasks that are one step away: one of the settings halved or doubled, within limits."""
    return [{**task, key: value} for key in settings.get("steps", {}) for value in next_values(settings, task, key)]


def next_values(settings: Mapping[str, Any], task: Task, key: str) -> list[float]:
    """Half and twice the value of a setting; below the least is 0, where that is allowed, and above 0 the least."""
    value, limits = task[key], settings["steps"][key]
    below = value / 2 if value / 2 >= limits["least"] else 0.0
    above = max(2 * value, limits["least"])
    left_out = settings.get("left_out", {}).get(task["set"], {}).get(key, [])
    least = 0.0 if limits.get("zero", False) else limits["least"]
    allowed = [other for other in (below, above) if least <= other <= limits["most"]]
    return [other for other in allowed if other != value and other not in left_out]


def measure(task: Task) -> Result:
    train, valid, test = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid", "test"))
    if task["stage"] == "untuned":
        model, seconds = untuned(task, train)
        return {
            "edges": model.circuit_.n_edges,
            "learning_seconds": round(seconds, 3),
            **scored("test", log_likelihood(model.circuit_, test, network=model.network_)),
            "query_ms": query_milliseconds(model, task),
        }
    fitted = fit(task, train, validation=valid)
    found = {"valid": fitted.log_likelihood(valid), **fitted.figures}
    if task["stage"] == "final":
        logs = fitted.network.log_likelihood(test.codes)
        found |= scored("test", logs)
        if "beside" in task:
            other = fit(task["beside"], train, validation=valid).network
            found |= scored("behind", other.log_likelihood(test.codes) - logs)
        if fitted.model is not None:
            found["query_ms"] = query_milliseconds(fitted.model, task)
    return found


def untuned(task: Task, train: Dataset) -> tuple[LearnAC, float]:
    """The model of those who choose nothing, and the CPU time of learning it."""
    started = time.process_time()
    model = LearnAC(n_components=task["n_components"]).fit(train)
    return model, time.process_time() - started


def timed(task: Task) -> Result:
    """The times of a model alone."""
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    if task["stage"] == "untuned":
        model, seconds = untuned(task, train)
    else:
        fitted = fit(task, train, validation=valid)
        assert fitted.model is not None
        model, seconds = fitted.model, fitted.cpu_seconds
    return {"learning_seconds": seconds, "query_ms": query_milliseconds(model, task)}


if __name__ == "__main__":
    main("collection", tasks, measure)
