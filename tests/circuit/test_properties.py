"""The compiled check of the three properties against the plain definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from learnac import Dataset
from learnac.circuit import Circuit, NodeKind, properties
from learnac.learn import LearnSettings, learn_table


def learned(seed: int, splits: str, arities: list[int]) -> Circuit:
    rng = np.random.default_rng(seed)
    prototypes = rng.integers(arities, size=(4, len(arities)))
    rows = np.where(
        rng.random((60, 1)) < 0.6, prototypes[rng.integers(4, size=60)], rng.integers(arities, size=(60, len(arities)))
    )
    search = LearnSettings(0.01, 0.0, splits=splits, max_splits=8)
    return learn_table(Dataset.from_array(rows, arities=arities), search).circuit


@pytest.mark.parametrize("splits", ["complete", "binary"])
def test_learned_circuits_have_all_three(splits: str) -> None:
    assert properties(learned(0, splits, [2, 3, 1, 4, 2])) == (True, True, True, True, True)


# More indicators than fit into a word, and a variable across two words.
@pytest.mark.parametrize("arities", [[2, 3, 1, 4], [60, 2, 70, 3], [2] * 70])
@given(
    seed=st.integers(0, 10_000),
    splits=st.sampled_from(["complete", "binary"]),
    place=st.integers(0, 10**9),
    to=st.integers(0, 10**9),
    what=st.sampled_from(["child", "label", "kind", "none"]),
)
@settings(max_examples=60)
def test_as_the_plain_definition(arities: list[int], seed: int, splits: str, place: int, to: int, what: str) -> None:
    circuit = broken(learned(seed % 5, splits, arities), what, place, to)
    assert properties(circuit) == (
        plainly_smooth(circuit),
        plainly_decomposable(circuit),
        plainly_deterministic(circuit),
        bool(plain_variables(circuit)[-1].all()),
        plainly_deterministic(circuit, of_all=False),
    )


def broken(circuit: Circuit, what: str, place: int, to: int) -> Circuit:
    """One change that leaves a circuit, but perhaps without some property."""
    if what == "child":
        children = circuit.children.copy()
        edge = place % len(children)
        parent = int(np.searchsorted(circuit.child_offsets, edge, side="right")) - 1
        children[edge] = to % parent
        return replace(circuit, children=children)
    inner = np.flatnonzero(circuit.kinds >= NodeKind.SUM)
    if what == "kind":
        kinds, labels = circuit.kinds.copy(), circuit.labels.copy()
        node = inner[place % len(inner)]
        kinds[node] = NodeKind.SUM if kinds[node] == NodeKind.PRODUCT else NodeKind.PRODUCT
        labels[node] = to % circuit.schema.n_variables
        return replace(circuit, kinds=kinds, labels=labels)
    if what == "label":
        sums = np.flatnonzero(circuit.kinds == NodeKind.SUM)
        labels = circuit.labels.copy()
        labels[sums[place % len(sums)]] = Circuit.NO_LABEL if to % 3 == 0 else to % circuit.schema.n_variables
        return replace(circuit, labels=labels)
    return circuit


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


def plainly_smooth(circuit: Circuit) -> bool:
    """Whether the children of each sum speak of the same variables, by indicators and by parameters."""
    variables = _both_scopes(circuit)
    return all((variables[children] == variables[node]).all() for node, children in _inner_nodes(circuit, NodeKind.SUM))


def plainly_decomposable(circuit: Circuit) -> bool:
    """Whether no two children of a product speak of the same variable."""
    variables = _both_scopes(circuit)
    return all((variables[children].sum(axis=0) <= 1).all() for _, children in _inner_nodes(circuit, NodeKind.PRODUCT))


def plainly_deterministic(circuit: Circuit, of_all: bool = True) -> bool:
    """Whether the children of each sum hold disjoint, non-empty sets of values of the variable it decides."""
    below = scopes(circuit)
    starts = _starts(circuit)
    for node, children in _inner_nodes(circuit, NodeKind.SUM):
        variable = circuit.labels[node]
        if variable == Circuit.NO_LABEL:
            if of_all:
                return False
            continue
        values = below[children, starts[variable] : starts[variable + 1]]
        if not values.any(axis=1).all() or (values.sum(axis=0) > 1).any():
            return False
    return True


def plain_variables(circuit: Circuit) -> NDArray[np.bool_]:
    return np.logical_or.reduceat(scopes(circuit), _starts(circuit)[:-1], axis=1)


def _both_scopes(circuit: Circuit) -> NDArray[np.bool_]:
    return np.concatenate([plain_variables(circuit), parameter_scopes(circuit)], axis=1)


def _starts(circuit: Circuit) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(circuit.schema.arities)]).astype(np.int64)


def _inner_nodes(circuit: Circuit, kind: NodeKind | None = None) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    for node in range(circuit.n_nodes):
        if circuit.kinds[node] >= NodeKind.SUM and kind in (None, circuit.kinds[node]):
            yield node, circuit.children_of(node)
