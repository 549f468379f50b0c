"""Filled gaps: with the right values, in the table's own form."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from learnac import Dataset, LearnAC, infer

each_method = pytest.mark.parametrize("method", ["mpe", "marginal"])
SIZES = ["small", "medium", "large"]


def fruit(seed: int = 0, n_rows: int = 120) -> pd.DataFrame:
    """Everything follows from size, mostly."""
    rng = np.random.default_rng(seed)
    size = rng.integers(3, size=n_rows)

    def noisy(values: Any, n: int) -> Any:
        return np.where(rng.random(n_rows) < 0.8, values, rng.integers(n, size=n_rows))

    return pd.DataFrame(
        {
            "size": pd.Categorical.from_codes(size, SIZES, ordered=True),
            "colour": np.array(["red", "green"])[noisy(size % 2, 2)],
            "weight": noisy(size, 4).astype(np.int16) * 10,
            "ripe": noisy(size > 0, 2) == 1,
        }
    )


@pytest.fixture(scope="module")
def fruit_case(tools: Any) -> Any:
    return tools.case_of(LearnAC(0.01, 0.1).fit(fruit()))


def gaps_in(case: Any, frame: pd.DataFrame, columns: list[str], seed: int = 1) -> tuple[Any, Any]:
    """Codes of the frame with gaps in some columns, and the mask of these."""
    rng = np.random.default_rng(seed)
    mask = np.array([rng.random(len(frame)) < 0.4 if name in columns else np.zeros(len(frame), bool) for name in frame])
    codes = case.schema.encode(frame).T.astype(int)
    return np.where(mask.T, -1, codes), mask.T


def assert_filled(case: Any, rows: Any, filled: Any, method: str) -> None:
    assert ((filled == rows) | (rows < 0)).all()
    for row, world in zip(rows, np.asarray(filled, dtype=int), strict=True):
        joint = case.joint(row)
        if method == "mpe":
            assert joint[case.places([world])[0]] == pytest.approx(joint.max(), rel=1e-12)
        else:
            for variable in range(len(row)):
                posterior = case.posterior(row, variable)
                assert posterior[world[variable]] == pytest.approx(posterior.max(), rel=1e-12)


class TestArrays:
    @each_method
    def test_gaps_get_the_most_probable_values(self, case: Any, method: str) -> None:
        rows = case.rows(1, 40, 0.5)
        rows[::4] = case.rows(2, 10, 1)
        before = rows.copy()
        filled = case.model.impute(rows, method)
        assert filled.dtype == rows.dtype
        assert np.array_equal(rows, before)
        assert_filled(case, rows, filled, method)

    @each_method
    def test_other_arrays(self, case: Any, method: str) -> None:
        rows = case.rows(3, 20, 0.5)
        expected = case.model.impute(rows, method)
        with_nan = np.where(rows < 0, np.nan, rows).astype(np.float32)
        filled = case.model.impute(with_nan, method)
        assert filled.dtype == np.float32
        assert np.array_equal(filled, expected)
        with_none = [[None if code < 0 else int(code) for code in row] for row in rows]
        assert np.array_equal(case.model.impute(with_none, method), expected)
        masked = np.ma.MaskedArray(np.abs(rows), mask=rows < 0)
        assert np.array_equal(case.model.impute(masked, method), expected)
        assert np.array_equal(infer.impute(case.circuit, rows, method, n_threads=2), expected)

    def test_more_rows_than_are_filled_at_once(self, learned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        case = learned()
        rows = case.rows(5, 30, 0.5)
        whole = case.model.impute(rows, "marginal")
        monkeypatch.setattr(sys.modules["learnac.infer.posteriors"], "_BLOCK_SIZE", 4 * 19)  # 19 values in all
        assert np.array_equal(case.model.impute(rows, "marginal"), whole)

    def test_nothing_to_fill(self, case: Any) -> None:
        rows = case.rows(4, 10, 1)
        assert np.array_equal(case.model.impute(rows), rows)
        dataset = Dataset(case.schema, case.schema.encode(rows))
        assert np.array_equal(case.model.impute(dataset).codes, dataset.codes)

    def test_impossible_rows_without_gaps_are_left_alone(self, partial_case: Any) -> None:
        rows = partial_case.worlds.T[partial_case.probabilities == 0][:3]
        assert np.array_equal(partial_case.model.impute(rows), rows)

    @each_method
    def test_one_dict(self, fruit_case: Any, method: str) -> None:
        filled = fruit_case.model.impute({"size": "large", "ripe": True}, method)
        assert (filled["size"], filled["ripe"]) == ("large", True)
        row = np.array([2, -1, -1, 1])
        codes = [column.index(filled[name]) for name, column in zip(*vars_of(fruit_case), strict=True)]
        assert_filled(fruit_case, row[None], np.array([codes]), method)

    @pytest.mark.parametrize(("dtype", "best"), [(np.int8, 200), (np.uint8, 299), (np.int16, 299), (np.float16, 2101)])
    def test_values_that_the_type_of_the_array_cannot_hold_are_not_wrapped(self, dtype: Any, best: int) -> None:
        rows = np.full((50, 2), best)
        rows[:5] = [0, 1]
        model = LearnAC(0.01, 0.1, as_category=["x0", "x1"]).fit(rows)
        known = np.zeros((3, 2), dtype=dtype)
        table = np.ma.MaskedArray(known, mask=[[True, False], [True, True], [False, False]])
        filled = model.impute(table)
        assert np.array_equal(filled.astype(int), [[best, 0], [best, best], [0, 0]])
        assert np.array_equal(model.mpe(table)[0].astype(int), filled.astype(int))


def vars_of(case: Any) -> tuple[Any, Any]:
    return case.names, case.schema.categories


class TestPandas:
    @each_method
    def test_index_names_order_and_types_stay(self, fruit_case: Any, method: str) -> None:
        frame = fruit(seed=2, n_rows=30)
        rows, mask = gaps_in(fruit_case, frame, ["size", "colour", "weight"])
        frame["weight"] = frame["weight"].astype("Int16")
        broken = frame.mask(pd.DataFrame(mask, columns=frame.columns))
        broken.index = pd.Index([f"row {i % 7}" for i in range(30)], name="place")
        shuffled = broken[["ripe", "weight", "size", "colour"]]
        before = shuffled.copy()
        filled = fruit_case.model.impute(shuffled, method)
        pd.testing.assert_frame_equal(shuffled, before)
        assert isinstance(filled, pd.DataFrame)
        assert list(filled.columns) == ["ripe", "weight", "size", "colour"]
        pd.testing.assert_index_equal(filled.index, broken.index)
        assert filled["size"].dtype == frame["size"].dtype
        assert filled["weight"].dtype == pd.Int16Dtype()
        assert filled["colour"].dtype == frame["colour"].dtype
        pd.testing.assert_series_equal(filled["ripe"], shuffled["ripe"])
        assert_filled(fruit_case, rows, fruit_case.schema.encode(filled).T, method)

    def test_numbers_that_became_floats_stay_floats(self, fruit_case: Any) -> None:
        broken = pd.DataFrame(
            {"size": ["small"] * 2, "colour": ["red"] * 2, "weight": [10.0, np.nan], "ripe": [True] * 2}
        )
        filled = fruit_case.model.impute(broken)
        assert filled["weight"].dtype == np.float64
        assert filled["weight"].tolist()[0] == 10
        assert filled["weight"].tolist()[1] in (0, 10, 20, 30)

    def test_booleans_with_gaps(self, fruit_case: Any) -> None:
        broken = pd.DataFrame(
            {"size": ["small", "large"], "colour": ["red"] * 2, "weight": [10] * 2, "ripe": [True, None]}
        )
        filled = fruit_case.model.impute(broken)
        assert filled["ripe"].tolist()[0] is True
        assert filled["ripe"].tolist()[1] in (True, False)

    def test_a_frame_without_gaps_is_given_back(self, fruit_case: Any) -> None:
        frame = fruit(seed=3, n_rows=5)
        pd.testing.assert_frame_equal(fruit_case.model.impute(frame), frame)

    def test_labels_that_are_no_strings(self) -> None:
        frame = pd.DataFrame(np.random.default_rng(1).integers(3, size=(60, 3)), columns=[10, 20, 30])
        model = LearnAC().fit(frame)
        broken = frame.astype("Int64").mask(frame == 1).head(7)
        filled = model.impute(broken)
        assert list(filled.columns) == [10, 20, 30]
        assert not filled.isna().any(axis=None)


class TestOtherLibraries:
    @each_method
    def test_polars(self, fruit_case: Any, method: str) -> None:
        frame = fruit(seed=4, n_rows=30)
        rows, mask = gaps_in(fruit_case, frame, ["size", "colour", "ripe"])
        schema = {"size": pl.Enum(SIZES), "colour": pl.Categorical, "weight": pl.Int16, "ripe": pl.Boolean}
        columns = {
            name: [None if gap else value for value, gap in zip(frame[name].tolist(), gaps, strict=True)]
            for name, gaps in zip(frame, mask.T, strict=True)
        }
        broken = pl.DataFrame(columns, schema=schema).select("ripe", "colour", "weight", "size")
        filled = fruit_case.model.impute(broken, method)
        assert isinstance(filled, pl.DataFrame)
        assert filled.schema == broken.schema
        assert filled["weight"].equals(broken["weight"])
        assert filled.null_count().sum_horizontal().item() == 0
        assert_filled(fruit_case, rows, fruit_case.schema.encode(filled).T, method)

    @each_method
    def test_pyarrow(self, fruit_case: Any, method: str) -> None:
        frame = fruit(seed=5, n_rows=30)
        rows, mask = gaps_in(fruit_case, frame, ["size", "weight", "ripe"])
        types = {"size": pa.large_string(), "colour": pa.string(), "weight": pa.int16(), "ripe": pa.bool_()}
        arrays = [
            pa.array(
                [None if gap else value for value, gap in zip(frame[name].tolist(), gaps, strict=True)], types[name]
            )
            for name, gaps in zip(frame, mask.T, strict=True)
        ]
        broken = pa.table(arrays, names=list(frame)).select(["weight", "size", "ripe", "colour"])
        filled = fruit_case.model.impute(broken, method)
        assert isinstance(filled, pa.Table)
        assert filled.column_names == broken.column_names
        assert filled.schema.field("weight").type == pa.int16()
        assert filled.schema.field("ripe").type == pa.bool_()
        assert filled.schema.field("size").type in (pa.string(), pa.large_string())
        assert filled["colour"].equals(broken["colour"])
        assert sum(column.null_count for column in filled.columns) == 0
        assert_filled(fruit_case, rows, fruit_case.schema.encode(filled).T, method)


@pytest.fixture(scope="module")
def model() -> LearnAC:
    frame = pd.DataFrame({"n": [1000] * 30 + [1] * 10, "t": ["yes"] * 30 + ["no"] * 10, "x": [0.5] * 30 + [9] * 10})
    return LearnAC(0.01, 0.1).fit(Dataset.from_frame(frame, bins={"x": [5.0]}))


class TestKnownValuesStay:
    """Only gaps change: known values stay as they are, and columns of their types."""

    def test_objects_of_pandas(self, model: LearnAC) -> None:
        objects = {"n": [1.0, np.int16(1000), None], "t": ["no", "yes", None]}
        frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in objects.items()})
        filled = model.impute(frame.assign(x=[9, 1, 1.5]))
        assert filled["n"].dtype == object
        assert [type(value) for value in filled["n"][:2]] == [float, np.int16]
        assert filled["n"].tolist() == [1, 1000, 1000]
        assert filled["x"].tolist() == [9, 1, 1.5]

    def test_intervals_of_pandas(self) -> None:
        cut = pd.cut(pd.Series([1.0, 2.0, 9.0] * 20), [0, 5, 10])
        model = LearnAC(0.01, 0.1).fit(pd.DataFrame({"c": cut, "d": cut.astype(str)}))
        frame = pd.DataFrame({"c": cut[:3], "d": cut[:3].astype(str)})
        broken = frame.assign(c=cut[:3].mask([False, True, False]))
        pd.testing.assert_frame_equal(model.impute(broken), frame)

    def test_categories_that_a_column_does_not_declare_are_added(self, model: LearnAC) -> None:
        declared = pd.CategoricalDtype(["no", "other"], ordered=True)
        frame = pd.DataFrame({"n": [1, 1000], "t": pd.Series(["no", None], dtype=declared), "x": [9.0, 1.0]})
        filled = model.impute(frame)
        assert filled["t"].tolist() == ["no", "yes"]
        assert filled["t"].dtype == pd.CategoricalDtype(["no", "other", "yes"], ordered=True)

    @pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
    def test_numbers_that_a_narrow_type_cannot_hold_widen_it(self, model: LearnAC, library: str) -> None:
        columns = {"n": [1, None], "t": ["no", "yes"], "x": [9.0, 1.0]}
        made: Any = {
            "pandas": lambda: pd.DataFrame(columns).astype({"n": "Int8"}),
            "polars": lambda: pl.DataFrame(columns, schema_overrides={"n": pl.Int8}),
            "pyarrow": lambda: pa.table({**columns, "n": pa.array([1, None], pa.int8())}),
        }[library]()
        filled = model.impute(made)
        assert list(filled["n"].to_pylist() if library == "pyarrow" else filled["n"]) == [1, 1000]
        assert "int64" in str(filled.schema.field("n").type if library == "pyarrow" else filled["n"].dtype).lower()

    @pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
    def test_gaps_between_numbers_are_filled_by_numbers(self, model: LearnAC, library: str) -> None:
        columns = {"n": [1, 1000, 1], "t": ["no", "yes", "no"], "x": [9.25, None, 1e-7]}
        filled = model.impute({"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library](columns))
        values = filled["x"].to_pylist() if library == "pyarrow" else filled["x"].to_list()
        bins = model.schema_.bins[2]
        assert bins is not None
        assert values == [9.25, bins.modes()[1][0], 1e-7]
        assert model.schema_.encode(filled).tolist()[2] == [1, 0, 0]
