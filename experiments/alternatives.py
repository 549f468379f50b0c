"""Today's choice: pyAgrum, which learns networks by hill climbing and asks them by exact inference in a junction tree.

On the sets of the collection, learned from train, scored on test: once with as many parents as it likes, and once with
a bound on them. The penalty for parameters and what is added to counts are chosen on valid. Each query asks for all
posteriors of all variables; our circuits are asked the same, and so are the circuits that pyAgrum's networks are
compiled to. Needs the dependency group `paper`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from compared import best_circuits
from limited import Exceeded, limited
from models import KEPT, fit
from numpy.typing import NDArray
from queries import queries
from sets import corner_of, load
from study import Result, Results, Task, main
from tables import AsMeasured
from verdicts import scored

import learnac
from learnac import infer
from learnac.circuit import Circuit, Mixture
from learnac.errors import SizeError

Posteriors = list[NDArray[np.float64]]
Answer = Callable[[NDArray[np.int8]], Posteriors]


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    asked = {key: settings[key] for key in ("levels", "rows", "seed", "limits")} | dict(corner_of(settings))
    quick = chosen_circuits(Results(results.path.with_name("collection.json")))
    circuits = best_circuits(AsMeasured(results.path.parent))
    for name in settings["sets"]:
        learning = []
        for max_parents in settings["max_parents"]:
            common = {"set": name, "max_parents": max_parents, "priors": settings["priors"], **asked}
            bounded = yield from learned(settings, common, results)
            if (best := best_learned(bounded, results.get)) is not None:
                yield {**best, "stage": "ask"}
                yield {**best, "stage": "compile"}
            learning += bounded
        if name in quick:
            yield {"stage": "circuit", "set": name, **asked, "model": quick[name]}
        if name in circuits and (best := best_learned(learning, results.get)) is not None:
            yield {**best, "stage": "difference", "circuit": circuits[name]["task"]}


def learned(settings: Mapping[str, Any], common: Task, results: Results) -> Generator[Task, None, list[Task]]:
    """The tasks that learn networks: by BIC, by AIC, and by half of its penalty, and so on, as long as valid gains."""
    tasks = [{"stage": "learn", "score": score, "weaker": 1, **common} for score in ("BIC", "AIC")]
    yield from tasks
    while best_learned(tasks, results.get) == tasks[-1] and tasks[-1]["weaker"] < settings["weakest"]:
        tasks.append({**tasks[-1], "weaker": 2 * tasks[-1]["weaker"]})
        yield tasks[-1]
    return tasks


def best_learned(learning: list[Task], result_of: Callable[[Task], Result | None]) -> Task | None:
    """The task whose network is best on valid, of those that were learned in time."""
    valid = [(result_of(task) or {}).get("valid", -inf) for task in learning]
    return None if max(valid) == -inf else learning[valid.index(max(valid))]


def chosen_circuits(collection: Results) -> dict[str, Task]:
    """AC-Quick's, of each set."""
    finals = [record["task"] for record in collection.records if record["task"]["stage"] == "final"]
    return {task["set"]: task for task in finals if task["schedule"] == "quick"}


def measure(task: Task) -> Result:
    stages = {
        "circuit": measure_circuit,
        "learn": measure_learning,
        "ask": measure_asking,
        "compile": measure_compiled,
        "difference": measure_difference,
    }
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


def measure_difference(task: Task) -> Result:
    """How much more likely test rows are by pyAgrum's network than by our circuit."""
    train, valid, test = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid", "test"))
    ours = fit(task["circuit"], train, validation=valid).network.log_likelihood(test.codes)
    return scored("lead", log_likelihood(kept_network(task), test.codes.T) - ours)


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
    structure = learner(task, frame, template).learnBN().dag()
    seconds = time.process_time() - started
    networks = with_priors(task, frame, template, structure)
    valid_scores = {prior: float(log_likelihood(found, valid.codes.T).mean()) for prior, found in networks.items()}
    prior = max(valid_scores, key=lambda each: valid_scores[each])
    search_seconds = time.process_time() - started
    KEPT.mkdir(parents=True, exist_ok=True)
    networks[prior].saveBIFXML(str(network_file(task)))
    return {
        "valid": valid_scores[prior],
        "prior": prior,
        **scored("test", log_likelihood(networks[prior], test.codes.T)),
        "arcs": networks[prior].sizeArcs(),
        "learning_seconds": seconds,
        "search_seconds": search_seconds,
    }


def learner(task: Task, frame: Any, template: Any) -> Any:
    """Hill climbing with the score of a task, and 1 added to every count.

    A penalty is weaker where rows, and what is added to them, count as several: it stays as it is, all else grows.
    """
    import pyagrum as gum

    found = gum.BNLearner(frame, template)
    found.useGreedyHillClimbing()
    found.useSmoothingPrior(task["weaker"])
    found.setDatabaseWeight(task["weaker"] * len(frame))
    getattr(found, f"useScore{task['score']}")()
    if task["max_parents"]:
        found.setMaxIndegree(task["max_parents"])
    return found


def with_priors(task: Task, frame: Any, template: Any, structure: Any) -> dict[float, Any]:
    """Networks of one structure, by what is added to every count."""
    import pyagrum as gum

    found = {}
    for prior in task["priors"]:
        counting = gum.BNLearner(frame, template)
        counting.useSmoothingPrior(prior)
        found[prior] = counting.learnParameters(structure)
    return found


def kept_network(task: Task) -> Any:
    """A network that was learned: from its file, or learned again."""
    import pyagrum as gum

    if not network_file(task).exists():
        learn_network(task)
    return gum.loadBN(str(network_file(task)))


def network_file(task: Task) -> Path:
    """Of a network as it is learned by this version of pyAgrum."""
    keys = ("score", "weaker", "max_parents", "priors", "corner")
    learned = [version("pyagrum"), *(task.get(key) for key in keys)]
    digest = hashlib.blake2b(json.dumps(learned).encode(), digest_size=8).hexdigest()
    return KEPT / f"{task['set']}-{digest}.bifxml"


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

    With limits, each query is asked in a process of its own, and after `of_level` seconds no new one.
    """
    rows = n_queries(task, level)
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


def n_queries(task: Task, level: float) -> int:
    """How many are to be asked with so much known. Where nothing is, all are the same one."""
    return task["rows"] if level else min(3, task["rows"])


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
