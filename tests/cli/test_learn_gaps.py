"""`learnac learn` and `tune` with tables that have missing values."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import load

Run = Callable[..., Any]


def weather(n_rows: int, seed: int, share: float) -> pd.DataFrame:
    """Rain, an umbrella because of it, a number for bins, and a year; values are missing at random."""
    rng = np.random.default_rng(seed)
    rain = rng.random(n_rows) < 0.4
    frame = pd.DataFrame(
        {
            "rain": np.where(rain, "yes", "no"),
            "umbrella": np.where(rng.random(n_rows) < np.where(rain, 0.9, 0.1), "yes", "no"),
            "degrees": rng.normal(np.where(rain, 8.0, 18.0), 4).round(2),
            "year": 2000 + rng.integers(3, size=n_rows),
        }
    )
    return frame.mask(rng.random(frame.shape) < share)


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    weather(400, 1, 0.2).to_csv("train.csv", index=False)
    weather(150, 2, 0.2).to_csv("valid.csv", index=False)
    weather(150, 3, 0.0).to_csv("test.csv", index=False)
    return tmp_path


def test_the_summary_says_what_was_assumed(tables: Path, run: Run) -> None:
    done = run("learn", "train.csv", "--valid", "valid.csv", "--test", "test.csv", "--bins", "degrees=3", "--out", "m")
    assert done.code == 0
    assert "taken to be missing at random" in done.out
    n_missing = int(pd.read_csv("train.csv").isna().sum().sum())
    assert f"{n_missing:,}" in next(line for line in done.out.splitlines() if line.startswith("Missing values"))
    assert load("m").schema_.categories[3] == (2000, 2001, 2002)


def test_json_has_the_rounds_and_the_scores(tables: Path, run: Run) -> None:
    document = json.loads(
        run("learn", "train.csv", "--valid", "valid.csv", "--bins", "degrees=3", "--out", "m", "--json").out
    )
    gaps = document["gaps"]
    assert gaps["n_values"] == 1600
    found = np.mean(load("m").score_samples(pd.read_csv("valid.csv")))
    assert max(gaps["structures"]) == pytest.approx(found, rel=1e-9)
    assert document["scores"]["validation"]["log_likelihood"] == pytest.approx(found, rel=1e-9)


def test_gaps_as_a_category_and_asked_for(tables: Path, run: Run) -> None:
    done = run(
        "learn", "train.csv", "--valid", "valid.csv", "--bins", "degrees=3", "--missing", "category", "--out", "m"
    )
    assert done.code == 0
    assert "missing at random" not in done.out
    model = load("m")
    assert [categories[-1] for categories in model.schema_.categories] == ["missing"] * 4
    assert "missing" in run("marginals", "m", "--given", "year=missing", "--given", "degrees=missing").out
    assert run("query", "m", "--query", "rain=missing", "--given", "year=2001").code == 0


def test_tune_takes_gaps_too(tables: Path, run: Run) -> None:
    for missing in ("random", "category"):
        done = run(
            *("tune", "train.csv", "--valid", "valid.csv", "--test", "test.csv", "--bins", "degrees=3", "--json"),
            *("--edge-penalties", "0.1", "--parameter-penalties", "0.5", "--missing", missing),
        )
        document = json.loads(done.out)
        assert document["model"]["rows"] == 550
        assert np.isfinite(document["model"]["test"])


def test_libra_tables_with_stars(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.data").write_text("0,1,0\n2.5|1,1,*\n0,*,1\n" * 20)
    document = json.loads(run("learn", "train.data", "--json").out)
    assert document["gaps"]["n_missing"] == 40
    assert document["scores"]["train"]["weight"] == 90


def test_mixtures(tables: Path, run: Run) -> None:
    document = json.loads(run("learn", "train.csv", "--bins", "degrees=3", "--components", "3", "--json").out)
    assert document["n_components"] == 3
    assert document["gaps"]["n_missing"] > 0


def test_another_word_is_refused(tables: Path, run: Run) -> None:
    done = run("learn", "train.csv", "--missing", "drop")
    assert done.code == 2
    assert "--missing" in done.err
