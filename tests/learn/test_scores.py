"""The scores of the core against NumPy and sums over rows; and the candidates that come of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from learnac._core import CandidateFinder, GrowingTrees, leaf_score

counts_of_leaves = st.lists(
    st.one_of(st.integers(0, 200_000).map(float), st.floats(1e-6, 1000)), min_size=1, max_size=6
).map(np.array)
alphas = st.sampled_from([0.0, 0.01, 0.5, 1.0, 3.0])


@settings(deadline=None, derandomize=True, max_examples=300)
@given(counts_of_leaves, alphas)
def test_likelihood_is_that_of_the_rows_under_smoothed_parameters(counts: np.ndarray, alpha: float) -> None:
    smoothed = counts + alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(smoothed / smoothed.sum()), 0.0)
    expected = terms.sum()
    assert leaf_score("likelihood", alpha, counts, 0.5) == pytest.approx(expected, rel=1e-11, abs=1e-9)
    of_leaf = alpha * len(counts)
    assert leaf_score("likelihood_by_leaf", of_leaf, counts, 0.5) == pytest.approx(expected, rel=1e-11, abs=1e-9)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(counts_of_leaves, st.sampled_from([0.5, 1.0, 10.0]), st.sampled_from([1.0, 0.5, 0.125]))
def test_bdeu_is_the_marginal_likelihood(counts: np.ndarray, sample_size: float, mass: float) -> None:
    prior = sample_size * mass
    cell = prior / len(counts)
    expected = (gammaln(cell + counts) - gammaln(cell)).sum() + gammaln(prior) - gammaln(prior + counts.sum())
    assert leaf_score("bdeu", sample_size, counts, mass) == pytest.approx(expected, rel=1e-10, abs=1e-8)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(
    st.integers(0, 99_999),
    st.booleans(),
    st.sampled_from([("likelihood", 0.7), ("likelihood_by_leaf", 2.0), ("bdeu", 2.0)]),
)
def test_gains_are_differences_of_scores(seed: int, is_binary: bool, score: tuple[str, float]) -> None:
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 3, 4], size=4)
    rows = rng.integers(arities, size=(200, 4))
    child = 0
    cells = np.concatenate(
        [
            [[np.sum((rows[:, v] == a) & (rows[:, child] == x)) for x in range(arities[child])] for a in range(arity)]
            for v, arity in enumerate(arities)
        ]
    ).astype(float)
    trees = GrowingTrees(arities.astype(np.uint32), is_binary, *score, 0.0)
    totals = np.bincount(rows[:, child], minlength=arities[child]).astype(float)
    trees.add_root(totals)
    finder = CandidateFinder(trees, *score, 0.0, np.ones(4, np.uint8), np.empty(0, np.uint8))
    found = {(v, a): gain for v, a, gain in zip(*(array.tolist() for array in finder.find(child, cells)), strict=True)}
    starts = np.concatenate([[0], np.cumsum(arities)])
    expected = {}
    for v in range(1, 4):
        block = cells[starts[v] : starts[v + 1]]
        n_values = int(arities[v])
        if not is_binary:
            after = sum(leaf_score(*score, block[a].copy(), 1 / n_values) for a in range(n_values))
            expected[v, 0] = after - leaf_score(*score, totals, 1.0)
            continue
        for a in range(1 if n_values == 2 else n_values):
            parts = (block[a].copy(), 1 / n_values), (totals - block[a], 1 - 1 / n_values)
            expected[v, a] = sum(leaf_score(*score, *part) for part in parts) - leaf_score(*score, totals, 1.0)
    assert found.keys() == expected.keys()
    for split, gain in expected.items():
        assert found[split] == pytest.approx(np.float32(gain), rel=1e-6, abs=1e-6)
