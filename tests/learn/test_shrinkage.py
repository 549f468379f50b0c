"""Parameters drawn towards those of the parent node."""

from __future__ import annotations

import numpy as np
import pytest
from learning import (
    FEW,
    OVERFITTING,
    SETTINGS,
    TRAINING,
    VALIDATION,
    assert_agrees_with_itself,
    assert_same_network,
    each_kind,
    each_schedule,
    steps,
)
from numpy.typing import NDArray

from learnac.learn import LearnSettings, learn_table
from learnac.network import TreeCPD


def shrunk(tree: TreeCPD, arities: NDArray[np.int64], alpha: float, shrinkage: float) -> NDArray[np.float64]:
    """The definition, node by node."""
    parameters = np.empty_like(tree.counts)
    weights = tree.counts[0] + alpha
    parameters[0] = weights / weights.sum()
    for node in range(tree.n_nodes):
        variable = tree.variables[node]
        if variable < 0:
            continue
        start = tree.route_starts[node]
        for branch in set(tree.routes[start : start + arities[variable]].tolist()):
            weights = tree.counts[branch] + alpha + shrinkage * parameters[node]
            parameters[branch] = weights / weights.sum()
    return parameters


@each_schedule
@each_kind
@pytest.mark.parametrize(("alpha", "shrinkage"), [(1.0, 5.0), (0.0, 0.5), (0.25, 100.0)])
def test_parameters_are_those_of_the_definition(schedule: str, kind: str, alpha: float, shrinkage: float) -> None:
    chosen = LearnSettings(schedule=schedule, splits=kind, **SETTINGS | {"alpha": alpha, "shrinkage": shrinkage})
    model = learn_table(TRAINING, chosen)
    assert len(model.trace) > 10
    for tree in model.network.trees:
        np.testing.assert_allclose(tree.parameters, shrunk(tree, TRAINING.arities, alpha, shrinkage), rtol=1e-12)
    assert_agrees_with_itself(model, TRAINING)
    assert model.trace[-1].log_likelihood == pytest.approx(
        model.network.log_likelihood(TRAINING.codes).mean(), rel=1e-9
    )


def test_the_splits_are_those_without_it() -> None:
    with_it, without = (learn_table(TRAINING, LearnSettings(**SETTINGS | {"shrinkage": m})) for m in (5.0, 0.0))
    keys = ("leaf", "variable", "value", "net_gain", "edge_cost", "n_edges")
    assert [[s[key] for key in keys] for s in steps(with_it)] == [[s[key] for key in keys] for s in steps(without)]


def test_early_stopping_judges_the_parameters_that_the_model_will_have() -> None:
    chosen = {**OVERFITTING, "shrinkage": 10.0, "splits": "complete"}
    model = learn_table(FEW, LearnSettings(**chosen), validation=VALIDATION)
    prefixes = [learn_table(FEW, LearnSettings(max_splits=k, **chosen)) for k in range(len(model.trace) + 1)]
    scores = [prefix.network.log_likelihood(VALIDATION.codes).mean() for prefix in prefixes]
    assert model.n_splits == int(np.argmax(scores)) < len(model.trace)
    assert_same_network(model.network, prefixes[model.n_splits].network)


def test_bdeu_keeps_its_own_pseudo_counts() -> None:
    model = learn_table(TRAINING, LearnSettings(criterion="bdeu", **SETTINGS | {"shrinkage": 2.0}))
    tree = next(tree for tree in model.network.trees if tree.variables[0] >= 0)
    branch, arity = int(tree.routes[0]), tree.counts.shape[1]
    pseudo_count = 1 / TRAINING.arities[tree.variables[0]] / arity
    weights = tree.counts[branch] + pseudo_count + 2 * tree.parameters[0]
    np.testing.assert_allclose(tree.parameters[branch], weights / weights.sum(), rtol=1e-12)
