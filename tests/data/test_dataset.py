"""Datasets from arrays: their layout, and one clear message for each table that cannot be used."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from learnac.data import Dataset, Schema, as_dataset
from learnac.data.categories import MAX_ARITY
from learnac.errors import DataError

CODES = np.array([[0, 2, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])

tables_of_codes = hnp.arrays(
    dtype=st.sampled_from([np.bool_, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64]),
    shape=hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements={"min_value": 0, "max_value": 100},
).map(np.trunc)


def test_a_table_becomes_one_row_of_codes_per_column() -> None:
    table = Dataset.from_array(CODES)
    assert table.codes.tolist() == CODES.T.tolist()
    assert table.codes.dtype == np.uint8
    assert table.codes.flags.c_contiguous
    assert (table.n_rows, table.n_variables, len(table)) == (4, 3, 4)
    assert table.names == ("x0", "x1", "x2")
    assert table.categories == ((0, 1), (0, 1, 2), (0, 1))
    assert table.arities.tolist() == [2, 3, 2]
    assert repr(table) == "Dataset(4 rows, 3 variables: x0[2], x1[3], x2[2])"


@given(tables_of_codes, st.sampled_from("CF"))
def test_any_numeric_type_and_memory_order_gives_the_same_codes(array: npt.NDArray[Any], order: Any) -> None:
    table = Dataset.from_array(np.asarray(array, order=order))
    assert np.array_equal(table.codes_by_row(), array)
    assert table.codes.flags.c_contiguous
    assert np.array_equal(table.schema.encode(array), table.codes)
    assert np.array_equal(as_dataset(array.tolist()).codes, table.codes)


def test_tables_of_many_blocks_keep_their_rows_in_order() -> None:
    codes = np.random.default_rng(0).integers(0, 1000, size=(10_001, 3))
    table = Dataset.from_array(codes, arities=1000)
    assert table.codes.dtype == np.uint16
    assert np.array_equal(table.codes_by_row(), codes)


def test_nothing_in_it_can_be_changed() -> None:
    array = CODES.copy()
    table = Dataset.from_array(array)
    array[:] = 0
    assert table.codes.tolist() == CODES.T.tolist()
    for codes in (table.codes, table.codes_by_row()):
        with pytest.raises(ValueError, match="read-only"):
            codes[0, 0] = 1
    with pytest.raises(FrozenInstanceError):
        table.codes = CODES  # type: ignore[misc]


@pytest.mark.parametrize("again", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_copies_are_read_only_too(again: Any) -> None:
    table = again(Dataset.from_array(CODES, names=["a", "b", "c"]))
    assert table.names == ("a", "b", "c")
    assert table.codes.tolist() == CODES.T.tolist()
    assert not table.codes.flags.writeable


def test_the_constructor_copies_what_could_still_change() -> None:
    schema = Schema(("a", "b"), ((0, 1), (0, 1)))
    writeable = np.array([[0, 1, 1], [1, 0, 1]], dtype=np.uint8)
    table = Dataset(schema, writeable)
    writeable[:] = 0
    assert table.codes.tolist() == [[0, 1, 1], [1, 0, 1]]
    assert Dataset(schema, table.codes).codes is table.codes


@pytest.mark.parametrize(
    ("codes", "error", "message"),
    [
        (np.zeros((1, 3), dtype=int), TypeError, "expected an array of uint8, found int64"),
        ([[0]], TypeError, "expected an array of uint8, found list"),
        (np.zeros((2, 3), dtype=np.uint8), DataError, r"expected codes of shape \(1, rows\), found \(2, 3\)"),
        (np.zeros((1, 0), dtype=np.uint8), DataError, "the table has no rows"),
        (np.full((1, 3), 2, dtype=np.uint8), DataError, "column 'a': expected codes from 0 to 1, found 2"),
    ],
)
def test_the_constructor_refuses(codes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Dataset(Schema(("a",), ((0, 1),)), codes)


def test_arities_make_room_for_values_not_seen() -> None:
    assert Dataset.from_array(CODES, arities=4).arities.tolist() == [4, 4, 4]
    assert Dataset.from_array(CODES, arities=[2, 3, 5]).arities.tolist() == [2, 3, 5]
    assert Dataset.from_array(CODES, arities=np.array([2, 3, 5])).arities.tolist() == [2, 3, 5]
    assert Dataset.from_array(CODES, arities=300).codes.dtype == np.uint16


def test_one_column_and_constant_columns_are_tables_too() -> None:
    table = Dataset.from_array(np.zeros((3, 1), dtype=int))
    assert table.arities.tolist() == [1]
    assert repr(table) == "Dataset(3 rows, 1 variable: x0[1])"
    assert Dataset.from_array([[1, 0]]).arities.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([], "the table has no rows"),
        (np.zeros((0, 3), dtype=int), "the table has no rows"),
        (np.zeros((3, 0), dtype=int), "the table has no columns"),
        ([[], []], "the table has no columns"),
        ([0, 1, 1], r"found shape \(3,\). Reshape your data: one row is array.reshape\(1, -1\), one column"),
        (
            np.zeros((2, 2, 2), dtype=int),
            r"expected a 2-D array \(rows x variables\), found shape \(2, 2, 2\)$",
        ),
        ([[0, 1], [1, 0], [1]], "rows of the same length; row 0 has 2 values and row 2 has 1 values"),
        ([[0, 1], 1], "row 1 has a number in its place"),
        ([[0, [1, 2]], [0, 1]], "some of the values are sequences"),
        ([{"a": 0}], "found dtype object.*use Dataset.from_frame"),
        ([["a", "b"]], "found dtype <U1.*use Dataset.from_frame"),
        (np.array([["a", 1]], dtype=object), "found dtype object.*use Dataset.from_frame"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "found dtype datetime64"),
        ([[0, 1], [0, -3]], "row 1, column 'x1': expected a code from 0 to 1 .* found -3"),
        ([[-1]], r"row 0, column 'x0': expected a code from 0 to 0 \(arity 1\), found -1"),
        (
            [[0.0, 1.0], [1.0, 0.5]],
            r"row 1, column 'x1': expected a code \(a whole number from 0\), found 0.5",
        ),
        ([[0.0, np.inf]], "row 0, column 'x1': expected a code .* found inf"),
        ([[0, 10**9]], "column 'x1': expected at most 65,536 categories, found 1,000,000,001"),
        ([[1e300]], "column 'x0': expected at most 65,536 categories"),
        ([[10**30]], "column 'x0': expected at most 65,536 categories"),
    ],
)
def test_it_refuses_arrays(array: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_array(array)


def test_a_broken_float_is_found_beyond_the_first_block() -> None:
    array = np.zeros((9000, 2))
    array[8500, 1] = 1.5
    with pytest.raises(DataError, match=r"row 8500, column 'b': .* found 1.5"):
        Dataset.from_array(array, names=["a", "b"])


def test_missing_values_are_counted() -> None:
    array = np.array([[0.0, 1.0], [1.0, np.nan], [np.nan, 0.0]])
    message = "not supported: found 2, the first in row 1, column 'x1'"
    with pytest.raises(DataError, match=message):
        Dataset.from_array(array)


def test_masked_values_are_missing_values() -> None:
    masked = np.ma.masked_equal(CODES, 2)
    with pytest.raises(DataError, match=r"missing values .* found 1, the first in position \(0, 1\)"):
        Dataset.from_array(masked)
    assert len(Dataset.from_array(np.ma.masked_equal(CODES, 9))) == 4


@pytest.mark.parametrize(
    ("arities", "error", "message"),
    [
        ([2, 2, 2], DataError, r"row 0, column 'x1': expected a code from 0 to 1 \(arity 2\), found 2"),
        ([2, 3], ValueError, r"expected one arity or 3, one per column, found shape \(2,\)"),
        ([2, 3, 0], ValueError, "expected arities of at least 1, found 0"),
        (2.5, TypeError, "expected arities that are integers, found 2.5"),
        (True, TypeError, "expected arities that are integers, found True"),
        (MAX_ARITY + 1, DataError, "column 'x0': expected at most 65,536 categories"),
    ],
)
def test_it_refuses_arities(arities: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Dataset.from_array(CODES, arities=arities)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["a", "b"], ValueError, "expected 3 names, one per column, found 2"),
        (["a", "b", "a"], DataError, "names must be unique; repeated: 'a'"),
        (["a", "b", 3], TypeError, "found 3 at position 2"),
        ("abc", TypeError, "found the string 'abc'"),
    ],
)
def test_it_refuses_names(names: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Dataset.from_array(CODES, names=names)


def test_as_dataset_takes_datasets_arrays_lists_and_frames() -> None:
    table = Dataset.from_array(CODES)
    assert as_dataset(table) is table
    for same in (CODES, CODES.tolist(), tuple(map(tuple, CODES))):
        assert as_dataset(same).codes.tolist() == table.codes.tolist()
    # A frame holds values, an array codes: the last column is 1 throughout, its only category in the frame.
    frame = as_dataset(pd.DataFrame(CODES))
    assert frame.names == ("0", "1", "2")
    assert frame.categories == ((0, 1), (0, 1, 2), (1,))


@pytest.mark.parametrize("thing", [None, 3, "table", {"a": [0, 1]}, pd.Series([0, 1])])
def test_as_dataset_says_what_it_takes(thing: object) -> None:
    with pytest.raises(TypeError, match=r"expected a data frame .* an array of codes; found"):
        as_dataset(thing)


def test_a_single_value_is_no_array() -> None:
    with pytest.raises(TypeError, match=r"expected a 2-D array \(rows x variables\), found int"):
        Dataset.from_array(3)
