"""What is weak in the figures, said first: at the top of the report, and before the figures in README.

Counts are made from the result files.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from compared import (
    BEST,
    MODELS,
    RECALLED,
    SHOWN_FIRST,
    at_edges,
    best_circuits,
    listed,
    tallies,
    that_matter,
    told_of,
)
from reproduced import cell
from table5 import LEVELS
from tables import NAMES, Studies, listed_numbers
from verdicts import ENOUGH_QUERIES, Verdict, dominates, verdict

SLOWEST = ("Gibbs-Slow", "Gibbs-VerySlow")
VERY_FEW = 0.1  # The share of variables asked at which the paper, too, sees no advantage.


def points(studies: Studies, benchmarks: Path | None = None) -> str:
    """A list in Markdown: what holds of the results that there are; of a page that shows benchmarks, of theirs too."""
    found = [
        not_dominated(studies),
        free_network(studies),
        published(studies),
        commits(studies, benchmarks),
    ]
    return "".join(f"{_wrapped(point)}\n" for point in found if point)


def not_dominated(studies: Studies) -> str:
    """The sets on which the paper's sentence on slow samplers does not hold."""
    sets = studies.values("table5", "set")
    others = [NAMES[name] for name in sets if is_dominated(studies, name) is False]
    if not others:
        return ""
    counts = " ".join(filter(None, (_counted(studies, method, sets) for method in SLOWEST)))
    return (
        'The paper finds that circuits "easily dominate even the slowest runs of Gibbs sampling on accuracy". '
        f"**This is not reproduced on {listed(others)}.** {counts}"
    )


def slow_verdicts(studies: Studies, name: str, *methods: str) -> dict[tuple[str, float, float], Verdict]:
    """On each comparison of a set: the method, the shares of variables asked and known, and what came out."""
    return {
        (method, *level): verdict(found)
        for method, level in product(methods or SLOWEST, LEVELS)
        if (found := cell(studies, name, method, *level))
    }


def is_dominated(studies: Studies, name: str) -> bool | None:
    """Whether the paper's sentence holds of a set, very few variables left out as there; none if it cannot be said."""
    found = slow_verdicts(studies, name)
    return dominates(verdict for (_, asked, _), verdict in found.items() if asked > VERY_FEW)


def _counted(studies: Studies, method: str, sets: Iterable[str]) -> str:
    """How often the circuit is clearly better than a sampler, set by set."""
    found = {name: list(slow_verdicts(studies, name, method).values()) for name in sets}
    told = [
        f"{verdicts.count(Verdict.CIRCUIT)} of {len(verdicts)} on {NAMES[name]}"
        for name, verdicts in found.items()
        if any(verdict is not Verdict.TOO_FEW for verdict in verdicts)
    ]
    if told:
        return f"Comparisons with {method} that clearly favour the circuit: {listed(told)}."
    return f"{method} answered too few queries to say (fewer than {ENOUGH_QUERIES})." if any(found.values()) else ""


def free_network(studies: Studies) -> str:
    """What our circuits are measured against on the collection might be better than it is shown."""
    sets = list(best_circuits(studies))
    edges = [name for name in at_edges(studies, "network", "parameter_penalty") if name in sets]
    if not edges:
        return ""
    matter = [name for name in that_matter(studies, "network", "parameter_penalty") if name in edges]
    tried = listed_numbers(studies.values("collection", "parameter_penalty", kind="network"))
    better = f"on {listed(matter)} a value beyond the grid might do better" if matter else "so it hardly matters"
    return (
        "**The free network (learned as if edges cost nothing), which our circuits are measured against, may be better "
        f"than shown:** its parameter penalty is at the edge of its grid ({tried}) on {len(edges)} of {len(sets)} "
        f"sets. On {len(edges) - len(matter)} of these the next value is as good on the validation rows; {better}."
    )


def published(studies: Studies) -> str:
    """How we stand beside others, few of whom the report showed at first."""
    circuits = best_circuits(studies)
    if not circuits:
        return ""
    counts = tallies(circuits)
    mostly = ", which our circuit mostly beats" if all(counts[model].is_mostly_ahead for model in SHOWN_FIRST) else ""
    others = [model for model in MODELS if model not in (*SHOWN_FIRST, BEST)]
    sure = [model for model in MODELS if MODELS[model]["source"] != RECALLED]
    return (
        f"**Of published models, the report first showed only three{mostly}.** Our circuit is ahead of "
        f"{told_of(SHOWN_FIRST, counts)} of {len(circuits)} sets; of the others, it is ahead of "
        f"{told_of(others, counts)}, and of the {BEST} on {len(counts[BEST].ahead)}. All these figures but those of "
        f"{listed(sure)} are recalled from papers and were not checked."
    )


def commits(studies: Studies, benchmarks: Path | None = None) -> str:
    """Times are not all of the same code."""
    by_study = {name: {record["commit"] for record in studies.records(name)} for name in studies.names()}
    of_report = set().union(*by_study.values())
    files = [] if benchmarks is None else [json.loads(path.read_text()) for path in benchmarks.glob("*.json")]
    of_benchmarks = {file["machine"]["commit"] for file in files}
    if len(of_report) <= 1 and len(of_benchmarks) <= 1:
        return ""
    most = max(by_study, key=lambda name: len(by_study[name]))
    also = f", those of the benchmarks from {len(of_benchmarks)}" if of_benchmarks else ""
    return (
        f"**Times come from several commits**, between which the code changed: the report's from {len(of_report)}, "
        f"{len(by_study[most])} of them in the study `{most}` alone{also}."
    )


def _wrapped(point: str) -> str:
    return textwrap.fill(f"- {point}", 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
