"""What is counted for section 4.3 of the paper."""

from __future__ import annotations

import numpy as np
from learning import dataset_of, random_rows
from optimisations import may_change

from learnac.learn import LearnSettings, Split, SplitKind, SplitSpace, learn_table
from learnac.learn.by_gain import GainSchedule
from learnac.learn.counts import TableCounts
from learnac.learn.learner import network_learner, new_circuit


def followed(seed: int) -> tuple[int, int, int, int]:
    """Over all splits of a search: candidates, those that the rule names, costs that changed, those that it missed."""
    arities = [2, 3, 2, 2, 3, 2]
    table = dataset_of(random_rows(seed, 300, arities), arities)
    settings = LearnSettings(edge_penalty=0.05, parameter_penalty=0.1, splits="complete")
    space = SplitSpace(table.arities.astype(np.int64), SplitKind.COMPLETE)
    learner, circuit = network_learner(space, TableCounts(table), settings), new_circuit(space)
    learner.begin()
    assert isinstance(learner.schedule, GainSchedule)
    totals = np.zeros(4, dtype=int)
    for info in learn_table(table, settings).trace:
        leaves, variables, _, _ = (column.tolist() for column in learner.schedule.candidates())
        others = [pair for pair in zip(leaves, variables, strict=True) if pair[0] != info.leaf]
        costs = np.array([circuit.edge_cost(*pair, 0) for pair in others])
        may = may_change(circuit.freeze(), space, info.leaf, info.variable)
        named = np.array([may[pair] for pair in others], dtype=bool)
        learner.apply(Split(info.leaf, info.variable, info.value))
        circuit.apply_split(info.leaf, info.variable, info.value)
        changed = np.array([circuit.edge_cost(*pair, 0) for pair in others]) != costs
        totals += [len(others), named.sum(), changed.sum(), (changed & ~named).sum()]
    return tuple(totals.tolist())


def test_costs_change_where_the_rule_says_so() -> None:
    n_all, n_named, n_changed, n_missed = np.sum([followed(seed) for seed in range(6)], axis=0)
    assert 0 < n_changed < n_named < n_all
    # The rule does not foresee that nodes with one child left are spliced out, which may change a cost above them.
    assert n_missed < 0.02 * n_changed
