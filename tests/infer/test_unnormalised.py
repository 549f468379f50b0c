"""Circuits by hand whose values are no probabilities: they may be larger than any double."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from learnac import infer


class TestLargeNumbers:
    @pytest.mark.parametrize("n_rows", [1, 2, 9])
    def test_products_beyond_the_largest_double(self, tools: Any, n_rows: int) -> None:
        circuit = tools.sum_of_products([[1e200, 1e200, 3.0], [1e200, 1e200], [0.0, 1e300]])
        nothing = np.full((n_rows, 1), -1)
        expected = np.log(4) + 400 * np.log(10)
        np.testing.assert_allclose(infer.log_likelihood(circuit, nothing), [expected] * n_rows, rtol=1e-13)
        found = infer.marginals(circuit, nothing)["a"]
        np.testing.assert_allclose(found, [[0.75, 0.25, 0]] * n_rows, rtol=1e-13)
        world, log_values = infer.mpe(circuit, nothing)
        assert (world == 0).all()
        np.testing.assert_allclose(log_values, [np.log(3) + 400 * np.log(10)] * n_rows, rtol=1e-13)
        np.testing.assert_allclose(infer.log_likelihood(circuit, np.full((n_rows, 1), 2)), [-np.inf] * n_rows)

    def test_a_sum_beyond_the_largest_double(self, tools: Any) -> None:
        circuit = tools.sum_of_products([[1.5e308], [1.5e308]])
        assert infer.log_likelihood(circuit, {}) == pytest.approx(np.log(1.5e308) + np.log(2), rel=1e-14)
        samples = infer.sample(circuit, 1000, random_state=1).codes
        assert 400 < samples.sum() < 600

    def test_large_and_small_numbers_that_meet_again(self, tools: Any) -> None:
        circuit = tools.sum_of_products([[1e300, 1e300, 1e-300, 1e-300], [1e-300, 1e-300, 1e300, 1e300, 3.0]])
        for n_rows in (1, 2, 9):
            nothing = np.full((n_rows, 1), -1)
            np.testing.assert_allclose(infer.log_likelihood(circuit, nothing), np.log(4), rtol=1e-13)
            np.testing.assert_allclose(infer.marginals(circuit, nothing)["a"], [[0.25, 0.75]] * n_rows, rtol=1e-13)

    def test_weights_that_do_not_add_up_to_one(self, tools: Any, learned: Any) -> None:
        a, b = learned(), learned(seed=5, splits="binary")
        circuit = tools.mixture([a.circuit, b.circuit], [3.0, 5.0])
        rows = a.rows(1, 20, 0.5)
        joints = [3 * a.joint(row) + 5 * b.joint(row) for row in rows]
        np.testing.assert_allclose(infer.log_likelihood(circuit, rows), [np.log(j.sum()) for j in joints], rtol=1e-11)
        found = infer.marginals(circuit, rows)["x3"]
        expected = [np.bincount(a.worlds[3], joint, 5) / joint.sum() for joint in joints]
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)
