"""What is weak in the figures, said first: at the top of the report, and before the figures in README.

Counts are made from the result files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compared import (
    BEST,
    MEASURED,
    MODELS,
    RECALLED,
    SHOWN_FIRST,
    best_circuits,
    free_networks,
    not_stepped,
    tallies,
)
from dominance import not_dominated
from mixed import at_largest
from tables import PUBLISHED, TUNED, Studies, listed


def points(studies: Studies, benchmarks: Path | None = None) -> str:
    """A list in Markdown: what holds of the results that there are; of a page that shows benchmarks, of theirs too."""
    found = [
        seen_before(studies),
        not_dominated(studies),
        free_network(studies),
        largest_mixtures(studies),
        published(studies),
        commits(studies, benchmarks),
        machines(studies),
    ]
    return "".join(f"- {point}\n" for point in found if point)


def seen_before(studies: Studies) -> str:
    """What no result file knows: in which order things were tried."""
    if "collection" not in studies:
        return ""
    return (
        "**Test scores were seen before.** Within this report all settings are chosen on validation rows. But test "
        "scores of earlier versions were known when these were decided:\n"
        "  - to search wider grids, and to run AC-Greedy too;\n"
        "  - to leave the number of averaged components to valid, and to try more of them;\n"
        "  - to choose alpha as well (it was 1; `LearnAC()`, which chooses it, had been better on some sets than a "
        "circuit with chosen penalties);\n"
        "  - the two ways to learn mixtures: they come from an experiment whose test scores on these sets were known;\n"
        "  - that `LearnAC()` chooses smoothing at all: this was suggested by scores of one of the "
        f"{len(PUBLISHED['absent_sets'])} sets of the collection that are not here (`ad`). Its defaults were chosen on "
        "validation rows of these same sets."
    )


def largest_mixtures(studies: Studies) -> str:
    """More components might do better still."""
    found = at_largest(studies)
    why = {
        "for the limit on edges x components": found.at_limit,
        "for the time that it takes": found.too_long,
        "because they are not measured yet": found.not_measured,
    }
    told = [f"on {len(sets)} of {found.n_sets} sets {reason}" for reason, sets in why.items() if sets]
    return (
        "**Averaged mixtures may do better with more components:** the most that were tried did best on valid, but "
        f"more were not tried, {listed(told)}."
        if told
        else ""
    )


def free_network(studies: Studies) -> str:
    """What our circuits are measured against on the collection might be better than it is shown."""
    sets = free_networks(studies)
    found = {name: keys for name, keys in not_stepped(studies, "collection", "network").items() if name in sets}
    if not found:
        return ""
    told = [f"{listed([TUNED[key] for key in keys])} on {name}" for name, keys in found.items()]
    return (
        "**The free network (learned as if edges cost nothing), which our circuits are measured against, may be better "
        f"than shown:** values beyond the best were not tried of {listed(told)}."
    )


def published(studies: Studies) -> str:
    """How we stand beside others, few of whom the report showed at first."""
    circuits = best_circuits(studies)
    if not circuits:
        return ""
    counts = tallies(circuits)
    mostly = ", which our circuit mostly beats" if all(counts[model].is_mostly_ahead for model in SHOWN_FIRST) else ""
    models = {model: found["source"] for model, found in MODELS.items() if model != BEST}
    recalled, measured = (list(models.values()).count(source) for source in (RECALLED, MEASURED))
    return (
        f"**Of published models, the report first showed only {len(SHOWN_FIRST)}{mostly}**: {listed(SHOWN_FIRST)}. Now "
        f"it has {len(models)}, and the best of each set. The figures of {recalled} of them, and the best, are "
        f"recalled from papers and were not checked; {measured} were learned with Libra for this comparison."
    )


def commits(studies: Studies, benchmarks: Path | None = None) -> str:
    """Times are not all of the same code."""
    by_study = {name: {record["commit"] for record in studies.records(name)} for name in studies.names()}
    of_report = set().union(*by_study.values())
    files = [] if benchmarks is None else [json.loads(path.read_text()) for path in benchmarks.glob("*.json")]
    of_benchmarks = {file["machine"]["commit"] for file in files}
    short = min(map(len, of_report | of_benchmarks), default=0)  # Some are written with more digits.
    if len({commit[:short] for commit in of_report | of_benchmarks}) <= 1:
        return ""
    mixed = [f"`{name}`" for name, found in by_study.items() if len(found) > 1]
    also = f", those of the benchmarks from {len(of_benchmarks)}" if of_benchmarks else ""
    return (
        f"**Times come from several commits**, between which the code changed: the report's from {len(of_report)}"
        f"{also}. "
        + (f"Studies of more than one commit: {listed(mixed)}." if mixed else "Each study is of one commit.")
    )


def machines(studies: Studies) -> str:
    """Which studies were run on more than one."""
    by_study = {name: {machine_of(record) for record in studies.records(name)} for name in studies.names()}
    mixed = [f"`{name}`" for name, found in by_study.items() if len(found) > 1]
    n_machines = len(set().union(*by_study.values()))
    if n_machines <= 1:
        return ""
    told = f", those of {listed(mixed)} alone of more than one" if mixed else ""
    return f"**Results are of {n_machines} kinds of machines**{told}."


def machine_of(record: Mapping[str, Any]) -> str:
    """Processor and number of processors, without the versions."""
    return ", ".join(record["machine"].split(", ")[:2])
