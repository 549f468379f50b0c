"""Every query on tables of numbers, dates and categories, against sums over all worlds and over their numbers."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from enumerated import Enumerated
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_tables import Atoms, Floats, dataset, learned, mixed, mixed_table, number_bins
from numpy.typing import NDArray

from learnac import Dataset, LearnAC, infer
from learnac.circuit import Mixture, Queryable
from learnac.data import Bins, Schema
from learnac.data.intervals import Interval
from learnac.errors import QueryError

EPOCH = datetime.date(1970, 1, 1)
each_model = pytest.mark.parametrize("n_components", [0, 3], ids=["circuit", "mixture"])
quick = settings(max_examples=25)

Test = Callable[[Floats], NDArray[np.bool_]]


@dataclass(frozen=True)
class Known:
    """What is known of a variable: as it is given, and as a test of its numbers or categories."""

    given: Any
    test: Test | None = None  # of an interval
    number: float | None = None
    category: Any = None
    cuts: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Situation:
    """What is known of a row, and the sums that follow from it."""

    case: Enumerated
    known: dict[str, Known] = field(default_factory=dict)

    @property
    def given(self) -> dict[str, Any]:
        return {name: known.given for name, known in self.known.items()}

    def atoms(self, name: str, cuts: tuple[float, ...] = ()) -> tuple[Atoms, NDArray[np.bool_]]:
        """The numbers of a column, and which of them are possible."""
        known = self.known.get(name, Known(None))
        atoms = Atoms.of(number_bins(self.case.asked, name), (*known.cuts, *cuts))
        return atoms, np.ones(len(atoms.values), bool) if known.test is None else known.test(atoms.values)

    def factors(self) -> dict[int, Floats]:
        """By variable, what each of its values is worth."""
        schema = self.case.asked.schema
        found = {}
        for name, known in self.known.items():
            variable = schema.index(name)
            factor = np.zeros(len(schema.categories[variable]))
            if known.test is not None:
                atoms, inside = self.atoms(name)
                factor = atoms.shares(len(factor), inside)
            elif known.number is not None:
                bins = number_bins(self.case.asked, name)
                factor[bins.code(known.number)] = math.exp(bins.log_densities([known.number])[0])
            else:
                factor[schema.categories[variable].index(known.category)] = 1.0
            found[variable] = factor
        return found

    def joint(self) -> Floats:
        """Of each world of the intervals: its probability, times the density or the share of what is known."""
        found = self.case.probabilities()
        for variable, factor in self.factors().items():
            found = found * factor[self.case.worlds[variable]]
        return found

    def densest(self) -> Floats:
        """Of each world of the intervals: the highest density of its numbers."""
        found, factors = self.case.probabilities(), self.factors()
        for variable, name in enumerate(self.case.asked.schema.names):
            known = self.known.get(name, Known(None))
            factor = factors.get(variable, np.ones(len(self.case.asked.schema.categories[variable])))
            if name in numbers and known.number is None:
                bins = number_bins(self.case.asked, name)
                assert bins.spread is not None
                # A tail is densest at its end, which no atom is.
                ends = np.array([*bins.spread.starts, *known.cuts]) if bins.spread.step == 0 else np.empty(0)
                values = np.concatenate(
                    [self.atoms(name)[0].values, ends, np.nextafter(ends, -np.inf), np.nextafter(ends, np.inf)]
                )
                values = values if known.test is None else values[known.test(values)]
                factor = np.zeros(len(factor))
                np.maximum.at(factor, bins.codes(values), np.exp(bins.log_densities(values)))
            found = found * factor[self.case.worlds[variable]]
        return found

    def posterior(self, name: str) -> Floats:
        return self.case.posterior(self.joint(), self.case.asked.schema.index(name))

    def probability_of(self, name: str, test: Test, cuts: tuple[float, ...] = ()) -> float:
        """That a number passes a test."""
        posterior = self.posterior(name)
        atoms, inside = self.atoms(name, cuts)
        both = atoms.shares(len(posterior), inside & test(atoms.values))
        all_inside = atoms.shares(len(posterior), inside)
        return float((posterior * np.divide(both, all_inside, np.zeros(len(both)), where=all_inside > 0)).sum())

    def mean(self, name: str) -> float:
        posterior = self.posterior(name)
        atoms, inside = self.atoms(name)
        sums, shares = atoms.shares(len(posterior), inside, 1), atoms.shares(len(posterior), inside)
        return float((posterior * np.divide(sums, shares, np.zeros(len(sums)), where=shares > 0)).sum())


def day_text(number: float) -> str:
    return str(EPOCH + datetime.timedelta(int(number)))


def intervals(number: st.SearchStrategy[float], text: Callable[[float], Any]) -> st.SearchStrategy[Known]:
    """Intervals as people write them, each with its own test: not a line of the code that reads them."""

    def made(form: str, a: float, b: float) -> Known:
        a, b = min(a, b), max(a, b)
        match form:
            case "..":
                return Known(f"{text(a)}..{text(b)}", lambda x: (a <= x) & (x <= b), cuts=(a, b))
            case "<":
                return Known(f"<{text(a)}", lambda x: x < a, cuts=(a,))
            case "<=":
                return Known(f"<= {text(a)}", lambda x: x <= a, cuts=(a,))
            case ">":
                return Known(f"> {text(a)}", lambda x: x > a, cuts=(a,))
            case ">=":
                return Known(f">={text(a)}", lambda x: x >= a, cuts=(a,))
            case _:
                return Known(Interval(a if text is repr else text(a), None), lambda x: x >= a, cuts=(a,))

    return st.builds(made, st.sampled_from(["..", "<", "<=", ">", ">=", "Interval"]), number, number)


HEIGHTS = st.floats(-5, 11).map(lambda x: round(x, 3)) | st.just(1.5)
COUNTS = st.integers(-3, 60).map(float)
DAYS = st.integers(18250, 18340).map(float)
numbers: dict[str, st.SearchStrategy[Known]] = {
    "height": HEIGHTS.map(lambda x: Known(x, number=x)) | intervals(HEIGHTS, repr),
    "spent": COUNTS.map(lambda x: Known(int(x), number=x)) | intervals(COUNTS, int),
    "day": DAYS.map(lambda x: Known(day_text(x), number=x)) | intervals(DAYS, day_text),
}
pieces: dict[str, st.SearchStrategy[Known]] = numbers | {
    "kind": st.sampled_from(["a", "b", "c"]).map(lambda x: Known(x, category=x)),
    "ill": st.booleans().map(lambda x: Known(x, category=x)),
}


@st.composite
def situations(draw: st.DrawFn, without: tuple[str, ...] = (), least: int = 0) -> dict[str, Known]:
    """Something known of some variables: a range so narrow that no number lies in it is none."""
    names = draw(st.lists(st.sampled_from([n for n in pieces if n not in without]), min_size=least, unique=True))
    found = {name: draw(pieces[name]) for name in names}
    case = mixed(0)
    factors = Situation(case, found).factors()
    return {name: known for name, known in found.items() if factors[case.asked.schema.index(name)].sum() > 1e-9}


# --- Densities


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


# --- Probabilities


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


# --- Posteriors


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


# --- Completions


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


# --- Samples


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


# --- Questions: a number weighs as much as its interval, an interval as likelihoods


def twin_of(asked: Queryable) -> Queryable:
    """The same model of categories, which knows nothing of numbers."""
    schema = Schema(asked.schema.names, asked.schema.categories)
    if isinstance(asked, Mixture):
        return replace(asked, structure=replace(asked.structure, schema=schema), network=None)
    return replace(asked, schema=schema)


def twin_evidence(asked: Queryable, known: dict[str, Known]) -> dict[str, Any]:
    case = Situation(replace(mixed(0), asked=asked), known)
    found: dict[str, Any] = {}
    for name, here in known.items():
        factor = case.factors()[asked.schema.index(name)]
        categories = asked.schema.categories[asked.schema.index(name)]
        found[name] = factor / factor.max() if here.test is not None else categories[int(factor.argmax())]
    return found


@each_model
@quick
@given(situations(without=("ill",), least=1), st.sampled_from(["ill", "height"]))
def test_questions_take_numbers_as_their_intervals(n_components: int, known: dict[str, Known], target: str) -> None:
    asked = mixed(n_components).asked
    twin, rest = twin_of(asked), {name: here for name, here in known.items() if name != target}
    given_row, plain = {name: here.given for name, here in rest.items()}, twin_evidence(asked, rest)
    close: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-8}
    if rest:
        np.testing.assert_allclose(infer.conflict(asked, given_row), infer.conflict(twin, plain), **close)
        ours, theirs = infer.explain(asked, target, given_row), infer.explain(twin, target, plain)
        assert list(ours.pieces) == list(theirs.pieces)
        for part in ("prior", "posterior", "leave_one_out", "shapley", "support", "conflict"):
            np.testing.assert_allclose(getattr(ours, part), getattr(theirs, part), **close)
    gains, expected = infer.next_question(asked, target, given_row), infer.next_question(twin, target, plain)
    assert {name: pytest.approx(gain, rel=1e-6, abs=1e-9) for name, gain in expected.items()} == gains
    first, second = infer.compare(asked, given_row, {"kind": "a"}), infer.compare(twin, plain, {"kind": "a"})
    for name, divergence in second.divergences.items():
        assert first.divergences[name] == pytest.approx(divergence, rel=1e-6, abs=1e-9)
        np.testing.assert_allclose(first.a[name], second.a[name], **close)
    if n_components:
        np.testing.assert_allclose(infer.components(asked, given_row), infer.components(twin, plain), **close)


def test_pieces_of_evidence_are_shown_as_they_are_known() -> None:
    given_row = {"height": 1.25, "spent": "10..20", "day": "2020-01-07", "kind": "a"}
    found = infer.explain(mixed(0).asked, "ill", given_row)
    assert found.pieces == {"height": 1.25, "kind": "a", "spent": "[10, 21)", "day": "2020-01-07"}
    ends = infer.explain(mixed(0).asked, "ill", {"height": "<2", "spent": ">=3", "day": ">2020-01-07"})
    assert ends.pieces == {"height": "< 2", "spent": ">= 3", "day": ">= 2020-01-08"}


@each_model
@quick
@given(situations(without=("ill",)), st.sampled_from([{"ill": True}, {"ill": False}]))
def test_sensitivities_given_numbers(n_components: int, known: dict[str, Known], query: dict[str, Any]) -> None:
    asked = mixed(n_components).asked
    given_row = {name: here.given for name, here in known.items()}
    found = infer.sensitivity(asked, query, given_row, n=None)
    assert found.probability == pytest.approx(math.exp(infer.log_probability(asked, query, given_row)), rel=1e-6)
    expected = infer.sensitivity(twin_of(asked), query, twin_evidence(asked, known), n=None)
    derivatives = {(p.variable, p.category, p.component, p.parameter): p.derivative for p in expected.parameters}
    for parameter in found.parameters:
        key = (parameter.variable, parameter.category, parameter.component, parameter.parameter)
        if abs(parameter.derivative) > 1e-6:
            assert parameter.derivative == pytest.approx(derivatives[key], rel=1e-4, abs=1e-7)


def test_sensitivity_to_a_number_is_that_of_its_density() -> None:
    asked = mixed(0).asked
    for query, given_row in (({"height": 1.5}, {"kind": "a"}), ({"spent": 22}, {"height": "<2"}), ({"spent": 0}, {})):
        found = infer.sensitivity(asked, query, given_row)
        assert found.probability == pytest.approx(math.exp(infer.log_probability(asked, query, given_row)), rel=1e-9)
    same = infer.sensitivity(asked, {"height": 1.5, "ill": True}, {"height": 1.5})
    assert same.probability == pytest.approx(math.exp(infer.log_probability(asked, {"ill": True}, {"height": 1.5})))
    with pytest.raises(QueryError, match="sensitivity: the query contradicts the evidence about 'height'"):
        infer.sensitivity(asked, {"height": 1.25}, {"height": 1.5})
    with pytest.raises(QueryError, match="sensitivity: expected categories or numbers in the query, found an interval"):
        infer.sensitivity(asked, {"height": "<2"})
    with pytest.raises(QueryError, match="sensitivity: expected nothing to be known of 'height', which the query asks"):
        infer.sensitivity(asked, {"height": 1.5}, {"height": "<2"})


@each_model
def test_interventions_set_the_interval_of_a_number(n_components: int) -> None:
    case = mixed(n_components)
    height = case.asked.schema.index("height")
    code = number_bins(case.asked, "height").code(3.25)
    set_to = {height: np.eye(4)[code]}
    joint = case.probabilities(without=set_to)
    changed = infer.do(case.asked, {"height": 3.25})
    for name, posterior in infer.marginals(changed).items():
        np.testing.assert_allclose(posterior, case.posterior(joint, case.asked.schema.index(name)), atol=1e-9)
    with pytest.raises(QueryError, match="do: variable 'height': expected a value or probabilities, found an interval"):
        infer.do(case.asked, {"height": "<2"})


@pytest.mark.parametrize("name", ["height", "spent", "day"])
def test_a_query_has_a_density_where_a_narrow_interval_has_no_probability(name: str) -> None:
    """Of numbers that lie anywhere, but for one that many rows share; integers and dates have probabilities."""
    model = learned()
    found = set()
    bins = number_bins(model.circuit_, name)
    for seen in [*mixed_table()[name].unique()[:40], *([1.5, 2.5] if name == "height" else [])]:
        number = bins.number(seen)
        assert number is not None
        value: Any = bins.value(number)
        around = f"{value - 1e-9}..{value + 1e-9}" if name == "height" else f"{value}..{value}"
        narrow = float(np.exp(model.log_probability({name: around}, {"kind": "a"})))
        answer = float(np.exp(model.log_probability({name: value}, {"kind": "a"})))
        is_density = infer.likelihood.densities_in(model.circuit_, {name: value}, {"kind": "a"}) == (name,)
        assert is_density == (narrow < 1e-6 * answer), value
        assert is_density or narrow == pytest.approx(answer, rel=1e-6)
        assert model.sensitivity({name: value}, {"kind": "a"}).density_of == ((name,) if is_density else ())
        assert infer.likelihood.densities_in(model.circuit_, {name: value, "kind": "a"}, {name: value}) == ()
        found.add(is_density)
    assert found == ({True, False} if name == "height" else {False})
    assert infer.likelihood.densities_in(model.circuit_, {name: around}) == ()


def test_balanced_samples_of_numbers() -> None:
    drawn = infer.sample(mixed(0).asked, 3000, balance="height", random_state=0)
    assert np.bincount(drawn.codes[0], minlength=4) / 3000 == pytest.approx(np.full(4, 0.25), abs=0.05)


# --- Mixtures that are learned


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
