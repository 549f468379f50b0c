"""What only the scores of single rows tell: of rows that are in the training table too, and of two models' difference.

The models are those that `mixtures`, `collection` and `alternatives` chose, learned again if that does not take too
long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import alternatives
import mixtures
import numpy as np
from compared import best_circuits
from elsewhere import better_elsewhere, chosen_network
from mixed import averaged_records, of_kind
from models import fit
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
        models = [studies.records("mixtures", kind="circuit", set=name)[0], averaged[name]]
        cheap = [each for each in models if each["result"]["learning_seconds"] <= settings["most_seconds"]]
        yield {
            "question": "copies",
            "set": name,
            "models": {each["task"]["kind"]: each["task"] for each in cheap},
            **corner_of(settings),
        }
    for name in better_elsewhere(studies).better:
        yield {
            "question": "difference",
            "set": name,
            "network": chosen_network(studies, name),
            "circuit": best_circuits(studies)[name]["task"],
            **corner_of(settings),
        }


def measure(task: Task) -> Result:
    return {"copies": copies, "difference": difference}[task["question"]](task)


def copies(task: Task) -> Result:
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


def difference(task: Task) -> Result:
    """How much more likely test rows are by pyAgrum's network than by our circuit."""
    train, valid, test = (load(task["set"], (part,), task.get("corner")) for part in ("train", "valid", "test"))
    ours = fit(task["circuit"], train, validation=valid).network.log_likelihood(test.codes)
    theirs = alternatives.log_likelihood(alternatives.kept_network(task["network"]), test.codes.T)
    return scored("lead", theirs - ours)


if __name__ == "__main__":
    main("rowwise", tasks, measure)
