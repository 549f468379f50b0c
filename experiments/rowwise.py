"""What only the scores of single rows tell: how well models fit the test rows that are not in the training table.

The models are those that `mixtures` chose, learned again if that does not take too long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import mixtures
import numpy as np
from mixed import averaged_records, of_kind
from numpy.typing import NDArray
from sets import corner_of, load
from study import Result, Results, Task, main
from tables import AsMeasured
from verdicts import scored

from learnac import Dataset
from learnac.infer import log_likelihood


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    studies = AsMeasured(results.path.parent)
    averaged = averaged_records(studies)
    for name in of_kind(studies, "circuit"):
        models = [studies.records("mixtures", kind="circuit", set=name)[0]]
        models += [averaged[name]] if name in averaged else []
        cheap = [each for each in models if each["result"]["learning_seconds"] <= settings["most_seconds"]]
        yield {
            "question": "copies",
            "set": name,
            "models": {each["task"]["kind"]: each["task"] for each in cheap},
            **corner_of(settings),
        }


def measure(task: Task) -> Result:
    """How many test rows are in the training table, and scores of all rows and of the others."""
    train, test = (load(task["set"], (part,), task.get("corner")) for part in ("train", "test"))
    is_copy = copied(train, test)
    found: Result = {"rows": len(is_copy), "copies": int(is_copy.sum())}
    for kind, of_model in task["models"].items():
        model, _ = mixtures.learned(of_model)
        logs = log_likelihood(model.circuit_, test, network=model.network_)
        found[kind] = scored("test", logs) | scored("others", logs[~is_copy])
    return found


def copied(train: Dataset, test: Dataset) -> NDArray[np.bool_]:
    """Whether each test row is in the training table, value by value."""
    known = {row.tobytes() for row in np.ascontiguousarray(train.codes.T)}
    return np.array([row.tobytes() in known for row in np.ascontiguousarray(test.codes.T)])


if __name__ == "__main__":
    main("rowwise", tasks, measure)
