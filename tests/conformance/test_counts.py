"""What holds of everyone who counts: the same counts as row by row, and so the same model to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from counting import PlainCounts, all_cells
from hypothesis import given, settings
from hypothesis import strategies as st
from learning import SETTINGS, TRAINING, VALIDATION, assert_same_model, each_schedule, with_ordered
from numpy.typing import NDArray

from learnac._core import PackedTable
from learnac.data import Dataset
from learnac.data.blocks import BlockWriter
from learnac.learn import (
    CountProvider,
    LeafCounts,
    LeafPath,
    LearnSettings,
    PassCounts,
    PathCounter,
    TableCounts,
    learn,
)
from learnac.learn.blocks import OnDisk

Floats = NDArray[np.float64]
Provider = Callable[[Dataset, Floats | None], CountProvider]


class Blocks:
    """A `RowSource` over blocks of 100 rows, in memory."""

    def __init__(self, dataset: Dataset, weights: Floats | None) -> None:
        self.arities, self.fingerprint = dataset.arities, TableCounts(dataset, weights).fingerprint
        arities = dataset.arities.astype(np.uint32)
        total = None if weights is None else float(weights.sum())
        parts = [slice(start, start + 100) for start in range(0, dataset.n_rows, 100)]
        self.blocks = [
            PackedTable(
                np.ascontiguousarray(dataset.codes[:, part]),
                arities,
                np.empty(0) if weights is None else weights[part],
                total,
            )
            for part in parts
        ]
        self.weight = sum(block.total_weight for block in self.blocks)

    def count(self, paths: Sequence[LeafPath]) -> list[LeafCounts]:
        counter = PathCounter(self.arities, paths)
        for block in self.blocks:
            counter.add(block)
        return counter.take()


def by_passes(dataset: Dataset, weights: Floats | None) -> CountProvider:
    return PassCounts(Blocks(dataset, weights))


def by_passes_with_little_room(dataset: Dataset, weights: Floats | None) -> CountProvider:
    return PassCounts(Blocks(dataset, weights), most_cells=50)


def on_disk(dataset: Dataset, weights: Floats | None) -> CountProvider:
    writer = BlockWriter(dataset.schema, has_weights=weights is not None)
    writer._codec.block_rows = 64
    writer.add(dataset.codes, weights)
    return PassCounts(OnDisk(writer.table()).rows())


# Everyone who counts. A new one is added here.
each_provider = pytest.mark.parametrize(
    "provider", [TableCounts, PlainCounts, by_passes, by_passes_with_little_room, on_disk]
)

stable = settings(derandomize=True, max_examples=60)
seeds = st.integers(0, 99_999)
weightings = st.sampled_from(["none", "whole", "fractional"])
# Around multiples of 64, where the words of bit columns begin and end.
row_counts = st.sampled_from([1, 2, 63, 64, 65, 128, 300])


def random_table(rng: np.random.Generator, n_rows: int) -> Dataset:
    """Dense or sparse; one of three has a variable with too many values for bit columns, or for a table of cells."""
    arities = [int(arity) for arity in rng.choice([1, 2, 2, 3, 4, 5], size=rng.integers(1, 7))]
    if rng.random() < 0.3:
        arities.append(int(rng.choice([40, 300])))
    rows = rng.integers(arities, size=(n_rows, len(arities)))
    if rng.random() < 0.5:
        rows = np.where(rng.random(rows.shape) < 0.05, rows, rng.integers(arities))
    return Dataset.from_array(rows, arities=arities)


class TestWhatIsNotCounted:
    """A provider that gives something else is told so, before the core reads it."""

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (lambda counted: counted[:-1], "expected an entry for each of 6 leaves, found 5"),
            (lambda counted: [c._replace(totals=c.totals[:-1]) for c in counted], "child 0: totals: expected float64"),
            (lambda counted: [c._replace(cells=c.cells.T) for c in counted], r"cells: expected .* \(14, 2\)"),
            (lambda counted: [c._replace(cells=c.cells.astype(int)) for c in counted], "found int64"),
        ],
    )
    def test_wrong_shapes_are_named(self, spoil: Callable[[Any], Any], message: str) -> None:
        class Spoiled(TableCounts):
            def count(self, leaves: Any) -> Any:
                return spoil(super().count(leaves))

        with pytest.raises(ValueError, match=message):
            learn(TRAINING.schema, Spoiled(TRAINING), LearnSettings(**SETTINGS))

    def test_counts_of_another_table_are_refused(self) -> None:
        other = Dataset.from_array(np.zeros((5, TRAINING.n_variables), int), arities=3)
        with pytest.raises(ValueError, match="expected float64 of shape"):
            learn(TRAINING.schema, TableCounts(other), LearnSettings(**SETTINGS))


def random_weights(rng: np.random.Generator, weighting: str, n_rows: int) -> Floats | None:
    """Multiples of 1/128: their sums are exact in any order."""
    if weighting == "none":
        return None
    return rng.integers(0, 640, size=n_rows) / (1 if weighting == "whole" else 128)


def random_splits(
    rng: np.random.Generator, arities: NDArray[np.integer[Any]], n_splits: int
) -> Iterator[tuple[int, NDArray[np.uint32], int]]:
    for _ in range(n_splits):
        variable = int(rng.integers(len(arities)))
        arity = int(arities[variable])
        if arity <= 5 and rng.random() < 0.5:
            yield variable, np.arange(arity, dtype=np.uint32), arity
        else:
            differs = np.not_equal if rng.random() < 0.5 else np.greater
            yield variable, differs(np.arange(arity), rng.integers(arity)).astype(np.uint32), 2


@each_provider
@stable
@given(seed=seeds, n_rows=row_counts, weighting=weightings)
def test_counts_are_those_of_the_rows(provider: Provider, seed: int, n_rows: int, weighting: str) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(rng, n_rows)
    weights = random_weights(rng, weighting, n_rows)
    counts, plain = provider(table, weights), PlainCounts(table, weights)
    assert counts.weight == plain.weight
    waiting = list(range(table.n_variables))  # not counted yet
    open_leaves = []
    for variable, branch_of, n_branches in random_splits(rng, table.arities, 6):
        if waiting and rng.random() < 0.8:
            check(counts, plain, waiting)
            open_leaves += waiting
            waiting = []
        if not open_leaves + waiting:
            return
        # Leaves may be split before they are counted.
        leaf = int(rng.choice(open_leaves + waiting))
        (waiting if leaf in waiting else open_leaves).remove(leaf)
        for each in (counts, plain):
            each.split(leaf, variable, branch_of, n_branches)
        new = list(range(len(plain._leaves) - n_branches, len(plain._leaves)))
        waiting += new
        if rng.random() < 0.2 and open_leaves:
            counts.forget(open_leaves.pop())
    check(counts, plain, waiting)


def check(counts: CountProvider, plain: PlainCounts, leaves: list[int]) -> None:
    for found, expected in zip(counts.count(leaves), plain.count(leaves), strict=True):
        cells = all_cells(found.cells, len(found.totals))
        assert cells.dtype == found.totals.dtype == np.float64
        np.testing.assert_array_equal(cells, expected.cells)
        np.testing.assert_array_equal(found.totals, expected.totals)
    for totals, expected_totals in zip(counts.totals(leaves), plain.totals(leaves), strict=True):
        np.testing.assert_array_equal(totals, expected_totals)


@each_provider
@each_schedule
@pytest.mark.parametrize(("kind", "ordered"), [("complete", ()), ("binary", ()), ("binary", (1, 4))])
def test_the_same_splits_and_the_same_model(
    provider: Provider, schedule: str, kind: str, ordered: tuple[int, ...]
) -> None:
    chosen = LearnSettings(schedule=schedule, splits=kind, **SETTINGS)
    schema = with_ordered(TRAINING, ordered).schema
    by_provider, plain = (
        learn(schema, count(TRAINING, None), chosen, validation=count(VALIDATION, None))
        for count in (provider, PlainCounts)
    )
    assert len(plain.trace) > 10
    assert_same_model(by_provider, plain)


@each_provider
def test_the_same_rows_have_the_same_fingerprint_and_others_another(provider: Provider) -> None:
    prints = [
        provider(TRAINING, None).fingerprint,
        provider(VALIDATION, None).fingerprint,
        provider(TRAINING, np.full(TRAINING.n_rows, 2.0)).fingerprint,
    ]
    assert len(set(prints)) == 3
    assert provider(TRAINING, None).fingerprint == prints[0]
