"""What `LearnAC()` is compared with."""

from __future__ import annotations

import numpy as np
import pytest
from defaults import smoothed_again
from learning import dataset_of, random_rows

from learnac.learn import LearnSettings, learn_table
from learnac.learn.smoothing import Smoothing


@pytest.mark.parametrize("arities", [[2, 2, 2, 2], [2, 3, 4, 2]])
def test_smoothed_twice_is_as_it_was_learned(arities: list[int]) -> None:
    table = dataset_of(random_rows(7, 200, arities), arities)
    settings = LearnSettings(edge_penalty=0.01, parameter_penalty=0.01, alpha=0.2, shrinkage=5.0)
    learned = learn_table(table, settings).network
    assert learned is not None
    assert learned.n_leaves > len(arities) + 3
    otherwise = smoothed_again(learned, Smoothing("likelihood", 1.0, 0.0))
    for tree in otherwise.trees:
        np.testing.assert_allclose(tree.parameters, (tree.counts + 1) / (tree.counts + 1).sum(axis=1, keepdims=True))
    again = smoothed_again(otherwise, Smoothing("likelihood", 0.2, 5.0))
    for found, expected in zip(again.trees, learned.trees, strict=True):
        np.testing.assert_allclose(found.parameters, expected.parameters)
