"""The three properties that make a circuit answer exactly (Definition 3 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from learnac.circuit.circuit import Circuit, NodeKind


def scopes(circuit: Circuit) -> NDArray[np.bool_]:
    """Which indicators lie below each node: (nodes x indicators)."""
    n_indicators = int(circuit.schema.arities.sum())
    below = np.zeros((circuit.n_nodes, n_indicators), dtype=bool)
    below[:n_indicators] = np.eye(n_indicators, dtype=bool)
    for node, children in _inner_nodes(circuit):
        below[node] = below[children].any(axis=0)
    return below


def parameter_scopes(circuit: Circuit) -> NDArray[np.bool_]:
    """Which variables have a parameter below each node: (nodes x variables)."""
    below = np.zeros((circuit.n_nodes, circuit.schema.n_variables), dtype=bool)
    is_parameter = circuit.kinds == NodeKind.PARAMETER
    below[is_parameter, circuit.parameter_origins[circuit.labels[is_parameter], 0]] = True
    for node, children in _inner_nodes(circuit):
        below[node] = below[children].any(axis=0)
    return below


def is_smooth(circuit: Circuit) -> bool:
    """Whether the children of each sum speak of the same variables, by indicators and by parameters."""
    variables = _both_scopes(circuit)
    return all((variables[children] == variables[node]).all() for node, children in _inner_nodes(circuit, NodeKind.SUM))


def is_decomposable(circuit: Circuit) -> bool:
    """Whether no two children of a product speak of the same variable."""
    variables = _both_scopes(circuit)
    return all((variables[children].sum(axis=0) <= 1).all() for _, children in _inner_nodes(circuit, NodeKind.PRODUCT))


def is_deterministic(circuit: Circuit) -> bool:
    """Whether the children of each sum hold disjoint, non-empty sets of values of the variable it decides."""
    below = scopes(circuit)
    starts = _starts(circuit)
    for node, children in _inner_nodes(circuit, NodeKind.SUM):
        variable = circuit.labels[node]
        values = below[children, starts[variable] : starts[variable + 1]]
        if not values.any(axis=1).all() or (values.sum(axis=0) > 1).any():
            return False
    return True


def _both_scopes(circuit: Circuit) -> NDArray[np.bool_]:
    starts = _starts(circuit)
    by_indicator = np.logical_or.reduceat(scopes(circuit), starts[:-1], axis=1)
    return np.concatenate([by_indicator, parameter_scopes(circuit)], axis=1)


def _starts(circuit: Circuit) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(circuit.schema.arities)]).astype(np.int64)


def _inner_nodes(circuit: Circuit, kind: NodeKind | None = None) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    for node in range(circuit.n_nodes):
        if circuit.kinds[node] >= NodeKind.SUM and kind in (None, circuit.kinds[node]):
            yield node, circuit.children_of(node)
