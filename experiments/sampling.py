"""The report's section on Table 5 and Figure 1: queries to circuits and to Gibbs sampling, and how long they take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dominance import FASTEST, SLOWEST, Cell, cell, clear_together, compared, misses
from table5 import CIRCUITS, LEVEL_OF_TIMES, LEVELS, SCENARIOS
from tables import NAMES, PAPER, Studies, duration, edges_of, in_words, listed, table, timing
from verdicts import ENOUGH_QUERIES, SAFE_QUERIES, Verdict, half_width

SOME_BLOCKS = (1, 2, 5)  # of queries of a kind, beside all
# Whose answers are shown: title, study and method.
ROWS = [
    *((method, "table5", method) for method in CIRCUITS),
    *((f"{method}, of the paper's size", "same_size", method) for method in CIRCUITS),
    *((method, "table5", method) for method in SCENARIOS),
]


def _about_few_queries(studies: Studies) -> str:
    sets = [name for name in studies.values("table5", "set") if misses(studies, name, 1).n_intervals]
    if not sets:
        return ""
    n_queries = studies.records("table5", set=sets[0], method=SLOWEST[0])[0]["result"]["rows"]
    rows = []
    for n_blocks in SOME_BLOCKS:
        found = [misses(studies, name, n_blocks) for name in sets]
        told = [f"{each.n_missed} of {each.n_intervals} ({each.in_favour}; {each.expected:.1f})" for each in found]
        if all(each.n_intervals for each in found):
            rows.append([f"{n_blocks * n_queries}", *told])
    ones = [misses(studies, name, 1) for name in sets]
    wrong, in_favour, by_chance = (
        sum(getattr(found, what) for found in ones) for what in ("n_missed", "in_favour", "expected")
    )
    title = (
        "**Intervals from few queries favour the sampler.** " if wrong > 2 * by_chance and 2 * in_favour > wrong else ""
    )
    return (
        f"{title}How many of {SLOWEST[0]}'s 95 % intervals from some queries of a kind, block by block, do not have "
        "the mean of all in them (how many of these favour the sampler; how many would be outside by chance):\n\n"
        + table(["queries", *(NAMES[name] for name in sets)], rows)
        + f"\n{_REASON if title else ''}What fewer than {SAFE_QUERIES} queries of a kind say "
        "counts where it is clearly for the circuit, and decides nothing otherwise. (This rule is of after the "
        "results: before, 30 queries of Gibbs-VerySlow counted as evidence against the paper's sentence on MSWeb "
        f"too.){_about_many_queries(studies, sets, n_queries)}\n\n"
    )


_REASON = (
    "The reason may be that a few queries make most of the difference, those whose answer no sample hit: a small "
    "sample of queries may have none of them. "
)


def _about_many_queries(studies: Studies, sets: list[str], n_queries: int) -> str:
    """Whether intervals may be too narrow even from as many queries as decide."""
    found = [misses(studies, name, SAFE_QUERIES // n_queries) for name in sets]
    wrong, by_chance = sum(each.n_missed for each in found), sum(each.expected for each in found)
    if wrong <= 2 * by_chance:
        return ""
    return (
        f" Even from {SAFE_QUERIES} queries, {wrong} of {sum(each.n_intervals for each in found)} intervals miss, "
        f"where {by_chance:.1f} would by chance: so what is not clear may become clear for the circuit with more."
    )


def table5(studies: Studies) -> str:
    sets = studies.values("table5", "set")
    return f"""\
## Table 5 and Figure 1: queries

CPU time for one query, averaged over all kinds of queries: ours (the paper's; how many times faster). Circuits answer
one query at a time, through the Python interface, three times over; those of the paper's size are those of Table 4,
and were measured later. Gibbs sampling runs on the free network, in the
paper's four settings ({_settings()}), with a count of 1 spread over all states of the query. The
chains of many queries run side by side, which takes less time; each draws what it would draw alone. Sampling was not
repeated, and two processes sampled at a time. A kind of query is a share of variables that is asked with a share that
is known.

{table(["", *(NAMES[name] for name in sets)], _times(studies, sets))}
{orders_of_magnitude(studies)}

{_alone(studies, sets)}\
A query takes a number of operations that is at most in proportion to the edges, less where more is known; in large
circuits each takes longer. Ours differ in size from the paper's, so this is how many times faster for each edge:

{_for_each_edge(studies, sets)}
![Figure 1](figures/figure1.png)

Log P(query | evidence) of the test rows for each query variable, in nats: the difference to AC-Quick on the same
queries (higher is better, below 0 is worse than AC-Quick). On the left 30 % of the variables are asked, on the right
30 % are known. Test rows are in random order, and the variables that are asked and known are drawn at random; all
methods have the same queries, and those that answer fewer have the first of them: a random sample. (Earlier versions of
this report had fewer queries for the slow settings. With 30 at random, Gibbs-Slow was clearly better on MSWeb, 10 %
asked and 30 % known; then they were chosen by the circuit's answers, which removed this. Both were dropped for the
random samples here, whose numbers were fixed before.)

Bars are 95 % confidence intervals of the difference (Student's t); marks stand side by side for each share, and are
hollow where fewer than {SAFE_QUERIES} queries were answered (below it says what that means). Compare each mark with the
line, not with its neighbours: those with fewer queries may have easier ones. What answered fewer than {ENOUGH_QUERIES}
is not drawn. All kinds of queries are about the same rows, so they err together.

The same in thousandths of a nat: AC-Quick's log P for each query variable, and the difference of the others to it, with
half of the 95 % interval. Where a method answered fewer queries, AC-Quick's log P of these alone is in brackets: they
may be easier or harder than all.

{"".join(_differences(studies, name) for name in sets)}{_verdicts(studies)}"""


def _settings() -> str:
    """Of Gibbs sampling: chains, and iterations of each."""
    return "; ".join(
        f"{name}: {found.n_chains} {'chain' if found.n_chains == 1 else 'chains'}, {found.n_burn_in:,} iterations of "
        f"burn-in and {found.n_samples:,} samples each"
        for name, found in SCENARIOS.items()
    )


def _times(studies: Studies, sets: list[str]) -> list[list[str]]:
    rows = []
    for title, study, method in ROWS:
        row = [title]
        for name in sets:
            seconds = seconds_of_queries(studies, name, method, study)
            theirs = PAPER["table5"][method][name]
            row.append(
                "" if seconds is None else f"{duration(seconds)} ({duration(theirs)}; x {in_words([theirs / seconds])})"
            )
        if any(row[1:]):
            rows.append(row)
    return rows


def seconds_of_queries(studies: Studies, name: str, method: str, study: str = "table5") -> float | None:
    """Of one query, averaged over all kinds; none if some were not asked, since those with less known take longer."""
    found = [cell(studies, name, method, *level, study) for level in levels_of(studies, name)]
    return sum(result["seconds"] for result in found) / len(found) if found and all(found) else None


def orders_of_magnitude(studies: Studies) -> str:
    """The paper: one order faster than the fastest setting of Gibbs sampling, four than the slowest."""
    told = []
    for method, wanted in ((FASTEST[0], 10), (SLOWEST[-1], 10_000)):
        times = {
            name: theirs / ours
            for name in studies.values("table5", "set")
            if (ours := seconds_of_queries(studies, name, "AC-Quick"))
            and (theirs := seconds_of_queries(studies, name, method))
        }
        if times:
            published = PAPER["table5"]
            theirs = {name: published[method][name] / published["AC-Quick"][name] for name in times}
            factors, in_paper = (
                listed([f"{in_words([factor])} ({NAMES[name]})" for name, factor in each.items()])
                for each in (times, theirs)
            )
            told.append(
                f"{factors} times faster than {method}; the paper says roughly {wanted:,}, "
                f"and its Table 5 has {in_paper}."
            )
    return " ".join(f"AC-Quick is {each}" for each in told)


def levels_of(studies: Studies, name: str) -> list[tuple[float, float]]:
    """The kinds of queries that any method was asked."""
    return [level for level in LEVELS if studies.records("table5", set=name, query=level[0], evidence=level[1])]


def _alone(studies: Studies, sets: list[str]) -> str:
    """Times of all methods in one go, where nothing else ran."""
    rows = []
    for method in (*CIRCUITS, *SCENARIOS):
        found = [_timed_alone(studies, name, method) for name in sets]
        if any(found):
            rows.append([method, *(timing(each, "seconds") if each else "" for each in found)])
    if not rows:
        return ""
    missing = [method for method in (*CIRCUITS, *SCENARIOS) if method not in [row[0] for row in rows]]
    without = f" (without {listed(missing)})" if missing else ""
    asked, known = LEVEL_OF_TIMES
    return f"""\
The same with nothing else on the machine, three times in one go, for queries with {asked:.0%} asked and {known:.0%}
known{without}:

{table(["", *(NAMES[name] for name in sets)], rows)}
"""


def _timed_alone(studies: Studies, name: str, method: str) -> dict[str, Any]:
    query, evidence = LEVEL_OF_TIMES
    records = studies.records("table5", set=name, method=method, query=query, evidence=evidence, first=0)
    return studies.times("table5", records[-1]["task"], records[-1].get("commit")) if records else {}


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
            their_edges = edges_of(PAPER["table4"][name][schedule]["edges"])
            row.append(f"x {in_words([PAPER['table5'][method][name] / their_edges / (seconds / final['edges'])])}")
        rows.append(row)
    return table(["", *(NAMES[name] for name in sets)], rows)


def _differences(studies: Studies, name: str) -> str:
    levels = levels_of(studies, name)
    found = {
        title: [cell(studies, name, method, *level, study) for level in levels]
        for title, study, method in ROWS
        if studies.records(study, set=name, method=method)
    }
    quick = found.pop("AC-Quick", [{}] * len(levels))
    rows = [
        [
            f"{asked:.0%} asked, {known:.0%} known",
            f"{1000 * exact['log_probability']:.1f}" if exact else "",
            *(_difference(of_method[place], exact) for of_method in found.values()),
        ]
        for place, ((asked, known), exact) in enumerate(zip(levels, quick, strict=True))
    ]
    header = [f"{title}, {_queries(of_method)}" for title, of_method in found.items()]
    return f"{table([NAMES[name], 'AC-Quick', *header], rows)}\n"


def _queries(results: Iterable[Mapping[str, Any]]) -> str:
    """How many queries were answered, of each kind."""
    numbers = [result["rows"] if result else 0 for result in results]
    least, most = min(numbers), max(numbers)
    return f"{most} queries" if least == most else f"{least} to {most} queries"


def _difference(result: Mapping[str, Any], exact: Mapping[str, Any]) -> str:
    if not result:
        return ""
    on_these = 1000 * (result["log_probability"] + result["less_than_quick"])
    of_quick = f" ({on_these:.1f})" if exact and result["rows"] < exact["rows"] else ""
    more = round(-1000 * result["less_than_quick"], 1) + 0.0  # Not -0.0.
    return f"{more:.1f} ± {1000 * half_width(result):.1f}{of_quick}"


def _verdicts(studies: Studies) -> str:
    """Where Gibbs sampling does better than the circuits, and where it is not clear."""
    found = compared(studies)
    counts = {kind: [each for each in found if found[each] is kind] for kind in Verdict}
    n_planned = len(SCENARIOS) * len(LEVELS) * len(studies.values("table5", "set"))
    together = clear_together(studies)
    better = "".join(f"- {_told(studies, each, each in together)}\n" for each in counts[Verdict.SAMPLER])
    return f"""\
Of {n_planned} comparisons of a Gibbs setting with AC-Quick, {len(found)} were made (the cells above).
{len(counts[Verdict.CIRCUIT])} are clearly in favour of the circuit, {len(counts[Verdict.UNCLEAR])} are not clear (the
interval has zero in it), and {len(counts[Verdict.TOO_FEW])} have too few queries to say (fewer than {ENOUGH_QUERIES}).
With Holm's correction for so many comparisons, {len(together)} are clear. Gibbs sampling is clearly
better here:

{better or "- nowhere"}

{_about_few_queries(studies)}\
Gibbs sampling draws from the free network: the more samples, the nearer its answers come to that network's
own.{_sampled_from(studies)}
"""


def _told(studies: Studies, each: Cell, stays_clear: bool) -> str:
    """A comparison that the sampler wins."""
    name, method, asked, known = each
    n_queries = cell(studies, *each)["rows"]
    corrected = "clear" if stays_clear else "not clear"
    return (
        f"{NAMES[name]}: {method} ({asked:.0%} asked, {known:.0%} known; {n_queries:,} queries; {corrected} with "
        "Holm's correction)"
    )


def _sampled_from(studies: Studies) -> str:
    """Whether the network that is sampled fits better than the circuit."""
    sets = [
        (NAMES[name], [studies.result("table4", stage="final", set=name, schedule=s) for s in ("network", "quick")])
        for name in studies.values("table5", "set")
    ]
    better = [name for name, (network, circuit) in sets if network and circuit and network["test"] > circuit["test"]]
    return f" It fits test rows better than AC-Quick's circuit on {listed(better)}." if better else ""
