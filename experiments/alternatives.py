"""Today's choice: pyAgrum, which learns networks by hill climbing and asks them by exact inference in a junction tree.

On the sets of the collection, learned from train, the score chosen on valid, scored on test: once with as many parents
as it likes, and once with a bound on them. Each query asks for all posteriors of all variables; our circuits are asked
the same, and so are the circuits that pyAgrum's networks are compiled to. Needs the dependency group `paper`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from limited import Exceeded, limited
from models import KEPT, fit
from numpy.typing import NDArray
from queries import queries
from sets import corner_of, load
from study import Result, Results, Task, main
from verdicts import scored

import learnac
from learnac import infer
from learnac.circuit import Circuit, Mixture
from learnac.errors import SizeError

Posteriors = list[NDArray[np.float64]]
Answer = Callable[[NDArray[np.int8]], Posteriors]


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    asked = {key: settings[key] for key in ("levels", "rows", "seed", "limits")} | dict(corner_of(settings))
    circuits = chosen_circuits(Results(results.path.with_name("collection.json")))
    for name in settings["sets"]:
        for max_parents in settings["max_parents"]:
            learning = [
                {"stage": "learn", "set": name, "score": score, "max_parents": max_parents, **asked}
                for score in settings["scores"]
            ]
            yield from learning
            if (best := best_learned(learning, results.get)) is not None:
                yield {**best, "stage": "ask"}
                yield {**best, "stage": "compile"}
        if name in circuits:
            yield {"stage": "circuit", "set": name, **asked, "model": circuits[name]}


def best_learned(learning: list[Task], result_of: Callable[[Task], Result | None]) -> Task | None:
    """The task whose network is best on valid, of those that were learned in time."""
    valid = [(result_of(task) or {}).get("valid", -inf) for task in learning]
    return None if max(valid) == -inf else learning[valid.index(max(valid))]


def chosen_circuits(collection: Results) -> dict[str, Task]:
    """AC-Quick's, of each set."""
    finals = [record["task"] for record in collection.records if record["task"]["stage"] == "final"]
    return {task["set"]: task for task in finals if task["schedule"] == "quick"}


def measure(task: Task) -> Result:
    stages = {"circuit": measure_circuit, "learn": measure_learning, "ask": measure_asking, "compile": measure_compiled}
    return stages[task["stage"]](task)


def measure_circuit(task: Task) -> Result:
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    model = fit(task["model"], train, validation=valid).model
    assert model is not None
    return {"answers": [asked(task, level, in_circuit(model.circuit_)) for level in task["levels"]]}


def measure_learning(task: Task) -> Result:
    learned = limited(lambda: learn_network(task), **task["limits"]["learn"])
    return {"exceeded": learned.value} if isinstance(learned, Exceeded) else learned


def measure_asking(task: Task) -> Result:
    network, limits = kept_network(task), task["limits"]["query"]
    return {"answers": [asked(task, level, in_junction_tree(network), limits) for level in task["levels"]]}


def measure_compiled(task: Task) -> Result:
    network = kept_network(task)
    started = time.process_time()
    try:
        circuit = learnac.compile(network, **task["limits"]["compile"])
    except SizeError as error:
        return {"exceeded": error.problem.name, "seconds": time.process_time() - started}
    seconds = time.process_time() - started
    answers = [asked(task, level, in_circuit(circuit)) for level in task["levels"]]
    return {"edges": circuit.n_edges, "seconds": seconds, "answers": answers}


def timed(task: Task) -> Result:
    """The times of a stage alone: of learning or compiling, and of the queries of each level."""
    found = measure(task)
    answers = dict(zip((f"{level:g}" for level in task["levels"]), found.get("answers", []), strict=False))
    of_queries = {key: {level: each[key] for level, each in answers.items()} for key in ("mean", "worst") if answers}
    return {key: found[key] for key in ("learning_seconds", "seconds") if key in found} | of_queries


def learn_network(task: Task) -> Result:
    """Learns a network, keeps it in its file, and scores it."""
    import pandas as pd
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    train, valid, test = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid", "test"))
    frame = pd.DataFrame(train.codes.T, columns=train.names)
    template = gum.BayesNet()  # Says that every variable has both values, seen or not.
    for variable in train.names:
        template.add(gum.RangeVariable(variable, variable, 0, 1))
    started = time.process_time()
    learner = gum.BNLearner(frame, template)
    learner.useGreedyHillClimbing()
    learner.useSmoothingPrior(1)
    getattr(learner, f"useScore{task['score']}")()
    if task["max_parents"]:
        learner.setMaxIndegree(task["max_parents"])
    network = learner.learnBN()
    seconds = time.process_time() - started
    KEPT.mkdir(parents=True, exist_ok=True)
    network.saveBIFXML(str(network_file(task)))
    return {
        "valid": float(log_likelihood(network, valid.codes.T).mean()),
        **scored("test", log_likelihood(network, test.codes.T)),
        "arcs": network.sizeArcs(),
        "learning_seconds": seconds,
    }


def kept_network(task: Task) -> Any:
    """A network that was learned: from its file, or learned again."""
    import pyagrum as gum

    if not network_file(task).exists():
        learn_network(task)
    return gum.loadBN(str(network_file(task)))


def network_file(task: Task) -> Path:
    parts = [task["set"], task["score"], task["max_parents"], *task.get("corner", [])]
    return KEPT / f"{'-'.join(map(str, parts))}.bifxml"


def in_junction_tree(network: Any) -> Answer:
    import pyagrum as gum

    def answer(row: NDArray[np.int8]) -> Posteriors:
        # One that is kept builds its junction tree anew when other variables are known, and takes as long; without
        # evidence, it would only look its answer up.
        inference = gum.LazyPropagation(network)
        inference.setNumberOfThreads(1)
        inference.setEvidence({f"x{v}": int(row[v]) for v in np.flatnonzero(row >= 0)})
        inference.makeInference()
        return [inference.posterior(f"x{v}").toarray() for v in range(network.size())]

    return answer


def in_circuit(circuit: Circuit | Mixture) -> Answer:
    # pyAgrum's networks may have their variables in another order.
    places = [circuit.schema.names.index(f"x{v}") for v in range(circuit.schema.n_variables)]

    def answer(row: NDArray[np.int8]) -> Posteriors:
        codes = np.empty((1, len(row)), dtype=np.int8)
        codes[0, places] = row
        posteriors = infer.marginals(circuit, codes)
        return [posteriors[f"x{v}"][0] for v in range(len(row))]

    answer(np.full(len(places), -1, dtype=np.int8))  # The first one makes the circuit ready.
    return answer


def asked(task: Task, level: float, answer: Answer, limits: Mapping[str, float] | None = None) -> Result:
    """CPU milliseconds of the queries of a level, mean and worst, and what became of those without an answer.

    With limits, each query is asked in a process of its own, and after `of_level` seconds no new one. Where nothing is
    known, all queries are the same one: it is asked three times.
    """
    rows = task["rows"] if level else min(3, task["rows"])
    _, _, given = queries({**task, "rows": rows, "query": 0.0, "evidence": level})
    spent, exceeded = [], []
    started = time.monotonic()
    for row in given:
        one = partial(milliseconds, row, answer)
        found = one() if limits is None else limited(one, seconds=limits["seconds"], gigabytes=limits["gigabytes"])
        exceeded.append(found.value) if isinstance(found, Exceeded) else spent.append(found)
        if limits is not None and time.monotonic() - started > limits["of_level"]:
            break
    return {
        "asked": len(spent) + len(exceeded),
        "answered": len(spent),
        **{each.value: exceeded.count(each.value) for each in Exceeded},
        **({"mean": float(np.mean(spent)), "worst": max(spent)} if spent else {}),
    }


def milliseconds(row: NDArray[np.int8], answer: Answer) -> float:
    started = time.process_time()
    posteriors = answer(row)
    spent = 1000 * (time.process_time() - started)
    for value, posterior in zip(row, posteriors, strict=True):
        np.testing.assert_allclose(posterior.sum() if value < 0 else posterior[value], 1, rtol=1e-9)
    return spent


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
