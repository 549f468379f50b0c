"""Most probable completions, against the largest of all worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac import LearnAC


def assert_most_probable(case: Any, rows: Any, found: Any, log_values: Any, soft: dict[int, Any] | None = None) -> None:
    joints = np.array([case.joint(row, soft) for row in rows])
    np.testing.assert_allclose(log_values, np.log(joints.max(axis=1)), rtol=1e-12, atol=1e-13)
    attained = joints[np.arange(len(rows)), case.places(found)]
    np.testing.assert_allclose(attained, joints.max(axis=1), rtol=1e-12, atol=0)
    assert (np.asarray(rows) < 0)[np.asarray(found) != rows].all()


class TestMpe:
    @pytest.mark.parametrize("share_known", [0, 0.3, 0.7, 1])
    @pytest.mark.parametrize("n_rows", [1, 2, 40])
    def test_it_attains_the_largest_probability(self, case: Any, share_known: float, n_rows: int) -> None:
        rows = case.rows(1, n_rows, share_known)
        found, log_values = case.model.mpe(rows)
        assert found.dtype == rows.dtype
        assert_most_probable(case, rows, found, log_values)

    @settings(derandomize=True, max_examples=60)
    @given(
        seed=st.integers(0, 9999),
        splits=st.sampled_from(["complete", "binary"]),
        alpha=st.sampled_from([0.0, 0.5]),
        arities=st.lists(st.integers(1, 4), min_size=1, max_size=5),
        n_rows=st.sampled_from([1, 2, 3, 8, 9, 17]),
        is_soft=st.booleans(),
    )
    def test_of_random_models(
        self, learned: Any, seed: int, splits: str, alpha: float, arities: list[int], n_rows: int, is_soft: bool
    ) -> None:
        case = learned.__wrapped__(seed, splits, alpha, tuple(arities), 50)
        rows = case.rows(seed, n_rows, 0.4)
        likelihoods = np.random.default_rng(seed).exponential(size=arities[0]) ** 3
        if is_soft:
            rows[:, 0] = -1
        found, log_values = case.model.mpe(rows, soft={"x0": likelihoods} if is_soft else None)
        assert_most_probable(case, rows, found, log_values, {0: likelihoods} if is_soft else None)

    def test_one_dict_and_nothing_at_all(self, case: Any) -> None:
        row = case.rows(3, 1, 0.5)[0]
        for evidence, at in [(case.evidence(row), row), ({}, np.full(len(row), -1)), (None, np.full(len(row), -1))]:
            found, log_value = case.model.mpe(evidence)
            assert isinstance(log_value, float)
            assert tuple(found) == case.names
            assert_most_probable(case, [at], [list(found.values())], [log_value])

    def test_the_evidence_is_left_alone(self, case: Any) -> None:
        rows = case.rows(4, 20, 0.5)
        before = rows.copy()
        case.model.mpe(rows)
        assert np.array_equal(rows, before)


@pytest.fixture(scope="module")
def even(tools: Any) -> Any:
    """All worlds of a table in which each comes once are equally probable."""
    worlds = np.indices((2, 3, 2, 4)).reshape(4, -1).T
    return tools.case_of(LearnAC().fit(worlds))


class TestTies:
    def test_of_equals_always_the_same(self, even: Any) -> None:
        rows = even.rows(1, 300, 0.4)
        found, log_values = even.model.mpe(rows)
        assert_most_probable(even, rows, found, log_values)
        assert np.array_equal(found, even.model.mpe(rows)[0])
        order = np.random.default_rng(2).permutation(300)
        assert np.array_equal(found[order], even.model.mpe(rows[order])[0])
        for i in range(0, 300, 17):
            assert np.array_equal(even.model.mpe(rows[i : i + 1])[0], found[i : i + 1])
            assert np.array_equal(even.model.mpe(rows[i : i + 2])[0], found[i : i + 2])

    def test_of_equals_the_first(self, even: Any) -> None:
        assert list(even.model.mpe()[0].values()) == [0, 0, 0, 0]
        assert even.model.mpe({"x1": 2})[0] == {"x0": 0, "x1": 2, "x2": 0, "x3": 0}
        soft = {"x3": [0.5, 1, 1, 0.5], "x1": {1: 3.0, 2: 3.0}}
        assert even.model.mpe(soft=soft)[0] == {"x0": 0, "x1": 1, "x2": 0, "x3": 1}
        many, _ = even.model.mpe(np.full((20, 4), -1), soft=soft)
        assert np.array_equal(many, np.tile([0, 1, 0, 1], (20, 1)))

    def test_a_far_smaller_world_never_wins(self, learned: Any) -> None:
        case = learned(splits="binary")
        likelihoods = {3: [1e-300, 1.0, 1e-300, 0.0, 1e-200], 4: [1e-100, 1e-200, 1.0, 1e-3]}
        found, log_value = case.model.mpe(soft={case.names[v]: values for v, values in likelihoods.items()})
        assert_most_probable(case, [[-1] * 7], [list(found.values())], [log_value], likelihoods)
