"""The value of a circuit's polynomial: the plain upward pass that everything faster is checked against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnac.circuit.circuit import Circuit, NodeKind


def evaluate(circuit: Circuit, indicators: NDArray[np.float64]) -> NDArray[np.float64]:
    """The root's value for each row of indicator values, (rows x indicators): the probability of what they allow."""
    values = np.empty((circuit.n_nodes, len(indicators)))
    n_indicators = indicators.shape[1]
    values[:n_indicators] = indicators.T
    for node in range(n_indicators, circuit.n_nodes):
        children = circuit.children_of(node)
        match circuit.kinds[node]:
            case NodeKind.PARAMETER:
                values[node] = circuit.parameters[circuit.labels[node]]
            case NodeKind.SUM:
                values[node] = values[children].sum(axis=0)
            case _:
                values[node] = values[children].prod(axis=0)
    return values[circuit.root]


def indicators_of(circuit: Circuit, codes: NDArray[np.integer]) -> NDArray[np.float64]:
    """Indicator values of rows of codes, (variables x rows): 1 for what is consistent, negative codes being unknown."""
    columns = []
    for variable, arity in enumerate(circuit.schema.arities):
        column = codes[variable].astype(np.int64)
        columns.append((column[:, None] == np.arange(arity)) | (column[:, None] < 0))
    return np.concatenate(columns, axis=1).astype(np.float64)
