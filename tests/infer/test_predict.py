"""One variable as a classifier's target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from learnac import LearnAC, QueryError, Schema
from learnac.data import Dataset

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
each_library = pytest.mark.parametrize("frame_of", LIBRARIES.values(), ids=LIBRARIES.keys())


def columns_of(n_rows: int = 90) -> dict[str, list[Any]]:
    rng = np.random.default_rng(3)
    size = rng.integers(3, size=n_rows)
    colour = np.where(rng.random(n_rows) < 0.7, size, rng.integers(3, size=n_rows))
    ripe = np.where(rng.random(n_rows) < 0.7, colour > 0, rng.random(n_rows) < 0.5)
    return {
        "colour": np.array(["blue", "green", "red"])[colour].tolist(),
        "size": (size * 2 - 1).tolist(),
        "ripe": ripe.astype(bool).tolist(),
    }


COLUMNS = columns_of()


@pytest.fixture(scope="module")
def fruit_case(tools: Any) -> Any:
    return tools.case_of(LearnAC(0.01, 0.1).fit(pd.DataFrame(COLUMNS)))


class TestProbabilities:
    def test_they_are_the_posteriors_of_the_target(self, case: Any) -> None:
        for variable, name in enumerate(case.names):
            rows = case.rows(1, 20, 0.5)
            rows[:, variable] = -1
            expected = [case.posterior(row, variable) for row in rows]
            found = case.model.predict_proba(rows, name)
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)
            codes = case.model.predict(rows, name)
            attained = np.array(expected)[np.arange(20), codes]
            np.testing.assert_allclose(attained, np.max(expected, axis=1), rtol=1e-10)
            one = case.model.predict_proba(case.evidence(rows[0]), name)
            np.testing.assert_allclose(one, expected[0], rtol=1e-10, atol=1e-14)

    @each_library
    @pytest.mark.parametrize("target", ["colour", "size", "ripe"])
    def test_a_frame_leaves_the_target_out_or_null(self, fruit_case: Any, frame_of: Any, target: str) -> None:
        case = fruit_case
        variable = case.names.index(target)
        rows = case.schema.encode(pd.DataFrame(COLUMNS)).T[:20].astype(int)
        rows[:, variable] = -1
        expected = [case.posterior(row, variable) for row in rows]
        others = {name: column[:20] for name, column in COLUMNS.items() if name != target}
        null = {name: [None] * 20 if name == target else column[:20] for name, column in COLUMNS.items()}
        for table in (others, null):
            found = case.model.predict_proba(frame_of(table), target)
            np.testing.assert_allclose(found, expected, rtol=1e-10)
            categories = case.model.predict(frame_of(table), target)
            best = np.argmax(expected, axis=1)
            assert categories.tolist() == [case.schema.categories[variable][code] for code in best]

    def test_the_likelihoods_of_others_and_of_the_target_count(self, learned: Any) -> None:
        case = learned()
        rows = case.rows(2, 20, 0.4)
        rows[:, [3, 4]] = -1
        soft = {3: [0.2, 0.0, 1.0, 3.0, 0.1], 4: [1.0, 2.0, 0.5, 0.5]}
        expected = [case.posterior(row, 4, soft) for row in rows]
        found = case.model.predict_proba(rows, "x4", soft={f"x{v}": values for v, values in soft.items()})
        np.testing.assert_allclose(found, expected, rtol=1e-10)


class TestCategories:
    def test_they_come_in_a_type_of_their_own(self, fruit_case: Any) -> None:
        table = pd.DataFrame(COLUMNS).head(12)
        assert fruit_case.model.predict(table.drop(columns="colour"), "colour").dtype.kind == "U"
        assert fruit_case.model.predict(table.drop(columns="size"), "size").dtype == np.int64
        assert fruit_case.model.predict(table.drop(columns="ripe"), "ripe").dtype == np.bool_

    def test_one_dict_gives_one_category(self, fruit_case: Any) -> None:
        model = fruit_case.model
        assert model.predict({"size": 3}, "colour") in ("blue", "green", "red")
        assert type(model.predict({"size": 3}, "colour")) is str
        assert type(model.predict({"size": 3}, "ripe")) is bool
        assert type(model.predict({"ripe": True}, "size")) is int

    def test_of_several_types_they_stay_as_they_are(self) -> None:
        schema = Schema(("a", "b"), (("one", 2, True), ("x", "y")))
        codes = np.array([[0, 1, 2] * 10, [0, 1, 1] * 10], dtype=np.uint8)
        model = LearnAC(0.01, 0.1).fit(Dataset(schema, codes))
        found = model.predict(pd.DataFrame({"b": ["x", "y"]}), "a")
        assert found.dtype == object
        assert found[0] == "one"

    def test_of_equals_the_first(self) -> None:
        model = LearnAC().fit(np.indices((2, 3, 4)).reshape(3, -1).T)
        nothing = np.full((10, 3), -1)
        assert model.predict(nothing, "x2").tolist() == [0] * 10
        assert model.predict(nothing, "x2", soft={"x2": [0.5, 1, 1, 1]}).tolist() == [1] * 10


class TestRefusals:
    def test_the_target_as_evidence(self, fruit_case: Any) -> None:
        frame = pd.DataFrame(COLUMNS)
        with pytest.raises(QueryError, match="target 'ripe' to be unknown, found a value in row 0"):
            fruit_case.model.predict(frame, "ripe")
        frame.loc[:6, "size"] = None
        with pytest.raises(QueryError, match="target 'size' to be unknown, found a value in row 7"):
            fruit_case.model.predict_proba(frame, "size")
        with pytest.raises(QueryError, match="target 'size' to be unknown, found a value: leave it out"):
            fruit_case.model.predict({"size": 3}, "size")

    def test_no_such_target(self, fruit_case: Any) -> None:
        with pytest.raises(QueryError, match="no variable is called 'taste'; there are 'colour', 'size', 'ripe'"):
            fruit_case.model.predict({}, "taste")
