"""Table 5 and Figure 1: conditional probabilities by the circuits and by Gibbs sampling, their accuracy and their time.

Each query asks for the values of some variables of a test row given those of others, chosen at random.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from models import fit, kept
from numpy.typing import NDArray
from queries import queries
from sets import BOTH, corner_of, load
from study import Result, Results, Task, main
from table4 import chosen
from verdicts import standard_error

from learnac.infer.gibbs import FAST, MEDIUM, SLOW, VERY_SLOW, Gibbs

SCENARIOS = {"Gibbs-Fast": FAST, "Gibbs-Medium": MEDIUM, "Gibbs-Slow": SLOW, "Gibbs-VerySlow": VERY_SLOW}
CIRCUITS = {"AC-Greedy": "greedy", "AC-Quick": "quick"}
# Shares of the variables that are asked and known: the left and the right column of Figure 1.
LEFT = [(0.3, evidence) for evidence in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
RIGHT = [(query, 0.3) for query in (0.1, 0.2, 0.3, 0.4, 0.5)]
LEVEL_OF_TIMES = (0.3, 0.3)  # that is timed with nothing else on the machine
LEVELS = LEFT + [level for level in RIGHT if level not in LEFT]


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    """What takes hours is done in blocks of queries, each a task, so that it can be interrupted."""
    learned = Results(results.path.with_name("table4.json"))
    for method, name in product([*CIRCUITS, *SCENARIOS], settings["sets"]):
        model = chosen(learned, name, CIRCUITS.get(method, "network"))
        repeats = {"repeats": settings["repeats"]} if method in CIRCUITS else {}
        n_queries, block = _of(settings["rows"][method], name), settings.get("block", {}).get(method)
        n_queries = min(n_queries, load(name, ("test",), settings.get("corner")).n_rows)
        for query, evidence in settings.get("levels", LEVELS):
            for first in range(0, n_queries, block or n_queries):
                yield {
                    "set": name,
                    "method": method,
                    "query": query,
                    "evidence": evidence,
                    "first": first,
                    "rows": min(block or n_queries, n_queries - first),
                    "seed": settings["seed"],
                    "model": model,
                    "paired_with": chosen(learned, name, "quick"),
                    **repeats,
                    **corner_of(settings),
                }


def _of(by_set: Mapping[str, int], name: str) -> int:
    return by_set.get(name, by_set["others"])


def measure(task: Task) -> Result:
    _, query, given = queries(task)
    n_asked = int((query[0] >= 0).sum())
    exact = np.asarray(kept(task["paired_with"]).log_probability(query, given)) / n_asked
    answers, seconds = (circuit_answers if task["method"] in CIRCUITS else gibbs_answers)(task, query, given)
    found = answers / n_asked
    return {
        "rows": len(query),
        "log_probability": float(found.mean()),
        "log_probability_error": standard_error(found),
        "less_than_quick": float((exact - found).mean()),
        "less_than_quick_error": standard_error(exact - found),
        # Of one query. Sampling is not repeated: its answers take hours.
        "seconds": sorted(seconds)[len(seconds) // 2] / len(query),
    }


def timed(task: Task) -> Result:
    """The time of a query alone, circuits' and samplers' alike; the circuits answer all of them once before."""
    _, query, given = queries(task)
    _, seconds = (circuit_answers if task["method"] in CIRCUITS else gibbs_answers)(
        {**task, "repeats": 1}, query, given
    )
    return {"seconds": seconds[0] / len(query)}


def circuit_answers(
    task: Task, query: NDArray[np.int8], given: NDArray[np.int8]
) -> tuple[NDArray[np.float64], list[float]]:
    """One query at a time, as they would come."""
    model, seconds = kept(task["model"]), []
    model.log_probability(query[:1], given[:1])
    for _ in range(task["repeats"]):
        started = time.process_time()
        answers = np.array([model.log_probability(query[i : i + 1], given[i : i + 1])[0] for i in range(len(query))])
        seconds.append(time.process_time() - started)
    return answers, seconds


def gibbs_answers(
    task: Task, query: NDArray[np.int8], given: NDArray[np.int8]
) -> tuple[NDArray[np.float64], list[float]]:
    """All queries of the task at once, which is quicker than one at a time."""
    gibbs = Gibbs(fit(task["model"], load(task["set"], BOTH, task.get("corner"))).network)
    started = time.process_time()
    answers = gibbs.log_probability(query.T, given.T, SCENARIOS[task["method"]], [task["seed"], task["first"]])
    return answers, [time.process_time() - started]


if __name__ == "__main__":
    main("table5", tasks, measure)
