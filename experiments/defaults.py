"""What `LearnAC()` should do when it is told nothing: the setting that does best over all sets.

Each candidate learns from train and is judged on valid, so that the test rows say nothing about the choice. Smoothing
that is left open is chosen by the product itself, on rows of train. Beside it is measured what the best of the grid
comes to, as the judging rows themselves would choose it: the smoothing of the same splits, and, which is more than a
grid of smoothing, smoothing and number of splits together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from models import CHOSEN, fit
from numpy.typing import NDArray
from scipy.stats import sem
from sets import corner_of, load
from study import Result, Results, Task, main

from learnac.defaults import ALPHAS, SHRINKAGES
from learnac.learn.smoothing import Smoothing, grid
from learnac.network import BayesNet, TreeCPD


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name in settings["sets"]:
        for label, candidate in settings["candidates"].items():
            yield {"set": name, "candidate": label, "schedule": "quick", **candidate, **corner_of(settings)}


def measure(task: Task) -> Result:
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    fitted = fit(task, train)
    found = {"valid": fitted.log_likelihood(valid), **fitted.figures}
    if CHOSEN in (task.get("alpha"), task.get("shrinkage")):
        ours = fitted.network.log_likelihood(valid.codes)
        smoothed = [
            smoothed_again(fitted.network, smoothing).log_likelihood(valid.codes)
            for smoothing in grid("likelihood", ALPHAS, SHRINKAGES)
        ]
        found |= _ahead("best_smoothing", max(smoothed, key=np.mean), ours)
        found |= _ahead("best_of_grid", fit(task, train, valid).network.log_likelihood(valid.codes), ours)
    return found


def smoothed_again(network: BayesNet, smoothing: Smoothing) -> BayesNet:
    """The same trees, with parameters read off the same counts in another way."""
    return replace(network, trees=tuple(_smoothed(tree, smoothing) for tree in network.trees))


def _smoothed(tree: TreeCPD, smoothing: Smoothing) -> TreeCPD:
    parameters = np.empty_like(tree.parameters)
    parameters[0] = smoothing.node_parameters(tree.counts[0], 1.0, None)
    for node in range(tree.n_nodes):
        for branch in tree.branches(node):
            parameters[branch] = smoothing.node_parameters(tree.counts[branch], 1.0, parameters[node])
    return replace(tree, parameters=parameters)


def _ahead(name: str, theirs: NDArray[np.float64], ours: NDArray[np.float64]) -> Result:
    return {name: float(theirs.mean()), f"{name}_error": float(sem(theirs - ours))}


if __name__ == "__main__":
    main("defaults", tasks, measure)
