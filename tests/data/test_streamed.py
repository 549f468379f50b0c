"""Tables read as streams: the schema and the codes of the same table in memory, from files of every kind."""

from __future__ import annotations

import pickle
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

from learnac.data import Dataset, number_counts
from learnac.data.batches import FileBatches, batch_source, files_of
from learnac.data.binning import Binning
from learnac.data.bins import Bins
from learnac.data.blocks import BlockTable
from learnac.data.column_options import ColumnOptions
from learnac.data.incomplete import with_missing_category
from learnac.data.kinds import Kind
from learnac.data.prepare import prepare
from learnac.data.stream_schema import GrowingColumns
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
        "anywhere": np.where(RNG.random(N_ROWS) < 0.1, 0.0, RNG.normal(size=N_ROWS)),
        "age": RNG.integers(0, 100, N_ROWS),
        "day": (np.datetime64("2020-01-01") + RNG.integers(0, 900, N_ROWS)).tolist(),
        "id": np.arange(N_ROWS) + 5,
        "same": ["x"] * N_ROWS,
        "note": [f"note {i}" for i in range(N_ROWS)],
    }
)
BINNED = ColumnOptions(bins={"number": Bins((-1.0, 0.5)), "age": Binning(5), "anywhere": Binning(4, "uniform")})
FOUND = ColumnOptions()

WRITERS: dict[str, Callable[[Any, Path], object]] = {
    "t.csv": pa_csv.write_csv,
    "t.tsv": lambda table, path: pa_csv.write_csv(table, path, pa_csv.WriteOptions(delimiter="\t")),
    "t.parquet": lambda table, path: pq.write_table(table, path, row_group_size=7000),
    "t.feather": lambda table, path: feather.write_feather(table, str(path), chunksize=9000),
}


def in_memory(path: Path, options: ColumnOptions) -> Dataset:
    return prepare(read_frame(path), options).dataset


def assert_same(blocks: BlockTable, expected: Dataset, source: Any, drop: frozenset[str] = frozenset()) -> None:
    """The same schema, with densities and calendars, to the last bit; and the same rows."""
    assert blocks.schema == expected.schema
    assert blocks.n_rows == expected.n_rows
    batches = list(encoded(blocks.schema, source, drop))
    np.testing.assert_array_equal(np.concatenate([rows.codes for rows in batches], axis=1), expected.codes)
    for variable in expected.schema.numbers:
        found = np.concatenate([rows.numbers[variable] for rows in batches])
        np.testing.assert_array_equal(found, expected.numbers[variable])


@pytest.mark.parametrize("options", [BINNED, FOUND], ids=["stated", "found"])
@pytest.mark.parametrize("name", WRITERS)
def test_files_of_every_kind_are_as_in_memory(tmp_path: Path, name: str, options: ColumnOptions) -> None:
    path = tmp_path / name
    WRITERS[name](TABLE, path)
    source = FileBatches.of(path)
    streamed, expected = pack_stream(source, options), in_memory(path, options)
    assert_same(streamed.blocks, expected, source)
    assert streamed.reports == expected.reports
    assert {report.name for report in streamed.reports if report.is_left_out} == {"id", "same", "note"}


@pytest.mark.parametrize("batch_rows", [1000, 7777, 40_000])
def test_more_numbers_than_are_counted_are_sampled_as_in_memory(
    monkeypatch: pytest.MonkeyPatch, batch_rows: int
) -> None:
    """However the rows are cut into batches, with weights and without."""
    monkeypatch.setattr(number_counts, "MOST_NUMBERS", 8000)
    table = TABLE.select(["code", "number", "anywhere", "age"])
    weights = RNG.random(N_ROWS) * (RNG.random(N_ROWS) < 0.9)
    for own in (None, weights):
        expected = Dataset.from_frame(table, sample_weight=own, leave_out=True)
        streamed = pack_stream(batch_source(iter(table.to_batches(max_chunksize=batch_rows))), weights=own)
        assert streamed.schema == expected.schema
        assert streamed.reports == expected.reports
        assert {report.name for report in streamed.reports if report.has_more} == {"anywhere"}


def test_a_sample_has_nearly_as_many_rows_in_each_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(number_counts, "MOST_NUMBERS", 10_000)
    numbers = RNG.normal(size=N_ROWS)
    bins = Binning(8).fit(numbers)
    shares = np.bincount(bins.codes(numbers)) / N_ROWS
    assert len(shares) == 8
    assert np.abs(shares - 1 / 8).max() < 0.015


def test_parts_that_are_read_at_the_same_time_are_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(number_counts, "MOST_NUMBERS", 3000)
    whole, merged = GrowingColumns(), GrowingColumns()
    whole.add(TABLE.combine_chunks().to_batches()[0])
    merged.merge(GrowingColumns())  # a part without rows
    for start in range(0, N_ROWS, 11_000):
        part = GrowingColumns(first_row=start)
        for batch in TABLE.slice(start, 11_000).to_batches(max_chunksize=3000):
            part.add(batch)
        merged.merge(pickle.loads(pickle.dumps(part)))
    assert merged.found("t") == whole.found("t")


class TestGaps:
    WITH_GAPS = pa.table(
        {
            "code": pa.array(RNG.integers(0, 3, 3000), mask=RNG.random(3000) < 0.1),
            "text": pa.array(RNG.choice(["a", "b"], 3000).tolist(), mask=RNG.random(3000) < 0.1),
            "number": np.where(RNG.random(3000) < 0.1, np.nan, RNG.normal(size=3000)),
            "often": pa.array(np.where(RNG.random(3000) < 0.5, 0.0, RNG.normal(size=3000)), mask=np.arange(3000) == 7),
            "full": RNG.normal(size=3000),
            "empty": pa.nulls(3000, pa.int64()),
        }
    )

    def test_are_a_category_as_in_memory(self) -> None:
        expected = with_missing_category(prepare(self.WITH_GAPS).dataset)
        assert isinstance(expected, Dataset)
        source = batch_source(iter(self.WITH_GAPS.to_batches(max_chunksize=700)))
        streamed = pack_stream(source, missing="category")
        assert_same(streamed.blocks, expected, source)
        assert streamed.reports == expected.reports
        assert streamed.schema.categories[0] == (0, 1, 2, "missing")

    def test_are_refused_otherwise_with_the_way_out(self) -> None:
        with pytest.raises(DataError, match=r"'code', row \d+: expected a value, found none: .* 'missing'") as error:
            pack_stream(batch_source(iter(self.WITH_GAPS.to_batches())))
        assert error.value.problem is Problem.GAPS_IN_STREAM

    def test_the_target_may_have_none(self) -> None:
        with pytest.raises(DataError, match=r"'text', row \d+: expected a value, found none"):
            pack_stream(batch_source(iter(self.WITH_GAPS.to_batches())), missing="category", but="text")


def test_rare_texts_are_one_category_as_in_memory() -> None:
    table = pa.table({"a": [0, 1] * 50, "text": ["common"] * 90 + [f"rare {i}" for i in range(10)]})
    options = ColumnOptions(min_count=2)
    source = batch_source(iter(table.to_batches(max_chunksize=30)))
    assert_same(pack_stream(source, options).blocks, prepare(table, options).dataset, source)


def test_stated_kinds_are_as_in_memory() -> None:
    table = pa.table(
        {"grade": [1.5, 2.0, 2.5, 3.5] * 20, "hour": list(range(40)) * 2, "day": ["2024-01-01", "2024-01-09"] * 40}
    )
    options = ColumnOptions(kinds={"grade": Kind.CATEGORICAL, "hour": Kind.ORDERED, "day": Kind.CATEGORICAL})
    source = batch_source(iter(table.to_batches(max_chunksize=30)))
    assert_same(pack_stream(source, options).blocks, prepare(table, options).dataset, source)


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
        pq.write_table(pa.table({"a": [0, 1] * 15_000 + [None]}), path, row_group_size=10_000)
        with pytest.raises(
            DataError, match=r"t\.parquet: column 'a', row 30,000: expected a value, found none"
        ) as error:
            pack_stream(FileBatches.of(path))
        assert error.value.row == 30_000

    def test_a_number_that_is_too_large_is_said_with_its_row(self) -> None:
        table = pa.table({"a": [0.5] * 100 + [np.inf] + [1.5] * 100})
        with pytest.raises(DataError, match="column 'a', row 100: expected numbers up to 1e\\+300, found inf"):
            pack_stream(batch_source(iter(table.to_batches(max_chunksize=30))))

    def test_a_column_that_is_not_there(self) -> None:
        with pytest.raises(DataError, match="no column is called 'nobody'; there are 'a'"):
            pack_stream(
                batch_source(iter(pa.table({"a": [0, 1]}).to_batches())), ColumnOptions(bins={"nobody": Binning(3)})
            )

    def test_text_is_no_number(self) -> None:
        source = batch_source(iter(pa.table({"a": ["x", "y"]}).to_batches()))
        with pytest.raises(DataError, match="column 'a': expected numbers to put into bins, found strings"):
            pack_stream(source, ColumnOptions(bins={"a": Binning(3)}))

    def test_a_file_that_changes_while_it_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("a\n" + "0\n1\n" * 300_000)

        def change(n_rows: int) -> None:
            with path.open("a") as file:
                file.write("1\n")

        with pytest.raises(DataError, match=r"t\.csv: the file changed while it was read"):
            pack_stream(FileBatches.of(path), on_rows=change)

    def test_a_file_that_changes_between_the_readings(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "t.csv"
        path.write_text("a\n" + "0\n1\n" * 3000)
        found = GrowingColumns.found

        def change_and_find(columns: GrowingColumns, *arguments: Any) -> Any:
            path.write_text("a\n" + "1\n0\n" * 4000)
            return found(columns, *arguments)

        monkeypatch.setattr(GrowingColumns, "found", change_and_find)
        with pytest.raises(DataError, match=r"t\.csv: the file changed while it was read"):
            pack_stream(FileBatches.of(path))

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
