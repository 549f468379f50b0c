"""`learnac impute` changes the gaps of the model's columns, and no byte or type besides."""

from __future__ import annotations

import datetime
import gzip
import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnac import Dataset, LearnAC
from learnac.data.csv_cells import CellSyntax, rows_of
from learnac.data.number_text import number_text

Answer = Callable[..., str]


@pytest.fixture
def model(tmp_path: Path) -> LearnAC:
    """Numbers with one value far more often than others, texts that follow from them, and a number with bins."""
    rng = np.random.default_rng(0)
    n = np.where(rng.random(200) < 0.8, 7, 3)
    frame = pd.DataFrame({"n": n, "word": np.where(n == 7, "yes", "no, not"), "size": n + rng.random(200)})
    learned = LearnAC(0.01, 0.1).fit(Dataset.from_frame(frame, bins={"size": [5.0]}))
    learned.save(tmp_path / "m.learnac")
    return learned


TEXT = (
    b"id,word,free,n,size,day\r\n"
    b'00042,yes,"a ""b"", c",7,7.50,2020-01-01\r\n'
    b'12345678901234567890123,"yes",  x ,007,7.250,\r\n'
    b"\r\n"
    b"0x1F,,NA,7.0,,NULL\n"
    b'1e400,"no, not",null,,3.5,"two\nlines"\n'
    b'-0,NA,"",3,3.0,5"5'
)


def test_csv_keeps_every_byte_but_the_gaps(answer: Answer, model: LearnAC, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(TEXT)
    answer("impute", "m.learnac", "t.csv", "--out", "o.csv")
    bins = model.schema_.bins[2]
    assert bins is not None
    size = number_text(bins.modes()[1][1]).encode()
    expected = (
        TEXT.replace(b"0x1F,,NA,7.0,,NULL", b"0x1F,yes,NA,7.0,%b,NULL" % size)
        .replace(b'"no, not",null,,3.5', b'"no, not",null,3,3.5')
        .replace(b'-0,NA,""', b'-0,"no, not",""')
    )
    assert (tmp_path / "o.csv").read_bytes() == expected
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TEXT))
    answer("impute", "m.learnac", "t.csv.gz", "--out", "o.csv")
    assert (tmp_path / "o.csv").read_bytes() == expected
    # What was filled can be read again.
    assert '"rows": 5' in answer("score", "m.learnac", "o.csv", "--json")


def test_a_mark_before_the_text_and_other_signs_between_cells(answer: Answer, model: LearnAC, tmp_path: Path) -> None:
    text = b'\xef\xbb\xbf"id, or not";n;word;size\n01;7;;7.0\n1,5;7;yes;7.0\n'
    (tmp_path / "t.csv").write_bytes(text)
    assert answer("impute", "m.learnac", "t.csv", "--delimiter", ";").encode() == text.replace(b"7;;", b"7;yes;")
    answer("impute", "m.learnac", "t.csv", "--delimiter", ";", "--out", "o.csv")
    assert (tmp_path / "o.csv").read_bytes() == (
        b'\xef\xbb\xbf"id, or not",n,word,size\n01,7,yes,7.0\n"1,5",7,yes,7.0\n'
    )


def test_a_table_without_a_header_comes_back_without_one(answer: Answer, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x0": [7, 7, 7, 3], "x1": ["a", "a", "a", "b"]})
    LearnAC(0.01, 0.1).fit(frame).save(tmp_path / "m.learnac")
    (tmp_path / "t.csv").write_bytes(b"7,,0042\n03,b,0\n")
    assert answer("impute", "m.learnac", "t.csv", "--no-header") == "7,a,0042\n03,b,0\n"


def test_columns_of_others_may_hold_anything(answer: Answer, model: LearnAC, tmp_path: Path) -> None:
    text = b"n,word,size,note\n7,,7.5," + b"x" * 5000 + b"\n7,yes,7.5,\xff\xfe\n"
    (tmp_path / "t.csv").write_bytes(text)
    answer("impute", "m.learnac", "t.csv", "--out", "o.csv")
    assert (tmp_path / "o.csv").read_bytes() == text.replace(b"7,,", b"7,yes,")


def test_texts_of_csv_become_numbers_in_other_formats_only_if_nothing_is_lost(
    answer: Answer, model: LearnAC, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(TEXT)
    answer("impute", "m.learnac", "t.csv", "--out", "o.parquet")
    found = pq.read_table(tmp_path / "o.parquet")
    assert found["id"].to_pylist() == ["00042", "12345678901234567890123", "0x1F", "1e400", "-0"]
    assert found["word"].to_pylist() == ["yes", "yes", "yes", "no, not", "no, not"]
    (tmp_path / "t.csv").write_bytes(
        b"id,n,word,size,x,zip,far\n1,7,,7,0.5,007,10000000000000000001\n-20,7,yes,7,1.25,12,10000000000000000002\n"
    )
    answer("impute", "m.learnac", "t.csv", "--out", "o.parquet")
    found = pq.read_table(tmp_path / "o.parquet")
    assert found["id"].to_pylist() == [1, -20]
    assert found["x"].to_pylist() == [0.5, 1.25]
    assert found["zip"].to_pylist() == ["007", "12"]
    assert found["far"].to_pylist() == ["10000000000000000001", "10000000000000000002"]


def arrow_table() -> Any:
    days = [datetime.date(2020, 1, 1), None, datetime.date(2021, 2, 3)]
    moments = [datetime.datetime(2020, 1, 1, 12, 0, 1), None, datetime.datetime(2021, 2, 3)]
    return pa.table(
        {
            "id": pa.array([10**19, 5, None], pa.uint64()),
            "n": pa.array([7, None, 3], pa.float32()),
            "word": pa.DictionaryArray.from_arrays(pa.array([0, None, 0], pa.int8()), pa.array(["yes"])),
            "size": pa.array([7.25, 3.5, 3.0]),
            "price": pa.array([Decimal("1.10"), None, Decimal("12345678901234567890.10")], pa.decimal128(30, 2)),
            "day": pa.array(days),
            "moment": pa.array(moments, pa.timestamp("us", tz="UTC")),
            "large": pa.array(["NA", "", None], pa.large_string()),
            "bytes": pa.array([b"\xff", None, b""], pa.binary()),
            "list": pa.array([[1, 2], None, []], pa.list_(pa.int16())),
            "long": pa.array(["x" * 5000, "y", None]),
            "small": pa.array([1, 2, 3], pa.int16()),
        }
    ).replace_schema_metadata({"made by": "somebody"})


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_arrow_types_stay(answer: Answer, model: LearnAC, tmp_path: Path, suffix: str) -> None:
    table = arrow_table()
    read: Callable[[Path], Any]
    if suffix == "parquet":
        pq.write_table(table, tmp_path / "t.parquet")
        read = pq.read_table
    else:
        with pa.ipc.new_file(tmp_path / "t.feather", table.schema) as writer:
            writer.write_table(table)
        read = lambda path: pa.ipc.open_file(pa.memory_map(str(path))).read_all()  # noqa: E731
    given = read(tmp_path / f"t.{suffix}")
    answer("impute", "m.learnac", f"t.{suffix}", "--out", f"o.{suffix}")
    found = read(tmp_path / f"o.{suffix}")
    assert found.schema == given.schema
    assert found.schema.metadata[b"made by"] == b"somebody"
    for name in table.column_names:
        if name not in ("n", "word"):
            assert found[name].equals(given[name]), name
    assert found["n"].to_pylist() == [7, 3, 3]
    assert found["word"].to_pylist() == ["yes", "no, not", "yes"]


def test_dates_and_decimals_that_are_categories_are_filled_in_their_types(answer: Answer, tmp_path: Path) -> None:
    day, other = datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)
    columns = {
        "day": pa.array([day] * 30 + [other] * 10),
        "whole": pa.array([Decimal("2.00")] * 30 + [Decimal("5.00")] * 10, pa.decimal128(9, 2)),
        "tiny": pa.array([1] * 30 + [2] * 10, pa.int8()),
    }
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "t.parquet")
    answer("learn", "t.parquet", "--edge-penalty", "0.01", "--out", "m.learnac")
    gaps = pa.table({name: pa.array([column[0].as_py(), None], column.type) for name, column in columns.items()})
    pq.write_table(gaps, tmp_path / "g.parquet")
    answer("impute", "m.learnac", "g.parquet", "--out", "o.parquet")
    found = pq.read_table(tmp_path / "o.parquet")
    assert found.schema == gaps.schema
    assert found.to_pylist() == [{"day": day, "whole": Decimal("2.00"), "tiny": 1}] * 2


cells = st.text(st.sampled_from('ab",;\r\n \u00e9'), max_size=4)


@given(st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_cells_are_found_as_pyarrow_finds_them(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], end: str
) -> None:
    syntax = CellSyntax(b",")
    quoted = [["x" + cell if cell[:1] in "\r\n" else cell for cell in row] for row in rows]
    text = b"".join(b",".join(map(syntax.quoted, row)) + end.encode() for row in quoted)
    options = pa_csv.ParseOptions(newlines_in_values=True)
    reading = pa_csv.ReadOptions(column_names=["a", "b"], use_threads=False)
    table = pa_csv.read_csv(
        io.BytesIO(text), reading, options, pa_csv.ConvertOptions(column_types={"a": pa.string(), "b": pa.string()})
    )
    path = tmp_path_factory.getbasetemp() / "cells.csv"
    path.write_bytes(text)
    lines = list(rows_of(syntax, path, has_header=False))
    assert b"".join(line for line, _ in lines) == text
    found = [syntax.cells(line)[0] for line, row in lines if row is not None]
    assert len(found) == table.num_rows
    for place, name in enumerate(("a", "b")):
        values = [cells[place] for cells in found]
        plain = [v[1:-1].replace(b'""', b'"').decode() if v.startswith(b'"') else v.decode() for v in values]
        assert plain == table[name].to_pylist()


def test_lines_and_quotes_may_lie_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv").write_bytes(TEXT)
    syntax = CellSyntax(b",")
    whole = list(rows_of(syntax, tmp_path / "t.csv", has_header=True))
    assert [row for _, row in whole] == [None, 0, 1, None, 2, 3, 4]
    for size in range(1, 40):
        monkeypatch.setattr("learnac.data.csv_cells._BLOCK", size)
        assert list(rows_of(syntax, tmp_path / "t.csv", has_header=True)) == whole
