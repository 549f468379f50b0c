"""Real tables for the study of gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from gaps import dealt_out, known_of, measure


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    kinds = np.array(["a", "b", "c"])[rng.integers(3, size=1000)]
    return pd.DataFrame({"kind": kinds, "size": np.where(rng.random(1000) < 0.2, np.nan, rng.normal(size=1000))})


def test_rows_are_dealt_out_once_with_their_gaps(frame: pd.DataFrame) -> None:
    parts = [known_of(part).codes for part in dealt_out(frame, seed=1)]
    assert [part.shape[1] for part in parts] == [700, 100, 200]
    together = np.concatenate(parts, axis=1)
    assert (together[1] < 0).sum() == frame["size"].isna().sum()
    assert sorted(np.bincount(together[0])) == sorted(frame["kind"].value_counts())


def test_all_parts_have_one_schema(frame: pd.DataFrame) -> None:
    train, valid, test = dealt_out(frame, seed=1)
    assert train.schema == valid.schema == test.schema


def test_another_seed_deals_otherwise(frame: pd.DataFrame) -> None:
    first, second = (known_of(dealt_out(frame, seed)[0]).codes for seed in (1, 2))
    assert not np.array_equal(first, second)


def test_others_are_compared_with_ours_row_by_row() -> None:
    task = {"set": "nltcs", "share": 0.3, "seed": 1, "corner": [200, 6]}
    ours, filled = (measure({**task, "method": method}) for method in ("gaps", "mode"))
    assert "less_than_ours" not in ours
    assert filled["less_than_ours"] == pytest.approx(ours["test"] - filled["test"])
    assert 0 < filled["less_than_ours_error"] < filled["test_error"] + ours["test_error"]
