"""The section of the report on Libra: the toolkit by the paper's first author, beside an early version of ours."""

from __future__ import annotations

from typing import Any

from models import fit
from sets import load
from study import Result, Task
from tables import PUBLISHED, Studies, duration, table, timing

CORRECTED: list[list[Any]] = PUBLISHED["libra"]["corrected"]
NOISE: str = PUBLISHED["libra"]["noise"]  # of times


def pairs() -> list[dict[str, Any]]:
    """What was measured, a dict for each set, schedule and k_e."""
    measured = PUBLISHED["libra"]
    return [
        {**dict(zip(measured["fields"], row, strict=True)), "our_process_seconds": seconds}
        for row, seconds in zip(measured["rows"], measured["our_process_seconds"], strict=True)
    ]


def task_of(pair: dict[str, Any]) -> Task:
    """What to learn to do the same now."""
    said = {"set": pair["set"], "schedule": pair["schedule"], "edge_penalty": pair["k_e"]}
    return {**said, **PUBLISHED["libra"]["settings"]}


def timed(task: Task) -> Result:
    return {"learning_seconds": fit(task, load(task["set"], ("train",))).cpu_seconds}


TEXT = """\
## Beside Libra

The authors published their learner in the toolkit Libra. Both learned from `train` with the same settings (the table's
k_e, k_p {k_p:g}, alpha {alpha:g}), in one sitting on one machine; times are CPU times, Libra's to be trusted to
{noise}. Ours are of learning, and of the whole process, which starts Python and reads the table too; which of the two
Libra's times cover is not recorded. Circuits differ: Libra stops
early (a candidate that cannot pay ends the search when it comes first) and keeps a product below its only product
parent; "corrected" is Libra without the early stop. This is no study of `make paper`: the figures are in
`published.toml`, and ours are of an early version (8c48d80).{now}

{table}
Libra takes {least:.0f} to {most:.0f} times as long as our learning, and {least_whole:.2g} to {most_whole:.2g} times as
long as our whole process. Ours has the better likelihood on {ahead} of {pairs} rows; against the corrected Libra on
{ahead_corrected} of {corrected}, the worse on {behind_corrected}; {level} are level. Sizes differ, too. Of queries,
asked of the same circuit: {queries}.
"""
NOW = """ The last column is ours of today, measured as the other times of this report, not beside
Libra."""


def libra(studies: Studies) -> str:
    """Needs no study: it stands beside Table 4."""
    found = pairs()
    corrected = [dict(zip(("test", "edges", "seconds")[: len(row)], row, strict=True)) for row in CORRECTED]
    today = [studies.times("libra", task_of(pair)) for pair in found]
    rows = [
        [
            pair["set"],
            f"AC-{pair['schedule'].title()}, {pair['k_e']}",
            *_shown(pair["test"], pair["edges"], pair["seconds"]),
            *(_shown(*better.values()) if better else [""] * 3),
            *_shown(pair["our_test"], pair["our_edges"], pair["our_seconds"]),
            duration(pair["our_process_seconds"]),
            *([timing(each, "learning_seconds") if each else ""] if any(today) else []),
        ]
        for pair, better, each in zip(found, corrected, today, strict=True)
    ]
    columns = ("log-likelihood", "edges", "time")
    header = ["set", "schedule, k_e", *(f"{who}: {what}" for who in ("Libra", "corrected", "ours") for what in columns)]
    header += ["our process", *(["learning today"] if any(today) else [])]
    ratios, whole = ([p["seconds"] / p[key] for p in found] for key in ("our_seconds", "our_process_seconds"))
    both = [(pair["our_test"], float(better["test"])) for pair, better in zip(found, corrected, strict=True) if better]
    level = sum(ours == theirs for ours, theirs in both)
    return TEXT.format(
        table=table(header, rows),
        noise=NOISE,
        k_p=PUBLISHED["libra"]["settings"]["parameter_penalty"],
        alpha=PUBLISHED["libra"]["settings"]["alpha"],
        now=NOW if any(today) else "",
        least=min(ratios),
        most=max(ratios),
        least_whole=min(whole),
        most_whole=max(whole),
        ahead=sum(pair["our_test"] > pair["test"] for pair in found),
        pairs=len(found),
        ahead_corrected=sum(ours > theirs for ours, theirs in both),
        corrected=len(both),
        level=level,
        behind_corrected=sum(ours < theirs for ours, theirs in both),
        queries=PUBLISHED["libra"]["queries"],
    )


def _shown(test: float | str, edges: str, seconds: float) -> list[str]:
    return [str(test), edges, duration(seconds)]
