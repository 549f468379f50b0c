"""The section of the report on Libra: the toolkit by the paper's first author, beside an early version of ours."""

from __future__ import annotations

from typing import Any

from models import fit
from sets import load
from study import Result, Task
from tables import PUBLISHED, Studies, duration, table, timing


def pairs() -> list[dict[str, Any]]:
    """What was measured, a dict for each set, schedule and k_e."""
    return [dict(zip(PUBLISHED["libra"]["fields"], row, strict=True)) for row in PUBLISHED["libra"]["rows"]]


def task_of(pair: dict[str, Any]) -> Task:
    """What to learn to do the same now."""
    said = {"set": pair["set"], "schedule": pair["schedule"], "edge_penalty": pair["k_e"]}
    return {**said, **PUBLISHED["libra"]["settings"]}


def timed(task: Task) -> Result:
    return {"learning_seconds": fit(task, load(task["set"], ("train",))).cpu_seconds}


TEXT = """\
## Beside Libra

The authors published their learner in the toolkit Libra. Both learned from `train` with the same penalties, in one
sitting on one machine; times are CPU times. This is no study of `make paper`: the figures are in `published.toml`, and
ours are of an early version (8c48d80).{now}

{table}
Ours is {least:.0f} to {most:.0f} times faster. Circuits differ: Libra stops early (a candidate that cannot pay ends
the search when it comes first) and keeps a product below its only product parent.
"""
NOW = """ The last column is ours of today, measured as the other times of this report, not
beside Libra."""


def libra(studies: Studies) -> str:
    """Needs no study: it stands beside Table 4."""
    found = pairs()
    today = [studies.times("libra", task_of(pair)) for pair in found]
    times = [pair["seconds"] / pair["our_seconds"] for pair in found]
    header = ["set", "schedule", "k_e", "Libra", "edges", "learning", "ours", "edges", "learning", "times faster"]
    rows = [
        [
            pair["set"],
            f"AC-{pair['schedule'].title()}",
            pair["k_e"],
            pair["test"],
            pair["edges"],
            duration(pair["seconds"]),
            pair["our_test"],
            pair["our_edges"],
            duration(pair["our_seconds"]),
            f"{ratio:.0f}",
            *([timing(each, "learning_seconds") if each else ""] if any(today) else []),
        ]
        for pair, ratio, each in zip(found, times, today, strict=True)
    ]
    header += ["learning today"] if any(today) else []
    now = NOW if any(today) else ""
    return TEXT.format(table=table(header, rows), least=min(times), most=max(times), now=now)
