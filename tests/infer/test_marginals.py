"""Posteriors and expectations, against the sum over all worlds."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac import infer


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


def assert_posteriors(case: Any, found: dict[str, Any], rows: Any, soft: dict[int, Any] | None = None) -> None:
    for name, table in found.items():
        variable = case.names.index(name)
        assert table.shape == (len(rows), case.arities[variable])
        close(table, [case.posterior(row, variable, soft) for row in rows])
        close(table.sum(axis=1), np.ones(len(rows)))


class TestMarginals:
    @pytest.mark.parametrize("share_known", [0, 0.3, 0.7, 1])
    @pytest.mark.parametrize("n_rows", [1, 2, 30])
    def test_they_are_the_posteriors(self, case: Any, share_known: float, n_rows: int) -> None:
        rows = case.rows(1, n_rows, share_known)
        found = case.model.marginals(rows)
        assert tuple(found) == case.names
        assert_posteriors(case, found, rows)

    @settings(derandomize=True, max_examples=40)
    @given(
        seed=st.integers(0, 9999),
        splits=st.sampled_from(["complete", "binary"]),
        alpha=st.sampled_from([0.0, 0.5]),
        arities=st.lists(st.integers(1, 4), min_size=1, max_size=5),
        n_rows=st.sampled_from([1, 2, 3, 8, 9, 17]),
    )
    def test_of_random_models(
        self, learned: Any, seed: int, splits: str, alpha: float, arities: list[int], n_rows: int
    ) -> None:
        case = learned.__wrapped__(seed, splits, alpha, tuple(arities), 50)
        rows = case.rows(seed, n_rows, 0.4)
        assert_posteriors(case, case.model.marginals(rows), rows)

    def test_a_known_variable_has_one_at_its_value(self, case: Any) -> None:
        rows = case.rows(2, 30, 0.5)
        for name, column in zip(case.names, rows.T, strict=True):
            posterior = case.model.marginals(rows)[name][column >= 0]
            assert np.array_equal(posterior, np.eye(posterior.shape[1])[column[column >= 0]])

    def test_one_dict_and_nothing_at_all(self, case: Any) -> None:
        row = case.rows(3, 1, 0.5)[0]
        for found, at in [
            (case.model.marginals(case.evidence(row)), row),
            (case.model.marginals(), np.full(len(case.names), -1)),
            (case.model.marginals({}), np.full(len(case.names), -1)),
        ]:
            assert tuple(found) == case.names
            for variable, table in enumerate(found.values()):
                assert table.shape == (case.arities[variable],)
                close(table, case.posterior(at, variable))

    def test_some_variables_are_as_among_all(self, case: Any) -> None:
        rows = case.rows(4, 30, 0.4)
        everything = case.model.marginals(rows)
        for seed in range(6):
            rng = np.random.default_rng(seed)
            names = [str(name) for name in rng.permutation(case.names)[: 1 + seed % len(case.names)]]
            found = case.model.marginals(rows, variables=names)
            assert list(found) == names
            for name in names:
                assert np.array_equal(found[name], everything[name])
        name = case.names[-1]
        assert list(case.model.marginals(rows, variables=iter([name, name]))) == [name]
        assert case.model.marginals({}, variables=[name])[name].shape == (case.arities[-1],)


class TestBlocks:
    @pytest.mark.parametrize("block_rows", [None, 1, 7, 20, 64])
    def test_they_are_the_marginals(self, case: Any, block_rows: int | None) -> None:
        rows = case.rows(5, 20, 0.4)
        whole = case.model.marginals(rows)
        slices = []
        for at, found in case.model.iter_marginals(rows, block_rows=block_rows):
            slices.append(at)
            assert list(found) == list(whole)
            for name, table in found.items():
                assert np.array_equal(table, whole[name][at])
        n_rows = block_rows or 20
        assert slices == [slice(start, min(start + n_rows, 20)) for start in range(0, 20, n_rows)]

    def test_some_variables_with_likelihoods(self, learned: Any) -> None:
        case = learned()
        rows = case.rows(5, 20, 0.4)
        rows[:, 3] = -1
        soft = {"x3": np.random.default_rng(1).random((20, 5))}
        whole = case.model.marginals(rows, variables=["x4", "x3"], soft=soft)
        for at, found in case.model.iter_marginals(rows, variables=["x4", "x3"], soft=soft, block_rows=3):
            assert list(found) == ["x4", "x3"]
            for name, table in found.items():
                assert np.array_equal(table, whole[name][at])

    def test_small_memory_makes_small_blocks(self, learned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        case = learned()
        rows = case.rows(6, 50, 0.4)
        whole = case.model.marginals(rows)
        values = {name: np.arange(arity) for name, arity in zip(case.names, case.arities, strict=True)}
        means = case.model.expectation(values, rows)
        probabilities = case.model.predict_proba(np.where(np.arange(7) == 3, -1, rows), "x3")
        monkeypatch.setattr(sys.modules["learnac.infer.posteriors"], "_BLOCK_SIZE", 60)
        blocks = list(case.model.iter_marginals(rows))
        assert [at.stop - at.start for at, _ in blocks] == [3] * 16 + [2]  # 19 values in all
        assert np.array_equal(np.concatenate([found["x4"] for _, found in blocks]), whole["x4"])
        close(case.model.expectation(values, rows), means)
        found = case.model.predict_proba(np.where(np.arange(7) == 3, -1, rows), "x3")
        assert np.array_equal(found, probabilities)

    def test_rows_of_a_block_are_counted_from_one(self, case: Any) -> None:
        with pytest.raises(ValueError, match="block_rows: expected at least 1, found 0"):
            case.model.iter_marginals(case.rows(1, 3), block_rows=0)


class TestExpectation:
    def test_it_is_the_mean_over_the_worlds(self, case: Any) -> None:
        rng = np.random.default_rng(7)
        rows = case.rows(7, 30, 0.4)
        numbers = [rng.normal(size=arity) for arity in case.arities]
        chosen = range(0, len(numbers), 2)
        total = np.sum([numbers[variable][case.worlds[variable]] for variable in chosen], axis=0)
        joints = [case.joint(row) for row in rows]
        expected = [joint @ total / joint.sum() for joint in joints]
        found = case.model.expectation({case.names[variable]: numbers[variable] for variable in chosen}, rows)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
        by_category = {
            case.names[variable]: dict(zip(case.schema.categories[variable], numbers[variable], strict=True))
            for variable in reversed(chosen)
        }
        np.testing.assert_allclose(case.model.expectation(by_category, rows), expected, rtol=1e-10, atol=1e-13)
        one = case.model.expectation(by_category, case.evidence(rows[0]))
        assert isinstance(one, float)
        assert one == pytest.approx(expected[0], rel=1e-10, abs=1e-13)
        assert infer.expectation(case.circuit, by_category) == pytest.approx(case.probabilities @ total, abs=1e-12)

    def test_with_likelihoods(self, learned: Any) -> None:
        case = learned()
        row = np.array([0, -1, -1, -1, -1, -1, 1])
        likelihoods = [0.1, 0.0, 2.0, 0.5, 0.3]
        joint = case.joint(row, {3: likelihoods})
        expected = joint @ case.worlds[4] / joint.sum()
        found = case.model.expectation({"x4": [0, 1, 2, 3]}, case.evidence(row), soft={"x3": likelihoods})
        assert found == pytest.approx(expected, rel=1e-12)
