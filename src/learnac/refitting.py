"""New parameters for a network that stays as it is, from rows that may have gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac.circuit import Circuit
from learnac.compiler import compile_network
from learnac.compiler.budget import MAX_EDGES
from learnac.data import as_evidence
from learnac.data.weights import checked_weights
from learnac.errors import DataError, SettingError
from learnac.io.objects import network_of
from learnac.learn.gaps.rounds import Fitted, IncompleteRows, ParameterRounds
from learnac.model import Model
from learnac.network import BayesNet, TreeCPD

Floats = NDArray[np.float64]

# What the first parameters have of a uniform distribution: a parameter of zero would never leave it.
_SHARE_OF_UNIFORM = 0.1


def refit(
    model: Any,
    data: object,
    *,
    alpha: float = 1.0,
    sample_weight: ArrayLike | None = None,
    max_rounds: int = 200,
    tolerance: float = 1e-6,
    max_edges: int = MAX_EDGES,
    n_threads: int = 1,
    on_round: Callable[[int, float], object] | None = None,
) -> Fitted:
    """The most probable parameters of a network's trees, given rows with or without gaps; the trees stay as they are.

    `model` is whatever `learnac.compile` takes. A parameter is the share of its value among the rows of its leaf, with
    `alpha` added to each count. Where values are missing, counts are expected ones, exact given all that is known of
    the row, and parameters and counts follow from each other in rounds (EM), until a round gains less than `tolerance`
    per row, or `on_round` returns True. Values must be missing at random. Cost of a round: two passes over the circuit
    for each different row with gaps; without gaps there is only one round, and no circuit is asked.
    """
    for name, value, is_right in (
        ("alpha", alpha, alpha >= 0),
        ("tolerance", tolerance, tolerance >= 0),
        ("max_rounds", max_rounds, max_rounds >= 1),
    ):
        if not is_right:
            raise SettingError(name, "a number from 1" if name == "max_rounds" else "a number from 0", value)
    network = network_of(model)
    evidence = as_evidence(network.schema, data)
    if len(evidence.soft_variables):
        raise DataError("expected values or gaps, found likelihoods")
    weights = checked_weights(sample_weight, evidence.n_rows)
    rows = IncompleteRows.of(evidence, weights)
    circuit = _circuit_of_all_leaves(model, network, max_edges)
    pseudo_counts = [np.full_like(tree.parameters, alpha) for tree in network.trees]
    rounds = ParameterRounds(circuit, rows, pseudo_counts, n_threads)
    return rounds.run(_softened(network), max_rounds, tolerance, on_round)


def _circuit_of_all_leaves(model: Any, network: BayesNet, max_edges: int) -> Circuit:
    """A circuit in which every leaf of the trees has parameters of its own: equal ones and zeros may not stay so."""
    own = model.circuit if isinstance(model, Model) else getattr(model, "circuit_", None)
    if isinstance(own, Circuit) and _has_all_leaves(own, network):
        return own
    distinct = [replace(tree, parameters=_distinct(tree)) for tree in network.trees]
    return compile_network(replace(network, trees=tuple(distinct)), max_edges)


def _has_all_leaves(circuit: Circuit, network: BayesNet) -> bool:
    found = {tuple(origin) for origin in circuit.parameter_origins.tolist()}
    return len(found) == network.n_parameters and all(min(origin) >= 0 for origin in found)


def _distinct(tree: TreeCPD) -> Floats:
    """Parameters of which no two are equal, so that the compiler takes nothing for the same."""
    n_nodes, arity = tree.parameters.shape
    return (1 + np.arange(n_nodes * arity).reshape(n_nodes, arity) / (n_nodes * arity)) / (2 * arity)


def _softened(network: BayesNet) -> BayesNet:
    trees = [
        replace(
            tree,
            parameters=(1 - _SHARE_OF_UNIFORM) * tree.parameters + _SHARE_OF_UNIFORM / tree.parameters.shape[1],
        )
        for tree in network.trees
    ]
    return replace(network, trees=tuple(trees))
