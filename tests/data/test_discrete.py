"""What nothing can be learned from is refused or left out, in Python as on the command line, and can be kept alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from learnac import DataError, Dataset, LearnAC
from learnac.cli.columns import column_options
from learnac.data import Binning
from learnac.data.column_options import ColumnOptions
from learnac.data.prepare import prepare
from learnac.data.tables import read_frame as read_file
from learnac.errors import LeftOutWarning, Problem

RNG = np.random.default_rng(0)
N_ROWS = 3000
COLUMNS: dict[str, Any] = {
    "real": np.round(RNG.normal(size=N_ROWS), 2),
    "whole": RNG.poisson(300, N_ROWS),
    "whole floats": RNG.integers(0, 100, N_ROWS).astype(float),
    "few": RNG.integers(0, 5, N_ROWS),
    "word": RNG.choice(["yes", "no"], N_ROWS),
}
TEXTS = [f"a remark about the patient of number {number}" for number in range(N_ROWS)]

each_library = pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])


@each_library
def test_free_text_is_refused_by_name(make: Callable[[Any], Any]) -> None:
    frame = make({"few": COLUMNS["few"], "remark": TEXTS})
    with pytest.raises(DataError) as caught:
        Dataset.from_frame(frame)
    assert str(caught.value) == (
        "column 'remark': expected categories that rows share, found a different value in every row: "
        "leave the column out, or as_category=['remark'] keeps every value"
    )
    assert (caught.value.column, caught.value.found) == ("remark", 3000)
    assert caught.value.problem is Problem.IDENTIFIER
    with pytest.raises(DataError, match="column 'id': expected categories that rows share, found 100 different values"):
        Dataset.from_frame(make({"id": [f"p{row % 100}" for row in range(150)]}))
    with pytest.raises(DataError, match=r"column 's': expected .*, found free text: 1,500 different values: leave the"):
        Dataset.from_frame(make({"s": TEXTS[:1500] * 2}))


@each_library
def test_what_nothing_can_be_learned_from_is_left_out(make: Callable[[Any], Any]) -> None:
    ids = np.arange(N_ROWS)
    columns = {"few": COLUMNS["few"], "word": COLUMNS["word"], "remark": TEXTS, "id": ids}
    frame = make(columns | {"one": [7] * N_ROWS, "no": [False] * N_ROWS})
    message = (
        "left out: 'remark' (a different value in every row), 'id' (the numbers of the rows), "
        "'one' (the same value in every row), 'no' (the same value in every row)"
    )
    for target in (None, "few"):
        with pytest.warns(LeftOutWarning, match=re.escape(message)):
            model = LearnAC(target=target, max_splits=0).fit(frame)
        assert set(model.schema_.names) == {"few", "word"}
        assert model.schema_.ignored == {"remark", "id", "one", "no"}
    # Where nobody says that columns may be left out, numbers stay: an identifier only costs bins.
    kept = Dataset.from_frame(make({"few": COLUMNS["few"], "id": ids, "one": [7] * N_ROWS}))
    assert [report.kind for report in kept.reports] == ["ordered", "number", "categorical"]
    assert not any(report.is_left_out for report in kept.reports)


def test_row_numbers_must_count_the_rows() -> None:
    few = COLUMNS["few"]
    shuffled = np.random.default_rng(1).permutation(N_ROWS)
    for numbers, is_kept in (
        (np.arange(N_ROWS) + 7, False),
        (np.arange(N_ROWS)[::-1], False),
        (shuffled, True),
        (np.arange(N_ROWS) * 2, True),
    ):
        found = Dataset.from_frame(pd.DataFrame({"few": few, "n": numbers}), leave_out=True)
        assert ("n" in found.names) == is_kept
    small = pd.DataFrame({"few": few[:10], "n": range(10)})
    assert Dataset.from_frame(small, leave_out=True).names == ("few", "n")


@each_library
def test_a_table_of_nothing_else_is_refused(make: Callable[[Any], Any]) -> None:
    with pytest.raises(DataError) as caught:
        LearnAC().fit(make({"id": TEXTS, "one": [1] * N_ROWS}))
    assert str(caught.value) == (
        "expected columns to learn from, found none: "
        "'id' has a different value in every row; 'one' has the same value in every row: "
        "kinds={'id': 'categorical'} keeps a column"
    )


@each_library
def test_it_can_be_kept_nevertheless(make: Callable[[Any], Any]) -> None:
    frame = make({"few": COLUMNS["few"][:200], "id": np.arange(200), "remark": TEXTS[:200]})
    table = Dataset.from_frame(frame, as_category=["id", "remark"])
    assert table.arities.tolist() == [5, 200, 200]
    model = LearnAC(max_splits=0, as_category=["id", "remark"]).fit(frame)
    assert model.schema_ == table.schema


def test_a_type_that_declares_its_categories_may_have_them_in_few_rows() -> None:
    """So that a fold of a table is read as the whole of it."""
    declared = pd.DataFrame({"a": pd.Categorical(["v1", "v2"], categories=[f"v{number}" for number in range(300)])})
    assert Dataset.from_frame(declared).arities.tolist() == [300]
    with pytest.raises(DataError, match="column 'a': expected categories that rows share, found a different value"):
        Dataset.from_frame(pd.DataFrame({"a": pd.Categorical(TEXTS)}))
    stated = Dataset.from_frame(pd.DataFrame({"a": TEXTS[:2]}), categories={"a": TEXTS})
    assert stated.arities.tolist() == [3000]


def test_an_array_of_codes_that_identify_is_refused_by_name() -> None:
    codes = np.column_stack([COLUMNS["few"], np.arange(N_ROWS)])
    for learn in (Dataset.from_array, LearnAC().fit):
        with pytest.raises(DataError) as caught:
            learn(codes)
        assert str(caught.value) == (
            "column 'x1': expected at most 1,000 different codes, found codes up to 2,999: "
            "leave the column out, or as_category=['x1'] keeps every value"
        )
    assert Dataset.from_array(codes, arities=3000).arities.tolist() == [3000, 3000]
    assert Dataset.from_array(codes, as_category=["x1"]).arities.tolist() == [5, 3000]
    kept = LearnAC(max_splits=0, as_category=["x1"]).fit(codes)
    assert kept.schema_.arities.tolist() == [5, 3000]


@each_library
def test_one_number_of_bins_is_for_all_columns_of_numbers(make: Callable[[Any], Any]) -> None:
    frame = make(COLUMNS)
    table = Dataset.from_frame(frame, bins=5)
    assert [bins is not None for bins in table.schema.bins] == [True, True, True, False, False]
    assert table.schema == prepare(frame, ColumnOptions({"*": Binning(5)})).schema
    assert LearnAC(bins=5, max_splits=0).fit(frame).schema_ == table.schema


@pytest.mark.parametrize(
    ("typed", "bins"),
    [(["5"], 5), (["4", "few=2", "real=3"], {"*": 4, "few": 2, "real": 3})],
)
def test_bins_mean_the_same_as_on_the_command_line(tmp_path: Path, typed: list[str], bins: Any) -> None:
    frame = pd.DataFrame(COLUMNS)
    frame.to_csv(tmp_path / "table.csv", index=False)
    by_command = prepare(read_file(tmp_path / "table.csv"), column_options(None, typed, None, None))
    by_python = Dataset.from_frame(frame, bins=bins)
    assert by_python.schema == by_command.schema
    np.testing.assert_array_equal(by_python.codes, by_command.dataset.codes)


def test_weights_count_rows_for_bins_too() -> None:
    frame = pd.DataFrame({"real": [0.5, 1.5, 2.5, 3.5], "few": [0, 1, 0, 1]})
    weights = [6, 1, 1, 2]
    repeated = frame.loc[np.repeat(frame.index, weights)]
    by_weights = LearnAC(bins=2).fit(frame, sample_weight=weights)
    assert by_weights.schema_ == LearnAC(bins=2).fit(repeated).schema_
    assert by_weights.schema_ != LearnAC(bins=2).fit(frame).schema_


def test_weights_of_other_rows_are_refused_before_they_choose_bins() -> None:
    with pytest.raises(ValueError, match=r"sample_weight: expected 3000 numbers, one per row, found shape \(2,\)"):
        LearnAC(bins=5).fit(pd.DataFrame(COLUMNS), sample_weight=[1, 2])


def test_a_model_with_bins_takes_and_gives_frames() -> None:
    frame = pd.DataFrame(COLUMNS)
    label = np.where(frame["real"] + RNG.normal(size=N_ROWS) / 4 > 0, "high", "low")
    model = LearnAC(bins=5, target="label", max_splits=20).fit(frame, label, validation=(frame[:500], label[:500]))
    assert model.score(frame, label) > 0.8
    assert model.sample(3, random_state=0).columns.tolist() == [*frame.columns, "label"]
    assert model.predict({"real": 3.0}) == "high"


@pytest.mark.parametrize(
    ("options", "table", "error", "message"),
    [
        ({"bins": 5}, np.zeros((3, 2), int), TypeError, "bins: expected a data frame .*, found an array, which holds"),
        ({"bins": 5}, Dataset.from_array([[0], [1]]), TypeError, "bins: expected a data frame .*, found a Dataset"),
        ({"as_category": "few"}, pd.DataFrame(COLUMNS), TypeError, "as_category: expected a list of names, found the"),
        ({"as_category": ["z"]}, pd.DataFrame(COLUMNS), ValueError, "a kind is stated for 'z', but the columns of the"),
        (
            {"kinds": {"z": "drop"}},
            pd.DataFrame(COLUMNS),
            ValueError,
            "a kind is stated for 'z', but the columns of the",
        ),
        ({"kinds": "few"}, pd.DataFrame(COLUMNS), TypeError, "kinds: expected a mapping from column name to a kind"),
        (
            {"kinds": {"few": "int"}},
            pd.DataFrame(COLUMNS),
            ValueError,
            "kinds: column 'few': expected one of 'bool.*'int'",
        ),
        (
            {"kinds": {"few": "boolean"}},
            pd.DataFrame(COLUMNS),
            DataError,
            "column 'few': expected at most two different",
        ),
        (
            {"kinds": {"few": "date"}},
            pd.DataFrame(COLUMNS),
            DataError,
            "column 'few': expected dates such as 2024-05-17",
        ),
        ({"kinds": {"word": "number"}}, pd.DataFrame(COLUMNS), DataError, "column 'word': expected numbers .* strings"),
        ({"unknown": "ignore"}, pd.DataFrame(COLUMNS), ValueError, "unknown: expected 'error' or 'missing'"),
        (
            {"kinds": {"few": "drop"}},
            np.zeros((3, 2), int),
            TypeError,
            "kinds: expected a data frame .*, found an array",
        ),
        ({"as_category": ["z"]}, np.zeros((3, 2), int), ValueError, "as_category names 'z', but the columns of the"),
        (
            {"as_category": ["real"], "bins": {"real": 5}},
            pd.DataFrame(COLUMNS),
            ValueError,
            "column 'real': expected one of bins, drop, a kind and categories; found two",
        ),
        (
            {"as_category": ["real"], "bins": 5},
            pd.DataFrame(COLUMNS),
            DataError,
            r"column 'real': expected whole numbers as categories, found .*: leave it a number, give it bins, or conv",
        ),
    ],
)
def test_statements_that_make_no_sense(
    options: dict[str, Any], table: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        LearnAC(**options).fit(table)
