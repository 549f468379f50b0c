"""Tables in packed blocks: the model of a table in memory, to the last bit, in few passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning import SETTINGS, assert_same_model, dataset_of, each_kind, each_schedule, random_rows
from numpy.typing import NDArray

from learnac.data import Dataset
from learnac.data.blocks import BlockTable, BlockWriter
from learnac.learn import Learned, LearnSettings, learn_table
from learnac.learn.blocks import BlockRows, OnDisk, learn_parts
from learnac.learn.distinct_rows import DistinctRows
from learnac.learn.held_out import Tenths, tenths_of
from learnac.learn.passes import PassCounts

Floats = NDArray[np.float64]
TABLE = dataset_of(random_rows(seed=1, n_rows=1000))


def blocks_of(dataset: Dataset, weights: Floats | None = None, block_rows: int = 128, batch: int = 300) -> BlockTable:
    writer = BlockWriter(dataset.schema, has_weights=weights is not None)
    writer._codec.block_rows = block_rows
    for start in range(0, dataset.n_rows, batch):
        rows = slice(start, start + batch)
        writer.add(dataset.codes[:, rows], None if weights is None else weights[rows])
    return writer.table()


def learn_blocks(
    table: BlockTable, chosen: LearnSettings, validation: BlockTable | None = None, **more: Any
) -> Learned:
    return learn_parts(OnDisk(table), chosen, validation=None if validation is None else OnDisk(validation), **more)


def some_weights(dataset: Dataset) -> Floats:
    """Fractions whose sums depend on the order, if they are not rounded; some are zero."""
    rng = np.random.default_rng(5)
    return rng.random(dataset.n_rows) * 3 * (rng.random(dataset.n_rows) < 0.9)


@each_schedule
@each_kind
def test_the_model_is_that_of_the_table_in_memory(schedule: str, kind: str) -> None:
    chosen = LearnSettings(schedule=schedule, splits=kind, **SETTINGS)
    in_blocks = learn_blocks(blocks_of(TABLE), chosen)
    assert_same_model(in_blocks, learn_table(TABLE, chosen))
    assert 0 < in_blocks.n_passes < len(in_blocks.trace)


@pytest.mark.parametrize("weighted", [False, True])
def test_with_smoothing_chosen_by_rows_that_are_held_out(weighted: bool) -> None:
    weights = some_weights(TABLE) if weighted else None
    chosen = LearnSettings(max_edges=600)
    in_memory = learn_table(TABLE, chosen, sample_weight=weights)
    assert_same_model(learn_blocks(blocks_of(TABLE, weights), chosen), in_memory)


def test_with_a_validation_table_and_little_memory() -> None:
    other = dataset_of(random_rows(seed=2, n_rows=300))
    chosen = LearnSettings(max_edges=600)
    in_blocks = learn_blocks(blocks_of(TABLE), chosen, validation=blocks_of(other), most_cells=40)
    assert_same_model(in_blocks, learn_table(TABLE, chosen, validation=other))


@given(
    seed=st.integers(0, 999),
    schedule=st.sampled_from(["quick", "greedy"]),
    kind=st.sampled_from(["binary", "complete"]),
)
@settings(derandomize=True, max_examples=25)
def test_split_by_split_on_random_tables(seed: int, schedule: str, kind: str) -> None:
    rng = np.random.default_rng(seed)
    arities = [int(arity) for arity in rng.choice([1, 2, 3, 5, 30], size=rng.integers(2, 8))]
    table = dataset_of(random_rows(seed, int(rng.integers(50, 400)), arities), arities)
    price = float(rng.choice([0.01, 0.3]))
    chosen = LearnSettings(
        schedule=schedule, splits=kind, edge_penalty=price, alpha=float(rng.choice([0.0, 1.0])), shrinkage=0.0
    )
    weights = rng.integers(0, 4, table.n_rows) / 4 if rng.random() < 0.3 else None
    if weights is not None and weights.sum() == 0:
        return
    in_blocks = learn_blocks(blocks_of(table, weights, block_rows=64), chosen, most_cells=int(rng.choice([100, 10**6])))
    assert_same_model(in_blocks, learn_table(table, chosen, sample_weight=weights))


@each_schedule
def test_ordered_variables_are_split_at_thresholds(schedule: str) -> None:
    arities = [5, 8, 2, 6, 30]
    table = dataset_of(random_rows(9, 1500, arities), arities)
    ordered = Dataset(replace(table.schema, ordered=(True,) * 5), table.codes)
    chosen = LearnSettings(schedule=schedule, **SETTINGS)
    in_memory = learn_table(ordered, chosen)
    assert [info.variable for info in in_memory.trace] != [info.variable for info in learn_table(table, chosen).trace]
    assert_same_model(learn_blocks(blocks_of(ordered), chosen), in_memory)


def test_required_parents_are_split_on_before_anything_is_counted() -> None:
    from learnac.learn import ParentRules

    rules = ParentRules(required={"x0": ["x1", "x4"], "x5": ["x2"]})
    chosen = LearnSettings(**SETTINGS)
    in_blocks = learn_blocks(blocks_of(TABLE), chosen, allowed_parents=rules)
    assert_same_model(in_blocks, learn_table(TABLE, chosen, allowed_parents=rules))


def test_few_passes_count_little_in_vain() -> None:
    rows = random_rows(seed=3, n_rows=4000, arities=[2] * 30)
    table = dataset_of(rows, [2] * 30)
    counts = PassCounts(BlockRows(blocks_of(table, block_rows=1024)))
    from learnac.learn import learn

    found = learn(table.schema, counts, LearnSettings(edge_penalty=0.1, alpha=1.0, shrinkage=0.0))
    assert len(found.trace) > 100
    assert found.n_passes < len(found.trace) / 3
    # Those of all variables, and less than two for each split.
    assert counts.n_counted < 30 + 2 * len(found.trace)


class TestRowsThatComeAgain:
    ARITIES = (2, 3, 2, 2)

    def table(self, n_rows: int) -> Dataset:
        return dataset_of(random_rows(7, n_rows, list(self.ARITIES)), list(self.ARITIES))

    def test_are_counted_once_and_make_the_same_model(self) -> None:
        table = self.table(6000)
        blocks = blocks_of(table, block_rows=1024)
        assert isinstance(OnDisk(blocks).rows(), DistinctRows)
        for schedule in ("quick", "greedy"):
            chosen = LearnSettings(max_edges=200, schedule=schedule)
            assert_same_model(learn_blocks(blocks, chosen), learn_table(table, chosen))

    def test_are_not_looked_for_where_there_are_few(self) -> None:
        assert isinstance(OnDisk(blocks_of(self.table(200))).rows(), BlockRows)

    @pytest.mark.parametrize("arities", [ARITIES, (2, 300, 3), (40, 40, 40)])
    def test_blocks_give_back_their_codes(self, arities: tuple[int, ...]) -> None:
        table = dataset_of(random_rows(8, 1000, list(arities)), list(arities))
        blocks = blocks_of(table, block_rows=192)
        codes = np.concatenate([blocks.codes(block) for block in range(blocks.n_blocks)], axis=1)
        np.testing.assert_array_equal(codes, table.codes)


class TestWhichRowsAreHeldOut:
    def test_tenths_of_few_rows_are_those_of_a_shuffled_list(self) -> None:
        for n_rows in (2, 9, 50, 1234):
            order = np.random.default_rng(0).permutation(np.arange(n_rows) * 7)
            pieces = np.array_split(order, min(10, n_rows))
            labels = Tenths(n_rows).labels(0, n_rows)
            for number, piece in enumerate(pieces):
                np.testing.assert_array_equal(np.flatnonzero(labels == number) * 7, np.sort(piece))

    def test_tenths_of_many_rows_do_not_depend_on_where_blocks_begin(self) -> None:
        tenths = Tenths(10**9)
        whole = tenths.labels(500, 100_000)
        parts = [tenths.labels(500 + start, 1000) for start in range(0, 100_000, 1000)]
        np.testing.assert_array_equal(whole, np.concatenate(parts))
        counts = np.bincount(whole, minlength=10)
        assert len(counts) == 10
        assert abs(counts - 10_000).max() < 500

    def test_of_too_few_rows_there_are_none(self) -> None:
        assert tenths_of(49) is None


def test_a_full_disk_is_said_of_the_folder(tmp_path: Path) -> None:
    class FullDisk:
        def write(self, content: bytes) -> int:
            raise OSError(28, "No space left on device")

    writer = BlockWriter(TABLE.schema, tmp_path)
    with writer._file.file:
        writer._file.file = FullDisk()  # type: ignore[assignment]
        writer.add(TABLE.codes)
        with pytest.raises(OSError, match="no room for a packed table") as caught:
            writer.table()
    assert caught.value.filename == str(tmp_path)
    assert list(tmp_path.iterdir()) == []
