"""What answers depend on, and what is next to the most probable, against all worlds of circuits and mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from asked_cases import CASES, as_given, case_of, examples, some_evidence
from enumerated import enumerated, with_tables
from hypothesis import given

from learnac import QueryError, infer, load
from learnac.data import as_evidence
from learnac.errors import CausalityWarning
from learnac.infer.engine import engine_of
from learnac.infer.runner_up import best_two


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
