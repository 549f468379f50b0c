"""Questions about reasons, next steps, interventions and differences: against all worlds of circuits and mixtures."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest
from enumerated import Enumerated, enumerated, with_tables
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from learnac import ImpossibleEvidenceError, LearnAC, QueryError, Schema, infer, load
from learnac.circuit import CircuitBuilder, Mixture
from learnac.data import as_evidence
from learnac.errors import CausalityWarning
from learnac.infer.engine import engine_of
from learnac.infer.explain import MAX_PIECES
from learnac.infer.runner_up import best_two

CASES = {
    "seed": st.integers(0, 9999),
    "splits": st.sampled_from(["complete", "binary"]),
    "alpha": st.sampled_from([0.0, 0.5]),
    "arities": st.lists(st.integers(1, 4), min_size=3, max_size=5).map(tuple),
    "n_components": st.sampled_from([0, 0, 3]),
}
examples = settings(derandomize=True, max_examples=40)


def case_of(
    learned: Any, seed: int, splits: str, alpha: float, arities: tuple[int, ...], n_components: int
) -> Enumerated:
    case = learned.__wrapped__(seed, splits, alpha, arities, 60)
    return enumerated(case.circuit, case.network, n_components, seed)


def some_evidence(case: Enumerated, seed: int, target: int, *, has_soft: bool = True) -> tuple[Any, dict[int, Any]]:
    """A possible row in which the target is unknown, with likelihoods of some variable."""
    rng = np.random.default_rng(seed)
    probabilities = case.probabilities()
    world = case.worlds[:, rng.choice(len(probabilities), p=probabilities / probabilities.sum())]
    row = np.where(rng.random(len(world)) < 0.6, world, -1)
    row[target] = -1
    soft = {}
    if has_soft and len(world) > 1:
        variable = int(rng.choice([v for v in range(len(world)) if v != target]))
        row[variable] = -1
        soft[variable] = rng.uniform(0.1, 3, case.arities[variable])
    return row, soft


def as_given(case: Enumerated, row: Any, soft: dict[int, Any]) -> dict[str, Any]:
    names = case.network.schema.names
    known = {name: int(code) for name, code in zip(names, row, strict=True) if code >= 0}
    return {**known, **{names[v]: dict(enumerate(likelihoods.tolist())) for v, likelihoods in soft.items()}}


def log_odds(posterior: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.array([np.log(p) - np.log(np.delete(posterior, v).sum()) for v, p in enumerate(posterior)])


def less(a: Any, b: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, a - b)


class TestExplain:
    @examples
    @given(**CASES)
    def test_contributions_are_those_of_all_subsets(
        self, learned: Any, seed: int, splits: str, alpha: float, arities: tuple[int, ...], n_components: int
    ) -> None:
        case = case_of(learned, seed, splits, alpha, arities, n_components)
        target = seed % len(arities)
        row, soft = some_evidence(case, seed, target)
        found = infer.explain(case.asked, f"x{target}", as_given(case, row, soft))
        pieces = sorted([*np.flatnonzero(row >= 0).tolist(), *soft])
        assert list(found.pieces) == [f"x{v}" for v in pieces]
        probabilities = case.probabilities()
        odds, logs = {}, {}
        for size in range(len(pieces) + 1):
            for kept in itertools.combinations(pieces, size):
                some = np.where(np.isin(np.arange(len(row)), kept), row, -1)
                joint = probabilities * case.weight_of(some, {v: s for v, s in soft.items() if v in kept})
                logs[kept] = np.log(joint.sum())
                odds[kept] = log_odds(case.posterior(joint, target))
        everything = tuple(pieces)
        joint = probabilities * case.weight_of(row, soft)
        np.testing.assert_allclose(found.posterior, case.posterior(joint, target), rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(found.prior, case.posterior(probabilities, target), rtol=1e-9, atol=1e-13)
        for place, piece in enumerate(pieces):
            others = tuple(v for v in pieces if v != piece)
            np.testing.assert_allclose(found.leave_one_out[place], less(odds[everything], odds[others]), atol=1e-8)
            mean = np.zeros(arities[target])
            for order in itertools.permutations(pieces):
                before = tuple(sorted(order[: order.index(piece)]))
                after = tuple(sorted((*before, piece)))
                mean += less(odds[after], odds[before]) / math.factorial(len(pieces))
            np.testing.assert_allclose(found.shapley[place], mean, atol=1e-8)
            expected = logs[everything] - logs[others] - logs[(piece,)]
            np.testing.assert_allclose(found.support[place], expected, atol=1e-9)
        expected = logs[everything] - sum(logs[(piece,)] for piece in pieces)
        assert found.conflict == pytest.approx(expected, abs=1e-9)
        total = less(odds[everything], odds[()])
        np.testing.assert_allclose(found.shapley.sum(axis=0), total, atol=1e-8)
        assert infer.conflict(case.asked, as_given(case, row, soft)) == pytest.approx(expected, abs=1e-9)

    def test_one_category(self, learned: Any) -> None:
        case = learned()
        found = case.model.explain("x3", {"x0": 1, "x1": 2})
        assert found.of(4) == {
            "x0": (found.leave_one_out[0, 4], found.shapley[0, 4]),
            "x1": (found.leave_one_out[1, 4], found.shapley[1, 4]),
        }
        with pytest.raises(QueryError, match="expected a category of 'x3', found 9"):
            found.of(9)

    def test_many_pieces_need_to_do_without_shapley(self, learned: Any, tools: Any) -> None:
        small = learned(arities=(2, 3, 2), n_rows=60).circuit
        circuit = tools.tiled(small, 8)
        known = dict.fromkeys(circuit.schema.names[1:], 0)
        with pytest.raises(QueryError, match=f"limited to {MAX_PIECES} pieces, found 23: .*shapley=False"):
            infer.explain(circuit, "x0_0", known)
        found = infer.explain(circuit, "x0_0", known, shapley=False)
        assert found.shapley is None
        assert len(found.leave_one_out) == 23
        np.testing.assert_allclose(found.leave_one_out[2:], 0, atol=1e-10)  # Of other copies.

    def test_what_cannot_be_explained(self, learned: Any, partial_case: Any) -> None:
        case = learned()
        with pytest.raises(QueryError, match="explain: expected the target 'x0' to be unknown, found evidence"):
            case.model.explain("x0", {"x0": 1})
        with pytest.raises(QueryError, match="explain: expected the evidence of one row, found 2 rows"):
            case.model.explain("x0", [{"x1": 1}, {"x1": 2}])
        impossible = partial_case.worlds[:, partial_case.probabilities == 0][:, 0]
        target = 6
        row = np.where(np.arange(7) == target, -1, impossible)
        if partial_case.joint(row).sum() == 0:
            with pytest.raises(ImpossibleEvidenceError):
                partial_case.model.explain("x6", partial_case.evidence(row))

    def test_conflict_of_many_rows(self, case: Any) -> None:
        rows = case.rows(3, 20, 0.5)
        found = case.model.conflict(rows)
        expected = [
            case.log_values([row])[0]
            - sum(case.log_values([np.where(np.arange(len(row)) == v, row, -1)])[0] for v in np.flatnonzero(row >= 0))
            for row in rows
        ]
        np.testing.assert_allclose(found, expected, atol=1e-9)


class TestNextQuestion:
    @examples
    @given(**CASES)
    def test_gains_are_mutual_information(
        self, learned: Any, seed: int, splits: str, alpha: float, arities: tuple[int, ...], n_components: int
    ) -> None:
        case = case_of(learned, seed, splits, alpha, arities, n_components)
        target = seed % len(arities)
        row, soft = some_evidence(case, seed, target)
        found = infer.next_question(case.asked, f"x{target}", as_given(case, row, soft))
        joint = case.probabilities() * case.weight_of(row, soft)
        joint /= joint.sum()
        unknown = [v for v in range(len(arities)) if row[v] < 0 and v not in soft and v != target]
        assert sorted(found) == [f"x{v}" for v in unknown]
        assert list(found.values()) == sorted(found.values(), reverse=True)
        for v in unknown:
            shape = arities[target], arities[v]
            table = np.bincount(np.ravel_multi_index(case.worlds[[target, v]], shape), joint, shape[0] * shape[1])
            table = table.reshape(shape)
            apart = np.outer(table.sum(axis=1), table.sum(axis=0))
            held = table > 0
            expected = (table[held] * np.log(table[held] / apart[held])).sum()
            assert found[f"x{v}"] == pytest.approx(expected, abs=1e-10)
        for name in found:
            assert infer.next_question(case.asked, f"x{target}", as_given(case, row, soft), [name]) == {
                name: pytest.approx(found[name], abs=1e-14)
            }

    def test_wrong_candidates(self, learned: Any) -> None:
        model = learned().model
        with pytest.raises(QueryError, match="candidates: expected 'x1' to be unknown, found evidence about it"):
            model.next_question("x0", {"x1": 0}, ["x1"])
        with pytest.raises(QueryError, match="candidates: expected 'x0' to be unknown, found the target"):
            model.next_question("x0", {"x1": 0}, ["x0"])
        with pytest.raises(TypeError, match="candidates: expected a list of names, found the string 'x1'"):
            model.next_question("x0", {}, "x1")
        assert model.next_question("x0", {}, []) == {}


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


class TestSensitivity:
    @examples
    @given(**CASES)
    def test_derivatives_are_exact(
        self, learned: Any, seed: int, splits: str, alpha: float, arities: tuple[int, ...], n_components: int
    ) -> None:
        case = case_of(learned, seed, splits, alpha, arities, n_components)
        target = seed % len(arities)
        row, soft = some_evidence(case, seed, target)
        given_rows, asked_rows = case.weight_of(row, soft), case.weight_of(row, soft)
        asked_rows = asked_rows * (case.worlds[target] == 0)
        found = infer.sensitivity(
            case.asked, {f"x{target}": 0}, as_given(case, row, soft), network=case.network, n=None
        )
        f, g = (case.probabilities() @ rows for rows in (asked_rows, given_rows))
        assert found.probability == pytest.approx(f / g, abs=1e-12)
        derivatives = [abs(each.derivative) for each in found.parameters]
        assert derivatives == sorted(derivatives, reverse=True)
        n_leaves = sum(
            tree.n_leaves * len(tree.parameters[0]) for tree in case.network.trees if arities[tree.child] > 1
        )
        assert len(found.parameters) == n_leaves * len(case.weights)
        for each in found.parameters[:: 1 + len(found.parameters) // 25]:
            variable = int(each.variable[1:])
            component = each.component or 0
            assert (each.component is None) == (n_components == 0)
            tree = case.network.trees[variable]
            [leaf] = [
                node
                for node, path in tree.paths()
                if {f"x{v}": tuple(k for k in range(arities[v]) if bits >> k & 1) for v, bits in path.items()}
                == each.when
            ]
            table = case.tables[component][variable]
            theta = table[leaf, each.category]
            assert each.parameter == theta
            # The answer's numerator and denominator are linear along the way: a long step is exact.
            others = np.arange(arities[variable]) != each.category
            rest = table[leaf][others]
            direction = np.where(others, 0.0, 1.0)
            direction[others] = -(rest / rest.sum() if 1 - theta > 0 else 1 / others.sum())
            moved = table.copy()
            moved[leaf] = table[leaf] + 0.1 * direction
            probabilities = case.probabilities(with_tables(case, component, variable, moved))
            df, dg = ((probabilities @ rows - before) / 0.1 for rows, before in ((asked_rows, f), (given_rows, g)))
            assert each.derivative == pytest.approx((df * g - f * dg) / g**2, rel=1e-7, abs=1e-9)

    @pytest.mark.parametrize("n_components", [0, 2])
    @pytest.mark.parametrize("is_drawn", [False, True])
    def test_what_an_intervention_has_set_is_no_parameter(
        self, learned: Any, n_components: int, is_drawn: bool
    ) -> None:
        """Those of all other variables have derivatives by finite differences, with the trees of the set one cut."""
        small = learned(arities=(2, 3, 2, 2), n_rows=150)
        case = enumerated(small.circuit, small.network, n_components, 3)
        assert any(tree.n_leaves > 1 for tree in case.network.trees)
        assert any(tree.n_leaves == 1 for tree in case.network.trees)  # Which looks the same before and after.
        for variable, arity in enumerate(case.arities):
            shares = np.arange(1.0, arity + 1) / np.arange(1.0, arity + 1).sum() if is_drawn else np.eye(arity)[1]
            stated: Any = dict(enumerate(shares.tolist())) if is_drawn else 1
            target = (variable + 1) % len(case.arities)
            known = (variable + 2) % len(case.arities)
            changed = infer.do(case.asked, {f"x{variable}": stated})
            found = infer.sensitivity(changed, {f"x{target}": 0}, {f"x{known}": 1}, network=case.network, n=None)
            trees = [tree for tree in case.network.trees if tree.child != variable]
            n_parameters = sum(tree.n_leaves * case.arities[tree.child] for tree in trees)
            assert len(found.parameters) == n_parameters * len(case.weights)
            is_given = case.worlds[known] == 1
            is_asked = is_given & (case.worlds[target] == 0)

            def answer(tables: Any = None) -> float:
                joint = case.probabilities(tables, {variable: shares})  # noqa: B023
                return float(joint @ is_asked / (joint @ is_given))  # noqa: B023

            assert found.probability == pytest.approx(answer())
            for each in found.parameters:
                child, component = int(each.variable[1:]), each.component or 0
                table = case.tables[component][child]
                [leaf] = [
                    node
                    for node, path in case.network.trees[child].paths()
                    if {f"x{v}": tuple(k for k in range(case.arities[v]) if bits >> k & 1) for v, bits in path.items()}
                    == each.when
                ]
                others = np.arange(table.shape[1]) != each.category
                direction = np.where(others, -table[leaf] / table[leaf][others].sum(), 1.0)
                ends = []
                for step in (-1e-6, 1e-6):
                    moved = table.copy()
                    moved[leaf] = table[leaf] + step * direction
                    ends.append(answer(with_tables(case, component, child, moved)))
                assert each.derivative == pytest.approx((ends[1] - ends[0]) / 2e-6, rel=1e-4, abs=1e-7)

    def test_the_model_after_an_intervention_is_saved_and_loaded(self, learned: Any, tmp_path: Any) -> None:
        with pytest.warns(CausalityWarning):
            changed = learned().model.do({"x0": 1})
        changed.save(tmp_path / "set.learnac")
        found = load(tmp_path / "set.learnac").sensitivity({"x1": 0}, n=None)
        assert "x0" not in {each.variable for each in found.parameters}
        assert found.probability == pytest.approx(np.exp(changed.log_probability({"x1": 0})))

    def test_what_cannot_be_asked(self, learned: Any) -> None:
        case = learned()
        with pytest.raises(QueryError, match="expected categories in the query, found none"):
            case.model.sensitivity({})
        with pytest.raises(QueryError, match="the query contradicts the evidence about 'x0'"):
            case.model.sensitivity({"x0": 1}, {"x0": 0})
        assert len(case.model.sensitivity({"x0": 1}, n=3).parameters) == 3


class TestRunnerUp:
    @examples
    @given(**CASES)
    def test_no_world_is_between_the_best_and_the_runner_up(self, learned: Any, **chosen: Any) -> None:
        case = case_of(learned, **chosen)
        row, soft = some_evidence(case, chosen["seed"], 0)
        names = case.network.schema.names
        evidence = as_evidence(
            case.network.schema,
            {name: int(code) for name, code in zip(names, row, strict=True) if code >= 0},
            {names[variable]: likelihoods / likelihoods.max() for variable, likelihoods in soft.items()},
        )
        found = best_two(engine_of(case.asked), evidence, 10.0)
        assert found is not None
        scaled = {variable: likelihoods / likelihoods.max() for variable, likelihoods in soft.items()}
        joint = case.probabilities() * case.weight_of(row, scaled)
        order = np.sort(joint)[::-1]
        assert found.is_proven
        np.testing.assert_allclose(np.exp(found.best.log), order[0], rtol=1e-9)
        of_world = {tuple(world): p for world, p in zip(case.worlds.T.tolist(), joint, strict=True)}
        np.testing.assert_allclose(of_world[tuple(found.best.codes.tolist())], order[0], rtol=1e-9)
        if found.second is None:
            assert len(order) == 1 or order[1] == 0
            return
        assert found.second.codes.tolist() != found.best.codes.tolist()
        np.testing.assert_allclose(of_world[tuple(found.second.codes.tolist())], np.exp(found.second.log), rtol=1e-9)
        if chosen["n_components"] == 0:
            np.testing.assert_allclose(np.exp(found.second.log), order[1], rtol=1e-9)
        else:
            neighbours = (case.worlds != found.best.codes[:, None]).sum(axis=0) == 1
            np.testing.assert_allclose(np.exp(found.second.log), joint[neighbours].max(), rtol=1e-9)

    def test_impossible_evidence_has_none(self, learned: Any) -> None:
        case = learned.__wrapped__(3, "complete", 0.0, (2, 2, 2, 2), 5)
        circuit = enumerated(case.circuit, case.network, 0, 3)
        impossible = circuit.worlds[:, np.flatnonzero(circuit.probabilities() == 0)[0]]
        evidence = as_evidence(
            case.circuit.schema, dict(zip(case.circuit.schema.names, impossible.tolist(), strict=True))
        )
        assert best_two(engine_of(case.circuit), evidence, 1.0) is None
