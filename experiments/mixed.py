"""The report on mixtures: one structure with many vectors of parameters, beside single circuits and other models."""

from __future__ import annotations

from typing import Any

from compared import BEST, MARKS, MODELS, RECALLED, TRACTABLE, published_scores
from tables import PUBLISHED, Studies, table, thousands, timing
from verdicts import tally

# The experiment that ours began with.
FIRST: dict[str, dict[str, float]] = PUBLISHED["mixtures"]


def mixtures(studies: Studies) -> str:
    circuits, averaged = of_kind(studies, "circuit"), averaged_of(studies)
    task = studies.records("mixtures", kind="circuit")[0]["task"]
    return f"""\
## Mixtures over one structure

Learned from train, everything chosen on valid, scored once on test; ± is the standard error of the mean over rows. One
circuit and one mixture have at most {thousands(task["max_edges"])} edges, those of all components counted; structure,
number of components and way of learning are chosen by `LearnAC(n_components="auto")`, and the last column is how far
two seeds differ. Then more components for a structure of the same size, and four seeds averaged, of 64, 256 or 1024
components each: valid chooses among those with at most 100M edges in all. (At first this number was fixed for each set
before it was scored; that valid chooses was decided later, when most of these scores were known.) Learning is CPU time
of the whole choice, for four averaged of the chosen number alone; a query is all posteriors of one row, with nothing or
30 % known.

{mixtures_table(studies)}
{_costs(studies)}
{_first_experiment(studies)}
{_published(studies, averaged)}
{_curves(studies)}
{_worse(circuits, of_kind(studies, "mixture"))}
"""


def mixtures_table(studies: Studies) -> str:
    """Log-likelihoods of all sets."""
    rows = []
    all_averaged = averaged_of(studies)
    for name, circuit in of_kind(studies, "circuit").items():
        seeds = [record["result"] for record in studies.records("mixtures", kind="mixture", set=name)]
        if not seeds:
            continue
        mixture, spread = seeds[0], max(s["test"] for s in seeds) - min(s["test"] for s in seeds)
        more = studies.result("mixtures", kind="components", set=name, n_components=256)
        averaged = all_averaged.get(name)
        rows.append(
            [
                name,
                f"{circuit['test']:.3f} ± {circuit['standard_error']:.3f}",
                f"{mixture['test']:.3f}",
                f"{mixture['components']} x {thousands(mixture['structure_edges'])}",
                f"{more['test']:.3f}" if more else "",
                f"{averaged['test']:.3f} ({averaged['components'] // 4} each)" if averaged else "",
                f"{spread:.3f}" if len(seeds) > 1 else "",
            ]
        )
    header = ["set", "one circuit", "one mixture", "components x edges", "256 components", "four averaged", "seeds"]
    return table(header, rows)


def headline_table(studies: Studies) -> str:
    """Our models beside the best published tractable one, on the binary sets."""
    mixtures, averaged = of_kind(studies, "mixture"), averaged_of(studies)
    best = MODELS[BEST]["test"]
    rows = [
        [
            name,
            f"{best[name]:.2f}",
            f"{circuit['test']:.2f}",
            f"{mixtures[name]['test']:.2f}" if name in mixtures else "",
            f"{averaged[name]['test']:.2f}" if name in averaged else "",
        ]
        for name, circuit in of_kind(studies, "circuit").items()
        if name in best
    ]
    return table(["set", f"{BEST}{MARKS[RECALLED]}", "one circuit", "one mixture", "four mixtures averaged"], rows)


def _costs(studies: Studies) -> str:
    columns = [
        of_kind(studies, "circuit"),
        of_kind(studies, "mixture"),
        of_kind(studies, "components", n_components=256),
        averaged_of(studies),
    ]
    rows = [
        [name, *(_cost(column[name]) if name in column else "" for column in columns)]
        for name in of_kind(studies, "mixture")
    ]
    header = ["set", "one circuit", "one mixture", "256 components", "four averaged"]
    return f"""\
Edges, learning, and a query with 0 % and 30 % known:

{table(header, rows)}"""


def _cost(found: dict[str, Any]) -> str:
    asked = [
        {key: value[share] for key, value in found.items() if key in ("query_ms", "query_range")}
        for share in ("0", "0.3")
    ]
    times = ", ".join(timing(each, "query_ms") for each in asked)
    return f"{thousands(found['edges'])}; {timing(found, 'learning_seconds')}; {times}"


def _first_experiment(studies: Studies) -> str:
    lines = []
    for title, ours in _compared_with_first(studies).items():
        theirs = FIRST[title]
        sets = [name for name in theirs if name in ours]
        as_good = [name for name in sets if round(ours[name], 2) >= round(theirs[name], 2)]
        what = "four averaged" if title == "averaged" else f"{title} components"
        worse = [f"{name} by {theirs[name] - ours[name]:.3f}" for name in sets if name not in as_good]
        less = f"; less on {', '.join(worse)}" if worse else ""
        if sets:
            lines.append(f"- {what}: at least as good on {len(as_good)} of {len(sets)} sets{less}")
    if not lines:
        return ""
    return (
        "Beside the experiment that this began with (structures of learnac, vectors learned on a GPU; its four\n"
        "averaged may have had more components), at two decimals:\n\n" + "\n".join(lines) + "\n"
    )


def _compared_with_first(studies: Studies) -> dict[str, dict[str, float]]:
    found = {
        title: {
            name: result["test"]
            for name in studies.values("mixtures", "set")
            if (result := studies.result("mixtures", kind="components", set=name, n_components=int(title)))
        }
        for title in ("64", "256")
    }
    return {**found, "averaged": {name: r["test"] for name, r in averaged_of(studies).items()}}


def ahead_of_all(studies: Studies) -> tuple[list[str], list[str]]:
    """Sets on which four averaged are ahead of every published tractable model, and all that could be compared."""
    ours = {name: found["test"] for name, found in averaged_of(studies).items() if name in MODELS[BEST]["test"]}
    tallies = [tally(ours, MODELS[model]["test"]) for model in TRACTABLE]
    return [name for name in ours if not any(name in each.level + each.behind for each in tallies)], list(ours)


def _published(studies: Studies, averaged: dict[str, dict[str, Any]]) -> str:
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return ""
    rows: list[list[object]] = [[name, f"{averaged[name]['test']:.2f}", *published_scores(name)] for name in compared]
    ours = {name: averaged[name]["test"] for name in compared}
    counts = [tally(ours, model["test"]) for model in MODELS.values()]
    rows.append(["**we are ahead on**", "", *(len(count.ahead) for count in counts)])
    rows.append(["level", "", *(len(count.level) for count in counts)])
    header = ["set", "four averaged", *(f"{model}{MARKS[found['source']]}" for model, found in MODELS.items())]
    return f"""\
Beside published models, with the marks of the collection's table.
Four averaged are ahead of every tractable one on {len(ahead)} of {len(compared)} sets: {", ".join(ahead) or "none"}.

{table(header, rows)}"""


def _curves(studies: Studies) -> str:
    if not studies.records("mixtures", kind="mixture curve"):
        return ""
    return "![Test log-likelihood against edges, of single circuits and of mixtures](figures/mixtures.png)\n"


def curve(studies: Studies, name: str, kind: str) -> list[tuple[int, float]]:
    """Edges and test log-likelihood of models within different budgets, ascending."""
    records = [*studies.records("mixtures", kind=f"{kind} curve", set=name)]
    records += studies.records("mixtures", kind=kind, set=name)[:1]
    return sorted((record["result"]["edges"], record["result"]["test"]) for record in records)


def _worse(circuits: dict[str, dict[str, Any]], mixtures: dict[str, dict[str, Any]]) -> str:
    """Where a mixture does not help."""
    worse = [name for name, found in mixtures.items() if found["test"] < circuits[name]["test"]]
    same = [name for name, found in mixtures.items() if found["components"] == 1]
    chosen = f" A single circuit was chosen on {', '.join(same)}." if same else ""
    if not worse:
        return f"One mixture is worse than one circuit on no set.{chosen}"
    told = ", ".join(f"{name} by {circuits[name]['test'] - mixtures[name]['test']:.3f}" for name in worse)
    return f"One mixture is worse than one circuit on {told}.{chosen}"


def of_kind(studies: Studies, kind: str, **wanted: object) -> dict[str, dict[str, Any]]:
    """The first result of each set."""
    found: dict[str, dict[str, Any]] = {}
    for record in studies.records("mixtures", kind=kind, **wanted):
        found.setdefault(record["task"]["set"], record["result"])
    return found


def averaged_of(studies: Studies) -> dict[str, dict[str, Any]]:
    """Four averaged, with as many components as are best on valid."""
    return {name: record["result"] for name, record in averaged_records(studies).items()}


def averaged_records(studies: Studies) -> dict[str, dict[str, Any]]:
    """The same with their tasks."""
    found: dict[str, dict[str, Any]] = {}
    for record in studies.records("mixtures", kind="averaged"):
        name = record["task"]["set"]
        if name not in found or record["result"]["valid"] > found[name]["result"]["valid"]:
            found[name] = record
    return found
