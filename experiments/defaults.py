"""What `LearnAC()` should do when it is told nothing: the setting that does best over all sets.

Each candidate learns from train and is judged on valid, so that the test rows say nothing about the choice. Smoothing
that is left open is chosen by the product itself, on rows of train. What the same search comes to with the smoothing
and the number of splits that suit the judging rows best is measured beside it: the best of the grid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from models import CHOSEN, fit
from scipy.stats import sem
from sets import corner_of, load
from study import Result, Results, Task, main


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name in settings["sets"]:
        for label, candidate in settings["candidates"].items():
            yield {"set": name, "candidate": label, "schedule": "quick", **candidate, **corner_of(settings)}


def measure(task: Task) -> Result:
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    fitted = fit(task, train)
    found = {"valid": fitted.log_likelihood(valid), **fitted.figures}
    if CHOSEN in (task.get("alpha"), task.get("shrinkage")):
        best = fit(task, train, valid)
        behind = best.network.log_likelihood(valid.codes) - fitted.network.log_likelihood(valid.codes)
        found |= {"best_of_grid": best.log_likelihood(valid), "behind_error": float(sem(behind))}
    return found


if __name__ == "__main__":
    main("defaults", tasks, measure)
