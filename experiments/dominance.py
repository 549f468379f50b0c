"""Who answers queries better, circuits or Gibbs sampling: verdicts on Figure 1, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm
from table5 import LEVELS, SCENARIOS
from tables import NAMES, Studies, listed
from verdicts import ENOUGH_QUERIES, SAFE_QUERIES, Verdict, dominates, half_width, holm, p_value, pooled, verdict

SLOWEST = ("Gibbs-Slow", "Gibbs-VerySlow")
FASTEST = ("Gibbs-Fast", "Gibbs-Medium")
FEWEST_BLOCKS = 5  # of queries of a kind, to compare some with all
VERY_FEW = 0.1  # The share of variables asked that we take for the paper's exception: "very small".
Cell = tuple[str, str, float, float]  # Of Figure 1: a set, a method, the shares of variables asked and known.


def cell(
    studies: Studies, name: str, method: str, query: float, evidence: float, study: str = "table5"
) -> dict[str, Any]:
    """A method's answers to queries of one kind; empty if there are none."""
    return studies.pooled(study, set=name, method=method, query=query, evidence=evidence)


def compared(studies: Studies, methods: Iterable[str] = SCENARIOS, sets: Iterable[str] = NAMES) -> dict[Cell, Verdict]:
    """What came out of each comparison of a Gibbs setting with AC-Quick that there is."""
    return {
        (name, method, *level): verdict(found)
        for method, name, level in product(methods, sets, LEVELS)
        if (found := cell(studies, name, method, *level))
    }


def decided(studies: Studies, methods: Iterable[str] = SCENARIOS, sets: Iterable[str] = NAMES) -> dict[Cell, Verdict]:
    """The same without those with too few queries to say."""
    return {each: found for each, found in compared(studies, methods, sets).items() if found is not Verdict.TOO_FEW}


def that_count(studies: Studies, methods: Iterable[str], sets: Iterable[str]) -> dict[Cell, Verdict]:
    """Those that count for or against the paper's sentence on slow samplers."""
    return {each: found for each, found in decided(studies, methods, sets).items() if each[2] > VERY_FEW}


def clear_together(studies: Studies) -> list[Cell]:
    """The comparisons that stay clear when all that are judged are corrected for being many (Holm)."""
    cells = list(decided(studies))
    kept = holm([p_value(cell(studies, *each)) for each in cells])
    return [each for each, is_clear in zip(cells, kept, strict=True) if is_clear]


def is_dominated(studies: Studies, name: str) -> bool | None:
    """Whether the paper's sentence on slow samplers holds of a set, very few variables left out as there.

    Few queries favour the sampler, so they speak for the circuit, and not against it. None as long as it cannot be
    said: what speaks against the circuit is of few queries, or comparisons with one of the slow samplers are missing.
    """
    found = that_count(studies, SLOWEST, [name])
    of_many = {each: judged for each, judged in found.items() if cell(studies, *each)["rows"] >= SAFE_QUERIES}
    if dominates(of_many.values()) is False:
        return False
    wanted = [(name, method, *level) for method, level in product(SLOWEST, LEVELS) if level[0] > VERY_FEW]
    return True if all(each in found for each in wanted) and dominates(found.values()) else None


def not_dominated(studies: Studies) -> str:
    """The sets on which the paper's sentence does not hold, or is not shown to."""
    others, undecided = not_dominated_on(studies)
    if not others and not undecided:
        return ""
    sets = studies.values("table5", "set")
    counts = " ".join(filter(None, (_counted(studies, method, sets) for method in SLOWEST)))
    against = f"**This is not reproduced on {_listed(others)}.** " if others else ""
    n_wanted = sum(level[0] > VERY_FEW for level in LEVELS) * len(SLOWEST)
    is_missing = any(len(that_count(studies, SLOWEST, [name])) < n_wanted for name in undecided)
    cannot = (
        f"**On {_listed(undecided)} it cannot be said**: what is not clear there has fewer than {SAFE_QUERIES} queries "
        f"of each kind{', or is missing' if is_missing else ''}. (That so few decide nothing was laid down when "
        "results were known: before, 30 counted against the circuit.) "
        if undecided
        else ""
    )
    return (
        'The paper finds that circuits "easily dominate even the slowest runs of Gibbs sampling on accuracy". '
        f"{against}{cannot}{counts} (The paper makes an exception of queries for very few variables. We leave out "
        f"those for {VERY_FEW:.0%}, the fewest in its Figure 1.)"
    )


def not_dominated_on(studies: Studies) -> tuple[list[str], list[str]]:
    """The sets on which the paper's sentence does not hold, and those on which this cannot be said."""
    judged = {name: is_dominated(studies, name) for name in studies.values("table5", "set")}
    others = [name for name, found in judged.items() if found is False]
    undecided = [
        name
        for name, found in judged.items()
        if found is None and dominates(that_count(studies, SLOWEST, [name]).values()) is False
    ]
    return others, undecided


def _listed(sets: Iterable[str]) -> str:
    return listed([NAMES[name] for name in sets])


def told_against(studies: Studies, name: str) -> str:
    """How far the circuit is ahead of the slow samplers that it does not always beat clearly, or behind."""
    told = []
    for method in SLOWEST:
        found = that_count(studies, [method], [name])
        if dominates(found.values()) is not False:
            continue
        cells = [cell(studies, *each) for each in found]
        leads, n_queries = [each["less_than_quick"] for each in cells], min(each["rows"] for each in cells)
        n_clear = list(found.values()).count(Verdict.CIRCUIT)
        told.append(
            f"{_range(leads, method)}, clearly ahead in {n_clear} of {len(cells)} kinds of queries, "
            f"{n_queries:,} of each"
        )
    return "; ".join(told)


def _range(leads: list[float], method: str) -> str:
    least, most = (
        np.format_float_positional(abs(lead), 1, fractional=False, trim="-") for lead in (min(leads), max(leads))
    )
    if min(leads) >= 0:
        return f"{least} to {most} nats a variable ahead of {method}"
    if max(leads) <= 0:
        return f"{most} to {least} nats a variable behind {method}"
    return f"from {least} nats a variable behind {method} to {most} ahead"


def _counted(studies: Studies, method: str, sets: Iterable[str]) -> str:
    """How often the circuit is clearly better than a sampler, set by set."""
    found = {name: list(that_count(studies, [method], [name]).values()) for name in sets}
    told = [
        f"{verdicts.count(Verdict.CIRCUIT)} of {len(verdicts)} on {NAMES[name]}"
        for name, verdicts in found.items()
        if verdicts
    ]
    if told:
        return f"Comparisons with {method} that clearly favour the circuit: {listed(told)}."
    too_few = any(compared(studies, [method], [name]) for name in sets)
    return f"{method} answered too few queries to say (fewer than {ENOUGH_QUERIES})." if too_few else ""


class Misses(NamedTuple):
    """Of 95 % intervals from few queries: how many are wrong about all queries."""

    n_intervals: int
    n_missed: int
    in_favour: int  # of the sampler
    expected: float  # to miss, if intervals were right


def misses(studies: Studies, name: str, n_blocks: int, method: str = SLOWEST[0]) -> Misses:
    """Of a set whose queries of each kind were asked in several blocks: intervals from so many blocks."""
    found = [0, 0, 0, 0.0]
    for level in LEVELS:
        task = {"set": name, "method": method, "query": level[0], "evidence": level[1]}
        results = [record["result"] for record in studies.records("table5", **task)]
        if len(results) < max(FEWEST_BLOCKS, n_blocks + 1):
            continue
        whole = cell(studies, name, method, *level)
        for start in range(0, len(results) - n_blocks + 1, n_blocks):
            some = pooled(results[start : start + n_blocks])
            off = some["less_than_quick"] - whole["less_than_quick"]
            found[0] += 1
            found[1] += abs(off) > half_width(some)
            found[2] += -off > half_width(some)
            found[3] += missed_by_chance(some["rows"], whole["rows"])
    return Misses(*found)


def missed_by_chance(n_some: int, n_all: int) -> float:
    """How often a right 95 % interval from some queries has the mean of all, these among them, outside."""
    return float(2 * norm.sf(norm.ppf(0.975) / np.sqrt(1 - n_some / n_all)))
