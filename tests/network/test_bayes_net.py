"""Parameters of a network by where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from trees import leaf_of, tree_of

from learnac.data import Schema
from learnac.network import BayesNet
from learnac.network.bayes_net import SET_FROM_OUTSIDE

ROWS = [[0.5, 0.5], [0.1, 0.9], [0.2, 0.8]]
NETWORK = BayesNet(
    Schema(("a", "b"), ((0, 1, 2), (0, 1))),
    (leaf_of(0, [0.2, 0.3, 0.5]), tree_of(1, [0, -1, -1], [[1, 2, 2]], ROWS)),
)


def test_each_place_has_its_parameter() -> None:
    places = np.array([[1, 2, 0], [0, 0, 2], [0, 0, 0], [1, 1, 1], [1, 0, 0]], dtype=np.int32)
    assert NETWORK.parameters_at(places).tolist() == [0.2, 0.5, 0.2, 0.9, 0.5]
    assert NETWORK.parameters_at(places[:0]).tolist() == []


def test_what_was_set_from_outside_stands_at_the_root_of_a_tree_that_is_nothing_else() -> None:
    places = np.array([[0, SET_FROM_OUTSIDE, value] for value in range(3)], dtype=np.int32)
    assert NETWORK.parameters_at(places).tolist() == [0.2, 0.3, 0.5]


@pytest.mark.parametrize("place", [[-1, -1, -1], [2, 0, 0], [0, 1, 0], [0, -2, 0], [1, -1, 0], [1, 0, 2], [1, 0, -1]])
def test_places_that_are_none(place: Any) -> None:
    with pytest.raises(ValueError, match="expected places of parameters in the trees of the network"):
        NETWORK.parameters_at(np.array([[0, 0, 0], place], dtype=np.int32))
