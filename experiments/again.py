"""Some tasks of every study measured again: how far a second run of `make paper` is from the committed results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any
from zlib import crc32

import numpy as np
from study import Result, Results, Task, main


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    """A random sample of those that do not take too long, with what was found then."""
    for name in settings["studies"]:
        records = Results(results.path.with_name(f"{name}.json")).records
        short = [record for record in records if 0 < (record["cpu_seconds"] or 0) <= settings["most_cpu_seconds"]]
        chosen = np.random.default_rng([settings["seed"], crc32(name.encode())]).permutation(len(short))
        for place in sorted(chosen[: settings["tasks"]].tolist()):
            yield {"study": name, "again": short[place]["task"], "found": short[place]["result"]}


def measure(task: Task) -> Result:
    return compared(task["found"], import_module(task["study"]).measure(task["again"]))


def compared(then: Result, now: Result) -> Result:
    """How many values are the same, how far apart the others are at most, and how many times as long it took."""
    before, after = dict(_flat("", then)), dict(_flat("", now))
    results = [(before.get(key), after.get(key)) for key in before | after if not is_time(key)]
    times = [after[key] / before[key] for key in before if is_time(key) and key in after and before[key] > 0]
    return {
        "values": len(results),
        "largest_difference": max((difference(a, b) for a, b in results), default=0.0),
        "different": sum(difference(a, b) > 0 for a, b in results),
        "times": times,
    }


def is_time(key: str) -> bool:
    return any("seconds" in name or name == "ms" or name.endswith(("_ms", "_range")) for name in key.split("."))


def difference(a: object, b: object) -> float:
    """Of two numbers, in proportion to the larger; of all else, 1 if it is not the same."""
    if a == b:
        return 0.0
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, int | float) or not isinstance(b, int | float):
        return 1.0
    return abs(a - b) / max(abs(a), abs(b))


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a result that are no lists or dicts, by their way from the top."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _flat(f"{name}.{key}", part)
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _flat(f"{place}.{name}", part)
    else:
        yield name, value


if __name__ == "__main__":
    main("again", tasks, measure)
