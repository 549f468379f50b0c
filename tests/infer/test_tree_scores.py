"""Complete rows by the compiled trees, against NumPy's walk through each tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac import Dataset
from learnac.learn import LearnSettings, learn_table
from learnac.network import BayesNet


def plain(network: BayesNet, codes: Any) -> Any:
    """In the order of the trees, as the compiled code adds: so that both round alike."""
    total = np.zeros(codes.shape[1])
    for tree in network.trees:
        total += tree.log_likelihood(codes)
    return total


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.int16, np.int32])
@pytest.mark.parametrize("n_rows", [0, 1, 2, 63, 64, 65, 127, 128, 129, 1000])
def test_any_codes_and_any_number_of_rows(case: Any, dtype: Any, n_rows: int) -> None:
    codes = np.ascontiguousarray(case.rows(n_rows, n_rows, 1, possible=False).T.astype(dtype))
    assert np.array_equal(case.network.log_likelihood(codes), plain(case.network, codes))


@settings(derandomize=True, max_examples=60)
@given(
    seed=st.integers(0, 9999),
    splits=st.sampled_from(["complete", "binary"]),
    alpha=st.sampled_from([0.0, 0.5]),
    arities=st.lists(st.integers(1, 6), min_size=1, max_size=6),
)
def test_random_models(learned: Any, seed: int, splits: str, alpha: float, arities: list[int]) -> None:
    case = learned.__wrapped__(seed, splits, alpha, tuple(arities), 60)
    found = case.network.log_likelihood(case.worlds.astype(np.uint8))
    assert np.array_equal(found, plain(case.network, case.worlds))
    np.testing.assert_allclose(np.exp(found), case.probabilities, rtol=1e-12, atol=0)


@pytest.mark.parametrize("splits", ["complete", "binary"])
def test_arities_beyond_a_byte(splits: str) -> None:
    rng = np.random.default_rng(1)
    first = np.where(rng.random(1000) < 0.4, 299, rng.integers(300, size=1000))
    second = np.where((first == 299) & (rng.random(1000) < 0.9), 2, rng.integers(3, size=1000))
    third = np.where(rng.random(1000) < 0.8, second * 129, rng.integers(260, size=1000))
    dataset = Dataset.from_array(np.column_stack([first, second, third]), arities=[300, 3, 260])
    allowed = {"x0": [], "x1": ["x0"], "x2": ["x0", "x1"]}
    model = learn_table(dataset, LearnSettings(0.0, 0.0, splits=splits, max_splits=6), allowed_parents=allowed)
    assert any(0 in tree.parents for tree in model.network.trees)
    assert len(model.network.trees[2].variables) > 1
    assert dataset.codes.dtype == np.uint16
    expected = plain(model.network, dataset.codes)
    assert np.array_equal(model.network.log_likelihood(dataset.codes), expected)
    assert np.array_equal(model.network.log_likelihood(dataset.codes.astype(np.int16)), expected)


def test_more_rows_than_are_scored_at_once(learned: Any) -> None:
    case = learned()
    codes = case.rows(1, 65_536 * 2 + 17, 1).T.astype(np.uint8)
    assert np.array_equal(case.network.log_likelihood(codes), plain(case.network, codes))


def test_codes_in_any_layout(learned: Any) -> None:
    case = learned()
    codes = case.rows(1, 100, 1).T.astype(np.uint8)
    expected = plain(case.network, codes)
    assert np.array_equal(case.network.log_likelihood(np.asfortranarray(codes)), expected)
    assert np.array_equal(case.network.log_likelihood(np.repeat(codes, 2, axis=1)[:, ::2]), expected)


def test_impossible_rows_are_minus_infinity(partial_case: Any) -> None:
    found = partial_case.network.log_likelihood(partial_case.worlds.astype(np.uint8))
    assert np.array_equal(found == -np.inf, partial_case.probabilities == 0)
    assert not np.isnan(found).any()
