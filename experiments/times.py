"""Times on a machine that does nothing else: of the models that the tables show, several times in one go.

The other studies may run beside other work; of these models the report takes the times from here. What takes too long
is not timed again. Run it alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import libra
from elsewhere import chosen_network
from mixed import averaged_records
from study import Result, Results, Task, cpu_seconds, main
from table5 import LEVEL_OF_TIMES
from tables import AsMeasured

from learnac.errors import LearnacError

Record = dict[str, Any]
MOST_BUSY = 0.1  # processors that others may use
WATCHED_SECONDS = 0.5
PATIENCE = 60  # times to look again whether the machine is idle
ATTEMPTS = 3  # at a model, if others begin meanwhile


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    said = {"repeats": settings["repeats"], "alone": settings["alone"]}
    studies = AsMeasured(results.path.parent)
    for study in settings["studies"]:
        most_seconds = settings["most_seconds"].get(study, settings["most_seconds"]["others"])
        for record in SHOWN[study](studies):
            if seconds_of(study, record) <= most_seconds:
                # Measured again, a model is another one.
                yield {"study": study, "model": record["task"], "commit": record["commit"], **said}
    if settings["libra"]:
        for pair in libra.pairs():
            yield {"study": "libra", "model": libra.task_of(pair), **said}


def seconds_of(study: str, record: Record) -> float:
    """Of what would be timed again."""
    result = record["result"]
    if study == "alternatives":  # Learning and asking are tasks of their own.
        return record["wall_seconds"]
    return result["seconds"] * result["rows"] if "seconds" in result else result.get("learning_seconds", float("inf"))


def _of(study: str, is_shown: Callable[[Task], bool]) -> Callable[[AsMeasured], list[Record]]:
    return lambda studies: [record for record in studies.records(study) if is_shown(record["task"])]


def _is_in_table4(task: Task) -> bool:
    return task["stage"] in ("final", "size") or (task["stage"] == "tune" and task["schedule"] != "network")


def _mixtures(studies: AsMeasured) -> list[Record]:
    """One of each kind and set: the first seed, and of the averages those that were chosen."""
    kinds = ("circuit", "mixture", "components")
    alone = [record for record in studies.records("mixtures") if record["task"]["kind"] in kinds]
    alone = [record for record in alone if record["task"].get("n_components", 256) == 256]
    return [r for r in alone if r["task"].get("random_state", 0) == 0] + list(averaged_records(studies).values())


def _alternatives(studies: AsMeasured) -> list[Record]:
    """Our circuits; the networks that were chosen and all that came of them, but what a limit put an end to."""
    found = []
    for record in studies.records("alternatives"):
        task, answers = record["task"], record["result"].get("answers", [])
        if "exceeded" in record["result"] or any(each["answered"] < each["asked"] for each in answers):
            continue
        if task["stage"] == "circuit":
            found.append(record)
        elif {**task, "stage": "learn"} == (chosen := chosen_network(studies, task["set"], task["max_parents"])):
            # To ask or to compile a network, it is learned first.
            first = 0.0 if task == chosen else studies.records("alternatives", **chosen)[0]["wall_seconds"]
            found.append({**record, "wall_seconds": first + record["wall_seconds"]})
    return found


SHOWN: dict[str, Callable[[AsMeasured], list[Record]]] = {
    "table4": _of("table4", _is_in_table4),
    "table5": _of("table5", lambda task: (task["query"], task["evidence"]) == LEVEL_OF_TIMES and task["first"] == 0),
    "tradeoff": _of("tradeoff", lambda task: True),
    "collection": _of("collection", lambda task: task["stage"] != "tune" and task.get("kind") != "network"),
    "categorical": _of("categorical", lambda task: task["stage"] == "final" and task["schedule"] != "network"),
    "mixtures": _mixtures,
    "alternatives": _alternatives,
    "gaps": _of("gaps", lambda task: True),
    "tabular": _of("tabular", lambda task: "question" not in task),
}


def measure(task: Task) -> Result:
    """The times of all runs; if it must be alone, also how many processors others used meanwhile."""
    timed = import_module(task["study"]).timed

    def runs() -> Result:
        return gathered([timed(task["model"]) for _ in range(task["repeats"])])

    if not task["alone"]:
        return {"times": runs()}
    for _ in range(ATTEMPTS):
        wait_until_alone()
        started, busy, ours = time.monotonic(), processor_seconds(), cpu_seconds()
        times = runs()
        others = (processor_seconds() - busy - (cpu_seconds() - ours)) / (time.monotonic() - started)
        if others <= MOST_BUSY:
            return {"times": times, "others": round(max(others, 0.0), 3)}
    raise not_alone(others)


def wait_until_alone() -> None:
    """Until next to nothing else runs. LearnacError if that does not come."""
    for _ in range(PATIENCE):
        if (others := processors_in_use()) <= MOST_BUSY:
            return
    raise not_alone(others)


def not_alone(others: float) -> LearnacError:
    return LearnacError(
        f"expected a machine that does nothing else, found that others use {others:.1f} processors; end them, and "
        "begin again: what has been measured is kept"
    )


def processors_in_use() -> float:
    """While this process sleeps."""
    started, busy = time.monotonic(), processor_seconds()
    time.sleep(WATCHED_SECONDS)
    return (processor_seconds() - busy) / (time.monotonic() - started)


def processor_seconds() -> float:
    """That all processors together have worked, since the machine was started."""
    user, nice, system, _, _, interrupts, soft = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:8])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def gathered(found: list[Result]) -> Result:
    """Of each time all that were measured, ascending."""
    return {
        key: gathered([each[key] for each in found]) if isinstance(value, dict) else sorted(each[key] for each in found)
        for key, value in found[0].items()
    }


if __name__ == "__main__":
    main("times", tasks, measure)
