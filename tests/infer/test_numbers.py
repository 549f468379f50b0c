"""Densities and probabilities of tables of numbers and dates, against sums over all worlds and over their numbers."""

from __future__ import annotations

import datetime
import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_numbers import Known, Situation, each_model, numbers, quick, situations
from mixed_tables import Atoms, dataset, learned, mixed, mixed_table, number_bins

from learnac import LearnAC, infer
from learnac.circuit import Mixture
from learnac.data.intervals import Interval
from learnac.errors import QueryError


@pytest.mark.parametrize("names", [["height", "ill"], ["height", "spent", "ill"], ["day", "height"]])
def test_the_density_of_a_table_is_one(names: list[str]) -> None:
    model = LearnAC(bins=4, max_splits=6, edge_penalty=0.0).fit(mixed_table()[names])
    assert density_over_everything(model) == pytest.approx(1.0, abs=1e-6)


@given(st.integers(0, 1000), st.sampled_from(["normal", "hundredths", "points", "days", "few"]), st.integers(0, 1))
@settings(max_examples=20)
def test_the_density_of_any_table_is_one(seed: int, kind: str, n_components: int) -> None:
    rng = np.random.default_rng(seed)
    word = rng.choice(["x", "y"], 150)
    shift = np.where(word == "x", 0.0, rng.normal(0, 3))
    column: Any = {
        "normal": rng.normal(shift, rng.gamma(2)),
        "hundredths": np.round(rng.normal(shift, 1), 2),
        "points": np.where(rng.random(150) < 0.4, 0.0, rng.exponential(100, 150) + shift),
        "days": np.datetime64("2000-02-25") + rng.poisson(9 + abs(shift)).astype("timedelta64[D]"),
        "few": rng.choice([1.5, 2.25, 7.125], 150),
    }[kind]
    options: dict[str, Any] = {"n_components": 2, "random_state": 0} if n_components else {}
    model = LearnAC(**options).fit(pd.DataFrame({"number": column, "word": word}))
    assert density_over_everything(model) == pytest.approx(1.0, abs=1e-6)


def density_over_everything(model: LearnAC) -> float:
    """The sum of exp(log_likelihood) over categories, times widths over numbers."""
    schema = model.schema_
    columns, widths = [], []
    for bins, categories in zip(schema.bins, schema.categories, strict=True):
        if bins is None:
            columns.append(list(categories))
            widths.append(np.ones(len(categories)))
        else:
            atoms = Atoms.of(bins)
            is_day = bins.calendar is not None
            columns.append(atoms.values.astype("datetime64[D]").astype("datetime64[s]") if is_day else atoms.values)
            widths.append(atoms.widths)
    places = np.indices([len(column) for column in columns]).reshape(len(columns), -1)
    rows = pd.DataFrame(
        {name: pd.Series(column)[at].array for name, column, at in zip(schema.names, columns, places, strict=True)}
    )
    weights = np.prod([width[at] for width, at in zip(widths, places, strict=True)], axis=0)
    return float((np.exp(model.score_samples(rows)) * weights).sum())


def test_the_likelihood_of_a_row_is_that_of_its_intervals_and_its_densities() -> None:
    model, table = learned(), dataset()
    assert model.network_ is not None
    expected = model.network_.log_likelihood(table.codes)
    for variable, column in table.numbers.items():
        bins = table.schema.bins[variable]
        assert bins is not None
        expected = expected + bins.log_densities(column)
    for rows in (mixed_table(), table):
        np.testing.assert_allclose(model.score_samples(rows), expected, rtol=1e-10)
        np.testing.assert_allclose(infer.log_likelihood(model.circuit_, rows), expected, rtol=1e-10)
    assert model.score(mixed_table()) == pytest.approx(expected.mean())


@each_model
@quick
@given(situations(least=1))
def test_the_probability_of_what_is_known(n_components: int, known: dict[str, Known]) -> None:
    case = Situation(mixed(n_components), known)
    found = infer.log_probability(case.case.asked, case.given)
    assert found == pytest.approx(math.log(case.joint().sum()), rel=1e-6, abs=1e-6)


@each_model
@settings(max_examples=40)
@given(st.data())
def test_the_probability_of_a_query_given_what_is_known(n_components: int, data: st.DataObject) -> None:
    known = data.draw(situations())
    known.pop("ill", None)
    query = data.draw(situations(without=tuple(known), least=1))
    before = Situation(mixed(n_components), known)
    after = Situation(mixed(n_components), known | query)
    found = infer.log_probability(before.case.asked, {name: k.given for name, k in query.items()}, before.given)
    assert found == pytest.approx(math.log(after.joint().sum() / before.joint().sum()), rel=1e-6, abs=1e-6)


@each_model
@settings(max_examples=60)
@given(st.sampled_from(list(numbers)), st.data())
def test_a_query_about_a_number_of_which_something_is_known(n_components: int, name: str, data: st.DataObject) -> None:
    """Intervals of both sides are cut with each other; a number lies in an interval or not."""
    known = data.draw(situations(without=(name,)))
    here, asked = data.draw(numbers[name]), data.draw(numbers[name])
    case = Situation(mixed(n_components), known | {name: here})
    is_empty = any(Situation(case.case, {name: piece}).joint().sum() < 1e-9 for piece in (here, asked))
    if is_empty or case.joint().sum() < 1e-9 or (here.number is not None and asked.number is not None):
        return
    if here.number is not None:
        assert asked.test is not None
        expected = float(asked.test(np.array([here.number]))[0])
    elif asked.test is not None:
        expected = case.probability_of(name, asked.test, asked.cuts)
    else:
        assert asked.number is not None
        assert here.test is not None
        bins = number_bins(case.case.asked, name)
        free = Situation(case.case, known | {name: asked})
        expected = float(free.joint().sum() / case.joint().sum() * here.test(np.array([asked.number]))[0])
        assert bins.spread is not None
    found = infer.log_probability(case.case.asked, {name: asked.given}, case.given)
    assert math.exp(found) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("likelihoods", [[0.5, 1.0, 0.25, 2.0], [0.0, 1.0, 1.0, 0.0]])
def test_an_interval_may_be_asked_for_where_likelihoods_are_given(likelihoods: list[float]) -> None:
    case = mixed(0)
    joint = case.probabilities() * np.array(likelihoods)[case.worlds[0]]
    posterior = case.posterior(joint, 0)
    atoms = Atoms.of(number_bins(case.asked, "height"), (2.5,))
    expected = posterior @ atoms.shares(4, atoms.values < 2.5)
    found = infer.log_probability(case.asked, {"height": "<2.5"}, None, soft={"height": likelihoods})
    assert math.exp(found) == pytest.approx(expected, rel=1e-6)


@each_model
def test_many_situations_are_answered_as_one_by_one(n_components: int) -> None:
    asked = mixed(n_components).asked
    rows = [
        {"height": 1.5, "kind": "a"},
        {"height": "<2", "spent": "10..20"},
        {"day": "2020-01-10", "spent": 0},
        {"day": datetime.date(2020, 1, 10), "spent": Interval(5, 30)},
        {},
        {"height": ">= 1.5", "ill": True},
    ]
    queries = [{"spent": "<=3"}, {"height": 0.5}, {"height": ">0"}, {"height": "-1..1"}, {"day": ">=2020-01-15"}]
    for query in queries:
        one_by_one = [infer.log_probability(asked, query, row) for row in rows if "height" not in row]
        together = infer.log_probability(asked, query, [row for row in rows if "height" not in row])
        np.testing.assert_allclose(together, one_by_one, rtol=1e-12)
    for variable in ("height", "spent", "day"):
        together = infer.distribution(asked, variable, rows)
        apart = [infer.distribution(asked, variable, row) for row in rows]
        np.testing.assert_allclose(together.mean, [each.mean for each in apart], rtol=1e-12)
        np.testing.assert_allclose(together.quantile(0.3), [each.quantile(0.3) for each in apart], rtol=1e-12)
        at = [0.0, 1.5, 12.0, 18270.0]
        np.testing.assert_allclose(together.density(at), [each.density(at) for each in apart], rtol=1e-12)
    table = infer.marginals(asked, rows)
    for place, row in enumerate(rows):
        for name, posterior in infer.marginals(asked, row).items():
            np.testing.assert_allclose(table[name][place], posterior, rtol=1e-12)


def test_a_number_that_contradicts_another_is_named() -> None:
    asked = mixed(0).asked
    with pytest.raises(QueryError, match=r"contradicts the evidence: variable 'height' is 0\.25 in the query and 0\.5"):
        infer.log_probability(asked, {"height": 0.25}, {"height": 0.5})
    assert infer.log_probability(asked, {"height": 0.5}, {"height": 0.5}) == 0.0


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("height", "9..3", "variable 'height': expected an interval that some number lies in, found '9..3'"),
        ("height", "x..y", "expected an interval that some number lies in, found 'x..y'"),
        ("spent", "3.2..3.8", "expected an interval that some number lies in, found '3.2..3.8'"),
        ("day", "<yesterday", "expected an interval that some number lies in, found '<yesterday'"),
        ("height", "tall", "variable 'height': expected one of its categories, .*; found 'tall'"),
        ("day", 18270, "variable 'day': expected one of its categories, .*; found 18270"),
        ("height", math.inf, "variable 'height': expected a number up to 1e\\+300, found inf"),
        ("height", True, "variable 'height': expected one of its categories, .*; found True"),
        ("kind", "<b", "variable 'kind': expected one of its categories, 'a', 'b', 'c'; found '<b'"),
        ("kind", Interval(1, 2), "variable 'kind': expected one of its categories"),
    ],
)
def test_what_is_no_number_of_a_column_is_named(name: str, value: object, complaint: str) -> None:
    for rows in ({name: value}, [{}, {name: value}]):
        with pytest.raises(QueryError, match=complaint) as caught:
            infer.marginals(mixed(0).asked, rows)
        assert caught.value.column == name
        assert caught.value.row == (1 if isinstance(rows, list) else None)


def test_a_learned_mixture_of_a_mixed_table() -> None:
    table = mixed_table(2, 600)
    model = LearnAC(n_components=4, random_state=0, bins=6).fit(table[:500])
    assert isinstance(model.circuit_, Mixture)
    single = LearnAC(max_splits=0, bins=6).fit(table[:500])
    assert model.score(table[500:]) > single.score(table[500:])
    for given_row in ({}, {"height": 2.5}, {"height": "1..3", "kind": "b"}):
        found = model.distribution("spent", given_row)
        total = sum(
            math.exp(model.log_probability({"spent": text}, given_row)) * mean
            for text, mean in (
                (text, model.distribution("spent", {**given_row, "spent": text}).mean) for text in ("<=10", ">10")
            )
        )
        assert found.mean == pytest.approx(total, rel=1e-9)
    rows = list(product([1.5, 2.0], ["a", "c"]))
    frame = pd.DataFrame(rows, columns=["height", "kind"])
    by_component = model.components(frame)
    np.testing.assert_allclose(by_component.sum(axis=1), 1.0)
