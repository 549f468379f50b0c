"""The report's first part: the paper's tables 3, 4 and 5, and Figure 1."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from libra import libra
from table5 import CIRCUITS, LEVEL_OF_TIMES, LEVELS, SCENARIOS
from tables import NAMES, PUBLISHED, Studies, duration, table, thousands, timing, with_error
from verdicts import ENOUGH_QUERIES, Verdict, half_width, verdict

PAPER: dict[str, Any] = PUBLISHED["paper"]
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
learned from both together, and scored on `test`. For MSWeb these are the paper's training and test sets, for KDD Cup
too but for a variable. Of EachMovie, where the paper prints the number of all rows as that of its training rows, only
the sizes are known to agree.

{table(["set", "variables", "training rows", "test rows", "density"], rows)}"""


def table4(studies: Studies) -> str:
    parts = [_table4_of(studies, name) for name in studies.values("table4", "set", stage="final")]
    return f"""\
## Table 4: the learned models

Ours (the paper's). The free network is learned as if edges cost nothing, and stands where the paper has WinMine.
"Compiled" is the same network compiled after learning by `compile_network`, which has its trees with their counts and
nothing else, with limits on edges and time; the paper used c2d, which has no counts.

{"".join(parts)}{_demands(studies)}"""


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
    """What is learned with as many edges as the paper's circuit has."""
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


def _compiled(studies: Studies, name: str, schedule: str) -> str:
    records = studies.records("table4", stage="compile", set=name, schedule=schedule)
    if not records:
        return ""
    task, result = records[-1]["task"], records[-1]["result"]
    if result.get("gave_up"):
        return f"not within {duration(task['most_seconds'])}"
    return thousands(result["compiled_edges"]) if result["compiled_edges"] else f">{thousands(task['most_edges'])}"


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


def against_paper(studies: Studies) -> list[AgainstPaper]:
    rows = []
    for name, schedule in product(studies.values("table4", "set"), ("greedy", "quick")):
        ours = studies.result("table4", stage="final", set=name, schedule=schedule)
        if not ours:
            continue
        theirs = PAPER["table4"][name][schedule]
        seconds = seconds_of_queries(studies, name, COLUMNS[schedule])
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


def _demands(studies: Studies) -> str:
    """The paper's rows: log-likelihood as printed there, and how many times faster to learn and to ask."""
    found = against_paper(studies)
    rows = [
        [
            NAMES[row.name],
            COLUMNS[row.schedule],
            f"{row.test} ({row.paper_test})",
            "yes" if row.is_as_likely else "no",
            f"{'>' if row.is_at_least else ''}{row.learning:,.0f}",
            "" if row.asking is None else f"{row.asking:,.0f}",
        ]
        for row in found
    ]
    header = [
        "set",
        "",
        "log-likelihood (paper)",
        "at least the paper's",
        "learns times faster",
        "answers times faster",
    ]
    return f"""\
Against the paper's rows, likelihoods to the digits that it prints.

{table(header, rows)}"""


def seconds_of_queries(studies: Studies, name: str, method: str, key: str = "seconds") -> float | None:
    """Of one query, averaged over all kinds."""
    found = [cell(studies, name, method, *level) for level in LEVELS]
    times = [result[key] for result in found if key in result]
    return sum(times) / len(times) if times else None


def _told_seconds(studies: Studies, name: str, method: str) -> str:
    """With half of the range over the median, of what was timed several times."""
    seconds, least, most = (
        seconds_of_queries(studies, name, method, key) for key in ("seconds", "seconds_from", "seconds_to")
    )
    is_repeated = least is not None and least != most
    return timing({"seconds": seconds, **({"seconds_range": [least, most]} if is_repeated else {})}, "seconds")


def cell(studies: Studies, name: str, method: str, query: float, evidence: float) -> dict[str, Any]:
    """Of Figure 1: a method's answers to queries of one kind; empty if there are none."""
    return studies.pooled("table5", set=name, method=method, query=query, evidence=evidence)


def table5(studies: Studies) -> str:
    sets = studies.values("table5", "set")
    rows = []
    for method in (*CIRCUITS, *SCENARIOS):
        row = [method]
        for name in sets:
            seconds = seconds_of_queries(studies, name, method)
            if seconds is None:
                row.append("")
                continue
            theirs = PAPER["table5"][method][name]
            told = _told_seconds(studies, name, method)
            row.append(f"{told} ({duration(theirs)}; x {theirs / seconds:,.0f})")
        rows.append(row)
    return f"""\
## Table 5 and Figure 1: queries

CPU time for one query, averaged over all kinds of queries: ours (the paper's; how many times faster). Circuits answer
one query at a time, through the Python interface. Gibbs sampling runs on the free network, in the paper's four
settings: chains, burn-in and samples as there, and a count of 1 spread over all states of the query. Its chains, of
many queries, run side by side, which takes less time, and draw what each would alone. It was not repeated, and two sets
were sampled at a time, each by its own process.

{table(["", *(NAMES[name] for name in sets)], rows)}
{_alone(studies, sets)}\
A query costs time at most in proportion to the edges, less where more is known. Our circuits differ in size from the
paper's, so this is how many times faster for each edge of the circuit:

{_for_each_edge(studies, sets)}
![Figure 1](figures/figure1.png)

Log P(query | evidence) of the test rows, for each query variable, less AC-Quick's on the same queries: on the left 30 %
of the variables are asked, on the right 30 % are known. Test rows are in random order, and so is what of them is asked
and known; all methods have the same queries, and those that answer fewer have the first of them: a random sample.
(Earlier versions of this report had fewer queries for the slow settings. With 30 at random, Gibbs-Slow was clearly
better on MSWeb, 10 % asked and 30 % known; then they were chosen by the circuit's answers, which removed this. Both
were dropped for the random samples here, whose numbers were fixed before.)

Bars are 95 % confidence intervals of the difference (Student's t). What answered fewer than {ENOUGH_QUERIES} queries is
not drawn. All columns have the same rows, so they err together.

The same in numbers: how much less than AC-Quick, in thousandths of a nat for each query variable (negative: better than
AC-Quick):

{"".join(_differences(studies, name) for name in sets)}{_verdicts(studies)}"""


def _alone(studies: Studies, sets: list[str]) -> str:
    """Times of all methods in one go, where nothing else ran."""
    rows = []
    for method in (*CIRCUITS, *SCENARIOS):
        found = [_timed_alone(studies, name, method) for name in sets]
        if any(found):
            rows.append([method, *(timing(each, "seconds") if each else "" for each in found)])
    if not rows:
        return ""
    asked, known = LEVEL_OF_TIMES
    return f"""\
The same with nothing else on the machine, three times in one go, for queries with {asked:.0%} asked and {known:.0%}
known (without Gibbs-VerySlow, which takes ten times as long as Gibbs-Slow):

{table(["", *(NAMES[name] for name in sets)], rows)}
"""


def _timed_alone(studies: Studies, name: str, method: str) -> dict[str, Any]:
    models = (record["task"]["model"] for record in studies.records("times", study="table5"))
    found = [model for model in models if (model["set"], model["method"]) == (name, method)]
    return studies.times("table5", found[-1]) if found else {}


def _for_each_edge(studies: Studies, sets: list[str]) -> str:
    rows = []
    for method, schedule in CIRCUITS.items():
        row = [method]
        for name in sets:
            seconds = seconds_of_queries(studies, name, method)
            final = studies.result("table4", stage="final", set=name, schedule=schedule)
            if seconds is None or not final:
                row.append("")
                continue
            edges = final["edges"]
            their_edges = 1000 * float(PAPER["table4"][name][schedule]["edges"].rstrip("K"))
            row.append(f"x {PAPER['table5'][method][name] / their_edges / (seconds / edges):,.0f}")
        rows.append(row)
    return table(["", *(NAMES[name] for name in sets)], rows)


def _differences(studies: Studies, name: str) -> str:
    levels = [level for level in LEVELS if studies.records("table5", set=name, query=level[0], evidence=level[1])]
    rows = []
    for method in ("AC-Greedy", *SCENARIOS):
        cells = [cell(studies, name, method, *level) for level in levels]
        n_rows = max((found.get("rows", 0) for found in cells), default=0)
        rows.append([method, n_rows, *map(_difference, cells)])
    header = [NAMES[name], "queries", *(f"{query:.0%} asked, {evidence:.0%} known" for query, evidence in levels)]
    return f"{table(header, rows)}\n"


def _difference(result: dict[str, Any]) -> str:
    if not result:
        return ""
    return f"{1000 * result['less_than_quick']:.1f} ± {1000 * half_width(result):.1f}"


def _verdicts(studies: Studies) -> str:
    """Where Gibbs sampling does better than the circuits."""
    cells: dict[Verdict, list[str]] = {kind: [] for kind in Verdict}
    for method, name, (asked, known) in product(SCENARIOS, studies.values("table5", "set"), LEVELS):
        if found := cell(studies, name, method, asked, known):
            cells[verdict(found)].append(f"{NAMES[name]}: {method} ({asked:.0%} asked, {known:.0%} known)")
    n_all = sum(map(len, cells.values()))
    listed = "".join(f"- {cell}\n" for cell in cells[Verdict.SAMPLER]) or "- nowhere\n"
    return f"""\
Of {n_all} comparisons of a Gibbs setting with AC-Quick (the cells above), {len(cells[Verdict.CIRCUIT])} are
clearly in favour of the circuit, {len(cells[Verdict.UNCLEAR])} are not clear (the interval has zero in it), and
{len(cells[Verdict.TOO_FEW])} have too few queries to say (fewer than {ENOUGH_QUERIES}).
Gibbs sampling is clearly better here:

{listed}
With enough samples it must come out ahead: it samples from the free network, which fits better than the circuit, and
its answers tend to that network's own.
"""


SECTIONS = (("table3", table3), ("table4", table4), ("table4", libra), ("table5", table5))
