"""Posteriors, completions and samples of numbers, against sums over all worlds and over their numbers."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_numbers import EPOCH, Known, Situation, day_text, each_model, numbers, quick, situations
from mixed_tables import mixed, mixed_table, number_bins

from learnac import Dataset, infer
from learnac.data import Bins
from learnac.data.intervals import Interval
from learnac.errors import QueryError


@each_model
@quick
@given(situations())
def test_marginals_are_those_of_the_intervals(n_components: int, known: dict[str, Known]) -> None:
    case = Situation(mixed(n_components), known)
    for name, posterior in infer.marginals(case.case.asked, case.given).items():
        np.testing.assert_allclose(posterior, case.posterior(name), rtol=1e-6, atol=1e-9)


@each_model
@settings(max_examples=40)
@given(situations(), st.sampled_from(list(numbers)), st.floats(0.02, 0.98))
def test_the_distribution_of_a_number(n_components: int, known: dict[str, Known], name: str, share: float) -> None:
    case = Situation(mixed(n_components), known)
    found = infer.distribution(case.case.asked, name, case.given)
    bins = number_bins(case.case.asked, name)
    np.testing.assert_allclose(found.probabilities, case.posterior(name), rtol=1e-6, atol=1e-9)
    here = known.get(name, Known(None))
    if here.number is not None:
        assert found.mean == found.median == found.quantile(share) == here.number
        return
    assert found.mean == pytest.approx(case.mean(name), rel=1e-6, abs=1e-6)
    assert infer.expectation(case.case.asked, name, case.given) == found.mean
    quantile = found.quantile(share)
    below = case.probability_of(name, lambda x: x < quantile, (quantile,))
    up_to = case.probability_of(name, lambda x: x <= quantile, (quantile,))
    assert below <= share + 1e-6
    assert up_to >= share - 1e-6
    if here.test is not None:
        assert here.test(np.array([quantile]))[0]
    assert found.interval(0.5) == (found.quantile(0.25), found.quantile(0.75))
    # The density is that of a query about the number.
    assert bins.spread is not None
    for number in bins.spread.floor([quantile, bins.edges[0], -1000.0]).tolist():
        given_as: Any = day_text(number) if name == "day" else number
        expected = math.exp(infer.log_probability(case.case.asked, {name: given_as}, case.given))
        assert found.density([number])[0] == pytest.approx(expected, rel=1e-6, abs=1e-12)


@each_model
def test_the_mean_of_dates_and_numbers_that_are_none(n_components: int) -> None:
    asked = mixed(n_components).asked
    found = infer.distribution(asked, "day")
    assert found.calendar == "days"
    assert datetime.date(2020, 1, 1) < EPOCH + datetime.timedelta(found.mean) < datetime.date(2020, 3, 10)
    message = "variable 'kind': expected a number, found categories; numbers are height, spent, day"
    with pytest.raises(QueryError, match=message):
        infer.distribution(asked, "kind")
    for share in (0.0, 1.0, -1, math.nan):
        with pytest.raises(ValueError, match="share: expected a number between 0 and 1"):
            found.quantile(share)
        with pytest.raises(ValueError, match="level: expected a number between 0 and 1"):
            found.interval(share)


@each_model
@quick
@given(situations(without=("height", "day", "kind")))
def test_predictions_of_numbers_and_dates(n_components: int, known: dict[str, Known]) -> None:
    case = Situation(mixed(n_components), known)
    asked = case.case.asked
    assert infer.predict(asked, case.given, "height") == pytest.approx(case.mean("height"), rel=1e-6)
    np.testing.assert_allclose(infer.predict_proba(asked, case.given, "height"), case.posterior("height"), atol=1e-8)
    median = datetime.date.fromisoformat(infer.predict(asked, case.given, "day"))
    number = (median - EPOCH).days
    assert case.probability_of("day", lambda x: x < number) <= 0.5 + 1e-9
    assert case.probability_of("day", lambda x: x <= number) >= 0.5 - 1e-9
    assert infer.predict(asked, case.given, "kind") == "abc"[int(case.posterior("kind").argmax())]
    many = infer.predict(asked, [case.given, case.given], "day")
    assert many.astype(str).tolist() == [str(median)] * 2


@each_model
@quick
@given(situations())
def test_the_completion_of_the_highest_density(n_components: int, known: dict[str, Known]) -> None:
    case = Situation(mixed(n_components), known)
    asked, joint = case.case.asked, case.densest()
    row, log_value = infer.mpe(asked, case.given)
    assert log_value == pytest.approx(math.log(joint.max()), rel=1e-6, abs=1e-6)
    assert infer.log_likelihood(asked, row) == pytest.approx(log_value, rel=1e-6, abs=1e-6)
    for name, value in row.items():
        here = known.get(name, Known(None))
        if here.number is not None:
            assert as_number(value) == here.number
        elif here.category is not None:
            assert value == here.category
        elif here.test is not None:
            assert here.test(np.array([as_number(value)])).all()


def as_number(value: Any) -> float:
    return float((datetime.date.fromisoformat(value) - EPOCH).days) if isinstance(value, str) else float(value)


@each_model
def test_gaps_are_filled_by_the_densest_or_by_means(n_components: int) -> None:
    asked = mixed(n_components).asked
    frame = mixed_table(5, 12)
    frame.loc[[0, 3], "height"] = np.nan
    frame["spent"] = frame["spent"].astype("Int64")
    frame.loc[[0, 4], "spent"] = pd.NA
    frame.loc[[1, 3], "day"] = pd.NaT
    frame.loc[[2, 3], "kind"] = None
    by_mpe, by_marginal = infer.impute(asked, frame), infer.impute(asked, frame, "marginal")
    for filled in (by_mpe, by_marginal):
        assert filled.dtypes.equals(frame.dtypes)
        assert not filled.isna().any().any()
        known = frame.notna()
        assert filled.where(known).equals(frame)
    for row in range(len(frame)):
        known_row = {name: value for name, value in frame.iloc[row].items() if not pd.isna(value)}
        completed, _ = infer.mpe(asked, known_row)
        assert as_plain(by_mpe.iloc[row]) == completed
        for name, value in as_plain(by_marginal.iloc[row]).items():
            if name in known_row:
                continue
            if name in numbers:
                mean = infer.distribution(asked, name, known_row).mean
                step = 0.0 if name == "height" else 0.5
                assert abs(as_number(value) - mean) <= step + 1e-9
            else:
                posterior = infer.marginals(asked, known_row)[name]
                assert value == asked.schema.categories[asked.schema.index(name)][int(posterior.argmax())]


def as_plain(row: Any) -> dict[str, Any]:
    return {name: str(value.date()) if isinstance(value, pd.Timestamp) else value for name, value in row.items()}


@each_model
@pytest.mark.parametrize(
    "given_row", [{}, {"kind": "b"}, {"height": "1..3", "spent": ">0"}, {"height": 1.5, "day": "<2020-02-01"}]
)
def test_samples_have_the_frequencies_of_their_density(n_components: int, given_row: dict[str, Any]) -> None:
    asked, n = mixed(n_components).asked, 4000
    drawn = infer.sample(asked, n, given_row, random_state=3)
    assert isinstance(drawn, Dataset)
    for name, tests in (
        ("height", ["<0", "<=1.5", "<1.5", ">4", "-1..2"]),
        ("spent", ["<=0", "<0", "20..30", ">40"]),
        ("day", ["<2020-01-20", "2020-02-01..2020-02-10", "2019-01-01..2019-12-31"]),
    ):
        bins, column = number_bins(asked, name), drawn.numbers[drawn.schema.index(name)]
        assert np.array_equal(bins.codes(column), drawn.codes[drawn.schema.index(name)])
        for text in tests:
            probability = math.exp(infer.log_probability(asked, {name: text}, given_row))
            low, high = limits(bins, text)
            frequency = ((low <= column) & (column < high)).mean()
            tolerance = 5 * math.sqrt(probability * (1 - probability) / n) + 1e-6
            assert frequency == pytest.approx(probability, abs=tolerance), (name, text)
    again = infer.sample(asked, n, given_row, random_state=3)
    assert all(np.array_equal(drawn.numbers[v], again.numbers[v]) for v in drawn.numbers)


def limits(bins: Bins, text: str) -> tuple[float, float]:
    from learnac.data.intervals import interval_of

    interval = interval_of(text)
    assert interval is not None
    found = interval.limits(bins)
    assert found is not None
    return found


@each_model
def test_samples_keep_what_is_known_and_the_form_of_the_table(n_components: int) -> None:
    asked = mixed(n_components).asked
    rows = [{"height": 0.125, "kind": "a"}, {"spent": 7}, {"height": "2..3"}]
    drawn = infer.sample(asked, 50, rows, random_state=1)
    assert [row["height"] for row in drawn[:50]] == [0.125] * 50
    assert [row["spent"] for row in drawn[50:100]] == [7] * 50
    assert all(2 <= row["height"] <= 3 for row in drawn[100:])
    assert all(type(row["spent"]) is int for row in drawn)
    assert all(datetime.date.fromisoformat(row["day"]) for row in drawn)
    frame = infer.sample(asked, 5, mixed_table(1, 2)[["height", "day"]], random_state=1)
    assert isinstance(frame, pd.DataFrame)
    assert frame["height"].tolist() == mixed_table(1, 2)["height"].repeat(5).tolist()
    assert frame["day"].dtype == mixed_table()["day"].dtype
    assert frame["spent"].dtype == np.int64


@each_model
def test_the_label_of_an_interval_is_the_interval(n_components: int) -> None:
    """In explanations, too: whoever copies a label gets what the interval gives."""
    asked = mixed(n_components).asked
    for name in ("height", "spent"):
        bins = number_bins(asked, name)
        low, high = float(bins.edges[0]), float(bins.edges[1])
        label = asked.schema.categories[asked.schema.index(name)][1]
        forms = ({name: label}, {name: f"[{low!r}, {high!r})"}, {name: Interval(low, high, with_high=False)})
        worlds = [infer.mpe(asked, given) for given in forms]
        assert worlds[0][1] == pytest.approx(worlds[1][1], abs=1e-9) == pytest.approx(worlds[2][1], abs=1e-9)
        assert worlds[0][0] == worlds[1][0] == worlds[2][0]
        probabilities = [infer.log_probability(asked, given) for given in forms]
        assert probabilities == pytest.approx([probabilities[0]] * 3, abs=1e-12)
