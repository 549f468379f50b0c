"""Questions about reasons and next steps, against all worlds of circuits and mixtures."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from asked_cases import CASES, as_given, case_of, examples, less, log_odds, some_evidence
from hypothesis import given

from learnac import ImpossibleEvidenceError, QueryError, infer
from learnac.infer.explain import MAX_PIECES


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
