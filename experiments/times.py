"""Times on a machine that does nothing else: of the models that the tables show, several times in one go.

The other studies may run beside other work; of these models the report takes the times from here. What takes too long
is not timed again. Run it alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import libra
from mixed import averaged_records
from study import Result, Results, Task, main
from table5 import LEVEL_OF_TIMES
from tables import Studies

from learnac.errors import LearnacError

Record = dict[str, Any]
BUSY = 1.5  # Of the machine's load: then something else runs.


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    if settings["idle"]:
        require_idle()
    studies = Studies(results.path.parent)
    for study in settings["studies"]:
        most_seconds = settings["most_seconds"].get(study, settings["most_seconds"]["others"])
        for record in SHOWN[study](studies):
            if seconds_of(record) <= most_seconds:
                yield {"study": study, "model": record["task"], "repeats": settings["repeats"]}
    if settings["libra"]:
        for pair in libra.pairs():
            yield {"study": "libra", "model": libra.task_of(pair), "repeats": settings["repeats"]}


def require_idle() -> None:
    load = os.getloadavg()[0]
    if load > BUSY:
        raise LearnacError(
            f"expected a machine that does nothing else, found a load of {load:.1f}; wait until it is below {BUSY}"
        )


def seconds_of(record: Record) -> float:
    """Of what would be timed again."""
    result = record["result"]
    return result["seconds"] * result["rows"] if "seconds" in result else result.get("learning_seconds", float("inf"))


def _of(study: str, is_shown: Callable[[Task], bool]) -> Callable[[Studies], list[Record]]:
    return lambda studies: [record for record in studies.records(study) if is_shown(record["task"])]


def _mixtures(studies: Studies) -> list[Record]:
    """One of each kind and set: the first seed, and of the averages those that were chosen."""
    kinds = ("circuit", "mixture", "components")
    alone = [record for record in studies.records("mixtures") if record["task"]["kind"] in kinds]
    alone = [record for record in alone if record["task"].get("n_components", 256) == 256]
    return [r for r in alone if r["task"].get("random_state", 0) == 0] + list(averaged_records(studies).values())


SHOWN: dict[str, Callable[[Studies], list[Record]]] = {
    "table4": _of("table4", lambda task: task["stage"] == "tune" and task["schedule"] != "network"),
    "table5": _of("table5", lambda task: (task["query"], task["evidence"]) == LEVEL_OF_TIMES and task["first"] == 0),
    "tradeoff": _of("tradeoff", lambda task: True),
    "collection": _of("collection", lambda task: task["stage"] != "tune" and task.get("kind") != "network"),
    "categorical": _of("categorical", lambda task: task["stage"] == "final" and task["schedule"] != "network"),
    "mixtures": _mixtures,
    "gaps": _of("gaps", lambda task: True),
    "tabular": _of("tabular", lambda task: "question" not in task),
}


def measure(task: Task) -> Result:
    timed = import_module(task["study"]).timed
    return gathered([timed(task["model"]) for _ in range(task["repeats"])])


def gathered(found: list[Result]) -> Result:
    """Of each time all that were measured, ascending."""
    return {
        key: gathered([each[key] for each in found]) if isinstance(value, dict) else sorted(each[key] for each in found)
        for key, value in found[0].items()
    }


if __name__ == "__main__":
    main("times", tasks, measure)
