"""What a schema accepts, what it refuses and says, and how it finds codes for arrays and other Datasets.

Frames are in `test_frames.py`.
"""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from learnac.data import Bins, Dataset, Schema
from learnac.data.categories import MAX_ARITY
from learnac.errors import DataError, LearnacError, ModelFileError, Problem, QueryError

WEATHER = Schema(("sky", "wind"), (("clear", "cloud", "rain"), (False, True)))


def dataset(schema: Schema, rows: list[list[int]]) -> Dataset:
    return Dataset(schema, np.array(rows, dtype=schema.code_dtype).T)


def test_it_tells_sizes_and_positions() -> None:
    assert WEATHER.n_variables == 2
    assert WEATHER.arities.tolist() == [3, 2]
    assert WEATHER.arities.dtype == np.int32
    assert WEATHER.index("wind") == 1
    assert repr(WEATHER) == "Schema(2 variables: sky[3], wind[2])"


def test_repr_stays_short_for_many_variables() -> None:
    schema = Schema(tuple(f"v{i}" for i in range(500)), ((0, 1),) * 500)
    assert repr(schema) == "Schema(500 variables: v0[2], v1[2], v2[2], v3[2], v4[2], v5[2], ...)"


def test_nothing_in_it_can_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        WEATHER.names = ("a", "b")  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        WEATHER.arities[0] = 7


def test_lists_and_numpy_scalars_become_tuples_of_plain_values() -> None:
    categories = [[np.int64(3), 4.0], [np.bool_(False), np.str_("x")]]
    schema = Schema(["a", np.str_("b")], categories)  # type: ignore[arg-type]
    assert schema == Schema(("a", "b"), ((3, 4), (False, "x")))
    assert [type(value) for column in schema.categories for value in column] == [int, int, bool, str]
    assert type(schema.names[1]) is str


def test_equal_schemas_are_equal_keys_and_survive_a_pickle() -> None:
    again = pickle.loads(pickle.dumps(WEATHER))
    assert again == WEATHER
    assert hash(again) == hash(WEATHER)


@pytest.mark.parametrize(
    ("arity", "dtype"),
    [(1, "uint8"), (256, "uint8"), (257, "uint16"), (65536, "uint16")],
)
def test_code_dtype_is_the_smallest_that_holds_the_last_code(arity: int, dtype: str) -> None:
    assert Schema(("a", "b"), ((0,), tuple(range(arity)))).code_dtype == dtype


@pytest.mark.parametrize(
    ("names", "categories", "message"),
    [
        ((), (), "no columns"),
        (("a", ""), ((0,), (0,)), "position 1 is empty"),
        (("a", "b", "a"), ((0,),) * 3, "names must be unique; repeated: 'a'"),
        (("a", "b"), ((0,),), "found 2 names and 1 lists"),
        (("a",), ((),), "column 'a' has no categories"),
        (("a",), (("x", "y", "x"),), "column 'a': categories must be unique, repeated: 'x'"),
        (("a",), ((1, True),), "categories must be unique"),
        (("a",), ((0, None),), r"column 'a'.*found None \(NoneType\)"),
        (("a",), ((0.5,),), r"found 0.5 \(float\)"),
        (("a",), (([1],),), r"found \[1\] \(list\)"),
        (("id",), (range(MAX_ARITY + 1),), "column 'id': expected at most 65,536 categories"),
    ],
)
def test_it_refuses(names: tuple[str, ...], categories: tuple[object, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Schema(names, categories)  # type: ignore[arg-type]


def test_a_string_is_no_list_of_names_or_categories() -> None:
    with pytest.raises(TypeError, match="found the string 'ab'"):
        Schema("ab", ((0,), (0,)))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="column 'a': expected a list of categories, found 'xyz'"):
        Schema(("a",), ("xyz",))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="found 3 at position 0"):
        Schema((3,), ((0,),))  # type: ignore[arg-type]


def test_index_of_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(ValueError, match="no variable is called 'rain'; there are 'sky', 'wind'"):
        WEATHER.index("rain")


def test_arrays_hold_codes_whatever_the_categories() -> None:
    codes = WEATHER.encode(np.array([[2, 0], [0, 1], [1, 1]]))
    assert codes.tolist() == [[2, 0, 1], [0, 1, 1]]
    assert codes.dtype == np.uint8
    assert codes.flags.c_contiguous
    assert not codes.flags.writeable


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((4, 3), dtype=int), "expected 2 columns, as the schema has, found 3"),
        ([[0, 0], [3, 0]], r"row 1, column 'sky': expected a code from 0 to 2 \(arity 3\), found 3"),
        ([[0, 0], [0, -1]], "row 1, column 'wind': expected a code from 0 to 1 .* found -1"),
        ([[0.0, np.nan]], "missing values are not supported: found 1, the first in row 0, column 'wind'"),
        ([0, 1], r"expected a 2-D array \(rows x variables\), found shape \(2,\)"),
        (np.zeros((0, 2), dtype=int), "the table has no rows"),
    ],
)
def test_it_refuses_arrays_that_do_not_fit(array: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        WEATHER.encode(array)


def test_a_dataset_of_the_same_schema_gives_its_own_codes() -> None:
    table = dataset(WEATHER, [[0, 1], [2, 0]])
    assert WEATHER.encode(table) is table.codes


def test_a_dataset_is_matched_by_name_and_category() -> None:
    # The columns are swapped, the categories of "sky" in another order, with one more that no row has.
    other = Schema(("wind", "sky"), ((0, 1), ("hail", "rain", "clear", "cloud")))
    codes = WEATHER.encode(dataset(other, [[1, 1], [0, 2], [0, 3]]))
    assert codes.tolist() == [[2, 0, 1], [1, 0, 0]]
    assert not codes.flags.writeable


def test_a_dataset_with_an_unknown_category_is_refused() -> None:
    other = Schema(("sky", "wind"), (("clear", "hail"), (False, True)))
    message = "column 'sky', row 1: expected one of its categories, 'clear', 'cloud', 'rain'; found 'hail'"
    with pytest.raises(DataError, match=message):
        WEATHER.encode(dataset(other, [[0, 0], [1, 0], [1, 0]]))


def test_a_dataset_with_other_names_is_refused() -> None:
    other = Schema(("sky", "sun", "moon"), ((0,), (0,), (0,)))
    with pytest.raises(DataError, match="the table lacks 'wind' and has 'sun', 'moon' in excess"):
        WEATHER.encode(dataset(other, [[0, 0, 0]]))


def test_every_error_of_ours_is_a_value_error_with_one_base() -> None:
    for kind in (DataError, QueryError, ModelFileError):
        assert issubclass(kind, LearnacError)
        assert issubclass(kind, ValueError)


def test_a_query_finds_variables_and_categories() -> None:
    bins = Bins((18, 65))
    schema = Schema(("age", "3", "ripe"), (bins.labels, ("a", "b"), (False, True)), (bins, None, None))
    assert [schema.position(name) for name in ("age", 3, "3", "ripe")] == [0, 1, 1, 2]
    assert [schema.code(0, value) for value in (17, 18.0, np.float32(99), ">= 65")] == [0, 1, 2, 2]
    assert [schema.code(2, value) for value in (True, 1, 1.0, np.True_)] == [1, 1, 1, 1]
    with pytest.raises(QueryError, match="no variable is called 'b'; there are 'age', '3', 'ripe'") as caught:
        schema.position("b")
    assert (caught.value.column, caught.value.expected, caught.value.found) == ("b", schema.names, "b")
    for value in ("c", None, [1], True):
        with pytest.raises(
            QueryError, match=r"variable '3': expected one of its categories, 'a', 'b'; found "
        ) as caught:
            schema.code(1, value)
        assert (caught.value.column, caught.value.expected, caught.value.found) == ("3", ("a", "b"), value)
        assert caught.value.problem is Problem.UNKNOWN_CATEGORY
    with pytest.raises(QueryError, match="variable 'age'"):
        schema.code(0, True)  # A boolean is no number.


def test_columns_with_bins_are_ordered_and_others_if_it_is_said() -> None:
    bins = Bins((18, 65))
    categories = (bins.labels, ("a", "b"), ("small", "large"))
    assert Schema(("age", "b", "size"), categories, (bins, None, None)).ordered == (True, False, False)
    ordered = Schema(("age", "b", "size"), categories, (bins, None, None), (False, False, True))
    assert ordered.ordered == (True, False, True)
    assert pickle.loads(pickle.dumps(ordered)).ordered == ordered.ordered
    with pytest.raises(DataError, match="expected for each name whether it is ordered, found 2 for 3 names"):
        Schema(("age", "b", "size"), categories, (), (True, False))


def test_what_was_looked_up_is_no_part_of_a_schema() -> None:
    schema, other = (Schema(("a",), (("x", "y"),)) for _ in range(2))
    schema.code(0, "x")
    assert schema == other
    assert hash(schema) == hash(other)
    assert pickle.loads(pickle.dumps(schema)).code(0, "y") == 1
