"""The report's second part: what the paper could not do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
from compared import collection, grid, where_steps_ended
from copied import copies
from elsewhere import alternatives
from incomplete import gaps
from mixed import mixtures
from models import stated
from numpy.typing import NDArray
from repeated import again
from tables import (
    NAMES,
    TUNED,
    Studies,
    duration,
    listed,
    listed_numbers,
    penalties,
    table,
    thousands,
    timing,
    with_error,
)
from used import used
from verdicts import Loss, Sign, behind_the_best, clear_signs

from learnac.defaults import MAX_EDGES
from learnac.learn import LearnSettings


def greedy_against_quick(studies: Studies) -> str:
    parts = []
    for name in studies.values("table4", "set"):
        rows = []
        for record in studies.records("table4", stage="tune", set=name, schedule="greedy"):
            task, greedy = record["task"], record["result"]
            wanted = {key: task[key] for key in ("edge_penalty", "parameter_penalty")}
            quick = studies.result("table4", stage="tune", set=name, schedule="quick", **wanted)
            if not quick:
                continue
            rows.append(
                [
                    f"{task['edge_penalty']:g} / {task['parameter_penalty']:g}",
                    *(f"{found['valid']:.3f}" for found in (greedy, quick)),
                    *(thousands(found["edges"]) for found in (greedy, quick)),
                    *(timing(found, "learning_seconds") for found in (greedy, quick)),
                    *(thousands(found["evaluations"]) for found in (greedy, quick)),
                ]
            )
        header = [
            "k_e / k_p",
            *(
                f"{what}, {schedule}"
                for what in ("log-likelihood on valid", "edges", "time", "edge costs computed")
                for schedule in ("greedy", "quick")
            ),
        ]
        parts.append(f"**{NAMES[name]}**\n\n{table(header, rows)}\n")
    stops = {record["result"].get("stop") for record in studies.records("table4", schedule="greedy", stage="tune")}
    where = f" on {listed([NAMES[name] for name in studies.values('table4', 'set')])}"
    ended = f"AC-Greedy always ran to its end{where}." if stops == {"CONVERGED"} else ""
    return f"""\
## AC-Greedy against AC-Quick

The grids of Table 4, learned from train alone. {ended}

{"".join(parts)}"""


def optimisations(studies: Studies) -> str:
    rows = []
    for record in studies.records("optimisations"):
        task, found = record["task"], record["result"]
        n_all = found["all"]
        rows.append(
            [
                f"{NAMES[task['set']]}, {task['edge_penalty']:g} / {task['parameter_penalty']:g}",
                f"{n_all / 1e6:,.0f}M",
                *(f"{1 - found[key] / n_all:.0%}" for key in ("changed", "by_gain")),
                *(f"{1 - found[key] / n_all:.2%}" for key in ("quick", "ours")),
                f"{1 - found['visits_with_exit'] / found['visits']:.0%}",
            ]
        )
    header = [
        "set, k_e / k_p",
        "edge costs of all candidates at all splits",
        "not touched by the split (the paper's rule)",
        "in order of gain",
        "AC-Quick",
        "our bounds",
        "early exit: node visits",
    ]
    n_watched = studies.records("optimisations")[0]["task"]["watched_splits"]
    return f"""\
## What the optimisations of section 4.3 save

AC-Greedy without any optimisation would compute the edge cost of every candidate at every split; here these are the
candidates whose gain exceeds the penalty for their parameters. (The paper may have counted the others too.) The shares
are of those that need not be computed. By the paper's rule: the cost of a candidate that the split cannot change; new
candidates are priced all the same. In order of gain: candidates whose gain alone is below the best score. Both are
counted at {n_watched} splits spread evenly over AC-Greedy's search; the paper says "over 95 %" of its rule. The columns
"AC-Quick" and "our bounds" (AC-Greedy as it is here, with bounds on what a split can save others) are counted over
whole searches. The last column is of the nodes visited to price a candidate: the share spared by giving up when the
cost exceeds what the gain can pay.{_other_penalties(studies)}

{table(header, rows)}"""


def _other_penalties(studies: Studies) -> str:
    """Which searches are not those of Table 4."""
    keys = ("edge_penalty", "parameter_penalty")
    other = []
    for record in studies.records("optimisations"):
        finals = studies.records("table4", stage="final", schedule="greedy", set=record["task"]["set"])
        if finals and any(record["task"][key] != finals[-1]["task"][key] for key in keys):
            other.append(NAMES[record["task"]["set"]])
    return f" Penalties are not those of Table 4 on {listed(other)}." if other else ""


def tradeoff(studies: Studies) -> str:
    parts = []
    for name in studies.values("tradeoff", "set"):
        penalties = studies.values("tradeoff", "parameter_penalty", set=name)
        rows = []
        for edge_penalty in studies.values("tradeoff", "edge_penalty", set=name):
            row = [f"{edge_penalty:g}"]
            for parameter_penalty in penalties:
                found = studies.result(
                    "tradeoff", set=name, edge_penalty=edge_penalty, parameter_penalty=parameter_penalty
                )
                row += (
                    [
                        with_error(found, "test", 3),
                        thousands(found["edges"]),
                        timing(found, "query_ms"),
                        timing(found, "learning_seconds"),
                    ]
                    if found
                    else [""] * 4
                )
            rows.append(row)
        header = ["k_e", *(f"{what}, k_p {p:g}" for p in penalties for what in ("test", "edges", "query", "learning"))]
        parts.append(f"**{NAMES[name]}**\n\n{table(header, rows)}\n")
    return f"""\
## What an edge buys: k_e down to 0.001

AC-Quick, learned from train and valid; a query is P(30 % of the variables | 30 % others), median, one at a time.

![Accuracy against edges and against query time](figures/tradeoff.png)

The dashed line is the free network of Table 4, which may have any number of edges.

{"".join(parts)}"""


MODELS = {
    "complete": "circuit with complete splits",
    "binary": "circuit with binary splits",
    "network-complete": "free network with complete splits",
    "network-binary": "free network with binary splits",
}


def categorical(studies: Studies) -> str:
    header = ["set", "model", "log-likelihood", "edges", "learning", "query", f"chosen {', '.join(TUNED.values())}"]
    return f"""\
## Variables of many values

{_about_categorical(studies)}

{table(header, _of_categorical_sets(studies))}"""


def _of_categorical_sets(studies: Studies) -> list[list[str]]:
    rows = []
    for record in studies.records("categorical", stage="final"):
        task, found = record["task"], record["result"]
        cost = ["", timing(found, "learning_seconds"), ""]
        if "edges" in found:
            cost = [thousands(found["edges"]), timing(found, "learning_seconds"), timing(found, "query_ms")]
        rows.append([task["set"], MODELS[task["kind"]], with_error(found, "test", 3), *cost, penalties(task)])
    return rows


def _about_categorical(studies: Studies) -> str:
    kinds = studies.values("categorical", "kind", stage="final")
    grids = list(dict.fromkeys(grid(studies, "categorical", kind) for kind in kinds))
    return (
        "The same on sets of categorical data (home-made split 70/10/20): complete splits, a branch for each value, "
        "against binary ones, one value against the rest. Settings are chosen as in the collection, from a grid of "
        f"{' or '.join(grids)}. "
        f"{where_steps_ended(studies, 'categorical', {kind: MODELS[kind] for kind in kinds})}{_left_out(studies)}"
    )


def _left_out(studies: Studies) -> str:
    """Penalties that were not tried, because of the time that it takes."""
    left_out = studies.settings["categorical"].get("left_out", {})
    told = [f"k_p {listed_numbers(of['parameter_penalty'])} on {name}" for name, of in left_out.items()]
    return f" Not tried, because it takes too long: {listed(told)}." if told else ""


def defaults(studies: Studies) -> str:
    n_sets = len(_sets(studies))
    return f"""\
## Defaults

What an untuned `LearnAC()` might do, over {n_sets} sets, binary and categorical: learned from train by AC-Quick, judged
on valid. Unless said otherwise, the edge penalty falls until {thousands(MAX_EDGES)} edges are used, k_p is 0.5 and
splits are binary; smoothing is chosen by searches without some rows of train. The loss is relative to the best of the
candidates on the same set (of the worst set in nats a row too). Taken is the best of those that have at most
{thousands(MAX_EDGES)} edges on every set. AC-Greedy was no candidate: {greedy_wins(studies)}

{defaults_table(studies)}
{best_of_the_grid(studies)}"""


def greedy_wins(studies: Studies) -> str:
    """By the grids of Table 4."""
    wins, slower = Counter[bool](), []
    for record in studies.records("table4", stage="tune", schedule="greedy"):
        same = {key: record["task"][key] for key in ("set", "edge_penalty", "parameter_penalty")}
        if quick := studies.result("table4", stage="tune", schedule="quick", **same):
            wins[record["result"]["valid"] > quick["valid"]] += 1
            slower.append(record["result"]["learning_seconds"] / quick["learning_seconds"])
    if not slower:
        return "it takes many times as long."
    return (
        f"at the same penalties it is better on valid (unrounded) in {wins[True]} of {wins.total()} cases of the "
        f"grids above, and takes {np.median(slower):.0f} times as long (median)."
    )


def best_of_the_grid(studies: Studies) -> str:
    """How far the default is behind what the judging rows would choose: smoothing, or the number of splits too."""
    found = {name: studies.result("defaults", set=name, candidate=chosen_default(studies)) for name in _sets(studies)}
    found = {name: result for name, result in found.items() if "best_smoothing" in result}
    if not found:
        return ""
    smoothing = {name: behind_the_best(result, "best_smoothing") for name, result in found.items()}
    both = {name: behind_the_best(result, "best_of_grid") for name, result in found.items()}
    return f"""\
What choosing by searches without some rows of train loses, against choosing by the judging rows themselves. If these
chose the smoothing of the default's own splits, it would gain {_gains(smoothing)} If they chose the number of splits
too: {_gains(both)} The first of the two comparisons was added when the second was known.

"""


def _gains(losses: Mapping[str, Loss]) -> str:
    worst = max(losses, key=lambda name: losses[name].share)
    most = losses[worst]
    signs = clear_signs({name: (loss.nats, loss.error) for name, loss in losses.items()})
    clear = [name for name, sign in signs.items() if sign is Sign.ABOVE]
    return (
        f"at most {most.share:.2%} of the log-likelihood ({worst}, {most.nats:.3f} ± {most.error:.3f} nats a row); "
        f"clearly more than nothing on {len(clear)} of {len(losses)} sets (by Holm's correction)."
    )


def chosen_default(studies: Studies) -> str | None:
    """The candidate that `LearnAC()` is."""
    default = LearnSettings().for_circuit(0)
    for record in studies.records("defaults"):
        if LearnSettings(**stated(record["task"])) == default:
            return str(record["task"]["candidate"])
    return None


def _sets(studies: Studies) -> list[str]:
    return studies.values("defaults", "set")


def candidate_losses(studies: Studies) -> tuple[list[str], dict[str, NDArray[np.float64]]]:
    """The sets on which all candidates were tried, and how far each candidate is behind the best, set by set."""
    sets, candidates = _sets(studies), studies.values("defaults", "candidate")
    sets = [s for s in sets if all(studies.result("defaults", set=s, candidate=c) for c in candidates)]
    valid = {c: np.array([studies.result("defaults", set=s, candidate=c)["valid"] for s in sets]) for c in candidates}
    best = np.max(list(valid.values()), axis=0)
    return sets, {candidate: found / best - 1 for candidate, found in valid.items()}


def defaults_table(studies: Studies) -> str:
    """Of every candidate, how far it is behind the best on valid; the default in bold."""
    sets, losses_of = candidate_losses(studies)
    if not sets:
        return ""
    rows = []
    for candidate, losses in losses_of.items():
        results = [studies.result("defaults", set=name, candidate=candidate) for name in sets]
        edges, seconds = (np.array([result[key] for result in results]) for key in ("edges", "learning_seconds"))
        worst = int(losses.argmax())
        nats = -results[worst]["valid"] * losses[worst] / (1 + losses[worst])
        rows.append(
            [
                f"**{candidate}**" if candidate == chosen_default(studies) else candidate,
                f"{losses.mean():.2%}",
                f"{losses[worst]:.1%} ({sets[worst]}, {nats:.2f} nats)",
                f"{thousands(float(np.median(edges)))} ({thousands(edges.max())})",
                f"{duration(float(np.median(seconds)))} ({duration(seconds.max())})",
            ]
        )
    header = ["candidate", "mean loss", "worst loss"]
    return table([*header, "edges, median (most)", "learning, median (longest)"], rows)


SECTIONS = (
    ("table4", greedy_against_quick),
    ("optimisations", optimisations),
    ("tradeoff", tradeoff),
    ("collection", collection),
    ("alternatives", alternatives),
    ("categorical", categorical),
    ("defaults", defaults),
    ("mixtures", mixtures),
    ("rowwise", copies),
    ("gaps", gaps),
    ("tabular", used),
    ("again", again),
)
