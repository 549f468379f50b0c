"""Tables to learn from with gaps: what is known, in every form; and gaps as a category."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from learnac.data import Bins, Dataset, Evidence, Schema, as_dataset, as_evidence
from learnac.data.evidence_files import read_evidence
from learnac.data.incomplete import (
    as_rows,
    as_training_rows,
    check_way,
    gaps_as_category,
    of_partial_codes,
    with_missing_category,
)
from learnac.errors import DataError, SettingError

TABLE = {"s": ["b", None, "a"], "k": [None, 7, 3], "t": [True, False, None], "x": [0.5, 2.5, None]}
CODES = [[1, -1, 0], [-1, 1, 0], [1, 0, -1], [0, 1, -1]]
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table, lambda table: pd.DataFrame(table).convert_dtypes()]
each_frame = pytest.mark.parametrize("make", FRAMES, ids=["pandas", "polars", "pyarrow", "pandas, nullable types"])


def known(table: object, **stated: Any) -> Evidence:
    rows = as_training_rows(table, **stated)
    assert isinstance(rows, Evidence)
    return rows


@each_frame
def test_frames_have_the_categories_that_are_known(make: Callable[[Any], Any]) -> None:
    rows = known(make(TABLE), bins={"x": [1.0]})
    assert rows.codes.tolist() == CODES
    assert rows.schema.categories == (("a", "b"), (3, 7), (False, True), ("< 1", ">= 1"))


@each_frame
def test_without_gaps_there_is_no_difference(make: Callable[[Any], Any]) -> None:
    frame = make({"s": ["b", "c", "a"], "k": [5, 7, 3]})
    rows, dataset = as_training_rows(frame), as_dataset(frame)
    assert isinstance(rows, Dataset)
    assert rows.schema == dataset.schema
    assert rows.codes.dtype == dataset.codes.dtype
    np.testing.assert_array_equal(rows.codes, dataset.codes)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[0, np.nan], [2, 1], [np.nan, 0]]),
        [[0, None], [2, 1], [None, 0]],
        np.ma.masked_equal([[0, 9], [2, 1], [9, 0]], 9),
        np.array([[0, None], [2, 1], [None, 0]], dtype=object),
    ],
    ids=["NaN", "None in lists", "masked", "objects"],
)
def test_arrays_have_gaps_where_they_are_masked_nan_or_none(array: Any) -> None:
    rows = known(array)
    assert rows.codes.tolist() == [[0, 2, -1], [-1, 1, 0]]
    assert rows.schema.arities.tolist() == [3, 2]
    assert as_rows(rows.schema, array).codes.tolist() == rows.codes.tolist()


def test_minus_one_in_an_array_to_learn_from_is_more_likely_a_mistake() -> None:
    for table in ([[0, 1], [-1, 0]], np.array([[0, np.nan], [-1, 0]])):
        with pytest.raises(DataError, match="row 1, column 'x0': expected a code"):
            as_training_rows(table)


def test_declared_categories_are_kept() -> None:
    column = pd.Categorical(["b", None, "b"], categories=["c", "b", "a"])
    assert known(pd.DataFrame({"s": column})).schema.categories == (("c", "b", "a"),)


def test_bins_are_fitted_to_what_is_known_by_its_weights() -> None:
    frame = pd.DataFrame({"x": [None, 1.0, 2.0, 3.0, 4.0]})
    equal, weighted = known(frame, bins={"x": 2}), known(frame, bins={"x": 2}, sample_weight=[9, 5, 1, 1, 1])
    assert equal.codes.tolist() == [[-1, 0, 0, 1, 1]]
    assert weighted.codes.tolist() == [[-1, 0, 1, 1, 1]]


def test_evidence_is_taken_as_it_is_unless_it_has_likelihoods() -> None:
    schema = Schema(("a",), ((0, 1),))
    evidence = Evidence.of_codes(schema, np.array([[0, -1]], dtype=np.int8))
    assert as_training_rows(evidence) is evidence
    complete = as_training_rows(Evidence.of_codes(schema, np.array([[0, 1]], dtype=np.int8)))
    assert isinstance(complete, Dataset)
    with pytest.raises(DataError, match="column 'a': expected values or gaps, found likelihoods"):
        as_training_rows(as_evidence(schema, {"a": [0.2, 0.8]}))


def test_later_tables_have_the_columns_of_the_schema() -> None:
    schema = known(pd.DataFrame(TABLE), bins={"x": [1.0]}).schema
    later = as_rows(schema, pd.DataFrame({"k": [7, None], "s": [None, "a"], "t": [None, True], "x": [None, 9.0]}))
    assert later.codes.tolist() == [[-1, 0], [1, -1], [-1, 1], [-1, 1]]
    with pytest.raises(DataError, match="lacks 't'"):
        as_rows(schema, pd.DataFrame({"k": [7], "s": ["a"], "x": [None]}))


class TestCategory:
    def test_each_column_with_gaps_has_one_more_category_after_all_others(self) -> None:
        rows = with_missing_category(known(pd.DataFrame({**TABLE, "all": [1, 2, 1]}), bins={"x": [1.0]}))
        assert isinstance(rows, Dataset)
        assert rows.schema.categories == (
            ("a", "b", "missing"),
            (3, 7, "missing"),
            (False, True, "missing"),
            ("< 1", ">= 1", "missing"),
            (1, 2),
        )
        assert rows.codes.tolist() == [[1, 2, 0], [2, 1, 0], [1, 0, 2], [0, 1, 2], [0, 1, 0]]
        assert rows.schema.bins[3] == Bins((1.0,))

    def test_some_columns_may_be_left_alone(self) -> None:
        rows = with_missing_category(known(pd.DataFrame({"a": [0, None, 1], "b": ["x", None, "y"]})), but=["b"])
        assert rows.codes.tolist() == [[0, 2, 1], [0, -1, 1]]

    def test_a_category_of_that_name_is_in_the_way(self) -> None:
        rows = known(pd.DataFrame({"a": ["missing", None, "x"]}))
        with pytest.raises(DataError, match="column 'a': expected no category 'missing' beside missing values"):
            with_missing_category(rows)

    def test_numbers_and_the_category_are_found_in_queries(self) -> None:
        rows = with_missing_category(known(pd.DataFrame(TABLE), bins={"x": [1.0]}))
        asked = as_evidence(rows.schema, [{"x": 5.0, "k": "missing"}, {"x": "missing", "k": 7}, {"t": None}])
        assert asked.codes.tolist() == [[-1, -1, -1], [2, 1, -1], [-1, -1, -1], [1, 2, -1]]

    def test_and_in_files(self, tmp_path: Path) -> None:
        rows = with_missing_category(known(pd.DataFrame(TABLE), bins={"x": [1.0]}))
        (tmp_path / "rows.csv").write_text("k,x\n3,0.2\nmissing,missing\n7,\n")
        found = read_evidence(tmp_path / "rows.csv", rows.schema)
        assert found.codes[1].tolist() == [0, 2, 1]
        assert found.codes[3].tolist() == [0, 2, -1]

    def test_gaps_of_rows_to_ask_about(self) -> None:
        rows = with_missing_category(known(pd.DataFrame({"a": [0, None, 1], "b": [0, 1, 1]})))
        asked = as_evidence(rows.schema, pd.DataFrame({"a": [None, 1], "b": [None, 0]}))
        assert gaps_as_category(asked).codes.tolist() == [[2, 1], [-1, 0]]
        soft = as_evidence(rows.schema, {"a": [0.5, 0.5, 0.0]})
        assert gaps_as_category(soft).codes.tolist() == [[-1], [-1]]

    def test_other_ways_are_refused(self) -> None:
        with pytest.raises(SettingError, match="missing: expected one of 'random', 'category', found 'drop'"):
            check_way("drop")


def test_codes_without_gaps_are_a_dataset() -> None:
    schema = Schema(("a",), ((0, 1),))
    assert isinstance(of_partial_codes(schema, np.array([[0, 1]], dtype=np.int8)), Dataset)
    assert isinstance(of_partial_codes(schema, np.array([[0, -1]], dtype=np.int8)), Evidence)
