"""Datasets from frames: the same table in pandas, polars and pyarrow gives the same schema and codes."""

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnac.data import Dataset, Schema
from learnac.errors import DataError

Columns = dict[str, list[Any]]
MAKERS: dict[str, Callable[[Columns], Any]] = {
    "pandas": pd.DataFrame,
    "pandas-object": lambda columns: pd.DataFrame(columns).astype(
        {name: object for name, values in columns.items() if isinstance(values[0], str)}
    ),
    "pandas-nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas-arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas-odd-index": lambda columns: pd.DataFrame(columns, index=[7] * len(next(iter(columns.values())))),
    "polars": pl.DataFrame,
    "polars-chunked": lambda columns: pl.concat([pl.DataFrame(columns)[:1], pl.DataFrame(columns)[1:]]),
    "pyarrow": pa.table,
    "pyarrow-chunked": lambda columns: pa.concat_tables([pa.table(columns)[:1], pa.table(columns)[1:]]),
}
each_library = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
values = st.sampled_from([st.integers(-(2**63), 2**63 - 1), st.integers(-2, 2), text, st.booleans()])


@st.composite
def tables(draw: st.DrawFn) -> Columns:
    n_rows = draw(st.integers(1, 12))
    names = draw(st.lists(st.text("abcdef_ é", min_size=1, max_size=4), min_size=1, max_size=4, unique=True))
    return {name: draw(st.lists(draw(values), min_size=n_rows, max_size=n_rows)) for name in names}


def expected_categories(column: list[Any]) -> tuple[Any, ...]:
    return (False, True) if isinstance(column[0], bool) else tuple(sorted(set(column)))


def is_expected_ordered(column: list[Any]) -> bool:
    return type(column[0]) is int and len(set(column)) > 2


@given(tables(), st.sampled_from(list(MAKERS)), st.randoms())
def test_every_library_gives_the_same_schema_and_codes(columns: Columns, library: str, random: Any) -> None:
    frame = MAKERS[library](columns)
    table = Dataset.from_frame(frame)
    categories = tuple(expected_categories(column) for column in columns.values())
    ordered = tuple(is_expected_ordered(column) for column in columns.values())
    assert table.schema == Schema(tuple(columns), categories, ordered=ordered)
    for codes, known, column in zip(table.codes.tolist(), categories, columns.values(), strict=True):
        assert codes == [known.index(value) for value in column]
    assert table.codes.flags.c_contiguous
    assert not table.codes.flags.writeable

    shuffled = list(columns)
    random.shuffle(shuffled)
    again = table.schema.encode(MAKERS[library]({name: columns[name] for name in shuffled}))
    assert again.dtype == table.codes.dtype
    assert not again.flags.writeable
    assert np.array_equal(again, table.codes)
    assert np.array_equal(table.schema.encode(Dataset(table.schema, table.codes)), table.codes)


@given(tables())
def test_the_categories_of_one_frame_encode_part_of_it(columns: Columns) -> None:
    table = Dataset.from_frame(pl.DataFrame(columns))
    categories = dict(zip(columns, table.categories, strict=True))
    kinds = {name: "ordered" for name, column in columns.items() if is_expected_ordered(column)}
    first = Dataset.from_frame(pd.DataFrame(columns).iloc[:1], categories=categories, kinds=kinds)
    assert first.schema == table.schema
    assert first.codes.tolist() == table.codes[:, :1].tolist()


@each_library
def test_types_without_declared_categories(make: Callable[[Columns], Any]) -> None:
    frame = make({"s": ["b", "", "a"], "i": [10, -1, 9], "b": [True, True, True], "f": [2.0, -0.0, 0.0]})
    table = Dataset.from_frame(frame)
    assert table.categories == (("", "a", "b"), (-1, 9, 10), (False, True), (0, 2))
    assert [type(column[0]) for column in table.categories] == [str, int, bool, int]
    assert table.codes.tolist() == [[2, 0, 1], [2, 0, 1], [1, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": pd.Categorical(["b", "c"], categories=["c", "a", "b"])}),
        pd.DataFrame({"x": pd.Categorical(["b", "c"], categories=["c", "a", "b"], ordered=True)}),
        pl.DataFrame({"x": pl.Series(["b", "c"], dtype=pl.Enum(["c", "a", "b"]))}),
        pa.table({"x": pa.DictionaryArray.from_arrays([2, 0], ["c", "a", "b"])}),
    ],
    ids=["pandas", "pandas-ordered", "polars", "pyarrow"],
)
def test_declared_categories_keep_their_order_and_the_unseen(frame: Any) -> None:
    table = Dataset.from_frame(frame)
    assert table.categories == (("c", "a", "b"),)
    assert table.codes.tolist() == [[2, 0]]
    # Categories are values: a frame of plain strings fits the same schema.
    assert table.schema.encode(pd.DataFrame({"x": ["a", "b"]})).tolist() == [[1, 2]]


def test_categories_of_integers_booleans_and_whole_floats() -> None:
    frame = pd.DataFrame(
        {
            "i": pd.Categorical([3, 1], categories=[3, 2, 1]),
            "b": pd.Categorical([True, True], categories=[True, False]),
            "f": pd.Categorical([2.0, 1.0]),
        }
    )
    table = Dataset.from_frame(frame)
    assert table.categories == ((3, 2, 1), (True, False), (1, 2))
    assert table.codes.tolist() == [[0, 2], [0, 0], [1, 0]]


def test_categories_that_no_type_declares_are_sorted() -> None:
    # The categories of a polars Categorical depend on the order of its rows; pandas hides those of Arrow.
    of_polars = pl.DataFrame({"x": pl.Series(["b", "c", "a"], dtype=pl.Categorical)})
    dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    of_arrow = pd.DataFrame({"x": pd.Series(["b", "c", "a"]).astype(dictionary)})
    for frame in (of_polars, of_arrow):
        table = Dataset.from_frame(frame)
        assert table.categories == (("a", "b", "c"),)
        assert table.codes.tolist() == [[1, 2, 0]]


def test_small_and_odd_number_types() -> None:
    half = np.array([1, 0, 1], dtype=np.float16)
    for frame in (
        pd.DataFrame({"x": half}),
        pa.table({"x": half}),
        pl.DataFrame({"x": pl.Series([1, 0, 1], dtype=pl.Int128)}),
        pl.DataFrame({"x": pl.Series([1, 0, 1], dtype=pl.UInt64)}),
    ):
        assert Dataset.from_frame(frame).codes.tolist() == [[1, 0, 1]]


@each_library
def test_integers_that_no_float_holds_stay_what_they_are(make: Callable[[Columns], Any]) -> None:
    large = [-(2**56) - 2, -(2**56) - 1, 2**53 + 1]
    for values in (large, large[:2], large[2:]):
        assert Dataset.from_frame(make({"x": values})).categories == (tuple(values),)


@each_library
def test_stated_categories_are_taken_as_they_are(make: Callable[[Columns], Any]) -> None:
    frame = make({"x": [0, 0, 0], "y": ["b", "a", "b"]})
    assert Dataset.from_frame(frame).arities.tolist() == [1, 2]
    table = Dataset.from_frame(frame, categories={"x": [1, 0], "y": np.array(["c", "b", "a"])})
    assert table.categories == ((1, 0), ("c", "b", "a"))
    assert table.codes.tolist() == [[1, 1, 1], [1, 2, 1]]
    assert Dataset.from_frame(frame, categories={"x": [0, 1]}).arities.tolist() == [2, 2]


def test_stated_categories_that_are_wrong() -> None:
    frame = pd.DataFrame({"x": [0, 1, 2], "y": [0, 0, 0]})
    with pytest.raises(DataError, match="column 'x', row 2: expected one of its categories, 0, 1; found 2"):
        Dataset.from_frame(frame, categories={"x": [0, 1]})
    with pytest.raises(ValueError, match="stated for 'z', but the columns of the table are 'x', 'y'"):
        Dataset.from_frame(frame, categories={"z": [0, 1]})
    with pytest.raises(DataError, match="column 'y' has no categories"):
        Dataset.from_frame(frame, categories={"y": []})
    with pytest.raises(TypeError, match=r"expected categories as a mapping .* found list"):
        Dataset.from_frame(frame, categories=[[0, 1]])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="column 'x': expected a list of categories, found '012'"):
        Dataset.from_frame(frame, categories={"x": "012"})
    with pytest.raises(TypeError, match="column 'x': expected a list of categories, found None"):
        Dataset.from_frame(frame, categories={"x": None})  # type: ignore[dict-item]


@each_library
def test_an_unseen_category_is_named_with_its_place(make: Callable[[Columns], Any]) -> None:
    schema = Dataset.from_frame(make({"x": ["a", "b"], "y": [1, 2]})).schema
    with pytest.raises(DataError, match="column 'x', row 2: expected one of its categories, 'a', 'b'; found 'q'"):
        schema.encode(make({"x": ["a", "b", "q", "q"], "y": [1, 2, 1, 7]}))
    with pytest.raises(DataError, match="column 'y', row 1: expected one of its categories, 1, 2; found 7"):
        schema.encode(make({"x": ["a", "b"], "y": [1, 7]}))
    with pytest.raises(DataError, match=r"column 'y', row 0: .*; found '1'"):
        schema.encode(make({"x": ["a"], "y": ["1"]}))
    with pytest.raises(DataError, match=r"column 'y', row 1: .*; found 1\.5"):
        schema.encode(make({"x": ["a", "a"], "y": [1.0, 1.5]}))


def test_many_known_categories_are_cut_short() -> None:
    schema = Schema(("x",), (tuple(range(5000)),))
    with pytest.raises(DataError, match=r"categories, 0, 1, 2, 3, 4, 5, 6, 7, \.\.\. \(5,000 in all\); found -1$"):
        schema.encode(pl.DataFrame({"x": [-1]}))


@each_library
def test_columns_too_many_or_too_few_are_named(make: Callable[[Columns], Any]) -> None:
    schema = Dataset.from_frame(make({"x": [0], "y": [0]})).schema
    with pytest.raises(DataError, match=r"expected the 2 columns of the schema; the table lacks 'y'$"):
        schema.encode(make({"x": [0]}))
    with pytest.raises(DataError, match=r"the table has 'when' in excess$"):
        schema.encode(make({"x": [0], "y": [0], "when": [datetime.date(2020, 1, 1)]}))


def test_integers_booleans_and_whole_floats_are_the_same_categories() -> None:
    schema = Dataset.from_frame(pl.DataFrame({"x": [0, 1]})).schema
    for column in ([True, False], [1.0, 0.0], [1, 0]):
        assert schema.encode(pl.DataFrame({"x": column})).tolist() == [[1, 0]]


@each_library
def test_missing_values_are_counted_by_column(make: Callable[[Columns], Any]) -> None:
    frame = make({"s": ["a", None, "b"], "f": [1.0, None, None], "i": [1, 2, 3], "b": [True, None, False]})
    message = "missing values are not supported: column 's' has 1; column 'f' has 2; column 'b' has 1;"
    with pytest.raises(DataError, match=message):
        Dataset.from_frame(frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_nan_and_columns_of_nothing_are_missing_too(make: Callable[[Columns], Any]) -> None:
    with pytest.raises(DataError, match="column 'n' has 2; column 'f' has 1"):
        Dataset.from_frame(make({"n": [None, None], "f": [1.0, float("nan")]}))
    many = make({f"c{i}": [None] for i in range(10)})
    with pytest.raises(DataError, match=r"column 'c7' has 1; and 2 more columns;"):
        Dataset.from_frame(many)


@each_library
def test_floats_that_are_not_whole_are_numbers(make: Callable[[Columns], Any]) -> None:
    table = Dataset.from_frame(make({"h": [1.0, 1.75, 1.5]}))
    (bins,) = table.schema.bins
    assert bins is not None
    assert table.numbers[0].tolist() == [1.0, 1.75, 1.5]
    assert table.codes.tolist() == [bins.codes([1.0, 1.75, 1.5]).tolist()]
    with pytest.raises(DataError) as caught:
        Dataset.from_frame(make({"h": [1.0, 1.75, 1.5]}), as_category=["h"])
    assert str(caught.value) == (
        "column 'h': expected whole numbers as categories, found 1.5: "
        "leave it a number, give it bins, or convert it to strings"
    )


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        (pl.DataFrame({"t": [[1, 2]]}), "List"),
        (pa.table({"t": [[1, 2]]}), "list"),
        (pd.DataFrame({"t": [[1, 2]]}), "object"),
        (pd.DataFrame({"t": [1, "a"]}, dtype=object), "object"),
        (pd.DataFrame({"t": pd.arrays.SparseArray([0, 1])}), "Sparse"),
        (pl.DataFrame({"t": [datetime.timedelta(1)]}), "Duration"),
        (pa.table({"t": [datetime.time(1)]}), "time64"),
        (pd.DataFrame({"t": [1j]}), "complex128"),
    ],
)
def test_other_types_are_named(frame: Any, found: str) -> None:
    with pytest.raises(DataError, match=f"column 't' has type {found}.*; expected strings, booleans, numbers, dates"):
        Dataset.from_frame(frame)


def test_values_that_no_type_gives_away() -> None:
    late = pd.DataFrame({"t": pd.Series(["a"] * 200 + [3], dtype=object)})
    with pytest.raises(DataError, match="column 't': expected only strings, found also 3"):
        Dataset.from_frame(late)
    dates = pd.DataFrame({"t": pd.Categorical(pd.to_datetime(["2020-01-01"]))})
    with pytest.raises(DataError, match=r"column 't': expected categories that are strings, .* found Timestamp"):
        Dataset.from_frame(dates)
    huge = pa.table({"t": pa.array([2**63], type=pa.uint64())})
    with pytest.raises(DataError, match=r"column 't': expected integers up to .* found 9223372036854775808"):
        Dataset.from_frame(huge)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(), "the table has no columns"),
        (pd.DataFrame(index=[0, 1]), "the table has no columns"),
        (pl.DataFrame(), "the table has no columns"),
        (pd.DataFrame({"a": []}), "the table has no rows"),
        (pl.DataFrame({"a": []}), "the table has no rows"),
        (pa.table({"a": pa.array([], type=pa.dictionary(pa.int32(), pa.string()))}), "the table has no rows"),
        (pd.DataFrame([[0, 1]], columns=["a", "a"]), "column names must be unique; repeated: 'a'$"),
        (pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), "must be unique; repeated: 'a'$"),
        (pd.DataFrame({1: [0], "1": [0]}), "expected column names that are unique, also as strings; found 1, '1'"),
        (pd.DataFrame({"a": [0], "": [0]}), "the name at position 1 is empty"),
    ],
)
def test_tables_that_are_none(frame: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_frame(frame)


def test_a_lazy_frame_must_be_collected() -> None:
    with pytest.raises(TypeError, match=r"found a lazy frame: call its collect\(\) first \(polars.*LazyFrame\)"):
        Dataset.from_frame(pl.LazyFrame({"a": [0]}))


def test_labels_that_are_not_strings_become_strings() -> None:
    frame = pd.DataFrame(np.array([[0, 1], [1, 0]]))
    table = Dataset.from_frame(frame, categories={0: [1, 0]})  # type: ignore[dict-item]
    assert table.names == ("0", "1")
    assert table.codes.tolist() == [[1, 0], [1, 0]]
    assert table.schema.encode(frame[[1, 0]]).tolist() == table.codes.tolist()


def test_a_thousand_categories_and_more() -> None:
    numbers = np.random.default_rng(1).permutation(60_000) - 500
    words = [f"w{number:06}" for number in numbers + 500]
    table = Dataset.from_frame(pl.DataFrame({"n": numbers, "w": words}), as_category=["n", "w"])
    assert table.codes.dtype == np.uint16
    assert np.array_equal(table.codes[0], numbers + 500)
    assert np.array_equal(table.codes[1], numbers + 500)


def test_an_array_is_refused_where_its_codes_look_like_other_categories() -> None:
    table = Dataset.from_frame(pd.DataFrame({"stage": [1, 2, 1], "sex": ["f", "m", "f"]}))
    with pytest.raises(DataError, match=r"an array holds codes, and those of column 'stage' are not its categories"):
        table.schema.encode(np.array([[1, 0]]))
    named = Dataset.from_frame(pd.DataFrame({"sex": ["f", "m", "f"], "ill": [True, False, True]}))
    assert named.schema.encode(np.array([[1, 0]])).tolist() == [[1], [0]]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("gap", [2, 2**40])
def test_whole_numbers_beyond_those_of_floats_are_told_apart(dtype: Any, gap: int) -> None:
    numbers = [2**53 + 1, 2**53 + 1 + gap, 2**62 + 1]
    assert Dataset.from_frame(pd.DataFrame({"a": np.array(numbers[:2], dtype)})).categories == (tuple(numbers[:2]),)
    assert Dataset.from_frame(pd.DataFrame({"a": np.array(numbers, dtype)})).categories == (tuple(numbers),)


@pytest.mark.parametrize("made", [pa.table, pd.DataFrame, pl.DataFrame, lambda columns: pa.table(columns).to_pandas()])
def test_numbers_that_no_float_is_equal_to_are_put_into_bins(made: Callable[[Any], Any]) -> None:
    numbers = 2**60 + 2**40 * np.arange(100) + 1
    table = Dataset.from_frame(made({"a": numbers.tolist()}), bins={"a": 4})
    assert np.bincount(table.codes[0]).tolist() == [25, 25, 25, 25]
