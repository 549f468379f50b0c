"""The report's first part: the paper's tables 3 and 4; `sampling.py` has Table 5 and Figure 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import floor, log10
from typing import Any, NamedTuple

from libra import libra
from sampling import seconds_of_queries, table5
from tables import NAMES, PAPER, Studies, duration, in_words, listed, table, thousands, timing, with_error
from verdicts import edge_of_grid

COLUMNS = {"greedy": "AC-Greedy", "quick": "AC-Quick", "network": "free network"}


def table3(studies: Studies) -> str:
    rows = []
    for record in studies.records("table3"):
        ours, name = record["result"], record["task"]["set"]
        theirs = PAPER["table3"][name]
        rows.append(
            [
                NAMES[name],
                f"{ours['variables']} ({theirs['variables']})",
                f"{ours['train']:,} ({theirs['train']:,})",
                f"{ours['test']:,} ({theirs['test']:,})",
                f"{ours['density']:.4f} ({theirs['density']:.4f})",
            ]
        )
    return f"""\
## Table 3: the data sets

Ours (the paper's). The sets are `kdd`, `msweb` and `tmovie` of the density-estimation collection. Penalties are chosen
by learning from `train` and looking at `valid`, a tenth of both as in the paper (of EachMovie 18 %); models are then
learned from both together, and scored on `test`. Of sets whose numbers of rows and variables agree with the paper, we
do not know whether the rows are the same. Of EachMovie the paper's number of training rows is that of all rows of our
copy, so that we believe that its training set was smaller; elsewhere it speaks of 593 test rows.

{table(["set", "variables", "training rows", "test rows", "density"], rows)}"""


def table4(studies: Studies) -> str:
    parts = [_table4_of(studies, name) for name in studies.values("table4", "set", stage="final")]
    return f"""\
## Table 4: the learned models

Ours (the paper's). The free network is learned as if edges cost nothing, and stands where the paper has WinMine.
"Compiled" is the same network compiled after learning by `compile_network`, which has its trees with their counts and
nothing else; the paper used c2d, which has no counts. "None" means that ours found nothing within {_limits(studies)} by
the clock, and "≤" that it was still looking for a smaller circuit then. The circuits "of the paper's size" were learned
again, with a falling edge penalty and the paper's number of edges as a limit. This is not the paper's algorithm: there
the penalty stays as it is. Their query is P(30 % of the variables | 30 % others); Table 5 has the mean over all kinds
of queries. The paper's best penalties: k_e {PAPER["best"]["edge_penalty"]}; k_p {PAPER["best"]["parameter_penalty"]}.

{"".join(parts)}{_edges(studies)}{_beside_the_paper(studies)}"""


def treewidths(studies: Studies) -> dict[str, list[tuple[int, int]]]:
    """Of the networks of our circuits, by set, beside the paper's, whose point is that they may be large."""
    found: dict[str, list[tuple[int, int]]] = {}
    for name, schedule in product(NAMES, ("greedy", "quick")):
        if "treewidth" in (ours := studies.result("table4", stage="final", set=name, schedule=schedule)):
            theirs = int(PAPER["table4"][name][schedule]["treewidth"])
            found.setdefault(name, []).append((ours["treewidth"], theirs))
    return found


def _edges(studies: Studies) -> str:
    """Which penalties are at an edge of their grid."""
    told = []
    for name, schedule in product(studies.values("table4", "set"), COLUMNS):
        finals = studies.records("table4", stage="final", set=name, schedule=schedule)
        for key, symbol in (("edge_penalty", "k_e"), ("parameter_penalty", "k_p")):
            tried = studies.values("table4", key, stage="tune", set=name, schedule=schedule)
            if finals and len(tried) > 1 and (edge := edge_of_grid(finals[-1]["task"][key], tried)):
                told.append(f"{symbol} of {NAMES[name]}'s {COLUMNS[schedule]} ({edge.value})")
    if not told:
        return ""
    return f"At the edge of the grid: {listed(told)}.\n\n"


def _table4_of(studies: Studies, name: str) -> str:
    found = {s: studies.records("table4", stage="final", set=name, schedule=s) for s in COLUMNS}
    finals = {schedule: records[-1] for schedule, records in found.items() if records}
    ours = {schedule: record["result"] for schedule, record in finals.items()}
    theirs = PAPER["table4"][name]
    digits = 1 if name == "tmovie" else 2

    def row(title: str, key: str, told: Any) -> list[str]:
        return [
            title,
            *(f"{told(ours[s], s)} ({theirs[s][key]})" if theirs[s][key] else told(ours[s], s) for s in ours),
        ]

    def penalties(schedule: str) -> str:
        task = finals[schedule]["task"]
        edges = "free" if schedule == "network" else f"{task['edge_penalty']:g}"
        return f"{edges} / {task['parameter_penalty']:g}"

    rows = [
        ["k_e / k_p", *(penalties(schedule) for schedule in ours)],
        row("log-likelihood", "test", lambda found, s: with_error(found, "test", digits + 1)),
        row("edges", "edges", lambda found, s: thousands(found.get("edges"))),
        row("leaves", "leaves", lambda found, s: str(found["leaves"])),
        row("average parents", "average_parents", lambda found, s: f"{found['average_parents']:.1f}"),
        row("largest parents", "largest_parents", lambda found, s: str(found["largest_parents"])),
        row("treewidth, min-fill", "treewidth", lambda found, s: str(found["treewidth"])),
        row("compiled: edges", "compiled_edges", lambda found, s: _compiled(studies, name, s)),
        row("learning time", "time", lambda found, s: timing(found, "learning_seconds")),
        *_of_the_same_size(studies, name, list(ours), digits),
    ]
    return f"**{NAMES[name]}**\n\n{table(['', *(COLUMNS[schedule] for schedule in ours)], rows)}\n"


def _of_the_same_size(studies: Studies, name: str, schedules: list[str], digits: int) -> list[list[str]]:
    """What is learned with at most as many edges as the paper's circuit has."""
    found = [studies.result("table4", stage="size", set=name, schedule=schedule) for schedule in schedules]
    if not any(found):
        return []

    def row(title: str, told: Any) -> list[str]:
        return [f"of the paper's size: {title}", *(told(result) if result else "" for result in found)]

    return [
        row("edges", lambda result: thousands(result["edges"])),
        row("log-likelihood", lambda result: with_error(result, "test", digits + 1)),
        row("learning time", lambda result: timing(result, "learning_seconds")),
        row("query", lambda result: timing(result, "query_ms")),
    ]


def _limits(studies: Studies) -> str:
    """Of compiling."""
    limits = {
        (r["task"]["most_edges"], r["task"]["search_seconds"]) for r in studies.records("table4", stage="compile")
    }
    return listed([f"{thousands(edges)} edges and {duration(seconds)}" for edges, seconds in limits]) or "the limits"


def _compiled(studies: Studies, name: str, schedule: str) -> str:
    records = studies.records("table4", stage="compile", set=name, schedule=schedule)
    if not records:
        return ""
    found = records[-1]["result"].get("compiled_edges")
    return f"{'≤' * was_cut_off(records[-1])}{thousands(found)}" if found else "none"


def was_cut_off(record: Mapping[str, Any]) -> bool:
    """Whether compiling took all of its time, so that longer might have found a smaller circuit."""
    return bool(record["wall_seconds"] >= record["task"]["search_seconds"])


class AgainstPaper(NamedTuple):
    """One of our circuits beside the paper's."""

    name: str
    schedule: str
    test: str  # to the digits that the paper prints
    paper_test: str
    learning: float  # how many times faster
    is_at_least: bool  # that, because the paper's search was cut off
    asking: float | None  # how many times faster

    @property
    def is_as_likely(self) -> bool:
        return float(self.test) >= float(self.paper_test)


def same_data(studies: Studies) -> list[str]:
    """The sets with as many variables and rows as in the paper."""
    others = other_sizes(studies)
    return [name for name in studies.values("table3", "set") if name not in others]


def other_sizes(studies: Studies) -> dict[str, dict[str, tuple[int, int]]]:
    """The other sets: what differs, ours and the paper's."""
    found = {}
    for record in studies.records("table3"):
        ours, theirs = record["result"], PAPER["table3"][record["task"]["set"]]
        keys = {"variables": "variables", "train": "training rows", "test": "test rows"}
        differing = {what: (ours[key], theirs[key]) for key, what in keys.items() if ours[key] != theirs[key]}
        if differing:
            found[record["task"]["set"]] = differing
    return found


def fewer_variables(studies: Studies) -> dict[str, tuple[int, int]]:
    """The sets with other variables than the paper's: how many, and how many there."""
    return {name: each["variables"] for name, each in other_sizes(studies).items() if "variables" in each}


def against_paper(
    studies: Studies, stage: str = "final", schedules: Sequence[str] = ("greedy", "quick")
) -> list[AgainstPaper]:
    """The circuits whose penalties were chosen; or, of the stage "size", those with at most the paper's edges."""
    rows = []
    for name, schedule in product(studies.values("table4", "set"), schedules):
        ours = studies.result("table4", stage=stage, set=name, schedule=schedule)
        if not ours:
            continue
        theirs = PAPER["table4"][name][schedule]
        seconds = seconds_of_queries(studies, name, COLUMNS[schedule], "table5" if stage == "final" else "same_size")
        rows.append(
            AgainstPaper(
                name,
                schedule,
                test=f"{ours['test']:.{len(theirs['test'].split('.')[1])}f}",
                paper_test=theirs["test"],
                learning=3600 * PAPER["hours"][name][schedule] / ours["learning_seconds"],
                is_at_least=theirs["time"].startswith(">"),
                asking=None if seconds is None else PAPER["table5"][COLUMNS[schedule]][name] / seconds,
            )
        )
    return rows


def _against(row: AgainstPaper, paper_test: str) -> list[str]:
    times = f">{at_least(row.learning)}" if row.is_at_least else in_words([row.learning])
    return [f"{row.test} ({paper_test})", "yes" if row.is_as_likely else "no", times]


def at_least(factor: float) -> str:
    """Rounded down to two digits."""
    size = 10 ** max(floor(log10(factor)) - 1, 0)
    return f"{floor(factor / size) * size:,}"


def faster(rows: list[AgainstPaper]) -> str:
    """How many times faster circuits are learned."""
    whole = [row.learning for row in rows if not row.is_at_least]
    cut = [row.learning for row in rows if row.is_at_least]
    told = [f"about {in_words(whole)} times faster" if whole else ""]
    told += [f"where the paper's search was cut off, at least {at_least(min(cut))} times" if cut else ""]
    return "; ".join(filter(None, told))


def _beside_the_paper(studies: Studies) -> str:
    """The paper's rows: log-likelihood as printed there, and how many times faster to learn and to ask."""
    found = against_paper(studies)
    of_the_same_size = {(row.name, row.schedule): row for row in against_paper(studies, "size")}
    other = {name: f" ({ours} of {theirs} variables)" for name, (ours, theirs) in fewer_variables(studies).items()}
    rows = [
        [
            f"{NAMES[row.name]}{other.get(row.name, '')}",
            COLUMNS[row.schedule],
            *_against(row, row.paper_test),
            "" if row.asking is None else in_words([row.asking]),
            *(
                [*_against(size, row.paper_test), "" if size.asking is None else in_words([size.asking])]
                if (size := of_the_same_size.get((row.name, row.schedule)))
                else [""] * 4
            ),
        ]
        for row in found
    ]
    columns = ["log-likelihood (paper)", "at least the paper's", "learns times faster", "answers times faster"]
    header = ["set", "", *columns, *(f"of the paper's size: {column}" for column in columns)]
    return f"""\
Against the paper's rows, likelihoods to the digits that it prints; then the same for circuits with at most the paper's
number of edges.

{table(header, rows)}"""


SECTIONS = (("table3", table3), ("table4", table4), ("table4", libra), ("table5", table5))
