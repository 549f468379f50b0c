"""From tables as files hold them to datasets: kinds are found or stated, and what tells nothing is left out."""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from learnac.cli.columns import layout_of, parse_bins
from learnac.cli.tables import read_learning_tables
from learnac.data import Binning, Bins, Dataset, Evidence, Schema
from learnac.data.column_options import ColumnOptions, types_to_read
from learnac.data.describe import ColumnSummary, column_summaries
from learnac.data.evidence_files import read_evidence
from learnac.data.found_kinds import FEW_INTEGERS, MOST_INTEGERS, MOST_STRINGS
from learnac.data.kinds import Kind
from learnac.data.matching import matched
from learnac.data.prepare import as_frame, prepare
from learnac.data.schema_file import read_schema_file, write_schema_file
from learnac.data.settling import ColumnReport
from learnac.data.tables import Frame, TableLayout, read_frame
from learnac.errors import DataError

each_library = pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])


def drop(*names: str) -> ColumnOptions:
    return ColumnOptions(drop=frozenset(names))


def as_category(*names: str) -> ColumnOptions:
    return ColumnOptions(kinds=dict.fromkeys(names, Kind.CATEGORICAL))


@each_library
def test_discrete_columns_are_taken_as_from_frame_takes_them(make: Callable[[Any], Any]) -> None:
    frame = make({"s": ["b", "a", "b"], "i": [3, 1, 3], "b": [True, True, False], "f": [2.0, 0.0, 2.0]})
    prepared = prepare(frame)
    assert prepared.schema == Dataset.from_frame(frame).schema
    assert prepared.dataset.codes.tolist() == [[1, 0, 1], [1, 0, 1], [1, 1, 0], [1, 0, 1]]
    assert prepared.weights is None
    assert prepared.dropped == ()


@each_library
def test_dates_are_days(make: Callable[[Any], Any]) -> None:
    days = [datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)]
    for column in (days, [str(day) for day in days]):
        prepared = prepare(make({"d": column, "x": [0, 1]}))
        (bins, _) = prepared.schema.bins
        assert bins is not None
        assert bins.calendar == "days"
        assert prepared.schema.categories[0] == ("< 2020-01-02", ">= 2020-01-02")
        assert prepared.dataset.numbers[0].tolist() == [18263, 18262]
        assert prepared.dataset.codes.tolist() == [[1, 0], [0, 1]]
    kept = prepare(make({"d": [str(day) for day in days], "x": [0, 1]}), as_category("d"))
    assert kept.schema.categories[0] == ("2020-01-01", "2020-01-02")


@each_library
def test_real_numbers_have_densities(make: Callable[[Any], Any]) -> None:
    frame = make({"id": [1, 2, 1, 2], "h": [1.0, 1.75, 1.5, 1.5]})
    found = prepare(frame)
    assert [report.kind for report in found.dataset.reports] == ["categorical", "number"]
    assert found.schema.categories == ((1, 2), ("< 1.5", "[1.5, 1.75)", ">= 1.75"))
    assert found.dataset.numbers[1].tolist() == [1.0, 1.75, 1.5, 1.5]
    (_, bins) = prepare(frame, ColumnOptions({"h": Binning(2)})).schema.bins
    assert bins is not None
    assert bins.edges == (1.5,)
    dropped = prepare(frame, drop("h"))
    assert (dropped.schema.names, dropped.dropped) == (("id",), ("h",))
    kept = prepare(frame, as_category("h"))
    assert kept.schema.categories[1] == ("1", "1.5", "1.75")
    assert kept.dataset.codes[1].tolist() == [0, 2, 1, 1]


@each_library
def test_few_integers_are_ordered_and_many_are_numbers(make: Callable[[Any], Any]) -> None:
    frame = make({"the age": list(range(MOST_INTEGERS + 1)) * 20})
    assert prepare(frame).schema.numbers == [0]
    assert prepare(frame, ColumnOptions({"the age": Binning(5)})).schema.arities.tolist() == [5]
    assert prepare(frame, as_category("the age")).schema.categories == (tuple(range(MOST_INTEGERS + 1)),)
    few = prepare(make({"n": list(range(MOST_INTEGERS)) * 20})).schema
    assert (few.numbers, few.ordered, few.arities.tolist()) == ([], (True,), [MOST_INTEGERS])
    # In a small table, as many are numbers.
    assert prepare(make({"n": list(range(MOST_INTEGERS)) * 19})).schema.numbers == [0]
    assert prepare(make({"n": list(range(FEW_INTEGERS)) * 2})).schema.numbers == []
    assert prepare(make({"n": list(range(FEW_INTEGERS + 1)) * 2})).schema.numbers == [0]
    assert prepare(make({"f": [float(number) for number in range(5)] * 2})).schema.categories == ((0, 1, 2, 3, 4),)
    two = prepare(make({"n": [3, 5] * 4})).schema
    assert (two.ordered, two.categories) == ((False,), ((3, 5),))


@each_library
def test_too_many_strings_are_left_out(make: Callable[[Any], Any]) -> None:
    frame = make({"id": [f"p{number}" for number in range(MOST_STRINGS + 1)] * 3, "k": [0, 1, 2] * (MOST_STRINGS + 1)})
    found = prepare(frame)
    assert (found.schema.names, found.schema.ignored) == (("k",), {"id"})
    assert found.dataset.reports[0] == ColumnReport(
        "id", "categorical", 1001, 0, "left out: 1,001 different values in 3,003 rows", is_left_out=True
    )
    assert prepare(frame, as_category("id")).schema.arities.tolist() == [MOST_STRINGS + 1, 3]
    nearly_unique = make({"id": [f"p{number}" for number in range(100)] * 2 + ["p0"] * 1})
    assert prepare(nearly_unique).schema.arities.tolist() == [100]
    unique = make({"id": [f"p{number}" for number in range(100)]})
    with pytest.raises(DataError, match="expected columns to learn from, found none: 'id' has a different value in"):
        prepare(unique)
    assert prepare(make({"id": [f"p{number}" for number in range(20)]})).schema.arities.tolist() == [20]


@each_library
def test_bins_for_all_columns_are_for_those_of_numbers(make: Callable[[Any], Any]) -> None:
    frame = make({"h": [0.5 * row for row in range(200)], "n": list(range(200)), "k": [0, 1] * 100})
    options = ColumnOptions({"*": Binning(4), "n": Binning(2, "uniform")})
    schema = prepare(frame, options).schema
    assert schema.arities.tolist() == [4, 2, 2]
    assert schema.categories[2] == (0, 1)
    with pytest.raises(DataError, match=r"found none: 's' has a different value in every row$"):
        prepare(make({"s": [f"w{row}" for row in range(200)]}), ColumnOptions({"*": Binning(4)}))


@each_library
def test_missing_values_are_gaps(make: Callable[[Any], Any]) -> None:
    frame = make({"s": ["a", None, "b"], "h": [0.5, None, 1.5], "k": [0, 1, 0]})
    rows = prepare(frame, ColumnOptions({"h": Binning(2)})).dataset
    assert isinstance(rows, Evidence)
    assert rows.codes.tolist() == [[0, -1, 1], [0, -1, 1], [0, 1, 0]]
    assert [report.n_missing for report in rows.reports] == [1, 1, 0]
    np.testing.assert_array_equal(rows.numbers[1], [0.5, np.nan, 1.5])
    assert isinstance(prepare(frame, drop("s", "h")).dataset, Dataset)


@each_library
def test_a_column_without_values_is_left_out(make: Callable[[Any], Any]) -> None:
    table = make({"k": [0, 1], "s": [None, None]})
    prepared = prepare(table)
    assert prepared.schema.names == ("k",)
    assert prepared.dataset.reports[1].done == "left out: no value in any row"
    with pytest.raises(DataError, match="column 's': expected values to learn from, found only missing ones"):
        prepare(table, as_category("s"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ColumnOptions({"z": Binning(2)}), "no column is called 'z'; there are 'a', 'b'"),
        (as_category("z"), "no column is called 'z'"),
        (ColumnOptions(categories={"z": (0, 1)}), "no column is called 'z'"),
        (drop("a", "b"), "expected columns that are not dropped, found none"),
        (ColumnOptions({"b": Binning(2)}), "column 'b': expected numbers to put into bins, found strings"),
        (ColumnOptions(categories={"b": ("x",)}), "column 'b', row 1: expected one of its categories, 'x'; found 'y'"),
    ],
)
def test_options_that_do_not_fit(options: ColumnOptions, message: str) -> None:
    with pytest.raises(DataError, match=message):
        prepare(pa.table({"a": [0, 1], "b": ["x", "y"]}), options)


def test_columns_to_drop_need_not_be_there() -> None:
    assert prepare(pa.table({"a": [0, 1]}), drop("id")).dropped == ()


def test_a_column_of_several_types_is_refused() -> None:
    with pytest.raises(DataError, match="column 'a': expected values of one type"):
        prepare(pd.DataFrame({"a": ["x"] * 200 + [3]}, dtype=object))


def test_an_arity_is_for_columns_not_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,h,s\n0,0,0.5,x\n1,0,1.5,y\n")
    options = ColumnOptions({"h": Binning(2)}, kinds={"s": Kind.CATEGORICAL}, categories={"b": (0, 5)})
    found = read_learning_tables({"train": tmp_path / "t.csv"}, TableLayout(), options, arity=3)
    assert found.schema.categories == ((0, 1, 2), (0, 5), ("< 1.5", ">= 1.5"), ("x", "y"))


def test_strings_may_be_stated_for_numbers() -> None:
    schema = prepare(pa.table({"n": [2, 10, 2]}), ColumnOptions(categories={"n": ("2", "10", "x")})).schema
    assert schema.categories == (("2", "10", "x"),)
    frame = matched(as_frame(pd.DataFrame({"n": [10.0, np.nan]})), schema)
    assert schema.encode_evidence(frame.table).tolist() == [[1, -1]]


def test_weights_of_rows_are_kept_and_move_quantiles(tmp_path: Path) -> None:
    path = tmp_path / "t.data"
    path.write_text("".join(f"{1000 if row >= 90 else 1}|{row},{row % 2}\n" for row in range(100)))
    prepared = prepare(read_frame(path), ColumnOptions({"x0": Binning(2)}))
    assert prepared.weights is not None
    assert prepared.weights.sum() == 10 * 1000 + 90
    (bins, _) = prepared.schema.bins
    assert bins is not None
    assert bins.edges[0] > 90


def test_what_is_said_twice_about_a_column() -> None:
    with pytest.raises(ValueError, match="column 'a': expected one of bins, drop, a kind and categories; found two"):
        ColumnOptions({"a": Binning(2)}, drop=frozenset("a"))


def test_the_command_line_goes_before_the_file() -> None:
    file = ColumnOptions({"a": Bins((1,)), "b": Bins((2,))}, frozenset("c"), {"d": Kind.CATEGORICAL}, {"e": (0,)})
    said = ColumnOptions({"c": Binning(3)}, drop=frozenset("ae"))
    assert said.over(file) == ColumnOptions(
        {"b": Bins((2,)), "c": Binning(3)}, frozenset("ae"), {"d": Kind.CATEGORICAL}, {}
    )


def test_bins_as_people_type_them() -> None:
    assert parse_bins(["5", "age=3", "a=b=4:uniform", " w = 2 : quantile "]) == {
        "*": Binning(5),
        "age": Binning(3),
        "a=b": Binning(4, "uniform"),
        "w": Binning(2),
    }
    for text, complaint in (
        ("age", "expected a number of bins such as 5, age=5 or age=5:uniform, found 'age'"),
        ("age=", "found 'age='"),
        ("age=-2", "found 'age=-2'"),
        ("age=1", "expected at least 2 bins, found 1"),
        ("age=3:kmeans", "found 'kmeans'"),
    ):
        with pytest.raises(ValueError, match=complaint):
            parse_bins([text])
    with pytest.raises(ValueError, match="the bins of 'a' are given twice"):
        parse_bins(["a=2", "a=3"])


def test_types_to_read_later_tables_with() -> None:
    categories: dict[str, tuple[Any, ...]] = {
        "word": ("a", "b"),
        "code": ("01", "02"),
        "number": ("0.5", "1"),
        "integer": (0, 1),
        "large": (0, 2**60),
        "flag": (False, True),
        "mixed": (0, "x"),
    }
    assert types_to_read(categories) == {"word": pa.string(), "code": pa.string(), "integer": pa.float64()}


def test_later_tables_are_read_like_the_first(tmp_path: Path) -> None:
    train = "h,real,zip,word,n\n0.5,0.50,01,7,1\n1.5,1.00,02,x,2\n2.5,0.50,02,7,1\n3.5,1.00,01,x,2\n"
    (tmp_path / "train.csv").write_text(train)
    (tmp_path / "test.csv").write_text("h,real,zip,word,n\n-9,1,01,7,2\n99,0.5,02,7,1\n")
    columns = ColumnOptions({"h": Binning(2)}, kinds={"real": Kind.CATEGORICAL}, categories={"zip": ("01", "02")})
    paths = {"train": tmp_path / "train.csv", "test": tmp_path / "test.csv"}
    found = read_learning_tables(paths, TableLayout(), columns)
    assert found.weights == {}
    tables, schema = found.tables, found.schema
    assert schema.categories == (("< 2.5", ">= 2.5"), ("0.5", "1"), ("01", "02"), ("7", "x"), (1, 2))
    assert tables["test"].codes.T.tolist() == [[0, 1, 0, 0, 1], [1, 0, 1, 0, 0]]
    write_schema_file(schema, tmp_path / "s.toml")
    again = read_learning_tables(paths, TableLayout(), read_schema_file(tmp_path / "s.toml")).tables
    assert again["train"].schema == schema
    assert np.array_equal(again["test"].codes, tables["test"].codes)
    # Queries: gaps, integers with a decimal point as pandas writes them, intervals, columns left out.
    (tmp_path / "rows.csv").write_text("h,real,zip,n\n< 2.5,1.0,,1.0\n,,02,\n")
    evidence = read_evidence(tmp_path / "rows.csv", schema)
    assert evidence.codes.T.tolist() == [[0, 1, -1, -1, 0], [-1, -1, 1, -1, -1]]
    (tmp_path / "rows.csv").write_text("h,n\n1.25,2\n\n")
    assert read_evidence(tmp_path / "rows.csv", schema).codes.T.tolist() == [[0, -1, -1, -1, 1]]
    (tmp_path / "rows.csv").write_text("h,n\n1.25,two\n")
    with pytest.raises(DataError, match=r"rows\.csv:2: column 'n': expected a number, found 'two'"):
        read_evidence(tmp_path / "rows.csv", schema)


def test_later_tables_in_other_formats(tmp_path: Path) -> None:
    pq.write_table(pa.table({"h": [0.5, 1.5, 2.5], "r": [0.25, 0.5, 0.25], "id": [1, 2, 3]}), tmp_path / "a.parquet")
    pd.DataFrame({"r": [0.5], "h": [7]}).to_feather(tmp_path / "b.feather")
    columns = ColumnOptions({"h": Bins((1,))}, frozenset({"id"}), {"r": Kind.CATEGORICAL})
    paths = {"train": tmp_path / "a.parquet", "test": tmp_path / "b.feather"}
    tables = read_learning_tables(paths, layout_of(False, None), columns).tables
    assert tables["test"].codes.tolist() == [[1], [1]]


def test_unseen_categories_and_weights_of_later_tables(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("a,b\nx,0\ny,1\n")
    (tmp_path / "test.csv").write_text("a,b\nx,0\nz,1\n")
    paths = {"train": tmp_path / "train.csv", "test": tmp_path / "test.csv"}
    message = r"test\.csv: column 'a', row 1: expected one of its categories, 'x', 'y'; found 'z' \(a model has only"
    with pytest.raises(DataError, match=message):
        read_learning_tables(paths, TableLayout(), ColumnOptions())
    (tmp_path / "train.data").write_text("2|0,1\n1,0\n")
    (tmp_path / "valid.data").write_text("0,1\n1,0\n")
    weighted = {"train": tmp_path / "train.data", "valid": tmp_path / "valid.data"}
    weights = read_learning_tables(weighted, TableLayout(), ColumnOptions()).weights
    assert {role: found.tolist() for role, found in weights.items()} == {"train": [2, 1]}


def test_columns_are_shown_in_a_few_words() -> None:
    bins = Bins((18, 65))
    categories = (bins.labels, (False, True), tuple(range(7)), ("f", "x" * 30), (0, "x"))
    schema = Schema(tuple("abcde"), categories, (bins, None, None, None, None), (False, False, True, False, False))
    assert column_summaries(schema) == [
        ColumnSummary("a", "intervals", 3, "< 18, [18, 65), >= 65"),
        ColumnSummary("b", "boolean", 2, "False, True"),
        ColumnSummary("c", "ordered", 7, "0, 1, 2, 3, 4, …"),
        ColumnSummary("d", "categorical", 2, f"f, {'x' * 23}…"),
        ColumnSummary("e", "categorical", 2, "0, x"),
    ]
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 3, 1)]
    numbers = prepare(pa.table({"n": [18, 90] * 20 + [*range(30, 60)], "d": days * 35, "h": [0.25, 1.5] * 35})).schema
    assert [(each.kind, each.categories) for each in column_summaries(numbers)] == [
        ("number", "18 to 90"),
        ("date", "2020-01-01 to 2020-03-01"),
        ("number", "0.25 to 1.5"),
    ]


def test_a_frame_is_not_changed() -> None:
    table = pa.table({"a": [0, 1], "h": [0.5, 1.5]})
    frame = Frame(table)
    prepare(frame, as_category("h"))
    assert frame.table is table
    assert table["h"].to_pylist() == [0.5, 1.5]
