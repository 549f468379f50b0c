"""Interventions, differences and other populations, against all worlds of circuits and mixtures."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from asked_cases import CASES, as_given, case_of, examples, some_evidence
from enumerated import enumerated
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from learnac import LearnAC, QueryError, Schema, infer
from learnac.circuit import CircuitBuilder, Mixture
from learnac.errors import CausalityWarning


class TestDo:
    @examples
    @given(**CASES, is_drawn=st.booleans())
    def test_the_parents_lose_their_say(
        self,
        learned: Any,
        seed: int,
        splits: str,
        alpha: float,
        arities: tuple[int, ...],
        n_components: int,
        is_drawn: bool,
    ) -> None:
        case = case_of(learned, seed, splits, alpha, arities, n_components)
        rng = np.random.default_rng(seed)
        chosen = rng.permutation(len(arities))[: 1 + seed % 2]
        shares = {
            int(v): rng.dirichlet(np.ones(arities[v])) if is_drawn else np.eye(arities[v])[seed % arities[v]]
            for v in chosen
        }
        stated = {f"x{v}": dict(enumerate(p.tolist())) if is_drawn else seed % arities[v] for v, p in shares.items()}
        changed = infer.do(case.asked, stated)
        expected = case.probabilities(without=shares)
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(infer.log_likelihood(changed, case.worlds.T), np.log(expected), atol=1e-9)
        for v in range(len(arities)):
            np.testing.assert_allclose(infer.marginals(changed)[f"x{v}"], case.posterior(expected, v), atol=1e-10)
        network = infer.do_network(case.network, stated)
        assert all(network.parents[v] == () for v in shares)
        if not isinstance(changed, Mixture):
            with np.errstate(divide="ignore"):
                np.testing.assert_allclose(network.log_likelihood(case.worlds), np.log(expected), atol=1e-9)

    def test_a_model_after_it_answers_and_warns(self, learned: Any, tmp_path: Any) -> None:
        model = learned().model
        with pytest.warns(CausalityWarning, match="only if arcs point from causes to effects"):
            changed = model.do({"x0": 1})
        assert changed.marginals()["x0"].tolist() == [0.0, 1.0]
        assert model.marginals()["x0"][0] > 0
        changed.save(tmp_path / "after.learnac")
        rows = np.random.default_rng(0).integers(learned().arities, size=(20, 7))
        rows[:, 0] = 1
        np.testing.assert_allclose(changed.score_samples(rows), infer.log_likelihood(changed.circuit_, rows))

    def test_no_warning_where_an_order_was_stated(self, tools: Any) -> None:
        rows = tools.random_rows(0, 80, (2, 3, 2))
        model = LearnAC(tiers=[["x0"], ["x1", "x2"]]).fit(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.do({"x0": 1})

    def test_what_cannot_be_set(self, learned: Any) -> None:
        case = learned()
        with pytest.raises(TypeError, match="do: expected a dict from names to categories, found the string"):
            infer.do(case.circuit, "x0")
        with pytest.raises(QueryError, match="x9"):
            infer.do(case.circuit, {"x9": 1})
        expanded = enumerated(case.circuit, case.network, 2, 0).asked.expanded()
        with pytest.raises(QueryError, match="do: expected a circuit whose parameters are those of a network"):
            infer.do(expanded, {"x0": 1})

    def test_worlds_that_a_circuit_leaves_out_are_not_taken_for_impossible(self) -> None:
        builder = CircuitBuilder(Schema(("a", "b"), ((0, 1), (0, 1))))
        # b is always as a is: the worlds in which it is not are left out.
        terms = []
        for value, share in enumerate((0.3, 0.7)):
            own = builder.parameter(share, (0, 0, value)), builder.parameter(1.0, (1, 1 + value, value))
            terms.append(builder.product([value, 2 + value, *own]))
        builder.sum(terms, decides=0)
        circuit = builder.build()
        np.testing.assert_allclose(infer.marginals(infer.do(circuit, {"a": 1}))["b"], [0, 1])
        with pytest.raises(QueryError, match="found one that leaves some out, because they were impossible before"):
            infer.do(circuit, {"b": 1})


class TestCompare:
    @examples
    @given(**CASES)
    def test_posteriors_and_how_far_they_are_apart(
        self, learned: Any, seed: int, splits: str, alpha: float, arities: tuple[int, ...], n_components: int
    ) -> None:
        case = case_of(learned, seed, splits, alpha, arities, n_components)
        rows = [some_evidence(case, seed + i, (seed + i) % len(arities)) for i in range(2)]
        found = infer.compare(case.asked, *(as_given(case, *row) for row in rows))
        joints = [case.probabilities() * case.weight_of(*row) for row in rows]
        assert found.log_probability_a == pytest.approx(np.log(joints[0].sum()), abs=1e-9)
        assert found.log_probability_b == pytest.approx(np.log(joints[1].sum()), abs=1e-9)
        assert list(found.divergences.values()) == sorted(found.divergences.values(), reverse=True)
        assert list(found.a) == list(found.b) == list(found.divergences)
        for v in range(len(arities)):
            a, b = (case.posterior(joint, v) for joint in joints)
            np.testing.assert_allclose(found.a[f"x{v}"], a, atol=1e-10)
            np.testing.assert_allclose(found.b[f"x{v}"], b, atol=1e-10)
            middle = (a + b) / 2
            expected = sum((p[p > 0] * np.log(p[p > 0] / middle[p > 0])).sum() for p in (a, b)) / 2
            assert found.divergences[f"x{v}"] == pytest.approx(expected, abs=1e-10)


class TestBalance:
    @examples
    @given(**CASES, has_shares=st.booleans())
    def test_marginals_are_of_the_other_population(
        self,
        learned: Any,
        seed: int,
        splits: str,
        alpha: float,
        arities: tuple[int, ...],
        n_components: int,
        has_shares: bool,
    ) -> None:
        case = case_of(learned, seed, splits, alpha, arities, n_components)
        column = seed % len(arities)
        row, soft = some_evidence(case, seed, column)
        joint = case.probabilities() * case.weight_of(row, soft)
        before = case.posterior(joint, column)
        wanted = (before > 0) / (before > 0).sum()
        balance: Any = f"x{column}"
        if has_shares:
            wanted = np.where(before > 0, np.random.default_rng(seed).random(len(before)), 0)
            wanted /= wanted.sum()
            balance = {balance: dict(enumerate((3 * wanted).tolist()))}
        weights = np.divide(wanted, before, out=np.zeros_like(before), where=before > 0)
        expected = joint * weights[case.worlds[column]]
        found = infer.marginals(case.asked, as_given(case, row, soft), balance=balance)
        for v in range(len(arities)):
            np.testing.assert_allclose(found[f"x{v}"], case.posterior(expected, v), atol=1e-9)
        np.testing.assert_allclose(found[f"x{column}"], wanted, atol=1e-9)

    @pytest.mark.parametrize("n_components", [0, 3])
    def test_samples(self, learned: Any, n_components: int) -> None:
        small = learned(arities=(2, 3, 2), n_rows=60)
        case = enumerated(small.circuit, small.network, n_components, 0)
        probabilities = case.probabilities()
        expected = probabilities / case.posterior(probabilities, 1)[case.worlds[1]] / 3
        drawn = infer.sample(case.asked, 20_000, balance="x1", random_state=1).codes.astype(np.int64)
        counts = np.bincount(np.ravel_multi_index(drawn, case.arities), minlength=len(expected))
        assert chisquare(counts, 20_000 * expected / expected.sum()).pvalue > 1e-3

    def test_of_rows_each_its_own(self, learned: Any) -> None:
        case = learned()
        rows = case.rows(1, 5, 0.5)
        rows[:, 3] = -1
        found = case.model.marginals(rows, balance="x3")
        np.testing.assert_allclose(found["x3"], np.full((5, 5), 0.2), atol=1e-12)
        assert case.model.sample(4, rows, balance="x3", random_state=0).shape == (20, 7)

    def test_what_cannot_be_balanced(self, learned: Any, partial_case: Any) -> None:
        model = learned().model
        with pytest.raises(QueryError, match="balance: expected 'x3' to be unknown, found evidence about it"):
            model.sample(1, {"x3": 1}, balance="x3")
        with pytest.raises(QueryError, match=r"balance: expected one variable .* found 2 variables"):
            model.marginals(balance={"x3": {0: 1}, "x1": {0: 1}})
        expected = r"balance: variable 'x0': expected a share from 0 for each category, and some above 0; found "
        for shares, found in [
            ({0: 1}, "none for 1"),
            ({}, "none"),
            ({0: 1, 1: -0.5}, "-0.5 for 1"),
            ({0: 1, 1: "much"}, "'much' for 1"),
            ([1, np.nan], "nan for 1"),
            ({0: 0, 1: 0}, "only zeros"),
            ([1, 2, 3], ""),
            ([[1, 2], [1, 2]], ""),
        ]:
            with pytest.raises(QueryError, match=expected + found):
                model.sample(1, balance={"x0": shares})
        with pytest.raises(QueryError, match="balance: variable 'x0': expected one of its categories"):
            model.sample(1, balance={"x0": {0: 1, 1: 1, 2: 1}})
        row, value = next(
            (row, v)
            for row in partial_case.rows(0, 200, 0.9)
            if row[0] < 0
            for v in range(2)
            if partial_case.posterior(row, 0)[v] == 0
        )
        with pytest.raises(QueryError, match=f"balance: expected a share of 0 for 'x0' = {value}, .* impossible"):
            partial_case.model.marginals(partial_case.evidence(row), balance={"x0": [0.5, 0.5]})
