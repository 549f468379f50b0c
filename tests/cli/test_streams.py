"""Queries on tables that are read as streams: the answers of the same tables in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from learning import random_rows
from mixed_tables import mixed_table

from learnac import LearnAC
from learnac.cli.app import main

FRAME = pd.DataFrame(random_rows(1, 40_000, [2, 3, 2, 4]), columns=list("abcd"))
FRAME["b"] = FRAME["b"].map({0: "red", 1: "green", 2: "blue"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streams")
    LearnAC(max_edges=200).fit(FRAME[:2000]).save(path / "model.learnac")
    with_gaps = FRAME.astype({"a": "Int64"}).mask(np.random.default_rng(0).random(FRAME.shape) < 0.2)
    for name, table in (("whole", FRAME), ("gaps", with_gaps)):
        table.to_parquet(path / f"{name}.parquet", row_group_size=15_000)
        table.to_csv(path / f"{name}.csv", index=False)
    return path


def run(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)


@pytest.mark.parametrize("table", ["whole.parquet", "gaps.parquet", "gaps.csv"])
def test_scores_are_the_same(folder: Path, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    documents = []
    for more in ([], ["--stream"]):
        assert run("score", folder / "model.learnac", folder / table, "--json", *more) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0].pop("log_likelihood") == pytest.approx(documents[1].pop("log_likelihood"), rel=1e-12)
    assert documents[0] == documents[1]


@pytest.mark.parametrize("table", ["gaps.parquet", "gaps.csv"])
def test_marginals_are_the_same(folder: Path, table: str) -> None:
    for name, more in (("a.parquet", []), ("b.parquet", ["--stream"])):
        words = ("--rows", folder / table, "--out", folder / name, *more)
        assert run("marginals", folder / "model.learnac", *words) == 0
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "a.parquet"), pd.read_parquet(folder / "b.parquet"))


def test_tables_are_filled_in_the_same_way(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, more in (("c.parquet", []), ("d.parquet", ["--stream"])):
        words = (folder / "gaps.parquet", "--out", folder / name, *more)
        assert run("impute", folder / "model.learnac", *words) == 0
    found = pd.read_parquet(folder / "d.parquet")
    assert not found.isna().any().any()
    pd.testing.assert_frame_equal(found, pd.read_parquet(folder / "c.parquet"))
    assert run("impute", folder / "model.learnac", folder / "gaps.csv", "--stream") == 2
    assert "--stream: expected Parquet or Arrow" in capsys.readouterr().err


def test_a_folder_is_one_table_and_rows_are_numbered_throughout(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in range(2):
        FRAME[i * 20_000 : (i + 1) * 20_000].to_parquet(tmp_path / f"{i}.parquet")
    assert run("score", folder / "model.learnac", tmp_path, "--stream", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 40_000
    FRAME[:1].assign(b="pink").to_parquet(tmp_path / "2.parquet")
    assert run("score", folder / "model.learnac", tmp_path, "--stream") == 2
    assert "row 40,000" in capsys.readouterr().err


def test_numbers_and_dates_with_gaps_are_answered_in_the_same_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = mixed_table(n_rows=20_000)
    LearnAC(max_edges=500).fit(table[:2000]).save(model := tmp_path / "model.learnac")
    with_gaps = table.mask(np.random.default_rng(0).random(table.shape) < 0.2)
    with_gaps.to_parquet(path := tmp_path / "gaps.parquet", row_group_size=3000)
    scores = []
    for name, more in (("memory", []), ("stream", ["--stream"])):
        assert run("score", model, path, "--json", *more) == 0
        scores.append(json.loads(capsys.readouterr().out)["log_likelihood"])
        assert run("marginals", model, "--rows", path, "--out", tmp_path / f"{name}-marginals.parquet", *more) == 0
        assert run("impute", model, path, "--out", tmp_path / f"{name}-filled.parquet", *more) == 0
    assert scores[0] == pytest.approx(scores[1], rel=1e-12)
    for answer in ("marginals", "filled"):
        found, expected = (pd.read_parquet(tmp_path / f"{name}-{answer}.parquet") for name in ("stream", "memory"))
        pd.testing.assert_frame_equal(found, expected)
    assert not found.isna().any().any()
