"""What an error says in words it says in fields too, and keeps them on its way."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import learnac
from learnac import DataError, Dataset, ImpossibleEvidenceError, LearnAC, QueryError, Schema, SettingError
from learnac.data.schema_file import read_schema_file
from learnac.data.tables import TableLayout, naming, read_frame
from learnac.errors import LearnacError, ModelFileError, Problem, SettingTypeError, placed
from learnac.learn import LearnSettings

FIELDS = ("column", "row", "expected", "found", "source", "problem")
SCHEMA = Schema(("colour", "size"), (("green", "red"), (0, 1, 2)))


def fields_of(error: LearnacError) -> dict[str, object]:
    """Those that say something."""
    return {name: value for name in FIELDS if (value := getattr(error, name)) is not None}


EVERY_KIND = [
    DataError("a", column="size", row=3, expected=(0, 1), found=2, source="t.csv", problem=Problem.UNKNOWN_CATEGORY),
    QueryError("a", column="size", expected="a number", found="x"),
    ModelFileError("a", source="m.learnac"),
    ImpossibleEvidenceError("row 4: impossible", [4, 7]),
    SettingError("alpha", "a number above 0", -1.0),
    SettingError("halve_edge_penalty", "{max_edges} to be set too"),
    SettingTypeError("alpha", "a number", None),
]


@pytest.mark.parametrize("error", EVERY_KIND, ids=lambda error: type(error).__name__)
def test_fields_survive_pickles_and_copies(error: LearnacError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error), error.saying(str(error))):
        assert type(twin) is type(error)
        assert twin.args == error.args
        assert vars(twin) == vars(error)
    elsewhere = placed(error, "there", source="elsewhere.csv")
    assert str(elsewhere) == f"there: {error}"
    assert {**vars(elsewhere), "source": None} == {**vars(error), "source": None}
    assert elsewhere.source == "elsewhere.csv"


def test_an_error_that_is_not_ours_is_placed_too() -> None:
    error = placed(TypeError("expected a table"), "validation")
    assert type(error) is TypeError
    assert str(error) == "validation: expected a table"


@pytest.mark.parametrize(
    ("table", "fields"),
    [
        (pd.DataFrame({"colour": ["red", "pink"], "size": [0, 1]}), {"column": "colour", "row": 1, "found": "pink"}),
        (pa.table({"colour": ["red", "red"], "size": [0, 9]}), {"column": "size", "row": 1, "found": 9}),
        (np.array([[0, 0], [0, 5]]), {"column": "size", "row": 1, "expected": (0, 1, 2), "found": 5}),
        (np.array([[0, 0], [0, 0.5]]), {"column": "size", "row": 1, "found": 0.5}),
        (np.array([[0, 0, 1]]), {"expected": "2 columns", "found": 3}),
        (pd.DataFrame({"colour": ["red"]}), {"column": "size", "expected": ("colour", "size"), "found": ("colour",)}),
        (Dataset.from_array([[1, 3]], ["colour", "size"]), {"column": "colour", "row": 0, "found": 1}),
    ],
)
def test_a_table_that_does_not_fit(table: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(DataError) as caught:
        SCHEMA.encode(table)
    found = fields_of(caught.value)
    assert {name: found[name] for name in fields} == fields
    assert type(found.get("row")) in (int, type(None))
    if found.get("problem") is Problem.UNKNOWN_CATEGORY:
        assert isinstance(found["expected"], tuple)


@pytest.mark.parametrize(
    ("content", "layout", "fields"),
    [
        (b"a,b\n1,2\n1\n", {}, {"row": 1, "expected": "2 values", "found": 1}),
        (b"1,2\n1\n", {"has_header": False}, {"row": 1, "expected": "2 values", "found": 1}),
        (b"a,b\n1,2\n1,x\n", {}, {"column": "b", "row": 1, "expected": "a number", "found": "x"}),
        (b"a;b\n1;2\n", {}, {"expected": ",", "found": ";", "problem": Problem.DELIMITER}),
        (b"1,1\n1,2\n", {}, {"found": ("1", "1"), "problem": Problem.NO_HEADER}),
    ],
)
def test_a_file_that_is_no_table(tmp_path: Path, content: bytes, layout: Any, fields: dict[str, Any]) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_frame(tmp_path / "t.csv", TableLayout(**layout), {"b": pa.float64()} if b"x" in content else None)
    found = fields_of(caught.value)
    assert {name: found[name] for name in fields} == fields
    assert found["source"] == str(tmp_path / "t.csv")


def test_a_file_is_named_once() -> None:
    with pytest.raises(DataError, match=r"^a: b: wrong$") as caught, naming(Path("c")), naming(Path("a")):
        raise DataError("b: wrong", row=1)
    assert fields_of(caught.value) == {"row": 1, "source": "a"}


def test_a_schema_file_that_says_nonsense(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("[columns.a]\ncategories = [1, 1]\n")
    with pytest.raises(DataError) as caught:
        read_schema_file(tmp_path / "s.toml")
    assert fields_of(caught.value) == {"column": "a", "found": 1, "source": str(tmp_path / "s.toml")}


@pytest.mark.parametrize(
    ("settings", "kind", "name", "expected", "found"),
    [
        ({"alpha": -1.0}, SettingError, "alpha", "a finite number at least 0", -1.0),
        ({"alpha": "x"}, SettingTypeError, "alpha", "a number", "x"),
        ({"schedule": "slow"}, SettingError, "schedule", "one of 'quick', 'greedy'", "slow"),
    ],
)
def test_a_setting_that_makes_no_sense(settings: Any, kind: type, name: str, expected: str, found: object) -> None:
    with pytest.raises(SettingError, match=f"^{name}: expected {expected}, found {found!r}") as caught:
        LearnSettings(**settings)
    assert type(caught.value) is kind
    assert (caught.value.name, caught.value.expected, caught.value.found) == (name, expected, found)
    assert isinstance(caught.value, TypeError) == (kind is SettingTypeError)


def test_settings_are_spelled_as_a_front_end_spells_them() -> None:
    with pytest.raises(SettingError) as caught:
        LearnSettings(edge_penalty=1.0, halve_edge_penalty=True)
    error = caught.value
    assert error.expected == "max_edges to be set too, or halving would never end"
    assert error.complaint(str.upper) == "expected MAX_EDGES to be set too, or halving would never end"


def test_a_validation_table_keeps_its_fields() -> None:
    rows = pd.DataFrame({"a": ["x", "y"], "b": [0, 1]})
    with pytest.raises(DataError, match=r"^validation: column 'b', row 1: ") as caught:
        LearnAC().fit(rows, validation=pd.DataFrame({"a": ["x", "y"], "b": [0, 0.5]}))
    assert (caught.value.column, caught.value.row, caught.value.found) == ("b", 1, 0.5)


def test_the_library_names_no_option_of_the_command_line() -> None:
    folder = Path(learnac.__file__).parent
    below = [path for path in folder.rglob("*.py") if "cli" not in path.relative_to(folder).parts]
    named = [path.name for path in below if re.search(r"(?<![\w-])--[a-z]", path.read_text())]
    assert named == []
