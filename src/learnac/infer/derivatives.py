"""What a circuit's value would be for other parameters: derivatives by all nodes, in log space, level by level."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, NodeKind

Floats = NDArray[np.float64]


class _Level(NamedTuple):
    """Nodes of one kind whose children are all on lower levels."""

    nodes: NDArray[np.intp]
    children: NDArray[np.intp]  # of all of them, one after the other
    starts: NDArray[np.intp]  # where each node's children begin
    owners: NDArray[np.intp]  # for each child, which of the nodes it belongs to
    is_sum: bool


def parameter_derivatives(circuit: Circuit, log_parameters: Floats, log_indicators: Floats) -> tuple[float, Floats]:
    """The log of the circuit's value, and of its derivative by each parameter, for one row of evidence.

    Derivatives are sums of products of what is not negative, so that their logs are all there is to know. Cost: an
    upward and a downward pass over all edges, in NumPy.
    """
    levels = _levels_of(circuit)
    n_indicators, n_leaves = len(log_indicators), len(log_indicators) + len(log_parameters)
    values = np.empty(circuit.n_nodes)
    values[:n_indicators], values[n_indicators:n_leaves] = log_indicators, log_parameters
    for level in levels:
        combine = np.logaddexp if level.is_sum else np.add
        values[level.nodes] = combine.reduceat(values[level.children], level.starts)
    derivatives = np.full(circuit.n_nodes, -np.inf)
    derivatives[circuit.root] = 0.0
    for level in reversed(levels):
        passed = derivatives[level.nodes][level.owners]
        if not level.is_sum:
            passed = passed + _others(values[level.children], level)
        np.logaddexp.at(derivatives, level.children, passed)
    return float(values[circuit.root]), derivatives[n_indicators:n_leaves]


def _others(factors: Floats, level: _Level) -> Floats:
    """For each child of a product, the log of the product of the others: one of which may be zero."""
    is_zero = np.isneginf(factors)
    finite = np.where(is_zero, 0.0, factors)
    totals = np.add.reduceat(finite, level.starts)[level.owners]
    other_zeros = np.add.reduceat(is_zero.astype(np.intp), level.starts)[level.owners] - is_zero
    return np.where(other_zeros > 0, -np.inf, totals - finite)


_levels: WeakKeyDictionary[Circuit, list[_Level]] = WeakKeyDictionary()


def _levels_of(circuit: Circuit) -> list[_Level]:
    if (levels := _levels.get(circuit)) is None:
        levels = _levels[circuit] = _find_levels(circuit)
    return levels


def _find_levels(circuit: Circuit) -> list[_Level]:
    offsets = circuit.child_offsets.astype(np.int64)
    n_leaves = int(np.count_nonzero(circuit.kinds < NodeKind.SUM))
    heights = [0] * circuit.n_nodes
    children, bounds = circuit.children.tolist(), offsets.tolist()
    for node in range(n_leaves, circuit.n_nodes):
        heights[node] = 1 + max(heights[child] for child in children[bounds[node] : bounds[node + 1]])
    by_height = np.array(heights)
    levels = []
    for height in range(1, int(by_height.max(initial=0)) + 1):
        for kind in (NodeKind.SUM, NodeKind.PRODUCT):
            nodes = np.flatnonzero((by_height == height) & (circuit.kinds == kind))
            if len(nodes) > 0:
                levels.append(_level(circuit, offsets, nodes, kind is NodeKind.SUM))
    return levels


def _level(circuit: Circuit, offsets: NDArray[np.int64], nodes: NDArray[np.intp], is_sum: bool) -> _Level:
    sizes = offsets[nodes + 1] - offsets[nodes]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owners = np.repeat(np.arange(len(nodes)), sizes)
    edges = np.arange(int(sizes.sum())) - starts[owners] + offsets[nodes][owners]
    return _Level(nodes, circuit.children[edges].astype(np.intp), starts.astype(np.intp), owners, is_sum)
