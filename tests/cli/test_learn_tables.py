"""The tables that `learnac learn` takes, and one line for each that it does not, or for a wrong argument."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import Dataset, LearnAC

Run = Callable[..., Any]
Complaint = Callable[..., str]


def test_a_compressed_table_without_names(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(50, 4))
    codes[:, 1] = codes[:, 0]
    codes[:, 3] = 0
    lines = "\n".join(",".join(map(str, row)) for row in codes)
    (tmp_path / "binary.data.gz").write_bytes(gzip.compress(lines.encode()))
    document = json.loads(run("learn", "binary.data.gz", "--no-header", "--arity", "2", "--json").out)
    model = LearnAC().fit(Dataset.from_array(codes, arities=2))
    assert document["n_variables"] == 4
    assert document["n_edges"] == model.circuit_.n_edges
    assert document["scores"]["train"]["log_likelihood"] == pytest.approx(model.score(codes))


def test_a_stated_arity_lets_a_value_occur_later(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("a,b\n0,0\n1,1\n0,1\n")
    (tmp_path / "test.csv").write_text("a,b\n2,1\n")
    assert run("learn", "train.csv", "--test", "test.csv").code == 2
    assert run("learn", "train.csv", "--test", "test.csv", "--arity", "3").code == 0


def test_columns_may_come_in_another_order(run: Run, tmp_path: Path, files: dict[str, pd.DataFrame]) -> None:
    files["test"][["coin", "mood", "rain", "season", "umbrella"]].to_csv(tmp_path / "mixed.csv", index=False)
    scores = [
        json.loads(run("learn", "train.csv", "--test", name, "--json").out)["scores"]["test"]
        for name in ("test.csv", "mixed.csv")
    ]
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("train", "test"),
    [
        pytest.param("a,b\n0,0\n1,x\n0,1\n", "a,b\n0,1\n", id="strings that look like numbers here"),
        pytest.param("a,b\n0,true\n1,false\n", "a,b\n0,true\n", id="booleans"),
        pytest.param("d,b\n2020-01-31,0\n2021-02-28,1\n", "d,b\n2020-01-31,1\n", id="dates"),
        pytest.param('a,b\n0,"NA"\n1,EU\n', 'a,b\n0,"NA"\n', id="NA in quotes"),
        pytest.param("a,b\n0,0\n1,1\n\n", "a,b\r\n1,0\r\n", id="line ends"),
        pytest.param("\ufeffa,b\n0,0\n1,1\n", "a,b\n1,0\n", id="byte order mark"),
        pytest.param("a,b\n0,0.0\n1,1.0\n", "a,b\n1,1\n", id="whole floats"),
        pytest.param("a;b\n0;0\n1;1\n", "a;b\n1;0\n", id="semicolons"),
        pytest.param("a\tb\n0\t0\n1\t1\n", "a\tb\n1\t0\n", id="tabs"),
    ],
)
def test_what_tables_may_look_like(run: Run, tmp_path: Path, train: str, test: str) -> None:
    (tmp_path / "train.csv").write_text(train, encoding="utf-8")
    (tmp_path / "test.csv").write_text(test, encoding="utf-8", newline="")
    delimiter = {";": ";", "\t": "tab"}.get(train[1], ",")
    document = json.loads(run("learn", "train.csv", "--test", "test.csv", "--delimiter", delimiter, "--json").out)
    assert document["n_variables"] == 2
    assert document["scores"]["test"]["log_likelihood"] < 0


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"", "bad.csv: the file is empty", id="empty"),
        pytest.param(b"a,b\n", "bad.csv: expected rows of values, found only a header", id="header only"),
        pytest.param(b"a,b,c\n1,2,3\n1,2\n", "bad.csv:3: expected 3 values, found 2", id="ragged"),
        pytest.param(b"a,b\n1,\n1,\n", "expected columns to learn from, found none", id="missing"),
        pytest.param(b"a,b\n1,NA\n1,NA\n", "'b' has no value in any row", id="NA"),
        pytest.param(b"a;b\n1;2\n", "found one column, 'a;b': use --delimiter ';'", id="delimiter"),
        pytest.param(b"a\tb\n1\t2\n", r"use --delimiter '\t'", id="tab"),
        pytest.param("a,b\n1,é\n".encode("latin-1"), "column 'b': expected text in UTF-8", id="latin-1"),
        pytest.param("a,é\n1,2\n".encode("latin-1"), "expected a header in UTF-8", id="latin-1 header"),
        pytest.param("a,b\n1,2\n".encode("utf-16"), "found UTF-16", id="utf-16"),
        pytest.param(b"0,0,1\n0,1,1\n", "if the table has no header line, use --no-header", id="no header"),
        pytest.param(b"a,a\n0,1\n", "bad.csv: column names must be unique", id="repeated name"),
        pytest.param(b",a\n0,1\n1,0\n", "bad.csv: the name at position 0 is empty", id="empty name"),
        pytest.param(
            b"a,b\n0.5,1\n",
            "expected columns to learn from, found none: 'a' has the same value in every row; 'b' has the same value "
            "in every row: --kind a=categorical keeps a column",
            id="one row",
        ),
        pytest.param(
            b"a b,c\n" + b"".join(b"w%d,1\n" % row for row in range(100)),
            "found none: 'a b' has a different value in every row; 'c' has the same value in every row: "
            "--kind 'a b'=categorical keeps a column",
            id="identifiers",
        ),
        pytest.param(
            b"a,b\n0.5,1\ninf,0\n",
            "column 'a', row 1: expected numbers up to 1e+300, found inf: make it a missing value",
            id="infinity",
        ),
    ],
)
def test_a_table_that_cannot_be_used_is_one_line(
    complaint: Complaint, tmp_path: Path, content: bytes, expected: str
) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    said = complaint("learn", "bad.csv")
    assert said.startswith("error: bad.csv:")
    assert expected in said


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("season,rain\nspring,True\n", "lacks 'umbrella', 'mood', 'coin'", id="columns"),
        pytest.param(
            "season,rain,umbrella,mood,coin\nspring,True,yes,3,0\nmonsoon,True,yes,3,0\n",
            "column 'season', row 1: expected one of its categories, "
            "'autumn', 'spring', 'summer', 'winter'; found 'monsoon'",
            id="category",
        ),
        pytest.param(
            "coin,season,rain,umbrella,mood\n0,spring,True,yes,3\n0,spring,True,yes,fine\n",
            "other.csv:3: column 'mood': expected int64, as in the training table, found 'fine'",
            id="type",
        ),
    ],
)
def test_a_table_unlike_the_training_table(
    complaint: Complaint, tmp_path: Path, files: dict[str, pd.DataFrame], content: str, expected: str
) -> None:
    (tmp_path / "other.csv").write_text(content)
    # A model may have categories that only the validation table has.
    for option in ("--test",) if "monsoon" in content else ("--valid", "--test"):
        said = complaint("learn", "train.csv", option, "other.csv")
        assert said.startswith("error: other.csv:")
        assert expected in said


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["."], ".: expected files of one kind in this folder"),
        (["broken.csv.gz"], "broken.csv.gz: cannot be read"),
        ([], "Missing argument 'TRAIN'"),
        (["train.csv", "--frob"], "No such option: --frob"),
        (["train.csv", "--schedule", "slow"], "--schedule: expected one of 'quick', 'greedy', found 'slow'"),
        (["train.csv", "--alpha", "-1"], "--alpha: expected a finite number at least 0, found -1.0"),
        (["train.csv", "--edge-penalty", "nan"], "--edge-penalty: expected a finite number"),
        (["train.csv", "--max-edges", "3"], "--max-edges: expected at least"),
        (
            ["train.csv", "--edge-penalty=1", "--halve-edge-penalty"],
            "--halve-edge-penalty: expected --max-edges to be set too",
        ),
        (["train.csv", "--patience", "3"], "--patience: needs a validation table: add --valid FILE"),
        (["train.csv", "--delimiter", "ab"], "--delimiter: expected one character, found 'ab'"),
    ],
)
def test_a_wrong_argument_is_one_line(
    complaint: Complaint, tmp_path: Path, files: dict[str, pd.DataFrame], arguments: list[str], expected: str
) -> None:
    (tmp_path / "broken.csv.gz").write_bytes(b"a,b\n0,1\n")
    assert expected in complaint("learn", *arguments)
