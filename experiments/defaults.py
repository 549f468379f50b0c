"""What `LearnAC()` should do when it is told nothing: the setting that does best over all sets.

Each candidate learns from train and is judged on valid, so that the test rows say nothing about the choice. Smoothing
that is left open is chosen by the product itself, on rows of train.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from models import fit
from sets import corner_of, load
from study import Result, Results, Task, main


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name in settings["sets"]:
        for label, candidate in settings["candidates"].items():
            yield {"set": name, "candidate": label, "schedule": "quick", **candidate, **corner_of(settings)}


def measure(task: Task) -> Result:
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    fitted = fit(task, train)
    return {"valid": fitted.log_likelihood(valid), **fitted.figures}


if __name__ == "__main__":
    main("defaults", tasks, measure)
