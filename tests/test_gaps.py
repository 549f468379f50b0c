"""The estimator with tables that have gaps: all that it takes, and what it makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from learnac import LearnAC, load
from learnac.circuit import Mixture
from learnac.errors import SettingError
from learnac.infer import log_likelihood


def fruit(n_rows: int, seed: int) -> pd.DataFrame:
    """Colour and weight depend on the fruit; the price on nothing."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(3, size=n_rows)
    colour = np.where(rng.random(n_rows) < 0.8, kind, rng.integers(3, size=n_rows))
    return pd.DataFrame(
        {
            "fruit": np.array(["apple", "banana", "cherry"])[kind],
            "colour": colour,
            "weight": rng.normal(10.0 * kind, 3),
            "price": rng.integers(2, size=n_rows),
        }
    )


def with_gaps(frame: pd.DataFrame, share: float, columns: list[str], seed: int = 0) -> pd.DataFrame:
    rng, result = np.random.default_rng(seed), frame.copy()
    for name in columns:
        result[name] = result[name].mask(rng.random(len(frame)) < share)
    return result


WHOLE, HELD_OUT = fruit(800, 1), fruit(400, 2)
GAPS = with_gaps(WHOLE, 0.3, ["fruit", "colour", "weight"])
BINS = {"weight": [5.0, 15.0]}
# The weight is missing whenever the fruit is a cherry.
TELLING = WHOLE.assign(weight=WHOLE["weight"].mask(WHOLE["fruit"] == "cherry"))


def test_frames_of_all_kinds_give_the_same_model() -> None:
    by_pandas = LearnAC(bins=BINS).fit(GAPS)
    by_polars = LearnAC(bins=BINS).fit(pl.from_pandas(GAPS))
    np.testing.assert_array_equal(by_pandas.circuit_.parameters, by_polars.circuit_.parameters)
    assert by_pandas.learned_.gaps.n_missing == int(GAPS.isna().sum().sum())


def test_a_table_without_gaps_is_learned_as_ever() -> None:
    model = LearnAC(bins=BINS).fit(WHOLE)
    assert model.learned_.gaps is None
    assert "gaps" not in model.provenance_


def test_what_is_learned_is_near_what_would_be_learned_without_gaps() -> None:
    settings: dict[str, Any] = {"bins": BINS}
    from_gaps, from_all = LearnAC(**settings).fit(GAPS), LearnAC(**settings).fit(WHOLE)
    dropped = LearnAC(**settings).fit(GAPS.dropna())
    assert from_gaps.score(HELD_OUT) > from_all.score(HELD_OUT) - 0.05
    assert from_gaps.score(HELD_OUT) > dropped.score(HELD_OUT)


def test_validation_tables_may_have_gaps_too() -> None:
    held_out = with_gaps(HELD_OUT, 0.3, ["colour", "weight"], seed=1)
    for table in (GAPS, WHOLE):
        model = LearnAC(bins=BINS).fit(table, validation=held_out)
        assert model.learned_.gaps is not None
        assert max(model.learned_.gaps.structures) == pytest.approx(np.mean(model.score_samples(held_out)))
    complete = LearnAC(bins=BINS).fit(GAPS, validation=HELD_OUT)
    assert max(complete.learned_.gaps.structures) == pytest.approx(complete.score(HELD_OUT))


def test_a_mixture_of_rows_with_gaps(tmp_path: Path) -> None:
    model = LearnAC(bins=BINS, n_components=4).fit(GAPS)
    assert isinstance(model.circuit_, Mixture)
    model.save(tmp_path / "mixture.learnac")
    assert load(tmp_path / "mixture.learnac").provenance_["gaps"]["assumed"] == "missing at random"


def test_arrays_with_gaps_go_back_as_arrays() -> None:
    rng = np.random.default_rng(0)
    rows = np.where(rng.random((200, 3)) < 0.2, np.nan, rng.integers(2, size=(200, 3)))
    model = LearnAC().fit(rows, sample_weight=rng.uniform(0, 2, size=200))
    assert isinstance(model.sample(3), np.ndarray)


def test_files_know_what_was_assumed(tmp_path: Path) -> None:
    model = LearnAC(bins=BINS).fit(GAPS)
    model.save(tmp_path / "model.learnac")
    gaps = load(tmp_path / "model.learnac").provenance_["gaps"]
    assert gaps["missing"] == int(GAPS.isna().sum().sum())
    assert gaps["of"] == GAPS.size
    assert gaps["assumed"] == "missing at random"


class TestCategory:
    def test_that_a_value_is_missing_can_tell_something(self, tmp_path: Path) -> None:
        model = LearnAC(bins=BINS, missing="category").fit(TELLING)
        model.save(tmp_path / "model.learnac")
        for each in (model, load(tmp_path / "model.learnac")):
            assert each.schema_.categories[2] == ("< 5", "[5, 15)", ">= 15", "missing")
            assert each.marginals({"weight": "missing"})["fruit"][2] > 0.95
            # Otherwise a gap is what it always is: unknown.
            np.testing.assert_allclose(each.marginals({"weight": None})["fruit"], each.marginals()["fruit"])
        asked = model.missing_as_category(pd.DataFrame({"weight": [None, 1.0], "price": [None, 0]}))
        assert asked.codes[2].tolist() == [3, 0]
        assert model.marginals(asked)["fruit"][0, 2] > 0.95

    def test_validation_tables_are_read_alike(self) -> None:
        model = LearnAC(bins=BINS, missing="category").fit(TELLING, validation=TELLING[:200])
        assert model.learned_.gaps is None
        # No gap of this column was seen, so it is no category: what is missing there is unknown.
        partly = with_gaps(TELLING[:200], 0.1, ["colour"])
        assert LearnAC(bins=BINS, missing="category").fit(TELLING, validation=partly).learned_.gaps is not None

    def test_as_a_classifier(self) -> None:
        model = LearnAC(bins=BINS, missing="category", target="fruit").fit(TELLING)
        rows = TELLING.drop(columns="fruit")
        assert np.mean(model.predict(model.missing_as_category(rows)) == TELLING["fruit"]) > 0.9

    def test_other_values_are_refused(self) -> None:
        with pytest.raises(SettingError, match="missing: expected one of 'random', 'category', found 'drop'"):
            LearnAC(missing="drop").fit(GAPS)


class TestRowsWithoutLabels:
    @pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series])
    def test_they_are_learned_from_too(self, make: Any) -> None:
        labels = [label if place % 4 == 0 else None for place, label in enumerate(WHOLE["fruit"])]
        model = LearnAC(bins=BINS, target="fruit").fit(WHOLE.drop(columns="fruit"), make(labels))
        assert model.classes_.tolist() == ["apple", "banana", "cherry"]
        assert model.learned_.gaps.n_missing == labels.count(None)
        assert model.provenance_["rows"] == len(WHOLE)
        assert model.score(HELD_OUT.drop(columns="fruit"), HELD_OUT["fruit"]) > 0.85

    def test_numbers_with_nan(self) -> None:
        codes = np.where(np.arange(800) % 3 == 0, np.nan, WHOLE["colour"])
        model = LearnAC(bins=BINS, target="colour").fit(WHOLE.drop(columns="colour"), codes)
        assert model.classes_.tolist() == [0, 1, 2]
        assert model.classes_.dtype == np.float64

    def test_as_a_column_of_the_table_and_in_validation_pairs(self) -> None:
        frame = with_gaps(WHOLE, 0.3, ["fruit"])
        held_out = with_gaps(HELD_OUT, 0.5, ["fruit"])
        pair = held_out.drop(columns="fruit"), held_out["fruit"]
        for table, y in ((frame, None), (frame, frame["fruit"]), (frame.drop(columns="fruit"), frame["fruit"])):
            model = LearnAC(bins=BINS, target="fruit").fit(table, y, validation=pair)
            assert model.learned_.gaps is not None
            assert max(model.learned_.gaps.structures) == pytest.approx(
                np.mean(log_likelihood(model.circuit_, held_out)), rel=1e-9
            )

    def test_with_categories_for_gaps_a_row_without_a_label_has_no_class_of_its_own(self) -> None:
        frame = with_gaps(WHOLE, 0.3, ["fruit", "colour"])
        model = LearnAC(bins=BINS, target="fruit", missing="category").fit(frame)
        assert model.classes_.tolist() == ["apple", "banana", "cherry"]
        assert model.schema_.categories[1] == (0, 1, 2, "missing")


def test_resumed_it_ends_the_same(tmp_path: Path) -> None:
    whole = LearnAC(bins=BINS).fit(GAPS)
    path = tmp_path / "search"
    seen = 0

    def interrupt(info: object) -> None:
        nonlocal seen
        seen += 1
        if seen == 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LearnAC(bins=BINS, callback=interrupt).fit(GAPS, checkpoint=path, checkpoint_seconds=0)
    resumed = LearnAC(bins=BINS).fit(GAPS, checkpoint=path, resume=True)
    np.testing.assert_array_equal(resumed.circuit_.parameters, whole.circuit_.parameters)
