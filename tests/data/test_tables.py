"""Tables in files: every format and compression holds the same table, and what is none gets one clear message."""

import bz2
import datetime
import decimal
import gzip
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as pa_feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnac.data import Dataset
from learnac.data import csv_files as csv_module
from learnac.data.compact import GrowingTable
from learnac.data.tables import TableLayout, read_frame
from learnac.errors import DataError, Problem

COLUMNS: dict[str, list[Any]] = {
    "word": ["b", None, "a é", "c,d"],
    "count": [300, -1, None, 7],
    "flag": [True, False, None, True],
    "size": [0.5, 1.0, None, -2.25],
}
TABLE = pa.table(COLUMNS)


def write_csv(table: Any, path: Path) -> None:
    pa_csv.write_csv(table, path)


def write_tsv(table: Any, path: Path) -> None:
    pa_csv.write_csv(table, path, pa_csv.WriteOptions(delimiter="\t"))


def write_stream(table: Any, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    "t.csv": write_csv,
    "t.CSV": write_csv,
    "t.unknown": write_csv,
    "t.tsv": write_tsv,
    "t.tab": write_tsv,
    "t.parquet": pq.write_table,
    "t.pq": pq.write_table,
    "t.feather": pa_feather.write_feather,
    "t.arrow": write_stream,
    "t.ipc": lambda table, path: pa_feather.write_feather(table, path, compression="uncompressed"),
}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pa.compress(content, "zstd", asbytes=True),
    ".lz4": lambda content: _by_stream(content, "lz4"),
}


def _by_stream(content: bytes, codec: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_and_compression_holds_the_same_table(tmp_path: Path, name: str, compression: str) -> None:
    plain = tmp_path / name
    WRITERS[name](TABLE, plain)
    path = tmp_path / f"{name}{compression}"
    path.write_bytes(COMPRESSIONS[compression](plain.read_bytes()))
    frame = read_frame(path)
    assert frame.table.to_pydict() == COLUMNS
    assert frame.weights is None
    assert frame.types == {"word": pa.string(), "count": pa.int64(), "flag": pa.bool_(), "size": pa.float64()}


def test_the_format_may_be_stated(tmp_path: Path) -> None:
    path = tmp_path / "t.data"
    pq.write_table(TABLE, path)
    assert read_frame(path, TableLayout(format="parquet")).table.to_pydict() == COLUMNS
    path.write_text("a;b\nx;1\n")
    assert read_frame(str(path), TableLayout(format="csv", delimiter=";")).table.to_pydict() == {"a": ["x"], "b": [1]}


def test_values_between_semicolons_with_commas_inside_them_are_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;x\n2,5;y\n")
    with pytest.raises(DataError, match=r"t.csv: expected values separated by ',', found one column, 'a;b'") as told:
        read_frame(path)
    assert (told.value.found, told.value.problem) == (";", Problem.DELIMITER)


def test_columns_without_a_header_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("0,x\n1,2020-01-01\n")
    assert read_frame(path, TableLayout(has_header=False)).table.to_pydict() == {
        "x0": [0, 1],
        "x1": ["x", "2020-01-01"],
    }
    typed = read_frame(path, TableLayout(has_header=False), {"x0": pa.string()})
    assert typed.table["x0"].to_pylist() == ["0", "1"]


@pytest.mark.parametrize("write", [pq.write_table, pa_feather.write_feather, write_stream])
def test_types_that_have_no_categories_become_ones_that_have(tmp_path: Path, write: Any) -> None:
    # pyarrow before 21 writes no views into Parquet.
    writes_views = write is not pq.write_table or int(pa.__version__.split(".")[0]) >= 21
    table = pa.table(
        {
            "day": [datetime.date(2020, 1, 31), None],
            "time": [datetime.datetime(2020, 1, 31, 12), datetime.datetime(2020, 1, 31, 13)],
            "price": [decimal.Decimal("1.50"), decimal.Decimal("2.25")],
            "large": pa.array(["a", "b"], pa.large_string()),
            "view": pa.array(["a", "b"], pa.string_view() if writes_views else pa.string()),
            "wide": pa.array([1, 2], pa.uint64()),
            "beyond": pa.array([1, 2**63], pa.uint64()),
        }
    )
    path = tmp_path / "t.parquet"
    if write is not pq.write_table:
        path = tmp_path / "t.arrow"
    write(table, path)
    found = read_frame(path).table
    assert found["day"].to_pylist() == ["2020-01-31", None]
    assert found["time"].to_pylist()[0].startswith("2020-01-31 12:00:00")
    assert found["price"].to_pylist() == [1.5, 2.25]
    assert found["large"].to_pylist() == found["view"].to_pylist() == ["a", "b"]
    assert found["wide"].type == pa.int8()
    assert found["beyond"].to_pylist() == [1, 2**63]


def test_declared_categories_keep_their_order_and_the_unseen(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": pd.Categorical(["b", "c"], categories=["c", "a", "b"])})
    frame.to_feather(tmp_path / "t.feather")
    assert Dataset.from_frame(read_frame(tmp_path / "t.feather").table).categories == (("c", "a", "b"),)
    frame.to_parquet(tmp_path / "t.parquet")
    assert Dataset.from_frame(read_frame(tmp_path / "t.parquet").table).categories == (("c", "a", "b"),)


cells = st.sampled_from(
    [
        st.sampled_from([None, 0, 1]),
        st.integers(-200, 200),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
        st.booleans(),
    ]
)


@given(st.data())
def test_gathered_batches_are_the_table(data: st.DataObject) -> None:
    n_rows = data.draw(st.integers(1, 30))
    columns = [data.draw(st.lists(data.draw(cells), min_size=n_rows, max_size=n_rows)) for _ in range(3)]
    table = pa.table({f"c{position}": column for position, column in enumerate(columns)})
    growing = GrowingTable(table.column_names)
    for batch in table.to_batches(max_chunksize=data.draw(st.integers(1, 9))):
        growing.add(batch)
        if data.draw(st.booleans()):
            growing._make_small()
    found = growing.table()
    assert found.to_pydict() == table.to_pydict()
    for column in found.itercolumns():
        if pa.types.is_dictionary(column.type):
            values = column.chunk(0).dictionary.to_pylist()
            assert values == sorted({value for value in column.to_pylist() if value is not None})


def test_a_table_of_few_values_takes_a_byte_for_each() -> None:
    growing = GrowingTable(["n", "s"])
    for start in range(0, 40_000, 10_000):
        numbers = np.arange(start, start + 10_000) % 100
        growing.add(pa.record_batch({"n": numbers, "s": numbers.astype(str)}))
    assert growing.table().nbytes < 2.1 * 40_000


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        ("x", ["0"] * 50 + ["x"]),
        ("1.5", [0.0] * 50 + [1.5]),
        ("", [0] * 50 + [None]),
        ("2020-01-01", ["0"] * 50 + ["2020-01-01"]),
    ],
)
def test_types_are_those_of_all_rows_not_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str, expected: list[Any]
) -> None:
    monkeypatch.setattr(csv_module, "_BLOCK_SIZES", (32,))
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "0,1\n" * 50 + f"{late},1\n")
    assert read_frame(path).table["a"].to_pylist() == expected
    path.write_text("a,b\n" + "2020-01-01,1\n" * 50 + "0,1\n")
    assert read_frame(path).table["a"].to_pylist() == ["2020-01-01"] * 50 + ["0"]


def test_dates_and_times_are_texts_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n2020-01-01 12:00,10:30\n2020-01-01 13:00,11:30\n")
    assert read_frame(path).table.to_pydict() == {
        "a": ["2020-01-01 12:00", "2020-01-01 13:00"],
        "b": ["10:30", "11:30"],
    }


def test_a_column_that_begins_with_gaps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_module, "_BLOCK_SIZES", (32,))
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + ",1\n" * 50 + "7,1\n")
    assert read_frame(path).table["a"].to_pylist() == [None] * 50 + [7]
    path.write_text("a,b\n" + ",1\n" * 50)
    assert read_frame(path).table["a"].null_count == 50


def test_errors_know_the_row_in_any_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_module, "_BLOCK_SIZES", (32,))
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "0,1\n" * 50 + "0\n")
    with pytest.raises(DataError, match=r"t\.csv:52: expected 2 values, found 1$"):
        read_frame(path)
    path.write_text("a,b\n" + "0,1\n" * 50 + "0,x\n")
    with pytest.raises(DataError, match=r"t\.csv:52: column 'b': expected int64, as in the training table, found 'x'"):
        read_frame(path, types={"b": pa.int64()})
    with pytest.raises(DataError, match=r"t\.csv:52: column 'b': expected a number, found 'x'"):
        read_frame(path, types={"b": pa.float64()})


def test_stated_types_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n01,1\n")
    assert read_frame(path, types={"a": pa.string(), "elsewhere": pa.string()}).table.to_pydict() == {
        "a": ["01"],
        "b": [1],
    }


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"a,b\n", "expected rows of values, found only a header"),
        (b"a,b,c\n1,2,3\n1,2\n", "expected 3 values, found 2"),
        (b"a;b\n1;2\n", "expected values separated by ',', found one column, 'a;b'"),
        (b"a b\n1 2\n", None),
        ("a,b\n1,é\n".encode("latin-1"), "column 'b': expected text in UTF-8"),
        ("é,b\n1,2\n".encode("latin-1"), "expected a header in UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "found UTF-16"),
        ("a,b\n1,2\n".encode("utf-16-le"), "found binary data"),
        (b"PAR1\x00\x00" * 9, "found binary data"),
        (b"a" * 1_000_000, "found one of 1,000,000 at position 0, 'aaaaaaaa"),
        (b"a,b\n1,2\n" + b"3" * 1_000_000 + b"\n", "expected 2 values, found 1"),
        (b"a,b\n1,2\n3," + b"x" * 1_000_000 + b"\n", "column 'b', row 1: expected categories of at most 1,000"),
        (b"a,b\n1,2\n3," + b"x" * 3_000_000 + b"\n", "found one of 3,000,000: 'xxxx"),
    ],
)
def test_what_is_no_table_gets_one_short_line(tmp_path: Path, content: bytes, complaint: str | None) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    if complaint is None:
        read_frame(path)
        return
    with pytest.raises(DataError) as caught:
        read_frame(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    assert complaint in message
    assert len(message) < len(str(path)) + 300


def test_a_line_beyond_all_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,b\n" + "x" * 100 + ",1\n")
    monkeypatch.setattr(csv_module, "_BLOCK_SIZES", (16, 1000))
    assert read_frame(path).table.num_rows == 1
    monkeypatch.setattr(csv_module, "_BLOCK_SIZES", (16, 32))
    with pytest.raises(DataError, match="expected lines of at most 32 characters, found a longer one"):
        read_frame(path)


def test_a_line_of_a_million_characters_that_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"column{number:0500}" for number in range(2000)]
    path.write_text(",".join(names) + "\n" + ",".join("1" * len(names)) + "\n")
    frame = read_frame(path)
    assert frame.table.num_columns == 2000
    assert Dataset.from_frame(frame.table).n_variables == 2000


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather", "t.data", "t.csv.xz", "t.data.gz"])
def test_files_that_are_not_there_and_folders_are_the_systems_errors(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        read_frame(tmp_path / name)
    assert Path(caught.value.filename) == tmp_path / name
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError):
        read_frame(tmp_path / name)


@pytest.mark.parametrize(
    "name", ["t.csv.gz", "t.csv.bz2", "t.csv.xz", "t.csv.zst", "t.csv.lz4", "t.parquet.gz", "t.data.xz"]
)
def test_what_its_compression_did_not_write(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"a,b\n0,1\n" * 9)
    with pytest.raises(DataError, match=f"{name}: cannot be read: "):
        read_frame(path)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2"])
def test_compressed_files_that_end_too_soon(tmp_path: Path, suffix: str) -> None:
    content = "a,b\n" + "".join(f"{row % 7},{row * 7919 % 1000}\n" for row in range(9999))
    path = tmp_path / f"t.csv{suffix}"
    path.write_bytes(COMPRESSIONS[suffix](content.encode())[:-200])
    with pytest.raises(DataError, match="cannot be read"):
        read_frame(path)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("t.parquet", b"", "the file is empty"),
        ("t.feather", b"", "the file is empty"),
        ("t.parquet", b"a,b\n1,2\n", "cannot be read as Parquet"),
        ("t.feather", b"a,b\n1,2\n", "cannot be read as an Arrow file"),
        ("t.arrow", b"ARROW1" + b"\0" * 40, "cannot be read as an Arrow file"),
    ],
)
def test_other_formats_that_cannot_be_read(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_frame(path)
    assert str(caught.value).startswith(f"{path}:")
    assert complaint in str(caught.value)


def test_tables_without_rows_in_other_formats(tmp_path: Path) -> None:
    for write, name in ((pq.write_table, "t.parquet"), (pa_feather.write_feather, "t.feather")):
        write(TABLE[:0], tmp_path / name)
        with pytest.raises(DataError, match="expected rows of values, found only a header"):
            read_frame(tmp_path / name)


def test_files_of_other_libraries(tmp_path: Path) -> None:
    columns = {"s": ["x", "y", "x"], "n": [1, 2, 3], "f": [True, False, True]}
    pl.DataFrame(columns).write_parquet(tmp_path / "polars.parquet")
    pl.DataFrame(columns).write_ipc(tmp_path / "polars.arrow")
    pl.DataFrame(columns).write_csv(tmp_path / "polars.csv")
    pd.DataFrame(columns).to_parquet(tmp_path / "pandas.parquet")
    pd.DataFrame(columns).to_feather(tmp_path / "pandas.feather")
    pd.DataFrame(columns).to_csv(tmp_path / "pandas.csv.bz2", index=False)
    for path in tmp_path.iterdir():
        assert read_frame(path).table.to_pydict() == columns, path.name
        assert Dataset.from_frame(read_frame(path).table).categories == (("x", "y"), (1, 2, 3), (False, True))


def test_a_wide_table_is_read_in_little_memory(tmp_path: Path) -> None:
    # 20 million values: 160 MB in pyarrow's own types, 20 MB here.
    rows = np.random.default_rng(0).integers(0, 10, size=(2000, 100))
    block = "\n".join(",".join(map(str, row)) for row in rows.tolist()) + "\n"
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"c{column}" for column in range(100)) + "\n" + block * 100)
    program = """if True:
        import resource, sys
        from learnac.data import Dataset
        from learnac.data.tables import read_frame
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        Dataset.from_frame(read_frame(sys.argv[1]).table)
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
    """
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 8 * 20_000_000
