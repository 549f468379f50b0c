"""The report's section on pyAgrum: its networks beside our circuits, asked as they are and compiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from alternatives import best_learned, n_queries
from compared import best_circuits
from study import Task
from tables import (
    AsMeasured,
    Studies,
    duration,
    listed,
    listed_numbers,
    spread,
    table,
    thousands,
    timing,
    with_error,
)
from verdicts import Sign, clear_signs, edge_of_grid

_NOT_COMPILED = {
    "CIRCUIT_TOO_LARGE": "too large",
    "COMPILING_TOO_LONG": "too slow",
    "COMPILING_TOO_LARGE": "out of memory",
    "TABLE_TOO_LARGE": "too large",
}
_UNANSWERED = {"memory": "out of memory", "time": "too slow"}


def alternatives(studies: Studies) -> str:
    task = studies.records("alternatives")[0]["task"]
    learn, query = task["limits"]["learn"], task["limits"]["query"]
    priors = listed_numbers(studies.records("alternatives", stage="learn")[0]["task"]["priors"])
    return f"""\
## Against pyAgrum

pyAgrum learns by hill climbing and answers exactly in a junction tree (lazy propagation).

- Learned from train, once with any number of parents and once with at most
{max(studies.values("alternatives", "max_parents", stage="learn"))}. Chosen on valid: the score, BIC or AIC (in pyAgrum,
AIC takes 1 bit for each parameter), or AIC with half of its penalty ("AIC / 2"), a quarter and so on, as long as this
helps; and what is added to every count ({priors}). Learning was given up after {duration(learn["seconds"])} of CPU.
- Asked for all posteriors of all variables, given a share of a test row, {task["rows"]} rows for each share (three
times with nothing known). The table has the mean of the answered queries (and the worst), and what became of the
others: out of memory with more than {query["gigabytes"]} GB of address space, too slow after
{duration(query["seconds"])} of CPU, each query for itself. After {duration(query["of_level"])} by the clock no new one
was asked. The junction tree is built anew for each query, since it depends on which variables are known.
- Compiled by `learnac.compile`, the same network: "too large" is beyond
{thousands(task["limits"]["compile"]["max_edges"])} edges, "too slow" beyond
{duration(task["limits"]["compile"]["max_seconds"])} by the clock, of which one attempt may take a part.
- Ours is AC-Quick's circuit of the collection. Circuits are made ready before the first query, which is not counted.
- Learning: CPU time of the fit that was chosen (of the whole search for it, measured once: {_fits_of_circuits(studies)}
fits of ours, {_fits_of_networks(studies)} of pyAgrum's for each bound, and its choice of what is added to counts). What
takes long was not timed again alone: compare times only in their order of magnitude.

{alternatives_table(studies, studies.values("alternatives", "set"))}
{_fits_better(studies)}{_ended_early(studies)}
"""


class BetterElsewhere(NamedTuple):
    """Sets on which pyAgrum learned a network; where the one that is best on valid fits test better than the best of
    our single circuits, and by how much; where that one answers no query with nothing known; where it has no circuit
    within the limits; and where it answers all queries with the most known that was asked, and how much this is.
    """

    compared: list[str]
    better: dict[str, float]
    unanswered: list[str]
    not_compiled: list[str]
    answered: list[str]
    most_known: float


def better_elsewhere(studies: Studies) -> BetterElsewhere:
    most_known = max((max(record["task"]["levels"]) for record in studies.records("alternatives")), default=0.0)
    found = BetterElsewhere([], {}, [], [], [], most_known)
    circuits = best_circuits(studies)
    for name in studies.values("alternatives", "set"):
        best = chosen_network(studies, name)
        if name not in circuits or best is None:
            continue
        found.compared.append(name)
        lead = studies.result("alternatives", **best)["test"] - circuits[name]["result"]["test"]
        if lead <= 0:
            continue
        found.better[name] = lead
        answers = studies.result("alternatives", **{**best, "stage": "ask"}).get("answers")
        if answers and not answers[best["levels"].index(0.0)]["answered"]:
            found.unanswered.append(name)
        if answers and _are_all_answered(best, most_known, answers[best["levels"].index(most_known)]):
            found.answered.append(name)
        if "exceeded" in studies.result("alternatives", **{**best, "stage": "compile"}):
            found.not_compiled.append(name)
    return found


def leads(studies: Studies) -> dict[str, tuple[float, float]]:
    """By set: how much more likely test rows are by pyAgrum's network than by our circuit, and its standard error."""
    found = {r["task"]["set"]: r["result"] for r in studies.records("alternatives", stage="difference")}
    return {name: (result["lead"], result["lead_error"]) for name, result in found.items()}


def clear_leads(studies: Studies, sign: Sign = Sign.ABOVE) -> list[str]:
    """The sets on which pyAgrum's network is clearly better, or clearly worse."""
    return [name for name, found in clear_signs(leads(studies)).items() if found is sign]


def answered_within(studies: Studies, level: float) -> list[float | None]:
    """Of each network, the mean milliseconds of the queries of a level; none if one was not answered."""
    found: list[float | None] = []
    for record in studies.records("alternatives", stage="ask"):
        answers = record["result"]["answers"][record["task"]["levels"].index(level)]
        found.append(answers["mean"] if _are_all_answered(record["task"], level, answers) else None)
    return found


def _are_all_answered(task: Task, level: float, answers: Mapping[str, Any]) -> bool:
    """Those that were not asked any more, for want of time, are not."""
    return bool(answers["answered"] == n_queries(task, level))


def chosen_network(studies: Studies, name: str, max_parents: int | None = None) -> Task | None:
    """Of the networks of a set, with so many parents or any, the task of the one that is best on valid."""
    wanted = {} if max_parents is None else {"max_parents": max_parents}
    learning = [record["task"] for record in studies.records("alternatives", stage="learn", set=name, **wanted)]
    return best_learned(learning, lambda task: studies.result("alternatives", **task)) if learning else None


def _fits_of_circuits(studies: Studies) -> str:
    """How many settings of a circuit were tried on a set."""
    numbers = [
        len(studies.records("collection", stage="tune", kind="circuit", set=name))
        for name in studies.values("alternatives", "set", stage="circuit")
    ]
    return f"{min(numbers)} to {max(numbers)}" if numbers else "several"


def _fits_of_networks(studies: Studies) -> str:
    """How many scores were tried on a set, for each bound on parents."""
    found = Counter(
        (record["task"]["set"], record["task"]["max_parents"])
        for record in studies.records("alternatives", stage="learn")
    )
    return f"{min(found.values())} to {max(found.values())}"


def ended_early(studies: Studies) -> list[str]:
    """The sets on which the last penalty that was learned with in time is the best, so that a weaker one may be."""
    found = []
    for name in studies.values("alternatives", "set"):
        best = chosen_network(studies, name)
        if best is None:
            continue
        weaker = 2 * best["weaker"] if best["score"] == "AIC" else 1
        wanted = {"set": name, "max_parents": best["max_parents"], "score": "AIC", "weaker": weaker}
        if "valid" not in studies.result("alternatives", stage="learn", **wanted):
            found.append(name)
    return found


def _ended_early(studies: Studies) -> str:
    found = ended_early(studies)
    early = (
        f" On {listed(found)} a still weaker penalty might do better, but was beyond our limits."
        if found
        else " No search for a weaker penalty was ended by our limits."
    )
    return f"{early} What is added to counts is at an end of its list on {listed(priors_at_an_end(studies)) or 'none'}."


def priors_at_an_end(studies: Studies) -> list[str]:
    """The sets on which more, or less, added to every count than was tried might do better."""
    names = []
    for name in studies.values("alternatives", "set"):
        best = chosen_network(studies, name)
        prior = studies.result("alternatives", **best).get("prior") if best else None
        if best and prior is not None and edge_of_grid(prior, best["priors"]):
            names.append(name)
    return names


def told_score(task: Mapping[str, Any]) -> str:
    """Of a network's learning, with how many times less a parameter costs."""
    return task["score"] + (f" / {task['weaker']}" if task["weaker"] > 1 else "")


def _fits_better(studies: Studies) -> str:
    found = better_elsewhere(studies)
    shown = {name: studies.result("collection", stage="final", set=name, schedule="quick") for name in found.compared}
    best = {name: studies.result("alternatives", **(chosen_network(studies, name) or {})) for name in found.compared}
    more = sum("test" in shown[name] and best[name]["test"] > shown[name]["test"] for name in found.compared)
    errors = {name: error for name, (_, error) in leads(studies).items()}
    better = ", ".join(
        f"{name} by {lead:.3f}" + (f" ± {errors[name]:.3f}" if name in errors else "")
        for name, lead in found.better.items()
    )
    above, below = (clear_leads(studies, sign) for sign in (Sign.ABOVE, Sign.BELOW))
    clearly = (
        f" Row by row, by Holm's correction for {len(errors)} sets, it is clearly better on {len(above)}"
        f" ({', '.join(above) or 'none'}) and clearly worse on {len(below)} ({', '.join(below) or 'none'})."
        if errors
        else ""
    )
    return (
        "The network that is best on valid has a higher likelihood on test than the best of our single circuits on "
        f"{len(found.better)} of the {len(found.compared)} sets where one was learned: {better or 'none'} (than "
        f"AC-Quick's circuit, which is shown here, on {more}).{clearly} Of the {len(found.better)}, "
        f"{len(found.unanswered)} answer no query when nothing is known, {len(found.not_compiled)} cannot be compiled "
        f"within the limits, and {len(found.answered)} answer all queries when {found.most_known:.0%} is known."
    )


def alternatives_table(studies: Studies, sets: list[str]) -> str:
    task = studies.records("alternatives")[0]["task"] if "alternatives" in studies else {"levels": []}
    levels = task["levels"]
    measured = AsMeasured(studies.folder)  # The same kind of time for the whole of a search.
    rows = []
    for name in sets:
        for final in studies.records("collection", stage="final", set=name, schedule="quick"):
            asked = studies.result("alternatives", stage="circuit", set=name, model=final["task"])
            model, search = final["result"], measured.records("collection", stage="tune", set=name, kind="circuit")
            size = f"{thousands(model['edges'])} edges"
            learning = _learning(model, (r["result"]["learning_seconds"] for r in search))
            rows.append([name, "learnac, AC-Quick", with_error(model, "test", 3), learning, size, *_cells(asked, task)])
        for max_parents in studies.values("alternatives", "max_parents", stage="learn", set=name):
            rows += _rows(studies, name, max_parents, levels)
    header = ["set", "", "log-likelihood", "learning", "size", *(f"{level:.0%} known, ms" for level in levels)]
    return table(header, rows)


def _rows(studies: Studies, name: str, max_parents: int, levels: list[float]) -> list[list[str]]:
    """Of the network of a set with so many parents: as it is, and compiled."""
    what = "pyAgrum" + (f", {max_parents} parents" if max_parents else "")
    records = studies.records("alternatives", stage="learn", set=name, max_parents=max_parents)
    most_seconds = records[0]["task"]["limits"]["learn"]["seconds"]
    best = chosen_network(studies, name, max_parents)
    if best is None:
        why = dict.fromkeys(_UNANSWERED[record["result"]["exceeded"]] for record in records)
        return [[name, what, "", f"none: {', '.join(why)}", "", *[""] * len(levels)]]
    learned, asked, compiled = (
        studies.result("alternatives", **{**best, "stage": stage}) for stage in ("learn", "ask", "compile")
    )
    searched = AsMeasured(studies.folder).records("alternatives", stage="learn", set=name, max_parents=max_parents)
    spent = (_seconds_of_search(record["result"], most_seconds) for record in searched)
    learning = _learning(learned, spent)
    likelihood, size = with_error(learned, "test", 3), f"{learned['arcs']} arcs"
    found = [[name, f"{what}, {told_score(best)}", likelihood, learning, size, *_cells(asked, best)]]
    if compiled:
        edges = f"{thousands(compiled['edges'])} edges" if "edges" in compiled else _NOT_COMPILED[compiled["exceeded"]]
        took = timing(compiled, "seconds")
        spent_compiling = f"{took} to compile" if "edges" in compiled else f"gave up after {took}"
        found.append([name, f"{what}, compiled", "", spent_compiling, edges, *_cells(compiled, best)])
    return found


def _seconds_of_search(result: Mapping[str, Any], most_seconds: float) -> float:
    """Of one score. What ran out of memory has no time, and counts as nothing."""
    return float(result.get("search_seconds", most_seconds if result.get("exceeded") == "time" else 0.0))


def _learning(chosen: Mapping[str, Any], search: Iterable[float]) -> str:
    return f"{timing(chosen, 'learning_seconds')} ({duration(sum(search))})"


def _cells(result: Mapping[str, Any], task: Task) -> list[str]:
    if "answers" not in result:
        return [""] * len(task["levels"])
    return [
        _cell(_alone(result, level, found), n_queries(task, level))
        for level, found in zip(task["levels"], result["answers"], strict=True)
    ]


def _alone(result: Mapping[str, Any], level: float, answers: Mapping[str, Any]) -> Mapping[str, Any]:
    """What became of the queries of a level, with the times that were measured alone, if they were."""
    if "mean_range" not in result:
        return answers
    mean, ends, worst = (result[key][f"{level:g}"] for key in ("mean", "mean_range", "worst_range"))
    return {**answers, "mean": mean, "mean_range": ends, "worst": max(worst)}


def _cell(answers: Mapping[str, Any], n_planned: int) -> str:
    """Mean and worst of the queries of a level that were answered, and how many were not, and why."""
    if answers["answered"] == n_planned:
        return f"{_number(answers['mean'])}{spread(answers, 'mean')} ({_number(answers['worst'])})"
    if not answers["answered"]:
        return "none: " + ", ".join(told for key, told in _UNANSWERED.items() if answers[key])
    reasons = [f"{answers[key]} of {n_planned} {told}" for key, told in _UNANSWERED.items() if answers[key]]
    if answers["asked"] < n_planned:
        reasons.append(f"{n_planned - answers['asked']} not asked")
    return f"{_number(answers['mean'])} ({_number(answers['worst'])}; {', '.join(reasons)})"


def _number(milliseconds: float) -> str:
    return f"{milliseconds:,.0f}" if milliseconds >= 10 else f"{milliseconds:.2g}"
