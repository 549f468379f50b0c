"""Trees: what their nodes say, walks over them, and arrays that are none."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import leaf_of, tree_of

from learnac.network import TreeCPD, TreeNode
from learnac.network.bits import lowest, members

HALF = [0.5, 0.5]
# Asks variable 1 for value 2 against the rest, and among the rest variable 1 again and variable 3.
TREE = tree_of(
    child=0,
    variables=[1, -1, 1, -1, 3, -1, -1],
    routes=[[2, 2, 1, 2], [3, 4, 3, 4], [5, 6]],
    parameters=[[0.5, 0.5], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6], [0.6, 0.4], [0.7, 0.3]],
)
ARRAYS = ("variables", "route_starts", "routes", "counts", "parameters")


def test_nodes_become_arrays() -> None:
    assert TREE.route_starts.tolist() == [0, 4, 4, 8, 8, 10, 10]
    assert TREE.routes.tolist() == [2, 2, 1, 2, 3, 4, 3, 4, 5, 6]
    assert not TREE.counts.any()
    assert (TREE.n_nodes, TREE.n_leaves, TREE.parents) == (7, 4, (1, 3))
    counted = TreeCPD.of_nodes(0, [TreeNode(np.array(HALF), counts=np.array([3.0, 4.5]))])
    assert counted.counts.tolist() == [[3, 4.5]]


def test_branches_are_nodes_with_the_values_that_lead_to_them() -> None:
    assert TREE.branches(0) == {2: 0b1011, 1: 0b0100}
    assert TREE.branches(4) == {5: 0b01, 6: 0b10}
    assert TREE.branches(1) == TREE.branches(6) == {}


def test_paths_lead_to_the_leaves_that_some_row_reaches() -> None:
    assert dict(TREE.paths()) == {
        1: {1: 0b0100},
        3: {1: 0b0001},  # Value 2 was settled above.
        5: {1: 0b1010, 3: 0b01},
        6: {1: 0b1010, 3: 0b10},
    }
    assert list(leaf_of(0, HALF).paths()) == [(0, {})]


def test_a_leaf_that_no_row_reaches_has_no_path() -> None:
    twice = tree_of(0, [1, 1, -1, -1, -1], [[1, 2], [3, 4]], [HALF] * 5)
    assert dict(twice.paths()) == {3: {1: 0b01}, 2: {1: 0b10}}


@st.composite
def random_trees(draw: st.DrawFn) -> TreeCPD:
    """Over variables 1 to 3 of 2, 3 and 4 values, some asked again."""
    variables, routes, n_nodes = [], [], 1
    while len(variables) < n_nodes:
        variable = draw(st.sampled_from([-1, 1, 2, 3])) if n_nodes < 12 else -1
        variables.append(variable)
        if variable >= 0:
            n_branches = draw(st.integers(1, variable + 1))
            routes.append([n_nodes + value % n_branches for value in draw(st.permutations(range(variable + 1)))])
            n_nodes += n_branches
    return tree_of(0, variables, routes, [HALF] * n_nodes)


@given(tree=random_trees())
@settings(max_examples=100)
def test_each_row_reaches_the_leaf_whose_path_allows_it(tree: TreeCPD) -> None:
    rows = np.array(list(product(range(2), range(2), range(3), range(4)))).T
    paths = dict(tree.paths())
    for row, leaf in zip(rows.T.tolist(), tree.leaf_of(rows).tolist(), strict=True):
        allowed = [node for node, path in paths.items() if all(bits >> row[v] & 1 for v, bits in path.items())]
        assert allowed == [leaf]


class TestReadOnly:
    @pytest.mark.parametrize("name", ARRAYS)
    def test_nobody_writes(self, name: str) -> None:
        for tree in (TREE, deepcopy(TREE), pickle.loads(pickle.dumps(TREE)), replace(TREE, child=1)):
            array = getattr(tree, name)
            np.testing.assert_array_equal(array, getattr(TREE, name))
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                array.flags.writeable = True

    def test_what_it_was_made_of_may_change(self) -> None:
        given = {name: getattr(TREE, name).copy() for name in ARRAYS}
        tree = TreeCPD(0, **given)
        for array in given.values():
            array[...] = 7
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(tree, name), getattr(TREE, name))


class TestRefusals:
    @pytest.mark.parametrize(
        ("name", "at", "value", "complaint"),
        [
            ("routes", 0, 0, "expected parents before their children"),
            ("routes", 9, 7, "expected parents before their children"),
            ("routes", 4, 2, "expected parents before their children"),
            ("variables", 0, -1, "expected routes of inner nodes, in their order, and of these only"),
            ("variables", 1, 3, "expected routes of inner nodes"),
            ("route_starts", 0, 1, "expected routes of inner nodes"),
            ("route_starts", 2, 9, "expected routes of inner nodes"),
            ("route_starts", 6, 11, "expected routes of inner nodes"),
        ],
    )
    def test_numbers_that_do_not_fit(self, name: str, at: int, value: int, complaint: str) -> None:
        array = getattr(TREE, name).copy()
        array[at] = value
        with pytest.raises(ValueError, match=f"not a tree: {complaint}"):
            replace(TREE, **{name: array})

    @pytest.mark.parametrize(
        ("change", "error", "complaint"),
        [
            ({"counts": TREE.counts[:, :1]}, ValueError, "expected a count and a parameter for each node and value"),
            ({"parameters": TREE.parameters[1:], "counts": TREE.counts[1:]}, ValueError, "expected a count"),
            ({"route_starts": TREE.route_starts[1:]}, ValueError, "expected at least one node"),
            ({"parameters": TREE.parameters[0]}, ValueError, "parameters: expected 2 dimensions, found 1"),
            (
                {"routes": TREE.routes.astype(float)},
                TypeError,
                "routes: expected an array of int32, found one of float",
            ),
        ],
    )
    def test_arrays_that_do_not_fit(self, change: dict[str, Any], error: type[Exception], complaint: str) -> None:
        with pytest.raises(error, match=f"not a tree: {complaint}"):
            replace(TREE, **change)


def test_sets_as_bits() -> None:
    assert list(members(0b10110)) == [1, 2, 4]
    assert list(members(0)) == []
    assert lowest(0b10100) == 2
