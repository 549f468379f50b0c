"""Counting by bit columns, sparse rows and plain codes, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from counting import all_cells
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from learnac._core import Counter, PackedTable

Codes = NDArray[np.unsignedinteger[Any]]
Floats = NDArray[np.float64]

stable = settings(derandomize=True)
seeds = st.integers(0, 99_999)
dtypes = st.sampled_from([np.uint8, np.uint16, np.uint32])
weightings = st.sampled_from(["none", "whole", "fractional"])
# Around multiples of 64, where the words of bit columns begin and end.
row_counts = st.sampled_from([1, 2, 63, 64, 65, 127, 128, 129, 300])


@dataclass
class Leaf:
    child: int
    rows: NDArray[np.bool_]


@dataclass
class PlainCounter:
    """What a `Counter` must say, one mask over the rows for each leaf."""

    codes: Codes
    arities: list[int]
    weights: Floats
    leaves: list[Leaf]

    def count(self, leaf: int) -> Floats:
        """(indicators x values of the child)"""
        child, rows = self.leaves[leaf].child, self.leaves[leaf].rows
        tables = []
        for column, arity in zip(self.codes, self.arities, strict=True):
            table = np.zeros((arity, self.arities[child]))
            np.add.at(table, (column[rows], self.codes[child][rows]), self.weights[rows])
            tables.append(table)
        return np.concatenate(tables)

    def child_totals(self, leaf: int) -> Floats:
        return self.count(leaf)[: self.arities[0]].sum(axis=0)

    def split(self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int) -> int:
        """The first of the new leaves."""
        first = len(self.leaves)
        branches = branch_of[self.codes[variable]]
        for branch in range(n_branches):
            self.leaves.append(Leaf(self.leaves[leaf].child, self.leaves[leaf].rows & (branches == branch)))
        return first


def random_codes(rng: np.random.Generator, arities: list[int], n_rows: int, is_sparse: bool) -> NDArray[np.int64]:
    """Sparse: all but a few values are their column's mode, which need not be 0."""
    columns = []
    for arity in arities:
        column = rng.integers(arity, size=n_rows)
        if is_sparse:
            column = np.where(rng.random(n_rows) < 0.03, column, rng.integers(arity))
        columns.append(column)
    return np.array(columns)


def both(
    codes: NDArray[np.int64], arities: list[int], weights: Floats | None, dtype: Any = np.uint8
) -> tuple[Counter, PlainCounter]:
    packed = PackedTable(
        codes.astype(dtype), np.array(arities, dtype=np.uint32), np.empty(0) if weights is None else weights
    )
    assert packed.n_rows == codes.shape[1]
    everything = np.ones(codes.shape[1], dtype=bool)
    leaves = [Leaf(child, everything) for child in range(len(arities))]
    plain_weights = np.ones(codes.shape[1]) if weights is None else weights
    return Counter(packed), PlainCounter(codes, arities, plain_weights, leaves)


def random_weights(rng: np.random.Generator, weighting: str, n_rows: int) -> Floats | None:
    if weighting == "none":
        return None
    if weighting == "whole":
        return rng.integers(0, 5, size=n_rows).astype(float)
    return rng.exponential(size=n_rows)


def random_branches(
    rng: np.random.Generator, arities: list[int], n_splits: int
) -> Iterator[tuple[int, NDArray[np.uint32], int]]:
    """Variables with the branch of each value: complete, or one value against the rest."""
    for _ in range(n_splits):
        variable = int(rng.integers(len(arities)))
        arity = arities[variable]
        if arity <= 5 and rng.random() < 0.5:
            yield variable, np.arange(arity, dtype=np.uint32), arity
        else:
            yield variable, (np.arange(arity) != rng.integers(arity)).astype(np.uint32), 2


def counted(counter: Counter, leaves: list[int]) -> list[Floats]:
    return [all_cells(cells, len(totals)) for cells, totals in counter.count(leaves)]


def assert_same(found: Floats, expected: Floats, weighting: str) -> None:
    assert found.dtype == np.float64
    if weighting == "fractional":
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)  # Weights are rounded.
    else:
        np.testing.assert_array_equal(found, expected)


@settings(stable, max_examples=200)
@given(seeds, dtypes, row_counts, st.booleans(), weightings)
def test_counts_through_splits_are_those_of_numpy(
    seed: int, dtype: Any, n_rows: int, is_sparse: bool, weighting: str
) -> None:
    rng = np.random.default_rng(seed)
    arities = rng.choice([1, 2, 2, 3, 4, 5], size=rng.integers(1, 7)).tolist()
    codes = random_codes(rng, arities, n_rows, is_sparse)
    counter, plain = both(codes, arities, random_weights(rng, weighting, n_rows), dtype)
    check_splits(rng, counter, plain, weighting)


@settings(stable, max_examples=30)
@given(seeds, st.sampled_from([np.uint16, np.uint32]), row_counts, st.booleans(), weightings)
def test_counts_of_a_variable_with_many_values(
    seed: int, dtype: Any, n_rows: int, is_sparse: bool, weighting: str
) -> None:
    """Too many values for bit columns: the counts come from the codes."""
    rng = np.random.default_rng(seed)
    arities = [2, 3, 310]
    codes = random_codes(rng, arities, n_rows, is_sparse)
    counter, plain = both(codes, arities, random_weights(rng, weighting, n_rows), dtype)
    check_splits(rng, counter, plain, weighting)


def check_splits(rng: np.random.Generator, counter: Counter, plain: PlainCounter, weighting: str) -> None:
    """Leaves are counted as the learner does: when made, or all at once at first, and forgotten at random."""
    open_leaves = list(range(len(plain.arities)))
    for leaf in open_leaves:
        if rng.random() < 0.8:  # A leaf that was not counted has nothing kept to subtract from.
            assert_same(counted(counter, [leaf])[0], plain.count(leaf), weighting)
    for variable, branch_of, n_branches in random_branches(rng, plain.arities, n_splits=6):
        if not open_leaves:
            return
        leaf = open_leaves.pop(rng.integers(len(open_leaves)))
        first = plain.split(leaf, variable, branch_of, n_branches)
        assert counter.split(leaf, variable, branch_of, n_branches) == first
        counts = counted(counter, list(range(first, first + n_branches)))
        for new, found in enumerate(counts, start=first):
            assert_same(found, plain.count(new), weighting)
            assert_same(counter.totals(new), plain.child_totals(new), weighting)
            if rng.random() < 0.3:
                assert_same(counted(counter, [new])[0], plain.count(new), weighting)
            if rng.random() < 0.3:
                counter.forget(new)
            else:
                open_leaves.append(new)


@settings(stable, max_examples=60)
@given(seeds, row_counts, st.booleans(), weightings)
def test_splits_without_counting_follow_the_rows(seed: int, n_rows: int, is_sparse: bool, weighting: str) -> None:
    """As validation tables are used: only the child's totals are asked for."""
    rng = np.random.default_rng(seed)
    arities = rng.choice([1, 2, 3, 5], size=rng.integers(1, 6)).tolist()
    codes = random_codes(rng, arities, n_rows, is_sparse)
    counter, plain = both(codes, arities, random_weights(rng, weighting, n_rows))
    open_leaves = list(range(len(arities)))
    for variable, branch_of, n_branches in random_branches(rng, arities, n_splits=6):
        leaf = open_leaves.pop(rng.integers(len(open_leaves)))
        assert_same(counter.totals(leaf), plain.child_totals(leaf), weighting)
        first = counter.split(leaf, variable, branch_of, n_branches)
        assert first == plain.split(leaf, variable, branch_of, n_branches)
        open_leaves.extend(range(first, first + n_branches))
    for leaf in open_leaves:
        assert_same(counter.totals(leaf), plain.child_totals(leaf), weighting)
        assert_same(counted(counter, [leaf])[0], plain.count(leaf), weighting)


def test_a_leaf_without_rows_counts_nothing() -> None:
    codes = np.array([[0, 0, 0], [0, 1, 2]])
    counter, plain = both(codes, [3, 3], None)
    complete = np.arange(3, dtype=np.uint32)
    counter.split(1, 0, complete, 3)
    plain.split(1, 0, complete, 3)
    counts = counted(counter, [2, 3, 4])
    np.testing.assert_array_equal(counts, [plain.count(leaf) for leaf in (2, 3, 4)])
    assert not np.any(counts[1:])
    counter.split(3, 1, complete, 3)
    assert not np.any(counted(counter, [5, 6, 7]))


def test_whole_weights_too_large_for_the_counts_kept() -> None:
    codes = np.array([[0, 1, 1], [0, 0, 1]])
    counter, plain = both(codes, [2, 2], np.array([3e9, 2e9, 5.0]))
    complete = np.arange(2, dtype=np.uint32)
    np.testing.assert_array_equal(counted(counter, [1])[0], plain.count(1))
    plain.split(1, 0, complete, 2)
    counter.split(1, 0, complete, 2)
    found = counted(counter, [2, 3])
    np.testing.assert_array_equal(found, [plain.count(2), plain.count(3)])


def test_weights_are_rounded_so_that_their_sums_do_not_depend_on_the_order() -> None:
    rng = np.random.default_rng(0)
    codes, weights = rng.integers(2, size=(3, 1000)), rng.exponential(size=1000)
    complete = np.arange(2, dtype=np.uint32)
    tables = []
    for order in (np.arange(1000), rng.permutation(1000)):
        counter, _ = both(codes[:, order], [2, 2, 2], weights[order])
        whole = counted(counter, [2])[0]
        counter.split(2, 0, complete, 2)
        first, second = counted(counter, [3])[0], counted(counter, [4])[0]
        np.testing.assert_array_equal(first + second, whole)
        tables.append(whole)
    np.testing.assert_array_equal(*tables)
    np.testing.assert_allclose(tables[0][:2].sum(), weights.sum(), rtol=1e-12)


@pytest.mark.parametrize(
    ("arities", "weights", "message"),
    [
        ([2], [], "one arity for each column"),
        ([2, 2], [1.0], "one weight for each row"),
        ([2, 1], [], "a code is not below its column's arity"),
    ],
)
def test_tables_that_do_not_fit_are_refused(arities: list[int], weights: list[float], message: str) -> None:
    codes = np.array([[0, 1], [1, 1]], dtype=np.uint8)
    with pytest.raises(ValueError, match=message):
        PackedTable(codes, np.array(arities, dtype=np.uint32), np.array(weights))


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ((5, 0, [0, 1], 2), "leaf: expected less than 2, found 5"),
        ((0, 2, [0, 1], 2), "variable: expected less than 2, found 2"),
        ((0, 1, [0, 1, 1], 2), "a branch for each value"),
        ((0, 1, [0, 2], 2), "branch: expected less than 2, found 2"),
    ],
)
def test_splits_that_cannot_be_are_refused(split: tuple[int, int, list[int], int], message: str) -> None:
    leaf, variable, branch_of, n_branches = split
    counter, _ = both(np.array([[0, 1], [1, 0]]), [2, 2], None)
    with pytest.raises(ValueError, match=message):
        counter.split(leaf, variable, np.array(branch_of, dtype=np.uint32), n_branches)
