"""The scores of the core against NumPy and sums over rows; and the candidates that come of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from learnac._core import CandidateFinder, GrowingTrees, SparseCells, leaf_score

counts_of_leaves = st.lists(
    st.one_of(st.integers(0, 200_000).map(float), st.floats(1e-6, 1000)), min_size=1, max_size=6
).map(np.array)
alphas = st.sampled_from([0.0, 0.01, 0.5, 1.0, 3.0])


@settings(derandomize=True, max_examples=300)
@given(counts_of_leaves, alphas)
def test_likelihood_is_that_of_the_rows_under_smoothed_parameters(counts: np.ndarray, alpha: float) -> None:
    smoothed = counts + alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(smoothed / smoothed.sum()), 0.0)
    expected = terms.sum()
    assert leaf_score("likelihood", alpha, counts, 0.5) == pytest.approx(expected, rel=1e-11, abs=1e-9)
    of_leaf = alpha * len(counts)
    assert leaf_score("likelihood_by_leaf", of_leaf, counts, 0.5) == pytest.approx(expected, rel=1e-11, abs=1e-9)


@settings(derandomize=True, max_examples=300)
@given(counts_of_leaves, st.sampled_from([0.5, 1.0, 10.0]), st.sampled_from([1.0, 0.5, 0.125]))
def test_bdeu_is_the_marginal_likelihood(counts: np.ndarray, sample_size: float, mass: float) -> None:
    prior = sample_size * mass
    cell = prior / len(counts)
    expected = (gammaln(cell + counts) - gammaln(cell)).sum() + gammaln(prior) - gammaln(prior + counts.sum())
    assert leaf_score("bdeu", sample_size, counts, mass) == pytest.approx(expected, rel=1e-10, abs=1e-8)


@settings(derandomize=True, max_examples=100)
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
    ordered = rng.integers(2, size=4).astype(np.uint8)
    trees = GrowingTrees(arities.astype(np.uint32), is_binary, *score, 0.0, ordered)
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
        if ordered[v] and n_values > 2:
            for a in range(n_values - 1):
                below, share = block[: a + 1].sum(axis=0), (a + 1) / n_values
                parts = (below, share), (totals - below, 1 - share)
                expected[v, a] = sum(leaf_score(*score, *part) for part in parts) - leaf_score(*score, totals, 1.0)
            continue
        for a in range(1 if n_values == 2 else n_values):
            parts = (block[a].copy(), 1 / n_values), (totals - block[a], 1 - 1 / n_values)
            expected[v, a] = sum(leaf_score(*score, *part) for part in parts) - leaf_score(*score, totals, 1.0)
    assert found.keys() == expected.keys()
    for split, gain in expected.items():
        assert found[split] == pytest.approx(np.float32(gain), rel=1e-6, abs=1e-6)


def sparse(cells: np.ndarray) -> SparseCells:
    starts = np.concatenate([[0], np.cumsum(np.count_nonzero(cells, axis=1))]).astype(np.uint64)
    return SparseCells(starts, np.nonzero(cells)[1].astype(np.uint32), cells[cells != 0])


@settings(derandomize=True, max_examples=100)
@given(
    st.integers(0, 99_999),
    st.booleans(),
    st.booleans(),
    st.sampled_from([("likelihood", 0.0), ("likelihood", 0.7), ("likelihood_by_leaf", 2.0), ("bdeu", 2.0)]),
)
def test_cells_that_are_not_there_count_as_zero_to_the_last_bit(
    seed: int, is_binary: bool, is_weighted: bool, score: tuple[str, float]
) -> None:
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 3, 30], size=4)
    rows = rng.integers(arities, size=(40, 4))
    weights = rng.integers(0, 640, size=40) / 128 if is_weighted else np.ones(40)
    cells = np.zeros((arities.sum(), arities[0]))
    starts = np.concatenate([[0], np.cumsum(arities)])
    for v in range(4):
        np.add.at(cells, (starts[v] + rows[:, v], rows[:, 0]), weights)
    ordered = rng.integers(2, size=4).astype(np.uint8)
    trees = GrowingTrees(arities.astype(np.uint32), is_binary, *score, 0.0, ordered)
    trees.add_root(np.bincount(rows[:, 0], weights, minlength=arities[0]).astype(float))
    finder = CandidateFinder(trees, *score, 0.1, np.ones(4, np.uint8), np.empty(0, np.uint8))
    for found, expected in zip(finder.find(0, sparse(cells)), finder.find(0, cells), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert len(found) > 0


@pytest.mark.parametrize(
    ("starts", "values", "counts", "message"),
    [
        ([0, 1], [0], [1.0, 1.0], "a count for each value"),
        ([0, 1, 1, 1], [0, 1], [1.0, 1.0], "starts from 0 to the number of cells"),
        ([], [], [], "starts from 0"),
        ([0, 2, 1, 2], [0, 1], [1.0, 1.0], "ascending starts"),
        ([0, 9, 2], [0, 1], [1.0, 1.0], "ascending starts"),
        ([0, 2, 2], [1, 0], [1.0, 1.0], "ascending values"),
        ([0, 0, 2], [0, 1], [1.0, 1.0], "expected counts for each indicator"),
        ([0, 1, 1, 1, 1], [2], [1.0], "value: expected less than 2, found 2"),
        ([0, 1, 1, 1, 1], [0], [9.0], "no cell to have more than its total"),
    ],
)
def test_sparse_cells_that_cannot_be_are_refused(
    starts: list[int], values: list[int], counts: list[float], message: str
) -> None:
    trees = GrowingTrees(np.array([2, 2], np.uint32), True, "likelihood", 1.0, 0.0)
    trees.add_root(np.array([3.0, 2.0]))
    finder = CandidateFinder(trees, "likelihood", 1.0, 0.0, np.ones(2, np.uint8), np.empty(0, np.uint8))
    with pytest.raises(ValueError, match=message):
        finder.find(0, SparseCells(np.array(starts, np.uint64), np.array(values, np.uint32), np.array(counts)))
