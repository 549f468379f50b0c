"""Entropy, mutual information and divergence, against the sums over all worlds."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from circuits import schema_of
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import leaf_of, tree_of

from learnac import LearnAC, QueryError, infer
from learnac.compiler import compile_network
from learnac.infer.engine import engine_of
from learnac.network import BayesNet


def entropy_of(probabilities: Any) -> float:
    held = probabilities[probabilities > 0]
    return float(-(held * np.log(held)).sum())


def divergence(p: Any, q: Any) -> float:
    if (q[p > 0] == 0).any():
        return float("inf")
    held = p > 0
    return float((p[held] * np.log(p[held] / q[held])).sum())


class TestEntropy:
    def test_of_all_variables(self, case: Any) -> None:
        expected = entropy_of(case.probabilities)
        assert case.model.entropy() == pytest.approx(expected, rel=1e-11, abs=1e-13)
        assert case.model.entropy(case.names) == case.model.entropy()
        assert case.model.entropy(reversed(case.names)) == case.model.entropy()

    def test_of_some(self, case: Any) -> None:
        rng = np.random.default_rng(1)
        for n_chosen in range(1, len(case.names)):
            chosen = rng.permutation(len(case.names))[:n_chosen]
            found = case.model.entropy([case.names[variable] for variable in chosen])
            assert found == pytest.approx(entropy_of(case.table_of(chosen)), rel=1e-11, abs=1e-12)
        assert case.model.entropy([case.names[0]] * 2) == pytest.approx(entropy_of(case.table_of([0])), abs=1e-12)

    @settings(derandomize=True, max_examples=40)
    @given(
        seed=st.integers(0, 9999),
        splits=st.sampled_from(["complete", "binary"]),
        alpha=st.sampled_from([0.0, 0.5]),
        arities=st.lists(st.integers(1, 4), min_size=1, max_size=5),
    )
    def test_of_random_models(self, learned: Any, seed: int, splits: str, alpha: float, arities: list[int]) -> None:
        case = learned.__wrapped__(seed, splits, alpha, tuple(arities), 50)
        assert case.model.entropy() == pytest.approx(entropy_of(case.probabilities), rel=1e-11, abs=1e-13)

    @pytest.mark.parametrize("n_rows", [1, 2, 20])
    def test_means_of_log_probabilities_given_evidence(self, case: Any, n_rows: int) -> None:
        rows = case.rows(2, n_rows, 0.4, possible=n_rows == 1)
        codes = np.ascontiguousarray(rows.T.astype(np.int8))
        evaluator = engine_of(case.circuit).evaluator
        log_values, means = evaluator.mean_logs(codes, np.empty(0, np.uint32), np.empty((0, 0)), 1)
        np.testing.assert_allclose(log_values, case.log_values(rows), rtol=1e-11, atol=1e-13)
        for row, mean in zip(rows, means, strict=True):
            joint = case.joint(row)
            held = joint > 0
            expected = joint[held] @ np.log(joint[held]) / joint.sum() if held.any() else np.nan
            assert mean == pytest.approx(expected, rel=1e-11, abs=1e-13, nan_ok=True)

    def test_what_is_certain_has_none(self) -> None:
        model = LearnAC(alpha=0).fit(np.zeros((5, 3), dtype=int))
        assert model.entropy() == 0
        assert model.entropy(["x1"]) == 0

    def test_more_states_than_are_asked_for_at_once(self, learned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        case = learned()
        monkeypatch.setattr("learnac.infer.information._BLOCK", 7)
        assert case.model.entropy(["x3", "x1", "x5"]) == pytest.approx(entropy_of(case.table_of([3, 1, 5])), rel=1e-12)

    def test_of_too_many_states(self, learned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        case = learned()
        monkeypatch.setattr("learnac.infer.information.MAX_STATES", 30)
        assert case.model.entropy(["x3", "x1", "x5"]) > 0
        with pytest.raises(QueryError, match="4 of 7 variables have more than 30 joint states, too many"):
            case.model.entropy(["x3", "x1", "x5", "x0"])
        assert case.model.entropy() > 0

    def test_of_hundreds_of_variables(self, tools: Any, learned: Any) -> None:
        block = learned(seed=3, arities=(2, 3, 2))
        wide = tools.tiled(block.circuit, 120)
        assert infer.entropy(wide) == pytest.approx(120 * entropy_of(block.probabilities), rel=1e-11)
        with pytest.raises(QueryError, match="21 of 360 variables have more than 1,048,576 joint states"):
            infer.entropy(wide, [f"x0_{i}" for i in range(21)])


class TestMutualInformation:
    def test_of_two_variables(self, case: Any) -> None:
        for a, b in list(combinations(range(len(case.names)), 2))[:10]:
            expected = (
                entropy_of(case.table_of([a])) + entropy_of(case.table_of([b])) - entropy_of(case.table_of([a, b]))
            )
            found = case.model.mutual_information(case.names[a], case.names[b])
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-13)
            assert case.model.mutual_information(case.names[b], case.names[a]) == pytest.approx(
                found, rel=1e-9, abs=1e-14
            )

    def test_of_two_lists(self, learned: Any) -> None:
        case = learned(splits="binary")
        for a, b in [([0], [1, 3]), ([6, 0, 2], [4, 1]), ([3, 4], [5, 6, 0])]:
            parts = [entropy_of(case.table_of(chosen)) for chosen in (a, b, a + b)]
            names = [[case.names[variable] for variable in chosen] for chosen in (a, b)]
            found = case.model.mutual_information(*names)
            assert found == pytest.approx(parts[0] + parts[1] - parts[2], rel=1e-10)
            assert case.model.mutual_information(*reversed(names)) == pytest.approx(found, rel=1e-12)

    def test_of_what_is_independent(self, learned: Any) -> None:
        case = learned(max_splits=0)
        assert case.model.mutual_information("x0", "x3") == pytest.approx(0, abs=1e-14)
        assert case.model.mutual_information(["x0", "x1"], ["x3", "x4"]) == pytest.approx(0, abs=1e-13)

    def test_of_overlapping_sets(self, learned: Any) -> None:
        model = learned().model
        with pytest.raises(QueryError, match="expected two disjoint sets of variables; both have 'x1'"):
            model.mutual_information(["x0", "x1"], ["x1", "x3"])
        with pytest.raises(QueryError, match="both have 'x1'"):
            model.mutual_information("x1", "x1")


def rare_pair(rare: float, follows: list[float]) -> BayesNet:
    """x0 is rarely 1; x1 is 0 with it, and given x0 = 1 as `follows` says."""
    after = tree_of(1, [0, -1, -1], [[1, 2]], [[1.0, 0.0], [1.0, 0.0], follows])
    return BayesNet(schema_of((2, 2)), (leaf_of(0, [1 - rare, rare]), after))


class TestTinyProbabilities:
    def test_of_two_variables_whose_marginals_have_no_product(self) -> None:
        """Both are 1 together, or neither: 1e-200 times 1e-200 is 0 in floating point."""
        rare = 1e-200
        circuit = compile_network(rare_pair(rare, [0.0, 1.0]))
        expected = -rare * np.log(rare)
        assert infer.mutual_information(circuit, "x0", "x1") == pytest.approx(expected, rel=1e-12)
        assert infer.entropy(circuit, ["x0"]) == pytest.approx(expected, rel=1e-12)
        assert infer.entropy(circuit) == pytest.approx(expected, rel=1e-12)

    def test_a_state_too_rare_for_floating_point_adds_nothing(self) -> None:
        circuit = compile_network(rare_pair(1e-200, [1.0 - 1e-200, 1e-200]))
        assert infer.mutual_information(circuit, "x0", "x1") == pytest.approx(0, abs=1e-190)
        assert infer.entropy(circuit, ["x1", "x0"]) < 1e-197

    def test_it_is_infinite_where_the_other_excludes_what_is_hardly_possible(self) -> None:
        circuit = compile_network(rare_pair(1e-200, [1.0 - 1e-200, 1e-200]))
        assert infer.kl_divergence(circuit, rare_pair(1e-200, [1.0, 0.0])) == np.inf
        assert infer.kl_divergence(circuit, rare_pair(1e-200, [0.5, 0.5])) < 1e-190


class TestDivergence:
    @pytest.mark.parametrize("alpha", [0.0, 1.0])
    @pytest.mark.parametrize("splits", ["complete", "binary"])
    def test_of_two_models(self, case: Any, learned: Any, alpha: float, splits: str) -> None:
        other = learned(11, splits, alpha, tuple(case.arities), 90)
        found = case.model.kl_divergence(other.model)
        expected = divergence(case.probabilities, other.probabilities)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert other.model.kl_divergence(case.model) == pytest.approx(
            divergence(other.probabilities, case.probabilities), rel=1e-9, abs=1e-12
        )

    def test_from_itself_is_none(self, case: Any) -> None:
        assert 0 <= case.model.kl_divergence(case.model) < 1e-12

    def test_it_is_infinite_where_the_other_excludes(self, partial_case: Any, learned: Any) -> None:
        whole = learned()
        assert whole.model.kl_divergence(partial_case.model) == np.inf
        assert partial_case.model.kl_divergence(whole.model) == pytest.approx(
            divergence(partial_case.probabilities, whole.probabilities), rel=1e-10
        )

    def test_more_leaves_than_are_asked_for_at_once(self, learned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        case, other = learned(), learned(seed=11, splits="binary")
        whole = case.model.kl_divergence(other.model)
        for block in (1, 2, 5):
            monkeypatch.setattr("learnac.infer.information._BLOCK", block)
            assert case.model.kl_divergence(other.model) == pytest.approx(whole, rel=1e-12)

    def test_of_models_over_other_variables(self, learned: Any) -> None:
        with pytest.raises(QueryError, match="expected the same variables and categories in both models"):
            learned().model.kl_divergence(learned(arities=(2, 3)).model)
        with pytest.raises(QueryError, match=r"x0\[2\].*x0\[3\]"):
            learned(arities=(2, 3)).model.kl_divergence(learned(arities=(3, 2)).model)
