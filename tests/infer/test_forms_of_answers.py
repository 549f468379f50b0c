"""Models that were pickled, and tables that come back as the library, columns and types they were given in."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from learnac import Dataset, LearnAC, infer


def pandas_frame(n_rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    size = rng.integers(3, size=n_rows)
    return pd.DataFrame(
        {
            "size": pd.Categorical.from_codes(size, ["s", "m", "l"], ordered=True),
            "colour": np.array(["red", "green"])[
                np.where(rng.random(n_rows) < 0.8, size > 0, rng.random(n_rows) < 0.5).astype(int)
            ],
            "weight": (size * 10).astype(np.int16),
            "count": pd.array(rng.integers(2, size=n_rows), dtype="Int8"),
            "ripe": rng.random(n_rows) < 0.3 * size,
        }
    )


def polars_frame() -> pl.DataFrame:
    frame = pandas_frame()
    return pl.DataFrame(
        {name: frame[name].tolist() for name in frame},
        schema={
            "size": pl.Enum(["s", "m", "l"]),
            "colour": pl.String,
            "weight": pl.UInt16,
            "count": pl.Int8,
            "ripe": pl.Boolean,
        },
    )


def arrow_table() -> pa.Table:
    frame = pandas_frame()
    types = {
        "size": pa.string(),
        "colour": pa.large_string(),
        "weight": pa.uint16(),
        "count": pa.int8(),
        "ripe": pa.bool_(),
    }
    return pa.table({name: pa.array(frame[name].tolist(), kind) for name, kind in types.items()})


def types_of(frame: Any) -> dict[str, Any]:
    if isinstance(frame, pd.DataFrame):
        return frame.dtypes.to_dict()
    if isinstance(frame, pl.DataFrame):
        return dict(frame.schema)
    return {field.name: field.type for field in frame.schema}


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_table}


@pytest.fixture(scope="module", params=FRAMES.values(), ids=FRAMES.keys())
def fitted(request: pytest.FixtureRequest) -> tuple[Any, LearnAC]:
    frame = request.param()
    return frame, LearnAC(0.01, 0.1).fit(frame)


class TestFrames:
    def test_samples_are_frames_as_in_training(self, fitted: Any) -> None:
        frame, model = fitted
        samples = model.sample(50, random_state=1)
        assert type(samples) is type(frame)
        assert types_of(samples) == types_of(frame)
        codes = infer.sample(model.circuit_, 50, random_state=1).codes
        assert np.array_equal(model.schema_.encode(samples), codes)
        assert len(model.sample(0)) == 0
        assert types_of(model.sample(0)) == types_of(frame)
        given = model.sample(50, {"colour": "red"}, random_state=1)
        assert types_of(given) == types_of(frame)
        assert (model.schema_.encode(given)[1] == model.schema_.categories[1].index("red")).all()

    def test_samples_of_rows_are_frames_as_the_rows(self, fitted: Any) -> None:
        frame, model = fitted
        samples = model.sample(3, frame.head(5) if hasattr(frame, "head") else frame.slice(0, 5), random_state=2)
        assert types_of(samples) == types_of(frame)
        expected = np.repeat(model.schema_.encode(frame)[:, :5], 3, axis=1)
        assert np.array_equal(model.schema_.encode(samples), expected)

    def test_completions_are_frames_with_the_columns_that_were_left_out(self, fitted: Any) -> None:
        frame, model = fitted
        names = ["weight", "size"]
        partial = frame[names] if isinstance(frame, pd.DataFrame) else frame.select(names)
        found, log_values = model.mpe(partial)
        assert type(found) is type(frame)
        assert list(types_of(found)) == ["weight", "size", "colour", "count", "ripe"]
        assert {name: types_of(found)[name] for name in names} == {name: types_of(frame)[name] for name in names}
        codes = model.schema_.encode(found)
        assert np.array_equal(codes[[0, 2]], model.schema_.encode(frame)[[0, 2]])
        np.testing.assert_allclose(log_values, model.network_.log_likelihood(codes), rtol=1e-12)

    def test_completions_keep_what_was_known(self) -> None:
        frame = pandas_frame(20)
        frame.index = pd.Index(np.arange(20)[::-1] * 3 % 7, name="place")
        model = LearnAC(0.01, 0.1).fit(frame)
        broken = frame[["ripe", "size", "count"]].copy()
        broken.loc[broken.index == 3, "size"] = None
        found, _ = model.mpe(broken)
        pd.testing.assert_index_equal(found.index, frame.index)
        assert list(found.columns) == ["ripe", "size", "count", "colour", "weight"]
        pd.testing.assert_frame_equal(found[["ripe", "count"]], broken[["ripe", "count"]])
        assert found["size"].dtype == frame["size"].dtype

    def test_a_model_of_arrays_gives_arrays(self) -> None:
        model = LearnAC().fit(np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint8))
        assert model.sample(4).dtype == np.uint8
        assert model.sample(4, {"x0": 1}).shape == (4, 2)
        assert LearnAC().fit([[0, 1], [1, 0]]).sample(4).shape == (4, 2)

    def test_a_model_of_a_dataset_gives_datasets(self) -> None:
        dataset = Dataset.from_frame(pandas_frame())
        samples = LearnAC().fit(dataset).sample(4)
        assert isinstance(samples, Dataset)
        assert samples.schema == dataset.schema

    def test_rows_of_another_library_give_that_library(self) -> None:
        model = LearnAC(0.01, 0.1).fit(pandas_frame())
        assert isinstance(model.sample(2, polars_frame()), pl.DataFrame)
        assert isinstance(model.mpe(arrow_table())[0], pa.Table)
        table = pd.DataFrame({"size": [None, "m"], "colour": ["red", None]})
        assert isinstance(model.mpe(table)[0], pd.DataFrame)

    def test_labels_of_pandas_that_are_no_strings(self) -> None:
        frame = pd.DataFrame(np.random.default_rng(1).integers(2, size=(40, 3)), columns=[1, 2, 3])
        model = LearnAC().fit(frame)
        assert list(model.sample(5).columns) == [1, 2, 3]
        assert model.mpe(frame[[3]])[0].columns[0] == 3
        assert model.marginals({1: 0}, variables=[2])["2"].shape == (2,)
        assert model.predict(frame[[1, 2]], 3).shape == (40,)
        assert model.mutual_information([1], [2]) >= 0


class TestPickles:
    def test_a_model_answers_as_before(self, fitted: Any) -> None:
        frame, model = fitted
        model.marginals()  # Whatever is kept for the next query is no part of the pickle.
        for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert np.array_equal(twin.score_samples(frame), model.score_samples(frame))
            found, expected = twin.marginals({"colour": "red"}), model.marginals({"colour": "red"})
            assert all(np.array_equal(found[name], expected[name]) for name in expected)
            assert twin.mpe({"colour": "red"}) == model.mpe({"colour": "red"})
            assert twin.entropy() == model.entropy()
            assert twin.kl_divergence(model) < 1e-12
            samples, others = (m.sample(20, random_state=3) for m in (twin, model))
            assert type(samples) is type(others)
            assert samples.equals(others)

    def test_a_circuit_by_itself(self, learned: Any) -> None:
        case = learned()
        rows = case.rows(1, 20, 0.5)
        twin = pickle.loads(pickle.dumps(case.circuit))
        assert np.array_equal(infer.log_likelihood(twin, rows), infer.log_likelihood(case.circuit, rows))
