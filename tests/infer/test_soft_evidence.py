"""Likelihoods in place of values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac import LearnAC, QueryError, infer


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)


class TestForms:
    def test_in_a_dict(self, case: Any) -> None:
        rng = np.random.default_rng(1)
        likelihoods = {
            variable: rng.random(arity) * 3 for variable, arity in enumerate(case.arities) if variable % 2 == 0
        }
        row = np.where(np.arange(len(case.names)) % 2 == 0, -1, case.rows(1, 1, 0.6)[0])
        expected = case.log_values([row], likelihoods)[0]
        as_mapping = {
            variable: dict(reversed(list(zip(case.schema.categories[variable], values.tolist(), strict=True))))
            for variable, values in likelihoods.items()
        }
        as_list = {variable: values.tolist() for variable, values in likelihoods.items()}
        as_tuple = {variable: tuple(values) for variable, values in likelihoods.items()}
        for form in (likelihoods, as_list, as_tuple, as_mapping):
            evidence = case.evidence(row) | {case.names[variable]: values for variable, values in form.items()}
            close(case.model.score_samples(evidence), expected)
            for variable, table in enumerate(case.model.marginals(evidence).values()):
                close(table, case.posterior(row, variable, likelihoods))

    def test_beside_a_dict(self, learned: Any) -> None:
        case = learned()
        row = np.array([1, -1, -1, -1, -1, -1, 0])
        likelihoods = {3: [1, 0, 2, 0, 4], 1: [0.5, 0.1, 0.2]}
        together = case.evidence(row) | {"x1": [0.5, 0.1, 0.2]}
        close(
            case.model.score_samples(together, soft={"x3": {0: 1, 2: 2, 4: 4}}), case.log_values([row], likelihoods)[0]
        )

    def test_categories_left_out_of_a_mapping_are_excluded(self, learned: Any) -> None:
        case = learned()
        found = case.model.marginals({"x3": {1: 2.0, 4: 2.0}})
        assert found["x3"][[0, 2, 3]].tolist() == [0, 0, 0]
        for variable, table in enumerate(found.values()):
            close(table, case.posterior(np.full(7, -1), variable, {3: [0, 2, 0, 0, 2]}))

    @pytest.mark.parametrize("n_rows", [1, 2, 30])
    def test_for_each_row(self, case: Any, n_rows: int) -> None:
        rng = np.random.default_rng(2)
        rows = case.rows(2, n_rows, 0.5)
        rows[:, [0, -1]] = -1
        first, last = rng.random((n_rows, case.arities[0])), rng.random((n_rows, case.arities[-1]))
        soft = {case.names[0]: first, case.names[-1]: last}
        each = [{0: first[i], len(case.names) - 1: last[i]} for i in range(n_rows)]
        if len(case.names) == 1:
            each = [{0: last[i]} for i in range(n_rows)]
        close(
            case.model.score_samples(rows, soft=soft),
            [case.log_values([row], own)[0] for row, own in zip(rows, each, strict=True)],
        )
        found = case.model.marginals(rows, soft=soft)
        for variable, name in enumerate(case.names):
            close(found[name], [case.posterior(row, variable, own) for row, own in zip(rows, each, strict=True)])
        _, log_values = case.model.mpe(rows, soft=soft)
        close(log_values, [np.log(case.joint(row, own).max()) for row, own in zip(rows, each, strict=True)])

    def test_one_for_all_rows_is_the_same_for_each(self, case: Any) -> None:
        rows = case.rows(3, 20, 0.5)
        rows[:, 0] = -1
        likelihoods = np.random.default_rng(3).random(case.arities[0])
        name = case.names[0]
        whole = case.model.score_samples(rows, soft={name: likelihoods})
        close(whole, case.log_values(rows, {0: likelihoods}))
        for form in (likelihoods.tolist(), likelihoods[None], np.tile(likelihoods, (20, 1))):
            assert np.array_equal(case.model.score_samples(rows, soft={name: form}), whole)
        by_category = dict(zip(case.schema.categories[0], likelihoods, strict=True))
        assert np.array_equal(case.model.score_samples(rows, soft={name: by_category}), whole)

    def test_many_rows_of_likelihoods_for_one_dict(self, learned: Any) -> None:
        case = learned()
        likelihoods = np.random.default_rng(4).random((9, 5))
        row = np.array([1, -1, -1, -1, -1, -1, 0])
        found = case.model.marginals(case.evidence(row), soft={"x3": likelihoods})
        for variable, table in enumerate(found.values()):
            close(table, [case.posterior(row, variable, {3: own}) for own in likelihoods])
        assert case.model.score_samples({}, soft={"x3": likelihoods}).shape == (9,)
        worlds, log_values = case.model.mpe(case.evidence(row), soft={"x3": likelihoods})
        joints = [case.joint(row, {3: own}) for own in likelihoods]
        close(log_values, np.log(np.max(joints, axis=1)))
        assert case.places(worlds.codes.T).tolist() == np.argmax(joints, axis=1).tolist()
        samples = case.model.sample(50, case.evidence(row), soft={"x3": np.eye(5)})
        assert np.array_equal(samples.codes[[0, 3, 6]], [[1] * 250, np.repeat(np.arange(5), 50), [0] * 250])


class TestScale:
    def test_it_counts_in_the_likelihood_and_nowhere_else(self, case: Any) -> None:
        rows = case.rows(5, 20, 0.5)
        rows[:, 0] = -1
        rng = np.random.default_rng(5)
        likelihoods = rng.random((20, case.arities[0])) + 0.01
        scales = rng.exponential(size=(20, 1)) * 10.0 ** rng.integers(-200, 200, size=(20, 1))
        plain, scaled = {case.names[0]: likelihoods}, {case.names[0]: likelihoods * scales}
        model = case.model
        close(model.score_samples(rows, soft=scaled) - model.score_samples(rows, soft=plain), np.log(scales[:, 0]))
        close(model.mpe(rows, soft=scaled)[1] - model.mpe(rows, soft=plain)[1], np.log(scales[:, 0]))
        assert np.array_equal(model.mpe(rows, soft=scaled)[0], model.mpe(rows, soft=plain)[0])
        for name in case.names:
            close(model.marginals(rows, soft=scaled)[name], model.marginals(rows, soft=plain)[name])
        close(
            model.log_probability({case.names[0]: 0}, rows, soft=scaled),
            model.log_probability({case.names[0]: 0}, rows, soft=plain),
        )

    def test_likelihoods_all_one_say_nothing(self, case: Any) -> None:
        rows = case.rows(6, 20, 0.5)
        rows[:, -1] = -1
        soft = {case.names[-1]: np.ones(case.arities[-1])}
        assert np.array_equal(case.model.score_samples(rows, soft=soft), case.model.score_samples(rows))
        for name, table in case.model.marginals(rows).items():
            assert np.array_equal(case.model.marginals(rows, soft=soft)[name], table)

    def test_extreme_likelihoods(self, learned: Any) -> None:
        case = learned()
        for likelihoods in ([1e308, 1e308, 0, 1e300, 0], [5e-324, 0, 0, 0, 5e-324], [1e308, 5e-324, 1e-300, 1, 0]):
            joint = np.bincount(case.worlds[3], case.probabilities, 5) * (np.array(likelihoods) / max(likelihoods))
            expected = np.log(joint.sum()) + np.log(max(likelihoods))
            assert case.model.score_samples({"x3": likelihoods}) == pytest.approx(expected, rel=1e-12)
            close(case.model.marginals({"x3": likelihoods})["x3"], joint / joint.sum())


class TestHard:
    @settings(derandomize=True, max_examples=40)
    @given(
        seed=st.integers(0, 9999),
        splits=st.sampled_from(["complete", "binary"]),
        alpha=st.sampled_from([0.0, 0.5]),
        n_rows=st.sampled_from([1, 2, 9]),
    )
    def test_likelihoods_of_one_value_are_that_value(
        self, learned: Any, seed: int, splits: str, alpha: float, n_rows: int
    ) -> None:
        case = learned(seed % 5, splits, alpha, (3, 2, 4, 1, 3), 60)
        hard = case.rows(seed, n_rows, 0.6)
        is_soft = np.random.default_rng(seed).random(5) < 0.5
        soft = {
            case.names[variable]: np.where(
                hard[:, [variable]] < 0, 1.0, hard[:, [variable]] == np.arange(case.arities[variable])
            )
            for variable in np.flatnonzero(is_soft)
        }
        rest = np.where(is_soft, -1, hard)
        model: LearnAC = case.model
        assert np.array_equal(model.score_samples(rest, soft=soft), infer.log_likelihood(case.circuit, hard))
        for name, table in model.marginals(hard).items():
            assert np.array_equal(model.marginals(rest, soft=soft)[name], table)
        for a, b in zip(model.mpe(rest, soft=soft), model.mpe(hard), strict=True):
            assert np.array_equal(a, b)
        assert np.array_equal(model.sample(9, rest, soft=soft, random_state=1), model.sample(9, hard, random_state=1))

    def test_a_query_over_likelihoods_of_the_same_variable(self, learned: Any) -> None:
        case = learned()
        rows = case.rows(7, 20, 0.4)
        rows[:, 3] = -1
        likelihoods = [0.1, 2.0, 0.0, 1.0, 0.3]
        expected = [case.posterior(row, 3, {3: likelihoods}) for row in rows]
        for value in range(5):
            found = case.model.log_probability({"x3": value}, rows, soft={"x3": likelihoods})
            close(np.exp(found), np.array(expected)[:, value])
        assert (case.model.log_probability({"x3": 2}, rows, soft={"x3": likelihoods}) == -np.inf).all()


def test_unknown_values_of_every_kind_in_a_dict() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": [1, 2, 2, 1] * 10})
    model = LearnAC().fit(frame)
    expected = model.marginals({"a": "x"})["b"]
    for unknown in (None, float("nan"), np.float32("nan"), np.float64("nan"), pd.NA, pd.NaT, np.datetime64("NaT")):
        assert np.array_equal(model.marginals({"a": "x", "b": unknown})["b"], expected)
    weights = model.marginals({"a": "x", "b": [1.0, 3.0]})["b"]
    for likelihoods in (np.array([1.0, 3.0]), (1, 3), pd.Series([1.0, 3.0]), {1: 1.0, 2: 3.0}):
        assert np.array_equal(model.marginals({"a": "x", "b": likelihoods})["b"], weights)


def test_what_is_no_soft_evidence_is_told_of() -> None:
    model = LearnAC().fit(np.array([[0, 1], [1, 0], [1, 1]]))
    with pytest.raises(TypeError, match="soft: expected a mapping from names to likelihoods, found list"):
        model.marginals({}, soft=[0.5, 0.5])  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="expected likelihoods for at least one row, found none"):
        model.marginals({}, soft={"x0": np.ones((0, 2))})
