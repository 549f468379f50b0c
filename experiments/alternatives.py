"""Today's choice: pyAgrum, which learns networks by hill climbing and asks them by exact inference in a junction tree.

On the sets of the collection, learned from train and scored on test. Each query asks for all posteriors of all
variables; our circuits are asked the same. Needs the dependency group `paper`.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from models import KEPT, fit
from numpy.typing import NDArray
from queries import queries
from sets import corner_of, load
from study import Result, Results, Task, main


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    asked = {key: settings[key] for key in ("rows", "seed", "query_seconds")} | dict(corner_of(settings))
    circuits = chosen_circuits(Results(results.path.with_name("collection.json")))
    for name in settings["sets"]:
        if name in circuits:
            yield {"stage": "circuit", "set": name, "levels": settings["levels"], **asked, "model": circuits[name]}
        for score in settings["scores"]:
            learning = {"stage": "learn", "set": name, "score": score, **settings["limits"]["learn"], **asked}
            asking = [
                {**learning, "stage": "query", "evidence": level, **settings["limits"]["query"]}
                for level in settings["levels"]
            ]
            if not network_file(learning).exists() and any(results.get(task) is None for task in asking):
                results.forget(learning)  # The network is needed, and is not there any more.
            yield learning
            if (results.get(learning) or {}).get("gave_up"):
                break  # With a score that penalises less it would not be quicker.
            yield from asking


def chosen_circuits(collection: Results) -> dict[str, Task]:
    """AC-Quick's, of each set."""
    finals = [record["task"] for record in collection.records if record["task"]["stage"] == "final"]
    return {task["set"]: task for task in finals if task["schedule"] == "quick"}


def measure(task: Task) -> Result:
    if "most_gigabytes" in task:
        resource.setrlimit(resource.RLIMIT_AS, (task["most_gigabytes"] * 2**30,) * 2)
    return {"circuit": measure_circuit, "learn": learn_network, "query": measure_network}[task["stage"]](task)


def measure_circuit(task: Task) -> Result:
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    model = fit(task["model"], train, validation=valid).model
    assert model is not None

    def answer(row: NDArray[np.int8]) -> list[NDArray[np.float64]]:
        return [posteriors[0] for posteriors in model.marginals(row[None]).values()]

    return {"milliseconds": [milliseconds({**task, "evidence": level}, answer) for level in task["levels"]]}


def learn_network(task: Task) -> Result:
    import pandas as pd
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    train, test = (load(task["set"], (part,), task.get("corner")) for part in ("train", "test"))
    frame = pd.DataFrame(train.codes.T, columns=train.names)
    template = gum.BayesNet()  # Says that every variable has both values, seen or not.
    for variable in train.names:
        template.add(gum.RangeVariable(variable, variable, 0, 1))
    started = time.process_time()
    learner = gum.BNLearner(frame, template)
    learner.useGreedyHillClimbing()
    learner.useSmoothingPrior(1)
    getattr(learner, f"useScore{task['score']}")()
    network = learner.learnBN()
    seconds = time.process_time() - started
    KEPT.mkdir(parents=True, exist_ok=True)
    network.saveBIFXML(str(network_file(task)))
    found = float(log_likelihood(network, test.codes.T).mean())
    return {"test": found, "arcs": network.sizeArcs(), "learning_seconds": seconds}


def measure_network(task: Task) -> Result:
    import pyagrum as gum

    network = gum.loadBN(str(network_file(task)))

    def answer(row: NDArray[np.int8]) -> list[NDArray[np.float64]]:
        # One that is kept builds its junction tree anew when other variables are known, and takes as long; without
        # evidence, it would only look its answer up.
        inference = gum.LazyPropagation(network)
        inference.setNumberOfThreads(1)
        inference.setEvidence({f"x{v}": int(row[v]) for v in np.flatnonzero(row >= 0)})
        inference.makeInference()
        return [inference.posterior(f"x{v}").toarray() for v in range(network.size())]

    try:
        return {"milliseconds": milliseconds(task, answer)}
    except Exception as error:
        if not isinstance(error, MemoryError) and "bad_alloc" not in str(error):  # as pyAgrum says it
            raise
        return {"failed": "memory"}


def network_file(task: Task) -> Path:
    return KEPT / f"{task['set']}-{task['score']}-{'-'.join(map(str, task.get('corner', [])))}.bifxml"


def milliseconds(task: Task, answer: Callable[[NDArray[np.int8]], list[NDArray[np.float64]]]) -> dict[str, float]:
    """CPU time of a query, mean and worst: of all, or of as many as fit into the task's time."""
    _, _, given = queries({**task, "query": 0.0})
    for row, posteriors in zip(given[:1], [answer(given[0])], strict=True):
        for value, posterior in zip(row, posteriors, strict=True):
            np.testing.assert_allclose(posterior.sum() if value < 0 else posterior[value], 1, rtol=1e-9)
    times = []
    for row in given:
        started = time.process_time()
        answer(row)
        times.append(1000 * (time.process_time() - started))
        if sum(times) > 1000 * task["query_seconds"]:
            break
    return {"queries": len(times), "mean": float(np.mean(times)), "worst": max(times)}


def log_likelihood(network: Any, rows: NDArray[np.unsignedinteger]) -> NDArray[np.float64]:
    """Log P of each row under a pyAgrum network over x0, x1, ..."""
    total = np.zeros(len(rows))
    for node in network.nodes():
        table = network.cpt(node)
        # The names are those of the array's axes, the last one first.
        axes = tuple(rows[:, int(name[1:])] for name in reversed(table.names))
        total += np.log(table.toarray()[axes])
    return total


if __name__ == "__main__":
    main("alternatives", tasks, measure)
