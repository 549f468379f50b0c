"""Evidence as a value: documents, likelihoods, rows, files. `tests/conformance` compares its forms."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import DataError, Dataset, LearnAC, QueryError, Schema, infer
from learnac.data import Bins, Evidence, as_evidence
from learnac.data.evidence_files import read_evidence
from learnac.errors import Problem

SCHEMA = Schema(
    ("colour", "size", "ripe", "age"),
    (("green", "red"), (0, 1, 2), (False, True), Bins((18,)).labels),
    (None, None, None, Bins((18,))),
)


def test_documents_are_rows_of_their_own() -> None:
    documents = [{"colour": "red", "age": 20}, {}, {"size": 1.0, "ripe": None, "age": "< 18"}, {"ripe": 1}]
    evidence = as_evidence(SCHEMA, documents)
    assert evidence.codes.T.tolist() == [[1, -1, -1, 1], [-1, -1, -1, -1], [-1, 1, -1, 0], [-1, -1, 1, -1]]
    assert not evidence.is_one
    completed = evidence.completed(np.zeros((4, 4), dtype=np.int8))
    assert completed == [{"colour": "green", "size": 0, "ripe": False, "age": "< 18"}] * 4
    assert repr(evidence).startswith("Evidence(4 rows, 4 variables: colour[2], size[3]")


def test_likelihoods_of_documents() -> None:
    documents = [
        {"size": {"0": 1, "2": 4}},  # JSON has only strings for keys.
        {"size": 1, "ripe": {"true": 0.5}},
        {"size": [2, 1, 0]},
        {"ripe": {False: 1, True: 3}},
    ]
    evidence = as_evidence(SCHEMA, documents)
    assert evidence.soft_variables.tolist() == [1, 2]
    assert evidence.codes[1].tolist() == [-1, 1, -1, -1]
    assert evidence.likelihoods.tolist() == [
        [0.25, 0, 1, 1, 1],
        [1, 1, 1, 0, 1],  # A value stands beside ones, which say nothing.
        [1, 0.5, 0, 1, 1],
        [1, 1, 1, 1 / 3, 1],
    ]
    assert evidence.log_scales.tolist() == np.log([4, 0.5, 2, 3]).tolist()


@pytest.mark.parametrize(
    ("documents", "message", "fields"),
    [
        ([{}, {"taste": 1}], "row 1: no variable is called 'taste'", ("taste", 1, SCHEMA.names, "taste")),
        ([{}, {"size": 7}], "row 1: variable 'size': expected one of its categories", ("size", 1, (0, 1, 2), 7)),
        ([{}, {"size": "1"}], "row 1: variable 'size': expected one of its", ("size", 1, (0, 1, 2), "1")),
        ([{"size": {"3": 1}}], "row 0: variable 'size': expected one of its", ("size", 0, (0, 1, 2), "3")),
        ([{}, {}, [0, 1]], "row 2: expected a dict", (None, 2, "a dict from names to categories", [0, 1])),
        (
            [{"size": [1, 2]}],
            r"row 0: variable 'size': expected 3 likelihoods, one per category, found shape \(2,\)",
            ("size", 0, "3 likelihoods, one per category", (2,)),
        ),
        (
            [{}, {"size": [[1, 1, 1], [1, 2, 3]]}],
            "row 1: variable 'size': expected likelihoods for one row, found 2",
            ("size", 1, "likelihoods for one row", 2),
        ),
    ],
)
def test_documents_that_cannot_be_read(documents: Any, message: str, fields: tuple[object, ...]) -> None:
    with pytest.raises(QueryError, match=f"^{message}") as caught:
        as_evidence(SCHEMA, documents)
    error = caught.value
    assert (error.column, error.row, error.expected, error.found) == fields


def test_likelihoods_are_added_to_what_is_known() -> None:
    evidence = as_evidence(SCHEMA, [{"colour": "red"}, {"size": [1, 2, 4]}])
    both = evidence.with_soft({"ripe": [1, 4]})
    assert both.soft_variables.tolist() == [1, 2]
    assert both.likelihoods.tolist() == [[1, 1, 1, 0.25, 1], [0.25, 0.5, 1, 0.25, 1]]
    assert evidence.soft_variables.tolist() == [1]  # It is a value.
    with pytest.raises(QueryError, match="variable 'size': likelihoods are given twice"):
        evidence.with_soft({"size": [1, 1, 1]})
    numbered = as_evidence(Schema(("1",), ((0, 1),)), {})
    with pytest.raises(QueryError, match="variable '1': likelihoods are given twice"):
        numbered.with_soft({1: [1, 2], "1": [1, 2]})
    with pytest.raises(QueryError, match="variable 'colour': row 0 has both a value and likelihoods") as caught:
        evidence.with_soft({"colour": [1, 1]})
    assert (caught.value.column, caught.value.row) == ("colour", 0)
    with pytest.raises(TypeError, match="soft: expected a mapping from names to likelihoods, found list"):
        as_evidence(SCHEMA, {}, soft=[1])  # type: ignore[arg-type]


def test_one_dict_for_many_rows_of_likelihoods() -> None:
    evidence = as_evidence(SCHEMA, {"colour": "red", "ripe": [1, 3]}, {"size": np.ones((3, 3))})
    assert (evidence.is_one, evidence.n_rows) == (False, 3)
    assert evidence.codes[0].tolist() == [1, 1, 1]
    assert evidence.row_numbers.tolist() == [0, 1, 2]
    assert isinstance(evidence.completed(np.zeros((4, 3), dtype=np.int8)), Dataset)


def test_a_pickle_is_the_same_value() -> None:
    evidence = as_evidence(SCHEMA, pd.DataFrame({"colour": ["red", None]}), {"size": [1, 2, 4]})
    twin: Evidence = pickle.loads(pickle.dumps(evidence))
    assert twin.schema == SCHEMA
    assert [array.tolist() for array in twin.arrays] == [array.tolist() for array in evidence.arrays]


class TestFiles:
    def test_columns_that_the_model_lacks_go_back_where_they_were(self, tmp_path: Path) -> None:
        frame = pd.DataFrame({"size": [0, 1, 2, 1] * 9, "ripe": [False, True, True, True] * 9})
        model = LearnAC().fit(frame)
        (tmp_path / "t.csv").write_text("id,ripe,note,size,id\n7,,a,1,x\n8,false,,0,y\n")
        evidence = read_evidence(tmp_path / "t.csv", model.schema_)
        filled = infer.impute(model.circuit_, evidence)
        assert filled.column_names == ["id", "ripe", "note", "size", "id"]
        assert [column.to_pylist() for column in filled.itercolumns()] == [
            *([7, 8], [True, False]),
            *(["a", None], [1, 0], ["x", "y"]),
        ]
        worlds, _ = infer.mpe(model.circuit_, evidence.rows(slice(1, 2)))
        assert [column.to_pylist() for column in worlds.itercolumns()] == [[8], [False], [None], [0], ["y"]]

    def test_columns_that_the_file_lacks_come_last(self, tmp_path: Path) -> None:
        frame = pd.DataFrame({"size": [0, 1, 2, 1] * 9, "ripe": [False, True, True, True] * 9})
        model = LearnAC().fit(frame)
        (tmp_path / "t.csv").write_text("id,ripe\n7,\n8,false\n")
        evidence = read_evidence(tmp_path / "t.csv", model.schema_)
        worlds, _ = infer.mpe(model.circuit_, evidence)
        assert worlds.column_names == ["id", "ripe", "size"]
        with pytest.raises(DataError, match=r"t\.csv: expected the 2 columns of the schema; the table lacks 'size'"):
            read_evidence(tmp_path / "t.csv", model.schema_, may_lack_columns=False)

    @pytest.mark.parametrize(
        ("text", "message", "fields"),
        [
            ("colour\nred\npink\n", "t.csv: column 'colour', row 1", ("colour", 1, ("green", "red"), "pink")),
            ("size\n1\n\n9\n", "t.csv: column 'size', row 1", ("size", 1, (0, 1, 2), 9)),
            ("size,ripe\n1,\n,maybe\n", "t.csv: column 'ripe', row 1", ("ripe", 1, (False, True), "maybe")),
            ("a,b\n1,1\n", "t.csv: expected columns of the model", (None, None, SCHEMA.names, ("a", "b"))),
            ("size,size\n1,1\n", "t.csv: column names must be unique; repeated: 'size'", (None, None, None, "size")),
            ("size\n1\nx\n", "t.csv:3: column 'size': expected a number", ("size", 1, "a number", "x")),
        ],
    )
    def test_that_cannot_be_read(self, tmp_path: Path, text: str, message: str, fields: tuple[object, ...]) -> None:
        path = tmp_path / "t.csv"
        path.write_text(text)
        with pytest.raises(DataError) as caught:
            read_evidence(path, SCHEMA)
        error = caught.value
        assert str(error).startswith(str(path.parent / message))
        assert (error.column, error.row, error.expected, error.found) == fields
        assert error.source == str(path)
        is_about_a_category = fields[0] is not None and isinstance(fields[2], tuple)
        assert (error.problem is Problem.UNKNOWN_CATEGORY) == is_about_a_category
