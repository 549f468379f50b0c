"""The report on mixtures: one structure with many vectors of parameters, beside single circuits and other models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from compared import BEST, MARKS, MODELS, RECALLED, TRACTABLE, beside_published, best_circuits
from mixtures import N_AVERAGES, next_number
from tables import Studies, duration, listed, table, thousands, timing
from verdicts import WORTH_MORE, Ended, tally

from learnac.learn.mixture.settings import MOST_COMPONENTS

FEW = 256  # components of each that is averaged


def mixtures(studies: Studies) -> str:
    circuits, averaged = of_kind(studies, "circuit"), averaged_of(studies)
    task = studies.records("mixtures", kind="circuit")[0]["task"]
    return f"""\
## Mixtures over one structure

Learned from train, everything chosen on valid, scored once on test. Structure, number of components and way of learning
are chosen by `LearnAC(n_components="auto")`; ± is the standard error of the mean over rows.

- One circuit, one mixture: of at most {thousands(task["max_edges"])} edges, those of all components counted. (The
collection above has single circuits whose penalties and smoothing were tuned.)
- 256 components: the structure of the mixture with so many; it may have more edges in all.
- Four averaged: mixtures from four seeds, with equal weights, of {_tried(studies)} components each. Four times as many
are tried as long as they gain at least {WORTH_MORE:.1%} of the log-likelihood on valid and the four have at most
{_limit(studies)} edges x components; the number that is best on valid is taken. (At first the number was fixed for each
set before it was scored; that valid chooses was decided later, when most of these scores were known, and that more are
tried later still.)
- Seeds: how far two seeds of one mixture differ.
- Learning: CPU time of the whole choice, for four averaged of the chosen number alone. A query is all posteriors of one
row, with nothing or 30 % known.

{mixtures_table(studies)}
{_costs(studies)}
{_edges_of_choices(studies)}

{_published(studies, averaged)}
{_curves(studies)}
{_worse(circuits, of_kind(studies, "mixture"))}
"""


def _limit(studies: Studies) -> str:
    """On the edges x components of four averaged."""
    return thousands(studies.settings["mixtures"]["averaged_max_edges"])


def _tried(studies: Studies) -> str:
    return listed([str(n) for n in sorted(studies.values("mixtures", "n_components", kind="averaged"))])


def _edges_of_choices(studies: Studies) -> str:
    """Where more components might do better."""
    averaged, found = at_largest(studies), of_kind(studies, "mixture")
    most = [name for name, mixture in found.items() if mixture["components"] == MOST_COMPONENTS]
    return (
        f"Of four averaged, valid chose the largest number of components that was tried on {averaged.n_largest} of "
        f"{averaged.n_sets} sets. Four times as many were not tried, because they might be beyond the limit, on "
        f"{_counted(averaged.at_limit)}; because the last step gained less than {WORTH_MORE:.1%}, on "
        f"{_counted(averaged.worth_little)}; because the last step took more than "
        f"{duration(studies.settings['mixtures']['averaged_most_seconds'])} to learn (a rule that was added when it "
        f"was seen how long), on {_counted(averaged.too_long)}"
        + (f"; and are not measured yet on {_counted(averaged.not_measured)}. " if averaged.not_measured else ". ")
        + f'One mixture has {MOST_COMPONENTS}, the most that `"auto"` tries, on {_counted(most)}. There, more might '
        "do better still."
    )


def _counted(sets: list[str]) -> str:
    return f"{len(sets)} ({', '.join(sets)})" if sets else "none"


def mixtures_table(studies: Studies) -> str:
    """Log-likelihoods of all sets."""
    rows = []
    all_averaged, few = averaged_of(studies), averaged_with(studies, FEW)
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
                _with_error(circuit),
                _with_error(mixture),
                f"{mixture['components']} x {thousands(mixture['structure_edges'])}",
                _with_error(more) if more else "",
                _averaged(few.get(name)),
                _averaged(averaged),
                f"{spread:.3f}" if len(seeds) > 1 else "",
            ]
        )
    of_few = f"four averaged, at most {FEW} each"
    columns = ["one circuit", "one mixture", "components x edges", "256 components", of_few, "four averaged", "seeds"]
    return table(["set", *columns], rows)


def _averaged(found: dict[str, Any] | None) -> str:
    return f"{_with_error(found)} ({found['components'] // N_AVERAGES} each)" if found else ""


def _with_error(found: dict[str, Any]) -> str:
    return f"{found['test']:.3f} ± {found['standard_error']:.3f}"


def headline_table(studies: Studies) -> str:
    """Our models beside the best published tractable one, on the binary sets."""
    mixtures, averaged, tuned = of_kind(studies, "mixture"), averaged_of(studies), best_circuits(studies)
    best = MODELS[BEST]["test"]
    rows = [
        [
            name,
            f"{best[name]:.2f}",
            f"{circuit['test']:.2f}",
            f"{tuned[name]['result']['test']:.2f}" if name in tuned else "",
            f"{mixtures[name]['test']:.2f}" if name in mixtures else "",
            *(_headline(averaged[name], best[name]) if name in averaged else [""] * 3),
        ]
        for name, circuit in of_kind(studies, "circuit").items()
        if name in best
    ]
    models = [f"{BEST}{MARKS[RECALLED]}", "one circuit", "tuned", "one mixture", "four averaged"]
    return table(["set", *models, "lead", "edges x components"], rows)


def _headline(averaged: dict[str, Any], best: float) -> list[str]:
    score = f"{averaged['test']:.2f} ± {averaged['standard_error']:.2f}"
    lead = round(averaged["test"], 2) - best
    return [score, f"{lead:+.2f}" if abs(lead) >= 0.005 else "level", thousands(averaged["edges"])]


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


@dataclass(frozen=True, slots=True)
class AtLargest:
    """The sets of which as many components are averaged as were tried."""

    at_limit: list[str]  # More would have been tried.
    worth_little: list[str]  # So many gained too little over fewer.
    too_long: list[str]  # So many took long to learn.
    not_measured: list[str]  # More are to be tried.
    n_sets: int

    @property
    def n_largest(self) -> int:
        return len(self.at_limit + self.worth_little + self.too_long + self.not_measured)


def at_largest(studies: Studies) -> AtLargest:
    averaged: dict[str, dict[int, dict[str, Any]]] = {}
    n_edges = {}
    for record in studies.records("mixtures", kind="averaged"):
        task = record["task"]
        averaged.setdefault(task["set"], {})[task["n_components"]] = record["result"]
        n_edges[task["set"]] = task["max_edges"] // (task["n_components"] * N_AVERAGES)
    found = AtLargest([], [], [], [], len(averaged))
    lists = {Ended.LIMIT: found.at_limit, Ended.WORTH_LITTLE: found.worth_little, Ended.TOO_LONG: found.too_long}
    for name, of_set in averaged.items():
        if max(of_set, key=lambda number: of_set[number]["valid"]) == max(of_set):
            following = next_number(studies.settings["mixtures"], of_set, n_edges[name])
            lists.get(following, found.not_measured).append(name)
    return found


def ahead_of_all(studies: Studies) -> tuple[list[str], list[str]]:
    """Sets on which four averaged are ahead of every published tractable model, and all that could be compared."""
    averaged = averaged_of(studies)
    return ahead_of_best(averaged), [name for name in averaged if name in MODELS[BEST]["test"]]


def ahead_with(studies: Studies, n_components: int) -> list[str]:
    """The same with so many components everywhere, or as many as there may be."""
    return ahead_of_best(averaged_with(studies, n_components))


def averaged_with(studies: Studies, n_components: int) -> dict[str, dict[str, Any]]:
    """Four averaged of so many components each, or as many as there may be."""
    best: dict[str, dict[str, Any]] = {}
    for record in studies.records("mixtures", kind="averaged"):
        name, n_tried = record["task"]["set"], record["task"]["n_components"]
        if n_tried <= n_components and (name not in best or n_tried > best[name]["task"]["n_components"]):
            best[name] = record
    return {name: record["result"] for name, record in best.items()}


def told_perhaps(studies: Studies) -> str:
    """On how many sets four averaged are ahead if figures are right that are recalled less surely."""
    lost = lost_perhaps(studies)
    if not lost:
        return ""
    figures = listed([f"{score:.2f} on {name}" for name, score in lost.items()])
    are = "is" if len(lost) == 1 else "are"
    return (
        f"If {figures} {are} right, of other models and recalled less surely, four averaged are ahead on "
        f"{len(ahead_of_all(studies)[0]) - len(lost)}."
    )


def lost_perhaps(studies: Studies) -> dict[str, float]:
    """Where four averaged are ahead, but not of a figure that is recalled less surely; and this figure."""
    perhaps, ours = MODELS[BEST]["perhaps"], averaged_of(studies)
    ahead, _ = ahead_of_all(studies)
    return {name: perhaps[name] for name in ahead if round(ours[name]["test"], 2) <= perhaps.get(name, -inf)}


def ahead_of_best(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The sets on which these results are ahead of every published tractable model."""
    ours = {name: result["test"] for name, result in found.items() if name in MODELS[BEST]["test"]}
    tallies = [tally(ours, MODELS[model]["test"]) for model in TRACTABLE]
    return [name for name in ours if not any(name in each.level + each.behind for each in tallies)]


def leads_within_error(studies: Studies) -> list[str]:
    """Where four averaged are ahead of the best published tractable model by less than their standard error."""
    found = averaged_of(studies)
    leads = {name: found[name]["test"] - MODELS[BEST]["test"][name] for name in ahead_of_all(studies)[0]}
    return [name for name, lead in leads.items() if lead < found[name].get("standard_error", inf)]


def _published(studies: Studies, averaged: dict[str, dict[str, Any]]) -> str:
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return ""
    ours = {name: averaged[name]["test"] for name in compared}
    few = ahead_with(studies, FEW)
    return f"""\
Beside published models, with the marks of the collection's table.
Four averaged are ahead of every tractable one on {len(ahead)} of {len(compared)} sets: {", ".join(ahead) or "none"}.
{told_perhaps(studies)}
Four of at most {FEW} components each are on {len(few)}: {", ".join(few) or "none"}.

{beside_published("four averaged", ours)}"""


def _curves(studies: Studies) -> str:
    if not studies.records("mixtures", kind="mixture curve"):
        return ""
    return """\
![Test log-likelihood against edges, of single circuits and of mixtures](figures/mixtures.png)

Circuits and mixtures of at most 30K, 100K, 300K and a million edges, on six of the sets. Beside the circuits with
default penalties, the cross is the collection's, whose penalties are tuned; the star is four mixtures averaged.
"""


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
