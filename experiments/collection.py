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
from verdicts import Edge, edge_of_grid, scored

from learnac import Dataset, LearnAC
from learnac.infer import log_likelihood

Grid = dict[str, list[Any]]


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
    """The best of a grid, which grows as long as the best is at one of its edges; the tasks to find it on the way."""
    grid, done = grid_of(settings, name, kind), list[Task]()
    while True:
        new = [task for task in tuning_tasks(settings, name, kind, grid) if task not in done]
        yield from new
        done += new
        best = max(done, key=lambda task: ((results.get(task) or {})["valid"], not edges(task, grid)))
        wider = without_left_out(settings, name, widened(grid, best, settings.get("widen", {})))
        if wider == grid:
            return best
        grid = wider


def grid_of(settings: Mapping[str, Any], name: str, kind: str) -> Grid:
    """What varies, without what takes too long on this set."""
    varied = {key: values for key, values in settings["grid"][kind].items() if isinstance(values, list)}
    return without_left_out(settings, name, varied)


def without_left_out(settings: Mapping[str, Any], name: str, grid: Grid) -> Grid:
    left_out = settings.get("left_out", {}).get(name, {})
    return {key: [value for value in values if value not in left_out.get(key, [])] for key, values in grid.items()}


def tuning_tasks(settings: Mapping[str, Any], name: str, kind: str, grid: Grid) -> list[Task]:
    fixed = {key: value for key, value in settings["grid"][kind].items() if not isinstance(value, list)}
    return [
        {
            "stage": "tune",
            "set": name,
            "kind": kind,
            **fixed,
            **dict(zip(grid, values, strict=True)),
            **corner_of(settings),
        }
        for values in product(*grid.values())
    ]


def edges(task: Task, grid: Grid) -> dict[str, Edge]:
    """The settings of a task that are at an edge of their grid."""
    found = {key: edge_of_grid(task[key], values) for key, values in grid.items()}
    return {key: edge for key, edge in found.items() if edge is not None}


def widened(grid: Grid, best: Task, limits: Mapping[str, tuple[float, float]]) -> Grid:
    """The grid with one more value beyond each edge that the best is at: half of the lowest, or twice the highest.

    Within limits; when half of the lowest would be below them, it is 0, the end of all grids.
    """
    wider = dict(grid)
    for key, edge in edges(best, grid).items():
        if key in limits:
            least, most = limits[key]
            half = best[key] / 2 if best[key] / 2 >= least else 0.0
            value = half if edge is Edge.LOWEST else best[key] * 2
            if value <= most:
                wider[key] = sorted([*grid[key], value])
    return wider


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
