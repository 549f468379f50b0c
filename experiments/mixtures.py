"""Mixtures over one structure beside single circuits: within a budget, with more components, and averaged.

Learned from train, everything chosen on valid, scored once on test.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sets import corner_of, load
from study import Result, Results, Task, main
from verdicts import Ended, the_most_are_worth_it

from learnac import Dataset, LearnAC
from learnac.circuit import Mixture
from learnac.infer import log_likelihood
from learnac.learn.mixture.settings import LEAST_COMPONENTS

N_AVERAGES = 4
WIDER = 4  # times as many components


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name in settings["sets"]:
        common = {"set": name, **corner_of(settings)}
        budget = {"max_edges": settings["max_edges"]}
        yield {"kind": "circuit", **common, **budget}
        for seed in settings["seeds"]:
            mixture = {"kind": "mixture", **common, **budget, "random_state": seed}
            yield mixture
        # As large a structure as was chosen within the budget, and more components.
        found = results.get({**mixture, "random_state": settings["seeds"][0]})
        assert found is not None
        # Where a single circuit did best, of a size that leaves room for some components.
        n_edges = min(found["structure_edges"], settings["max_edges"] // LEAST_COMPONENTS)
        for n_components in settings["components"]:
            yield {
                "kind": "components",
                **common,
                "n_components": n_components,
                "max_edges": n_edges * n_components,
                "random_state": settings["seeds"][0],
            }
        yield from _averages(settings, results, common, n_edges)
    # With what was found within the budget: accuracy against size.
    for name in settings["curves"]:
        for max_edges in settings["budgets"]:
            for kind in ("circuit", "mixture"):
                yield {"kind": f"{kind} curve", "set": name, **corner_of(settings), "max_edges": max_edges}


def _averages(settings: Mapping[str, Any], results: Results, common: Task, n_edges: int) -> Iterator[Task]:
    """Several numbers of components, of which valid chooses."""
    averaged: dict[int, Result] = {}
    while not isinstance(n_components := next_number(settings, averaged, n_edges), Ended):
        task = {
            "kind": "averaged",
            **common,
            "n_components": n_components,
            "n_averages": N_AVERAGES,
            "max_edges": n_edges * n_components * N_AVERAGES,
            "random_state": settings["seeds"][0],
        }
        yield task
        found = results.get(task)
        assert found is not None
        averaged[n_components] = found


def next_number(settings: Mapping[str, Any], averaged: Mapping[int, Result], n_edges: int) -> int | Ended:
    """How many components of so many edges are averaged after those with a result; or why no more.

    First those that are stated; then four times as many, as long as the most are worth it.
    """
    stated = [number for number in sorted(settings["averaged"]) if number not in averaged]
    if not stated and not the_most_are_worth_it({number: found["valid"] for number, found in averaged.items()}):
        return Ended.WORTH_LITTLE
    number = stated[0] if stated else WIDER * max(averaged)
    if n_edges * number * N_AVERAGES > settings["averaged_max_edges"]:
        return Ended.LIMIT
    took_long = not stated and averaged[max(averaged)]["learning_seconds"] > settings["averaged_most_seconds"]
    return Ended.TOO_LONG if took_long else number


def learned(task: Task) -> tuple[LearnAC, float]:
    """The model of a task, and the CPU time of learning it."""
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    is_circuit = task["kind"].startswith("circuit")
    model = LearnAC(
        n_components=1 if is_circuit else task.get("n_components", "auto"),
        n_averages=task.get("n_averages", 1),
        max_edges=task["max_edges"],
        random_state=task.get("random_state", 0),
    )
    started = time.process_time()
    model.fit(train, validation=valid)
    return model, time.process_time() - started


def measure(task: Task) -> Result:
    valid, test = (load(task["set"], (part,), task.get("corner")) for part in ("valid", "test"))
    model, seconds = learned(task)
    asked, mixing = model.circuit_, model.learned_.mixing
    structure, n_components = (asked.structure, asked.n_components) if isinstance(asked, Mixture) else (asked, 1)
    logs = log_likelihood(asked, test, network=model.network_)
    return {
        "valid": float(log_likelihood(asked, valid, network=model.network_).mean()),
        "test": float(logs.mean()),
        "standard_error": float(logs.std(ddof=1) / np.sqrt(len(logs))),
        "edges": asked.n_edges,
        "structure_edges": structure.n_edges,
        "components": n_components,
        "way": mixing.way if mixing else "alone",
        "learning_seconds": round(seconds, 2),
        "query_ms": query_milliseconds(model, test),
    }


def timed(task: Task) -> Result:
    """The times of a model alone."""
    model, seconds = learned(task)
    return {
        "learning_seconds": seconds,
        "query_ms": query_milliseconds(model, load(task["set"], ("test",), task.get("corner"))),
    }


def query_milliseconds(model: LearnAC, rows: Dataset) -> dict[str, float]:
    """By the share of values that are known."""
    return {f"{share:g}": posterior_milliseconds(model, rows, share) for share in (0.0, 0.3)}


def posterior_milliseconds(model: LearnAC, rows: Dataset, share_known: float, n_queries: int = 20) -> float:
    """Median CPU time of all posteriors of one row, a share of its values known."""
    rng = np.random.default_rng(2008)
    times = []
    for row in rows.codes[:, :n_queries].T.astype(np.int64):
        known = np.where(rng.random(len(row)) < share_known, row, -1)[None]
        started = time.process_time()
        model.marginals(known)
        times.append(time.process_time() - started)
    return 1000 * float(np.median(times[1:]))


if __name__ == "__main__":
    main("mixtures", tasks, measure)
