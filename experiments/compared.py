"""The report on the collection: our circuits beside free networks, and beside what others published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, NamedTuple

from collection import next_values
from tables import (
    PUBLISHED,
    TUNED,
    Studies,
    duration,
    listed,
    penalties,
    table,
    thousands,
    timing,
    with_error,
)
from verdicts import Sign, Tally, clear_signs, tally

# By model: its source, and its log-likelihood on the test rows of each set.
MODELS: dict[str, dict[str, Any]] = PUBLISHED["collection"]
RECALLED, MEASURED = "recalled, not checked", "measured with Libra"
MARKS = {RECALLED: "*", "run logs of the authors": "†", MEASURED: "‡"}
# The others are Bayesian networks, for which exact inference may be out of reach.
TRACTABLE = [name for name, model in MODELS.items() if model.get("is_tractable", True)]
BEST = "best tractable model"  # of each set, by whomever
N_SETS = len(MODELS[BEST]["test"]) + len(PUBLISHED["absent_sets"])  # in the whole collection
# The only ones that the report showed at first.
SHOWN_FIRST = ("LearnSPN", "ACMN", "Strudel")


def collection(studies: Studies) -> str:
    circuits, networks = best_circuits(studies), free_networks(studies)
    if not circuits:
        return ""
    task = next(iter(circuits.values()))["task"]
    return f"""\
## The density-estimation collection

Test log-likelihoods; learned from train, chosen on valid alone. One circuit of at most {thousands(task["max_edges"])}
edges: AC-Quick with the edge penalty halved from {task["edge_penalty"]:g} whenever no split pays, and as many splits as
are best on valid. {_refined(studies)} The free network: the same, as if edges cost nothing.

k_p, shrinkage and alpha are the best on valid of a small grid ({grid(studies, "collection", "circuit")}; for the free
network {grid(studies, "collection", "network")}), and from there one of them is halved or doubled, as long as this
gains. {where_steps_ended(studies, "collection", {"circuit": "circuit", "network": "free network"})} Settings that are
better when two of them change together may be missed. A query is P(30 % | 30 %), median.

{_own_table(circuits, networks)}
{_told_beside_network(circuits)}

{_published(circuits)}{_untuned(studies)}
"""


def best_circuits(studies: Studies) -> dict[str, dict[str, Any]]:
    """Of each set that has a free network too, the record of the circuit that is best on valid."""
    found = {}
    for name in free_networks(studies):
        if finals := studies.records("collection", stage="final", set=name, kind="circuit"):
            found[name] = max(finals, key=lambda record: record["result"].get("valid", -inf))
    return found


def free_networks(studies: Studies) -> dict[str, dict[str, Any]]:
    """Their records, by set."""
    records = {name: studies.records("collection", stage="final", set=name, kind="network") for name in _sets(studies)}
    return {name: found[-1] for name, found in records.items() if found}


def tallies(circuits: Mapping[str, dict[str, Any]]) -> dict[str, Tally]:
    """Our circuits against each of the published models."""
    ours = {name: record["result"]["test"] for name, record in circuits.items()}
    return {model: tally(ours, published["test"]) for model, published in MODELS.items()}


def small_leads(circuits: Mapping[str, dict[str, Any]]) -> tuple[int, int]:
    """Of our leads over published tractable models, how many are below our standard error; and how many there are.

    Without what was learned with Libra for this comparison, at one penalty.
    """
    leads = [
        (record["result"]["test"] - MODELS[model]["test"][name], record["result"].get("test_error", inf))
        for model, count in tallies(circuits).items()
        if model in TRACTABLE and model != BEST and MODELS[model]["source"] != MEASURED
        for name, record in circuits.items()
        if name in count.ahead
    ]
    return sum(lead < error for lead, error in leads), len(leads)


def recalled_models() -> str:
    """How many of the published models have figures that nobody checked."""
    sources = [model["source"] for name, model in MODELS.items() if name != BEST]
    return f"{sources.count(RECALLED)} of {len(sources)}"


def told_of(models: Iterable[str], tallies: Mapping[str, Tally], what: str = "ahead") -> str:
    """On how many sets ours is ahead of each of some models, or behind; and of how many, if they do not have all."""
    most = max(found.n_sets for found in tallies.values())
    return listed(
        [
            f"{model} on {len(getattr(found, what))}" + ("" if found.n_sets == most else f" of {found.n_sets}")
            for model, found in ((model, tallies[model]) for model in models)
            if found.n_sets
        ]
    )


def _sets(studies: Studies) -> list[str]:
    return studies.values("collection", "set")


def _own_table(circuits: Mapping[str, dict[str, Any]], networks: Mapping[str, dict[str, Any]]) -> str:
    rows = []
    has_behind = any("behind" in record["result"] for record in circuits.values())
    for name, record in circuits.items():
        circuit, network, task = record["result"], networks[name]["result"], record["task"]
        rows.append(
            [
                name,
                with_error(circuit, "test", 3),
                with_error(network, "test", 3),
                *([with_error(circuit, "behind", 3)] if has_behind else []),
                f"{circuit['test'] / network['test'] - 1:.3%}",
                thousands(circuit["edges"]),
                timing(circuit, "learning_seconds"),
                timing(circuit, "query_ms"),
                f"{task['schedule']}, {penalties(task)}",
                penalties(networks[name]["task"]),
            ]
        )
    gap = ["behind the free network, nats (± of the difference)", "behind, %"] if has_behind else ["behind, %"]
    header = ["set", "our circuit", "free network", *gap, "edges", "learning", "query"]
    return table(
        [*header, f"chosen: schedule, {', '.join(TUNED.values())}", f"free network: {', '.join(TUNED.values())}"], rows
    )


class BesideNetwork(NamedTuple):
    """Sets by whether the circuit is clearly behind the free network, clearly ahead of it, or neither."""

    behind: list[str]
    ahead: list[str]
    unclear: list[str]


def beside_network(circuits: Mapping[str, dict[str, Any]]) -> BesideNetwork:
    found = BesideNetwork([], [], [])
    lists = {Sign.ABOVE: found.behind, Sign.BELOW: found.ahead, Sign.UNCLEAR: found.unclear}
    results = {name: record["result"] for name, record in circuits.items()}
    differences = {name: (each.get("behind", 0.0), each.get("behind_error")) for name, each in results.items()}
    for name, sign in clear_signs(differences).items():
        lists[sign].append(name)
    return found


def _told_beside_network(circuits: Mapping[str, dict[str, Any]]) -> str:
    found = beside_network(circuits)
    told = [
        f"{what} on {len(sets)}" + (f" ({', '.join(sets)})" if sets else "")
        for what, sets in (("clearly behind", found.behind), ("clearly ahead", found.ahead), ("neither", found.unclear))
    ]
    return (
        "By the difference to the free network, row by row (more than two standard errors, and clear by Holm's "
        f"correction for so many sets): {listed(told)}."
    )


def grid(studies: Studies, study: str, kind: str) -> str:
    """The values of each setting that the search for the best begins with."""
    values = studies.settings[study]["grid"][kind]
    return ", ".join(f"{name} {' or '.join(f'{value:g}' for value in values[key])}" for key, name in TUNED.items())


def where_steps_ended(studies: Studies, study: str, titles: Mapping[str, str]) -> str:
    """Whether any single step from what was chosen might have been better, for each kind of model."""
    exceptions = [
        f"{listed([TUNED[key] for key in keys])} of the {title} on {name}"
        for kind, title in titles.items()
        for name, keys in not_stepped(studies, study, kind).items()
    ]
    but = f", but for {listed(exceptions)}, at the limits of what was to be tried" if exceptions else ""
    return f"In the end each of them was both halved and doubled (0 has nothing below it), and no step did better{but}."


def not_stepped(studies: Studies, study: str, kind: str) -> dict[str, list[str]]:
    """By set, the settings from whose best value a step, up or down, was not tried; 0 has nothing below it."""
    settings = studies.settings[study]
    found = {}
    for name in studies.values(study, "set", stage="tune", kind=kind):
        records = studies.records(study, stage="tune", set=name, kind=kind)
        best = max(records, key=lambda record: record["result"]["valid"])["task"]
        tried = [record["task"] for record in records]
        left = []
        for key in settings.get("steps", {}):
            taken = [value for value in next_values(settings, best, key) if {**best, key: value} in tried]
            if len(taken) < (2 if best[key] > 0 else 1):
                left.append(key)
        if left:
            found[name] = left
    return found


def _published(circuits: Mapping[str, dict[str, Any]]) -> str:
    ours = {name: record["result"]["test"] for name, record in circuits.items()}
    return f"{_about_published(len(circuits))}\n\n{beside_published('our circuit', ours)}"


def beside_published(title: str, ours: Mapping[str, float]) -> str:
    """A table of our scores and all published ones, set by set, with counts of who is ahead."""
    rows: list[list[object]] = [[name, f"{test:.2f}", *_published_scores(name)] for name, test in ours.items()]
    counts = [tally(ours, model["test"]) for model in MODELS.values()]
    rows.append(["**we are ahead on**", "", *(len(count.ahead) for count in counts)])
    rows.append(["level", "", *(len(count.level) for count in counts)])
    rows.append(["behind", "", *(len(count.behind) for count in counts)])
    return table(["set", title, *(f"{name}{MARKS[model['source']]}" for name, model in MODELS.items())], rows)


def _about_published(n_sets: int) -> str:
    networks = [name for name in MODELS if name not in TRACTABLE]
    marks = "; ".join(f"{mark.replace('*', 'with a star')}: {source}" for source, mark in MARKS.items())
    authors = "; ".join(f"{name}: {model['by']}" for name, model in MODELS.items())
    return (
        "Beside published models, at two decimals:\n\n"
        f"- Of the {N_SETS} sets of the collection, {n_sets} are here (not {', '.join(PUBLISHED['absent_sets'])}): "
        f"those whose data were at hand, not chosen by results. {_scored_before()}\n"
        f"- Columns {marks}. The last column has the best that is known of any tractable model, set by set.\n"
        f"- {listed(networks)} are Bayesian networks, for which exact inference may be out of reach. Libra's circuits "
        "were learned with an edge penalty of 0.1 alone.\n"
        f"- By whom the models are: {authors}. We have no figures of {listed(PUBLISHED['without_figures'])}, which may "
        f"be ahead of these. The report first showed only {listed(SHOWN_FIRST)}."
    )


def _scored_before() -> str:
    """Of sets that are not here: what an earlier default scored there, and which models were ahead of it."""
    told = []
    for name, scores in PUBLISHED["scored_before"].items():
        ahead = {model: theirs for model, theirs in scores["theirs"].items() if theirs > scores["ours"]}
        theirs = listed([f"{model} ({score:.2f})" for model, score in ahead.items()])
        told.append(
            f"On {name}, whose data we never had, an earlier default of `LearnAC()` was scored elsewhere: "
            f"{scores['ours']:.2f}, behind {theirs}. "
        )
    return "".join(told)


def _published_scores(name: str) -> list[str]:
    """Of a set, by each published model."""
    return [f"{model['test'][name]:.2f}" if name in model["test"] else "" for model in MODELS.values()]


def _untuned(studies: Studies) -> str:
    """What people get who choose nothing."""
    titles = {1: "`LearnAC()`", "auto": '`LearnAC(n_components="auto")`'}
    rows = []
    for name in studies.values("collection", "set", stage="untuned"):
        found = [studies.result("collection", stage="untuned", set=name, n_components=n) for n in titles]
        cells = [
            [with_error(each, "test", 3), thousands(each["edges"]), timing(each, "learning_seconds")]
            if each
            else [""] * 3
            for each in found
        ]
        rows.append([name, *(cell for of_model in cells for cell in of_model)])
    if not rows:
        return ""
    header = [text for title in titles.values() for text in (title, "edges x components", "learning")]
    return f"""
Untuned, from the training rows alone:

{table(["set", *header], rows)}"""


def _refined(studies: Studies) -> str:
    """What is said of AC-Greedy."""
    records = studies.records("collection", stage="final", schedule="greedy")
    if not records:
        return ""
    given_up = [record["task"]["set"] for record in records if "gave_up" in record["result"]]
    limit = duration(records[0]["task"]["most_seconds"])
    return f"""\
AC-Greedy was run with the settings that were best for AC-Quick, and is shown where
it is better on valid (given up after {limit}: {", ".join(given_up) or "none"})."""
