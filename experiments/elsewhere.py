"""The report's section on pyAgrum: its networks beside our circuits, asked as they are and compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from alternatives import best_learned
from study import Task
from tables import Studies, duration, table, thousands, with_error

_UNANSWERED = {"memory": "out of memory", "time": "too slow"}


def alternatives(studies: Studies) -> str:
    task = studies.records("alternatives")[0]["task"]
    learn, query = task["limits"]["learn"], task["limits"]["query"]
    return f"""\
## Against today's choice

pyAgrum learns by hill climbing and answers exactly in a junction tree (lazy propagation). Learned from train, with
{" or ".join(studies.values("alternatives", "score", stage="learn"))}, whichever is better on valid: once with any
number of parents, once with at most {max(studies.values("alternatives", "max_parents", stage="learn"))}. Each query
asks for all posteriors of all variables, given a share of a test row; the table has the mean of {task["rows"]} (and the
worst), or what became of them: out of memory with more than {query["gigabytes"]} GB, too slow after
{duration(query["seconds"])} of CPU, each query for itself. After {duration(query["of_level"])} by the clock no new one
was asked. Learning was given up after {duration(learn["seconds"])} of CPU. "Compiled" is the same network compiled by
`learnac.compile`, with limits of {thousands(task["limits"]["compile"]["max_edges"])} edges and
{duration(task["limits"]["compile"]["max_seconds"])}. Our circuit is AC-Quick's of the collection, its penalties chosen
on valid. Learning: CPU time of the fit that was chosen (of the whole search for it).

{alternatives_table(studies, studies.values("alternatives", "set"))}{_fits_better(studies)}"""


class BetterElsewhere(NamedTuple):
    """Sets on which pyAgrum learned a network; where the one that is best on valid fits test better than our circuit;
    where that one, with nothing known, is not always answered; and where it has no circuit within the limits.
    """

    compared: list[str]
    better: list[str]
    unanswered: list[str]
    not_compiled: list[str]


def better_elsewhere(studies: Studies) -> BetterElsewhere:
    found = BetterElsewhere([], [], [], [])
    for name in studies.values("alternatives", "set"):
        ours = studies.result("collection", stage="final", set=name, schedule="quick")
        best = _chosen(studies, set=name)
        if not ours or best is None:
            continue
        found.compared.append(name)
        if studies.result("alternatives", **best)["test"] <= ours["test"]:
            continue
        found.better.append(name)
        answers = studies.result("alternatives", **{**best, "stage": "ask"}).get("answers")
        if answers and answers[best["levels"].index(0.0)]["answered"] < answers[best["levels"].index(0.0)]["asked"]:
            found.unanswered.append(name)
        if "exceeded" in studies.result("alternatives", **{**best, "stage": "compile"}):
            found.not_compiled.append(name)
    return found


def _chosen(studies: Studies, **wanted: object) -> Task | None:
    """Of the networks of a set, the task of the one that is best on valid."""
    learning = [record["task"] for record in studies.records("alternatives", stage="learn", **wanted)]
    return best_learned(learning, lambda task: studies.result("alternatives", **task)) if learning else None


def _fits_better(studies: Studies) -> str:
    compared, better, unanswered, not_compiled = better_elsewhere(studies)
    return f"""
The network that is best on valid has a higher likelihood on test than our circuit on {len(better)} of the
{len(compared)} sets where one was learned: {", ".join(better) or "none"}. Of these, {len(unanswered)} do not answer
when nothing is known, and {len(not_compiled)} have no circuit within the limits.
"""


def alternatives_table(studies: Studies, sets: list[str]) -> str:
    levels = studies.records("alternatives")[0]["task"]["levels"] if "alternatives" in studies else []
    rows = []
    for name in sets:
        for final in studies.records("collection", stage="final", set=name, schedule="quick"):
            asked = studies.result("alternatives", stage="circuit", set=name, model=final["task"])
            model, search = final["result"], studies.records("collection", stage="tune", set=name, kind="circuit")
            size = f"{thousands(model['edges'])} edges"
            learning = _learning(model["learning_seconds"], (r["result"]["learning_seconds"] for r in search))
            rows.append([name, "learnac", with_error(model, "test", 3), learning, size, *_cells(asked, levels)])
        for max_parents in studies.values("alternatives", "max_parents", stage="learn", set=name):
            rows += _rows(studies, name, max_parents, levels)
    header = ["set", "", "log-likelihood", "learning", "size", *(f"{level:.0%} known, ms" for level in levels)]
    return table(header, rows)


def _rows(studies: Studies, name: str, max_parents: int, levels: list[float]) -> list[list[str]]:
    """Of the network of a set with so many parents: as it is, and compiled."""
    what = "pyAgrum" + (f", {max_parents} parents" if max_parents else "")
    records = studies.records("alternatives", stage="learn", set=name, max_parents=max_parents)
    most_seconds = records[0]["task"]["limits"]["learn"]["seconds"]
    best = _chosen(studies, set=name, max_parents=max_parents)
    if best is None:
        return [[name, what, "", f"more than {duration(most_seconds)}", "", *[""] * len(levels)]]
    learned, asked, compiled = (
        studies.result("alternatives", **{**best, "stage": stage}) for stage in ("learn", "ask", "compile")
    )
    spent = (record["result"].get("learning_seconds", most_seconds) for record in records)
    learning = _learning(learned["learning_seconds"], spent)
    likelihood, size = with_error(learned, "test", 3), f"{learned['arcs']} arcs"
    found = [[name, f"{what}, {best['score']}", likelihood, learning, size, *_cells(asked, levels)]]
    if compiled:
        edges = f"{thousands(compiled['edges'])} edges" if "edges" in compiled else "too large"
        spent_compiling = f"{duration(compiled['seconds'])} to compile"
        found.append([name, f"{what}, compiled", "", spent_compiling, edges, *_cells(compiled, levels)])
    return found


def _learning(chosen: float, search: Iterable[float]) -> str:
    return f"{duration(chosen)} ({duration(sum(search))})"


def _cells(result: Mapping[str, Any], levels: list[float]) -> list[str]:
    return [_cell(answers) for answers in result["answers"]] if "answers" in result else [""] * len(levels)


def _cell(answers: Mapping[str, Any]) -> str:
    """Mean and worst of the queries of a level that were answered, and how many were not, and why."""
    if answers["answered"] == answers["asked"]:
        return f"{_number(answers['mean'])} ({_number(answers['worst'])})"
    reasons = [f"{answers[key]} of {answers['asked']} {told}" for key, told in _UNANSWERED.items() if answers[key]]
    if not answers["answered"]:
        return ", ".join(told for key, told in _UNANSWERED.items() if answers[key])
    return f"{_number(answers['mean'])} ({_number(answers['worst'])}; {', '.join(reasons)})"


def _number(milliseconds: float) -> str:
    return f"{milliseconds:,.0f}" if milliseconds >= 10 else f"{milliseconds:.2g}"
