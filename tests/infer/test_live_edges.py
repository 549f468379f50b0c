"""What a row's evidence costs: the edges that it leaves alive."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnac._core import Evaluator
from learnac.circuit import NodeKind
from learnac.infer.engine import engine_of


def live_edges(case: Any, rows: Any) -> Any:
    codes = np.ascontiguousarray(np.asarray(rows).T.astype(np.int8))
    return engine_of(case.circuit).evaluator.live_edges(codes, np.empty(0, np.uint32), np.empty((0, 0)))


def edges_reached(case: Any, row: Any) -> int:
    """From the root down, leaving out the children of a sum that hold none of the values the row allows."""
    circuit = case.circuit
    starts = np.concatenate([[0], np.cumsum(case.arities)])
    below = np.zeros((circuit.n_nodes, starts[-1]), dtype=bool)
    below[: starts[-1]] = np.eye(starts[-1], dtype=bool)
    for node in range(starts[-1], circuit.n_nodes):
        below[node] = below[circuit.children_of(node)].any(axis=0)
    pending, reached, n_edges = [circuit.root], set(), 0
    while pending:
        node = pending.pop()
        if node in reached:
            continue
        reached.add(node)
        children = circuit.children_of(node)
        if circuit.kinds[node] == NodeKind.SUM:
            variable = circuit.labels[node]
            if row[variable] >= 0:
                children = children[below[children, starts[variable] + row[variable]]]
        n_edges += len(children)
        pending += children.tolist()
    return n_edges


def test_nothing_known_leaves_everything(case: Any) -> None:
    assert live_edges(case, [[-1] * len(case.names)]).tolist() == [case.circuit.n_edges]


def test_evidence_leaves_what_it_can_reach(case: Any) -> None:
    rows = np.concatenate([case.rows(1, 10, 0.3), case.rows(2, 10, 0.7), case.rows(3, 10, 1)])
    assert live_edges(case, rows).tolist() == [edges_reached(case, row) for row in rows]


def test_an_indicator_below_products_decides_too() -> None:
    """A sum of two products, each of a parameter and of a product that holds the indicator."""
    evaluator = Evaluator(
        np.array([2], dtype=np.uint32),
        np.array([0, 0, 1, 1, 3, 3, 3, 3, 2], dtype=np.uint8),
        np.array([0, 1, 0, 1, *[0xFFFFFFFF] * 4, 0], dtype=np.uint32),
        np.array([0, 0, 0, 0, 0, 2, 4, 6, 8, 10], dtype=np.uint64),
        np.array([0, 2, 1, 3, 2, 4, 3, 5, 6, 7], dtype=np.uint32),
        np.array([0.5, 0.25]),
    )
    nothing_soft = np.empty(0, np.uint32), np.empty((0, 0))
    codes = np.array([[-1, 0, 1]], dtype=np.int8)
    assert evaluator.live_edges(codes, *nothing_soft).tolist() == [10, 5, 5]
    assert evaluator.log_values(codes, *nothing_soft, 1).tolist() == np.log([0.3125, 0.25, 0.0625]).tolist()
