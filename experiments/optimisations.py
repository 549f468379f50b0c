"""Section 4.3: how many edge costs each optimisation saves AC-Greedy from computing.

The splits of a search are made again one by one, and at some of them everything is counted: as if each optimisation
were the only one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from models import PLAIN, SETTINGS
from numpy.typing import NDArray
from sets import BOTH, corner_of, load
from study import Result, Results, Task, main

from learnac import Dataset
from learnac.learn import LearnSettings, Split, SplitKind, SplitSpace, StepInfo, learn_table
from learnac.learn.by_gain import GainSchedule
from learnac.learn.counts import TableCounts
from learnac.learn.learner import network_learner, new_circuit

INDICATOR, PARAMETER = 0, 1


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    for run in settings["runs"]:
        yield {
            **run,
            "watched_splits": settings["watched_splits"],
            "priced_candidates": settings["priced_candidates"],
            "seed": settings["seed"],
            **corner_of(settings),
        }


def measure(task: Task) -> Result:
    dataset = load(task["set"], BOTH, task.get("corner"))
    chosen = {name: task[name] for name in SETTINGS if name in task}
    greedy, quick = (
        learn_table(dataset, LearnSettings(schedule=schedule, **PLAIN, **chosen)) for schedule in ("greedy", "quick")
    )
    watched = watch(dataset, LearnSettings(**PLAIN, **chosen), greedy.trace, task)
    n_splits, scale = len(greedy.trace), len(greedy.trace) / len(watched)
    return {
        "splits": n_splits,
        "watched": len(watched),
        # As many as the watched splits had, for all splits alike.
        "all": scale * sum(counts.n_all for counts in watched),
        "changed": scale * sum(counts.n_changed for counts in watched),
        "by_gain": scale * sum(counts.n_by_gain for counts in watched),
        "quick_splits": len(quick.trace),
        "quick": quick.n_evaluations,
        "ours": greedy.n_evaluations,
        "visits": sum(counts.n_visits for counts in watched),
        "visits_with_exit": sum(counts.n_visits_with_exit for counts in watched),
    }


@dataclass(frozen=True, slots=True)
class Counts:
    """Candidates at one split of the search."""

    n_all: int  # that are valid
    n_changed: int  # whose cost the split may have changed, by the paper's rule
    n_by_gain: int  # whose gain alone is above the best score
    n_visits: int  # nodes visited to price some of them
    n_visits_with_exit: int  # the same, giving up when the cost is more than the gain can pay for


def watch(dataset: Dataset, settings: LearnSettings, trace: Sequence[StepInfo], task: Task) -> list[Counts]:
    """Makes the splits of a search again, and counts at some of them, evenly spread."""
    space = SplitSpace(dataset.arities.astype(np.int64), SplitKind(settings.splits))
    learner, circuit = network_learner(space, TableCounts(dataset), settings), new_circuit(space)
    learner.begin()
    schedule = learner.schedule
    assert isinstance(schedule, GainSchedule)
    rng = np.random.default_rng(task["seed"])
    stops = set(np.linspace(0, len(trace) - 1, min(task["watched_splits"], len(trace))).astype(int).tolist())
    result = []
    for number, info in enumerate(trace):
        if number in stops:
            leaves, variables, values, gains = schedule.candidates()
            best_score = info.net_gain - settings.edge_penalty * info.edge_cost
            changed = may_change(circuit.freeze(), space, info.leaf, info.variable)[leaves, variables]
            by_gain = gains > best_score
            priced = rng.permutation(len(gains))[: task["priced_candidates"]]
            visits = []
            for limits in (None, gains / settings.edge_penalty):
                before = circuit.n_visits
                for i in priced.tolist():
                    limit = None if limits is None else int(limits[i])
                    circuit.edge_cost(int(leaves[i]), int(variables[i]), int(values[i]), limit)
                visits.append(circuit.n_visits - before)
            result.append(Counts(len(gains), int(changed.sum()), int(by_gain.sum()), *visits))
        learner.apply(Split(info.leaf, info.variable, info.value))
        circuit.apply_split(info.leaf, info.variable, info.value)
    return result


def may_change(frozen: Sequence[NDArray[Any]], space: SplitSpace, leaf: int, variable: int) -> NDArray[np.bool_]:
    """Whether a split may change the edge costs of others, by the rule of section 4.3: (leaves x variables).

    It may if it changes a node that is an ancestor of the other's D and not of its V, or of its V and not of its D.
    """
    kinds, labels, child_offsets, children, origins = frozen
    n_leaves = int(origins[:, 0].max()) + 1
    is_above_variable = np.zeros((len(kinds), space.n_variables), dtype=bool)
    is_above_leaf = np.zeros((len(kinds), n_leaves), dtype=bool)
    variable_of = np.repeat(np.arange(space.n_variables), space.arities)
    for node, kind in enumerate(kinds.tolist()):
        below = children[child_offsets[node] : child_offsets[node + 1]]
        if kind == INDICATOR:
            is_above_variable[node, variable_of[labels[node]]] = True
        elif kind == PARAMETER:
            is_above_leaf[node, origins[labels[node], 0]] = True
        else:
            is_above_variable[node] = is_above_variable[below].any(axis=0)
            is_above_leaf[node] = is_above_leaf[below].any(axis=0)
    changed = changed_nodes(child_offsets, children, is_above_leaf[:, leaf], is_above_variable[:, variable])
    of_leaf = is_above_leaf[changed].astype(np.float32)
    of_variable = is_above_variable[changed].astype(np.float32)
    return (of_leaf.T @ (1 - of_variable) + (1 - of_leaf).T @ of_variable) > 0


def changed_nodes(
    child_offsets: NDArray[np.uint64],
    children: NDArray[np.uint32],
    is_above_leaf: NDArray[np.bool_],
    is_above_variable: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """The nodes that SplitAC (Table 2) copies, and the mutual ancestors whose children it replaces."""
    n_nodes = len(is_above_leaf)
    changed = is_above_leaf & ~is_above_variable  # the D side
    is_below_mutual = np.zeros(n_nodes, dtype=bool)  # on the V side
    for node in range(n_nodes - 1, -1, -1):
        below = children[child_offsets[node] : child_offsets[node + 1]]
        is_mutual = is_above_leaf[node] and is_above_variable[node] and changed[below].any()
        if is_mutual or is_below_mutual[node]:
            is_below_mutual[below[is_above_variable[below] & ~is_above_leaf[below]]] = True
            changed[node] = True
    return changed


if __name__ == "__main__":
    main("optimisations", tasks, measure)
