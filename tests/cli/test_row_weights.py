"""Weights of rows, as Libra's `.data` files have them, count wherever rows are counted: as if rows were repeated."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Answer = Callable[..., str]
LEARN = ["learn", "train.data", "--edge-penalty", "0.05", "--parameter-penalty", "0"]


@pytest.fixture
def tables(tmp_path: Path) -> None:
    """Rows with weights in *.data, and each repeated as often in *-repeated.data; those of weight 0 are not."""
    rng = np.random.default_rng(0)
    for name, n_rows in (("train", 150), ("valid", 60)):
        codes = rng.integers(3, size=(n_rows, 4))
        codes[:, 1] = np.where(rng.random(n_rows) < 0.7, codes[:, 0], codes[:, 1])
        weights = rng.integers(0, 6, size=n_rows)
        lines = [",".join(map(str, row)) for row in codes.tolist()]
        pairs = list(zip(weights.tolist(), lines, strict=True))
        (tmp_path / f"{name}.data").write_text("".join(f"{weight}|{line}\n" for weight, line in pairs))
        (tmp_path / f"{name}-repeated.data").write_text("".join(f"{line}\n" * weight for weight, line in pairs))
    for name in ("train", "valid", "train-repeated", "valid-repeated"):
        (tmp_path / f"{name}.schema").write_text("3,3,3,3\n")


def test_the_score_of_a_table_is_a_weighted_mean(answer: Answer, tables: None) -> None:
    answer(*LEARN, "--out", "m.learnac")
    weighted, repeated = (
        json.loads(answer("score", "m.learnac", name, "--json")) for name in ("valid.data", "valid-repeated.data")
    )
    assert weighted["log_likelihood"] == pytest.approx(repeated["log_likelihood"], rel=1e-12)
    assert weighted["rows"] == 60
    assert weighted["weight"] == repeated["rows"]
    text = answer("score", "m.learnac", "valid.data")
    assert f"of 60 rows, by weight ({repeated['rows']} in all)" in text


def test_a_row_without_weight_may_be_impossible(answer: Answer, tables: None, tmp_path: Path) -> None:
    (tmp_path / "t.data").write_text("1|0,0\n1|1,1\n0|0,1\n")
    answer("learn", "t.data", "--alpha", "0", "--shrinkage", "0", "--edge-penalty", "0", "--out", "m.learnac")
    found = json.loads(answer("score", "m.learnac", "t.data", "--json"))
    assert found["log_likelihood"] == pytest.approx(np.log(0.5))
    assert found["impossible"] == 1


@pytest.mark.parametrize("smoothing", [[], ["--alpha", "0.5", "--shrinkage", "10"]])
def test_a_validation_table_counts_by_its_weights(answer: Answer, tables: None, smoothing: list[str]) -> None:
    documents: list[dict[str, Any]] = [
        json.loads(answer(*LEARN, "--valid", name, *smoothing, "--json"))
        for name in ("valid.data", "valid-repeated.data")
    ]
    weighted, repeated = documents
    for field in ("n_splits", "n_edges", "alpha", "shrinkage", "n_splits_applied"):
        assert weighted[field] == repeated[field], field
    for role in ("train", "validation"):
        mean = weighted["scores"][role]["log_likelihood"]
        assert mean == pytest.approx(repeated["scores"][role]["log_likelihood"], rel=1e-9)


def test_other_weights_are_another_search(answer: Answer, complaint: Answer, tables: None, tmp_path: Path) -> None:
    answer(*LEARN, "--valid", "valid.data", "--checkpoint", "c")
    text = (tmp_path / "valid.data").read_text()
    (tmp_path / "valid.data").write_text(text.replace("5|", "4|"))
    assert "over other tables" in complaint(*LEARN, "--valid", "valid.data", "--checkpoint", "c", "--resume")


@pytest.mark.parametrize("text", ["0|0,1\n0|1,1\n", "1e308|0,1\n1e308|1,1\n"])
def test_weights_without_a_sum(complaint: Answer, tmp_path: Path, text: str) -> None:
    (tmp_path / "t.data").write_text(text)
    assert "t.data: expected weights of rows with a finite sum above 0, found" in complaint("learn", "t.data")
