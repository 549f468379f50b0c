"""Conditional queries about test rows: which are asked, and how long a circuit takes to answer them."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray
from sets import load
from study import Task

from learnac import LearnAC


def queries(task: Task) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]]:
    """Test rows in random order, and of each what is asked and what is known; -1 elsewhere. The same for every method.

    Fewer of them are a random sample of all: the first ones.
    """
    test = load(task["set"], ("test",), task.get("corner")).codes.T.astype(np.int8)
    rng = np.random.default_rng(task["seed"])
    first = task.get("first", 0)
    rows = rng.permutation(len(test))[: first + task["rows"]]
    n_variables = test.shape[1]
    n_asked, n_known = (round(task[share] * n_variables) for share in ("query", "evidence"))
    query, given = np.full((len(rows), n_variables), -1, np.int8), np.full((len(rows), n_variables), -1, np.int8)
    for i, row in enumerate(test[rows]):
        order = rng.permutation(n_variables)
        asked, known = order[:n_asked], order[n_asked : n_asked + n_known]
        query[i, asked], given[i, known] = row[asked], row[known]
    return test[rows][first:], query[first:], given[first:]


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
