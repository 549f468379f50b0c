"""Tables to learn from, and what must hold of what is learned."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from learnac.circuit import Circuit, evaluate, indicators_of
from learnac.data import Dataset
from learnac.learn import Learned, LearnSettings, learn_table
from learnac.network import BayesNet

ARITIES = [2, 3, 2, 1, 4, 2]
# As in the paper, whatever the defaults are.
SETTINGS: dict[str, Any] = {"edge_penalty": 0.02, "parameter_penalty": 0.1, "alpha": 1.0, "shrinkage": 0.0}
# Without enough penalties: more splits than are good for other rows.
OVERFITTING: dict[str, Any] = SETTINGS | {"edge_penalty": 0.001, "parameter_penalty": 0.0}

each_schedule = pytest.mark.parametrize("schedule", ["quick", "greedy"])
each_kind = pytest.mark.parametrize("kind", ["complete", "binary"])


def random_rows(seed: int, n_rows: int, arities: list[int] | None = None) -> NDArray[np.int64]:
    """Rows near a few prototypes: everything depends on everything, so that there is much to learn."""
    arities = ARITIES if arities is None else arities
    prototypes = np.random.default_rng(0).integers(arities, size=(5, len(arities)))
    rng = np.random.default_rng(seed)
    noise = rng.integers(arities, size=(n_rows, len(arities)))
    keeps = rng.random(noise.shape) < 0.75
    return np.where(keeps, prototypes[rng.integers(5, size=n_rows)], noise)


def dataset_of(rows: NDArray[np.int64], arities: list[int] | None = None) -> Dataset:
    return Dataset.from_array(rows, arities=ARITIES if arities is None else arities)


def with_ordered(dataset: Dataset, ordered: Collection[int]) -> Dataset:
    """The same table, with these variables ordered."""
    is_ordered = tuple(variable in ordered for variable in range(dataset.n_variables))
    return Dataset(replace(dataset.schema, ordered=is_ordered), dataset.codes)


def random_ordered(rng: np.random.Generator, n_variables: int) -> list[int]:
    """No variables, half of the time; else some of them."""
    found: list[int] = np.flatnonzero(rng.random(n_variables) < rng.choice([0.0, 0.7])).tolist()
    return found


TRAINING = dataset_of(random_rows(seed=1, n_rows=400))
# From the same distribution, but few: so that a search to the end learns more than is good for it.
FEW = dataset_of(random_rows(seed=2, n_rows=60))
VALIDATION = dataset_of(random_rows(seed=3, n_rows=300))


def steps(model: Learned) -> list[dict[str, Any]]:
    """The trace without its clock."""
    return [{name: value for name, value in asdict(info).items() if name != "seconds"} for info in model.trace]


def assert_same_circuit(a: Circuit, b: Circuit) -> None:
    for name in ("kinds", "labels", "child_offsets", "children", "parameters", "parameter_origins"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def assert_same_network(a: BayesNet, b: BayesNet) -> None:
    for tree_a, tree_b in zip(a.trees, b.trees, strict=True):
        for name in ("child", "variables", "route_starts", "routes", "counts", "parameters"):
            np.testing.assert_array_equal(getattr(tree_a, name), getattr(tree_b, name), err_msg=name)


def assert_same_model(a: Learned, b: Learned) -> None:
    assert steps(a) == steps(b)
    assert (a.n_splits, a.stop) == (b.n_splits, b.stop)
    assert_same_circuit(a.circuit, b.circuit)
    assert_same_network(a.network, b.network)


def assert_agrees_with_itself(model: Learned, dataset: Dataset) -> None:
    """The circuit, the network and the trace tell of one and the same model."""
    assert model.n_splits <= len(model.trace)
    n_initial = learn_table(dataset, LearnSettings(max_splits=0)).circuit.n_edges
    n_edges = [n_initial + int(c) for c in np.cumsum([0, *(info.edge_cost for info in model.trace)])]
    assert [info.n_edges for info in model.trace] == n_edges[1:]
    assert model.circuit.n_edges == n_edges[model.n_splits]
    if model.n_splits:
        assert model.network.n_leaves == model.trace[model.n_splits - 1].n_leaves
    assert model.circuit.n_parameters == model.network.n_parameters
    for value, (variable, node, code) in zip(
        model.circuit.parameters, model.circuit.parameter_origins.tolist(), strict=True
    ):
        assert model.network.trees[variable].variables[node] < 0
        assert value == model.network.trees[variable].parameters[node, code]
    probabilities = evaluate(model.circuit, indicators_of(model.circuit, dataset.codes))
    np.testing.assert_allclose(probabilities, np.exp(model.network.log_likelihood(dataset.codes)), rtol=1e-10, atol=0)
    assert evaluate(model.circuit, np.ones((1, int(dataset.arities.sum()))))[0] == pytest.approx(1, rel=1e-12)
