"""Tables read as streams: the schema and the codes of the same table in memory, from files of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from learnac.data import Dataset
from learnac.data.batches import FileBatches, batch_source, files_of
from learnac.data.binning import Binning
from learnac.data.bins import Bins
from learnac.data.blocks import BlockTable
from learnac.data.column_options import ColumnOptions
from learnac.data.prepare import prepare
from learnac.data.streamed import encoded, pack_stream
from learnac.data.tables import read_frame
from learnac.errors import DataError, Problem

N_ROWS = 40_000  # more than a batch
RNG = np.random.default_rng(4)
TABLE = pa.table(
    {
        "code": RNG.integers(0, 3, N_ROWS),
        "late": np.where(np.arange(N_ROWS) == N_ROWS - 1, 7, 1),  # A value that only the last batch has.
        "flag": RNG.random(N_ROWS) < 0.5,
        "text": RNG.choice(["b", "a", "ä"], N_ROWS).tolist(),
        "number": RNG.normal(size=N_ROWS).round(3),
    }
)
BINNED = ColumnOptions(bins={"number": Bins((-1.0, 0.5))})

WRITERS: dict[str, Callable[[Any, Path], object]] = {
    "t.csv": pa_csv.write_csv,
    "t.tsv": lambda table, path: pa_csv.write_csv(table, path, pa_csv.WriteOptions(delimiter="\t")),
    "t.parquet": lambda table, path: pq.write_table(table, path, row_group_size=7000),
    "t.feather": lambda table, path: feather.write_feather(table, str(path), chunksize=9000),
}


def in_memory(path: Path, options: ColumnOptions) -> Dataset:
    return prepare(read_frame(path), options).dataset


def assert_same(blocks: BlockTable, expected: Dataset, source: Any, drop: frozenset[str] = frozenset()) -> None:
    for name in ("names", "categories", "ordered", "ignored"):
        assert getattr(blocks.schema, name) == getattr(expected.schema, name), name
    assert blocks.n_rows == expected.n_rows
    codes = np.concatenate(list(encoded(blocks.schema, source, drop)), axis=1)
    np.testing.assert_array_equal(codes, expected.codes)


@pytest.mark.parametrize("name", WRITERS)
def test_files_of_every_kind_are_as_in_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](TABLE, path)
    source = FileBatches.of(path)
    assert_same(pack_stream(source, BINNED).blocks, in_memory(path, BINNED), source)


def test_a_folder_and_a_pattern_are_one_table(tmp_path: Path) -> None:
    for i in range(3):
        pq.write_table(TABLE.slice(i * 15_000, 15_000), tmp_path / f"part-{i}.parquet")
    whole = tmp_path.parent / "whole.parquet"
    pq.write_table(TABLE, whole)
    expected = in_memory(whole, BINNED)
    for pattern in (tmp_path, tmp_path / "part-*.parquet"):
        source = FileBatches.of(pattern)
        assert_same(pack_stream(source, BINNED).blocks, expected, source)


def test_arrow_batches_that_come_once(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE, path)

    def once() -> Iterator[Any]:
        yield from TABLE.to_batches(max_chunksize=6000)

    source = batch_source(once(), folder=tmp_path)
    assert_same(pack_stream(source, BINNED).blocks, in_memory(path, BINNED), source)
    assert [each.name for each in tmp_path.iterdir()] == ["t.parquet"]


def test_declared_categories_keep_their_order(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": pd.Categorical(["m", "s", "m"] * 9, categories=["s", "m", "l"]), "x": [0, 1, 0] * 9})
    frame.to_parquet(path := tmp_path / "t.parquet")
    source = FileBatches.of(path)
    packed = pack_stream(source).blocks
    assert packed.schema.categories[0] == ("s", "m", "l")
    assert_same(packed, in_memory(path, ColumnOptions()), source)


@pytest.mark.parametrize("late", ["x", "2.0"])
def test_columns_of_text_files_whose_type_shows_late(tmp_path: Path, late: str) -> None:
    path = tmp_path / "t.csv"
    filler = "\n".join("1,some words to fill blocks" for _ in range(80_000))
    path.write_text(f"a,b\n{filler}\n{late},other\n")
    source = FileBatches.of(path)
    blocks = pack_stream(source).blocks
    assert blocks.schema.categories == in_memory(path, ColumnOptions()).schema.categories


def test_columns_that_are_left_out_may_hold_anything(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [0, 1, 0], "id": [None, 1.5, 2.5]}), path)
    streamed = pack_stream(FileBatches.of(path), ColumnOptions(drop=frozenset(["id"])))
    assert streamed.schema.names == ("a",)
    assert streamed.dropped == ("id",)


class TestWhatIsWrong:
    def test_a_missing_value_is_said_with_its_row(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({"a": [0] * 30_000 + [None]}), path, row_group_size=10_000)
        with pytest.raises(
            DataError, match=r"t\.parquet: column 'a', row 30,000: expected a value, found none"
        ) as error:
            pack_stream(FileBatches.of(path))
        assert error.value.row == 30_000

    def test_numbers_need_limits(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        pq.write_table(TABLE, path)
        with pytest.raises(DataError, match="'number': expected the limits of its intervals, found none") as error:
            pack_stream(FileBatches.of(path))
        assert error.value.problem is Problem.CONTINUOUS

    def test_a_number_of_bins_needs_the_whole_column(self, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        pq.write_table(TABLE, path)
        with pytest.raises(DataError, match="'number': expected the limits of its intervals, found a number of them"):
            pack_stream(FileBatches.of(path), ColumnOptions(bins={"number": Binning(5)}))

    def test_a_file_that_changes_while_it_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("a\n" + "0\n1\n" * 300_000)

        def change(n_rows: int) -> None:
            with path.open("a") as file:
                file.write("1\n")

        with pytest.raises(DataError, match=r"t\.csv: the file changed while it was read"):
            pack_stream(FileBatches.of(path), on_rows=change)

    def test_files_with_other_columns(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": [0, 1]}), tmp_path / "1.parquet")
        pq.write_table(pa.table({"b": [0, 1]}), tmp_path / "2.parquet")
        with pytest.raises(DataError, match=r"2\.parquet: expected the columns of the files before it, 'a'; found 'b'"):
            pack_stream(FileBatches.of(tmp_path))

    def test_a_folder_of_several_kinds(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("x\n1\n")
        (tmp_path / "b.parquet").write_text("")
        with pytest.raises(DataError, match=r"expected files of one kind in this folder, found '\.csv', '\.parquet'"):
            files_of(tmp_path)

    def test_a_pattern_that_nothing_fits(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="expected files, found none whose names fit this pattern"):
            files_of(tmp_path / "*.parquet")

    def test_what_is_no_batch(self) -> None:
        with pytest.raises(TypeError, match="expected record batches or tables of pyarrow, found int"):
            batch_source(iter([1, 2]))
