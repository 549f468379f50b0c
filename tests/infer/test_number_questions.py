"""Questions given numbers: a number weighs as much as its interval, an interval as likelihoods."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_numbers import Known, Situation, each_model, quick, situations
from mixed_tables import learned, mixed, mixed_table, number_bins

from learnac import infer
from learnac.circuit import Mixture, Queryable
from learnac.data import Schema
from learnac.errors import QueryError


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
