"""What `LearnAC()` should do when it is told nothing: the setting that does best over all sets.

Each candidate learns from train and is judged on valid, so that the test rows say nothing about the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from models import fit
from numpy.typing import NDArray
from sets import corner_of, load
from study import Result, Results, Task, main

from learnac import Dataset


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name in settings["sets"]:
        for label, candidate in settings["candidates"].items():
            yield {"set": name, "candidate": label, "schedule": "quick", **candidate, **corner_of(settings)}


def measure(task: Task) -> Result:
    train, valid = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid"))
    share = task.get("held_out", 0.0)
    fitted = fit(task, *held_out(train, share)) if share else fit(task, train)
    return {"valid": fitted.log_likelihood(valid), **fitted.figures}


def held_out(table: Dataset, share: float) -> tuple[Dataset, Dataset]:
    """A part of the rows to learn from, and the rest to end early by."""
    order: NDArray[np.int64] = np.random.default_rng(0).permutation(table.n_rows)
    n_held_out = max(1, round(share * table.n_rows))
    return tuple(  # type: ignore[return-value]
        Dataset(table.schema, np.ascontiguousarray(table.codes[:, rows]))
        for rows in (order[n_held_out:], order[:n_held_out])
    )


if __name__ == "__main__":
    main("defaults", tasks, measure)
