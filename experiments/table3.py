"""Table 3: the data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sets import BOTH, corner_of, load
from study import Result, Results, Task, main


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for name in settings["sets"]:
        yield {"set": name, **corner_of(settings)}


def measure(task: Task) -> Result:
    train, test = (load(task["set"], parts, task.get("corner")) for parts in (BOTH, ("test",)))
    n_ones = int(train.codes.sum()) + int(test.codes.sum())
    return {
        "variables": train.n_variables,
        "train": train.n_rows,
        "test": test.n_rows,
        "density": n_ones / (train.codes.size + test.codes.size),
    }


if __name__ == "__main__":
    main("table3", tasks, measure)
