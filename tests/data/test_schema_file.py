"""Schema files: what is written is read back, and what cannot be understood is named with file and key."""

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnac.data import Binning, Bins, Schema
from learnac.data.column_options import ColumnOptions
from learnac.data.kinds import Kind
from learnac.data.schema_file import read_schema_file, schema_text, write_schema_file
from learnac.errors import DataError

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6) | st.text(string.printable, min_size=1)
categories = st.one_of(
    st.lists(text, min_size=1, max_size=4, unique=True).map(tuple),
    st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=4, unique=True).map(tuple),
    st.just((True, False)),
    st.just((0, "x", 7)),
)
bins = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4, unique_by=lambda edge: edge + 0.0).map(
    lambda edges: Bins(tuple(sorted(edges)))
)


@given(st.dictionaries(text, categories | bins, min_size=1, max_size=5), text)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, object], dropped: str
) -> None:
    path = tmp_path_factory.mktemp("schema") / "s.toml"
    found = {name: column.labels if isinstance(column, Bins) else column for name, column in columns.items()}
    intervals = tuple(column if isinstance(column, Bins) else None for column in columns.values())
    schema = Schema(tuple(found), tuple(found.values()), intervals)  # type: ignore[arg-type]
    left_out = [dropped] if dropped not in columns else []
    write_schema_file(schema, path, left_out)
    options = read_schema_file(path)
    assert options.bins == {name: column for name, column in columns.items() if isinstance(column, Bins)}
    assert options.categories == {name: column for name, column in columns.items() if not isinstance(column, Bins)}
    assert [type(value) for values in options.categories.values() for value in values] == [
        type(value) for column in columns.values() if isinstance(column, tuple) for value in column
    ]
    assert options.drop == set(left_out)
    assert list(options.categories) == [name for name, column in columns.items() if isinstance(column, tuple)]


def test_it_reads_like_this() -> None:
    age = Bins((18, 65.5))
    schema = Schema(("age", "the sex"), (age.labels, ("f", 'm"')), (age, None))
    assert schema_text(schema, ["id"]) == (
        "[columns.age]\n"
        "bins = [18, 65.5]\n"
        "\n"
        '[columns."the sex"]\n'
        'categories = ["f", "m\\""]\n'
        "\n"
        "[columns.id]\n"
        "drop = true\n"
    )


def test_everything_that_may_be_stated(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(
        b"\xef\xbb\xbf[columns.a]\r\nbins = 4\r\n[columns.b]\r\nbins = 3\r\nstrategy = 'uniform'\r\n"
        b"[columns.c]\r\nbins = [1, 2.5]\r\n[columns.d]\r\ndrop = true\r\n[columns.e]\r\ntype = 'category'\r\n"
        b"[columns.f]\r\ncategories = [true, false]\r\n[columns.'*']\r\nbins = 5\r\n"
        b"[columns.g]\r\ntype = 'date'\r\nbins = [18000]\r\n[columns.h]\r\ntype = 'number'\r\n"
        b"[columns.i]\r\ntype = 'ordered'\r\ncategories = ['low', 'high']\r\n[columns.j]\r\ntype = 'categorical'\r\n"
    )
    assert read_schema_file(path) == ColumnOptions(
        {"a": Binning(4), "b": Binning(3, "uniform"), "c": Bins((1, 2.5)), "g": Bins((18000,)), "*": Binning(5)},
        frozenset({"d"}),
        {"e": Kind.CATEGORICAL, "g": Kind.DATE, "h": Kind.NUMBER, "i": Kind.ORDERED, "j": Kind.CATEGORICAL},
        {"f": (True, False), "i": ("low", "high")},
    )


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[columns.a\n", "expected TOML: "),
        ("[columns.a]\ndrop = true\n[columns.a]\n", "expected TOML: "),
        ("", "columns: expected a table for each column"),
        ("columns = 3", "columns: expected a table for each column"),
        ("[column.a]\ndrop = true", "column: expected the key 'columns', found 'column'"),
        ("[columns]\na = 3", "columns.a: expected a table with one of 'categories', 'bins', 'drop', 'type', found 3"),
        ("[columns.a]", "columns.a: expected one of 'categories', 'bins', 'drop', 'type', found none of them"),
        ("[columns.a]\nbins = 3\ndrop = true", "columns.a: expected one of .*, found 'bins', 'drop'"),
        ("[columns.'a b']\nbin = 3", 'columns."a b".bin: expected one of'),
        ("[columns.a]\ndrop = false", "columns.a.drop: expected true, found False"),
        ("[columns.a]\ntype = 'string'", "columns.a.type: expected one of 'boolean', 'categorical',.* found 'string'"),
        ("[columns.a]\nbins = 1", "columns.a.bins: expected at least 2 bins, found 1"),
        ("[columns.a]\nbins = true", "columns.a.bins: expected a number of bins, found True"),
        ("[columns.a]\nbins = 'x'", "columns.a.bins: expected edges such as .* found 'x'"),
        ("[columns.a]\nbins = [1, 'x']", "columns.a.bins: expected edges such as"),
        ("[columns.a]\nbins = [1, true]", "columns.a.bins: expected edges such as"),
        ("[columns.a]\nbins = [2, 1]", "columns.a.bins: expected edges in increasing order"),
        ("[columns.a]\nbins = [1, inf]", "columns.a.bins: expected edges that are finite"),
        ("[columns.a]\nbins = 3\nstrategy = 'kmeans'", "columns.a.bins: expected bins of strategy"),
        ("[columns.a]\nbins = [3]\nstrategy = 'uniform'", "columns.a.strategy: expected a number of bins with it"),
        ("[columns.a]\ncategories = 'abc'", "columns.a.categories: expected a list, found 'abc'"),
        ("[columns.a]\ncategories = []", "columns.a.categories: column 'a' has no categories"),
        ("[columns.a]\ncategories = ['x', 'x']", "columns.a.categories: .*must be unique"),
        ("[columns.a]\ncategories = [0.5]", "columns.a.categories: .*found 0.5"),
        ("[columns.a]\ncategories = [2020-01-01]", "columns.a.categories: .*found datetime"),
    ],
)
def test_what_cannot_be_understood(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(content)
    with pytest.raises(DataError, match=complaint) as caught:
        read_schema_file(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_files_that_are_not_text_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes("[columns.é]\ndrop = true".encode("latin-1"))
    with pytest.raises(DataError, match=r"s\.toml: expected text in UTF-8"):
        read_schema_file(path)
    with pytest.raises(FileNotFoundError):
        read_schema_file(tmp_path / "nowhere.toml")
