"""Probabilities far below the smallest double: wide numbers against sums of logs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from learnac import Dataset, infer
from learnac.circuit import Circuit
from learnac.infer.engine import engine_of
from learnac.learn import LearnSettings, learn_table

N_COPIES = 900


@pytest.fixture(scope="module")
def block(learned: Any) -> Any:
    return learned(seed=3, arities=(2, 3, 1, 4), splits="binary", n_rows=80)


@pytest.fixture(scope="module")
def wide(block: Any, tools: Any) -> Circuit:
    """Independent copies of the same model: 3,600 variables."""
    return tools.tiled(block.circuit, N_COPIES)


def evidence_for(block: Any, seed: int, n_rows: int, n_known: int, share_known: float) -> Any:
    """Rows of evidence for all copies; nothing is known of the copies from `n_known` on."""
    rows = np.array([block.rows(seed + i, N_COPIES, share_known, possible=False) for i in range(n_rows)])
    rows[:, n_known:] = -1
    return rows


def log_values_of(block: Any, rows: Any) -> Any:
    return block.log_values(rows.reshape(-1, 4)).reshape(len(rows), N_COPIES).sum(axis=1)


class TestManyVariables:
    @pytest.mark.parametrize("share_known", [0.5, 1])
    @pytest.mark.parametrize("n_rows", [1, 2, 20])
    def test_likelihoods(self, block: Any, wide: Circuit, share_known: float, n_rows: int) -> None:
        rows = evidence_for(block, 1, n_rows, N_COPIES, share_known)
        expected = log_values_of(block, rows)
        assert expected.max() < -800
        found = infer.log_likelihood(wide, rows.reshape(n_rows, -1))
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_around_the_smallest_linear_root(self, block: Any, wide: Circuit) -> None:
        """Some rows of a block of eight are computed twice, others are not."""
        threshold = np.log(engine_of(wide).evaluator.smallest_linear_root)
        assert -708 < threshold < -400
        n_known = np.arange(150, 400, 2)
        rows = np.concatenate([evidence_for(block, i, 1, n, 0.6) for i, n in enumerate(n_known)])
        expected = log_values_of(block, rows)
        assert (expected < -750).sum() > 20
        assert ((expected < threshold) & (expected > threshold - 20)).sum() >= 3
        assert ((expected > threshold) & (expected < threshold + 20)).sum() >= 3
        found = infer.log_likelihood(wide, rows.reshape(len(rows), -1))
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        order = np.random.default_rng(1).permutation(len(rows))
        assert np.array_equal(infer.log_likelihood(wide, rows[order].reshape(len(rows), -1)), found[order])

    def test_marginals(self, block: Any, wide: Circuit) -> None:
        rows = np.concatenate([evidence_for(block, 7, 5, N_COPIES, 0.5), evidence_for(block, 8, 5, 300, 0.5)])
        assert log_values_of(block, rows)[:5].max() < -800
        found = infer.marginals(wide, rows.reshape(10, -1))
        for copy in range(0, N_COPIES, 41):
            for variable, name in enumerate(block.names):
                expected = [block.posterior(row, variable) for row in rows[:, copy]]
                np.testing.assert_allclose(found[f"{name}_{copy}"], expected, rtol=1e-10, atol=1e-14)
        some = infer.marginals(wide, rows.reshape(10, -1), variables=["x3_8", "x1_899"])
        assert np.array_equal(some["x3_8"], found["x3_8"])
        assert np.array_equal(some["x1_899"], found["x1_899"])

    def test_posteriors_near_zero(self, block: Any, wide: Circuit) -> None:
        rows = evidence_for(block, 12, 10, N_COPIES, 1)
        rows[:, 4, [1, 3]] = -1
        likelihoods = {1: [1.0, 1e-12, 1e-200], 3: [1e-9, 1e-100, 1.0, 0.0]}
        found = infer.marginals(
            wide, rows.reshape(10, -1), soft={f"x{variable}_4": values for variable, values in likelihoods.items()}
        )
        for variable in likelihoods:
            expected = [block.posterior(row, variable, likelihoods) for row in rows[:, 4]]
            np.testing.assert_allclose(found[f"x{variable}_4"], expected, rtol=1e-10)

    def test_most_probable_worlds(self, block: Any, wide: Circuit) -> None:
        rows = evidence_for(block, 9, 10, N_COPIES, 0.5)
        worlds, log_values = infer.mpe(wide, rows.reshape(10, -1))
        joints = np.array([[block.joint(row) for row in of_row] for of_row in rows])
        np.testing.assert_allclose(log_values, np.log(joints.max(axis=2)).sum(axis=1), rtol=1e-12)
        places = block.places(worlds.reshape(-1, 4)).reshape(10, N_COPIES)
        attained = np.take_along_axis(joints, places[:, :, None], axis=2)[:, :, 0]
        np.testing.assert_allclose(attained, joints.max(axis=2), rtol=1e-12)

    def test_samples(self, block: Any, wide: Circuit) -> None:
        row = np.array([1, -1, -1, -1])
        given = np.tile(row, N_COPIES)
        assert infer.log_likelihood(wide, given[None])[0] == pytest.approx(N_COPIES * block.log_values([row])[0])
        samples = infer.sample(wide, 40, np.where(np.arange(given.size) < 3000, given, -1)[None], random_state=1)
        places = block.places(samples[:, :3000].reshape(-1, 4))
        expected = block.joint(row) / block.joint(row).sum()
        counts = np.bincount(places, minlength=len(expected))
        np.testing.assert_allclose(counts / counts.sum(), expected, atol=4 * np.sqrt(0.25 / counts.sum()))

    def test_entropy(self, block: Any, wide: Circuit) -> None:
        expected = -N_COPIES * (block.probabilities * np.log(block.probabilities)).sum()
        assert infer.entropy(wide) == pytest.approx(expected, rel=1e-11)

    def test_queries(self, block: Any, wide: Circuit) -> None:
        rows = evidence_for(block, 11, 10, N_COPIES, 0.5)
        rows[:, 4, 1] = -1
        found = infer.log_probability(wide, {"x1_4": 2}, rows.reshape(10, -1))
        np.testing.assert_allclose(found, [np.log(block.posterior(row, 1)[2]) for row in rows[:, 4]], atol=1e-9)


class TestLearned:
    def test_thousands_of_variables(self, tools: Any) -> None:
        arities = (2,) * 2000
        rows = tools.random_rows(1, 90, arities)
        model = learn_table(Dataset.from_array(rows[:50], arities=2), LearnSettings(0.001, 0.0, max_splits=40))
        assert model.n_splits == 40
        found = infer.log_likelihood(model.circuit, rows)
        by_tree = [tree.log_likelihood(rows.T) for tree in model.network.trees]
        assert found.max() < -750
        np.testing.assert_allclose(found, np.sum(by_tree, axis=0), rtol=1e-12)
        np.testing.assert_allclose(infer.log_likelihood(model.circuit, rows, network=model.network), found, rtol=1e-12)
        world, log_value = infer.mpe(model.circuit, rows[:3])
        assert np.array_equal(world, rows[:3])
        np.testing.assert_allclose(log_value, found[:3], rtol=1e-12)

    @pytest.mark.parametrize("splits", ["complete", "binary"])
    def test_log_space(self, learned: Any, tools: Any, splits: str) -> None:
        """A circuit of some depth, with evidence and likelihoods down to exp(-3000)."""
        arities = (3, 2, 4) * 8
        model = learn_table(
            Dataset.from_array(tools.random_rows(2, 300, arities), arities=arities),
            LearnSettings(0.01, 0.1, splits=splits, max_splits=70),
        )
        circuit = model.circuit
        rng = np.random.default_rng(3)
        rows = np.where(rng.random((60, 24)) < 0.4, rng.integers(arities, size=(60, 24)), -1)
        rows[:, ::2] = -1
        powers = [-rng.random((60, arity)) * rng.choice([1, 50, 690], size=(60, 1)) for arity in arities[::2]]
        soft = {f"x{2 * i}": np.exp(power) for i, power in enumerate(powers)}
        indicators = tools.log_indicators(circuit.schema, rows)
        starts = np.concatenate([[0], np.cumsum(arities)])
        for i, power in enumerate(powers):
            indicators[starts[2 * i] : starts[2 * i + 1]] = power.T
        expected = tools.log_space_values(circuit, indicators)
        assert expected.min() < -1000
        assert expected.max() > -300
        np.testing.assert_allclose(infer.log_likelihood(circuit, rows, soft=soft), expected, rtol=1e-10)
        query = infer.log_probability(circuit, {"x6": 1}, rows, soft=soft)
        for value in (0, 2):
            indicators[starts[6] + value] = -np.inf
        np.testing.assert_allclose(query, tools.log_space_values(circuit, indicators) - expected, rtol=0, atol=1e-9)
        posterior = infer.marginals(circuit, rows, soft=soft, variables=["x6"])["x6"][:, 1]
        np.testing.assert_allclose(posterior, np.exp(query), rtol=1e-8, atol=1e-60)


class TestSumsOfSmallNumbers:
    """A mixture of products that all underflow: numbers of near and far exponents are added."""

    @pytest.fixture(scope="class")
    @staticmethod
    def parts(learned: Any, tools: Any) -> tuple[Any, Any, Circuit]:
        a, b = (learned(seed=seed, arities=(2, 3), n_rows=50) for seed in (1, 2))
        n_copies = 600
        circuit = tools.mixture([tools.tiled(a.circuit, n_copies), tools.tiled(b.circuit, n_copies)], [0.3, 0.7])
        return a, b, circuit

    def test_they_are_added_whatever_their_exponents(self, parts: Any) -> None:
        a, b, circuit = parts
        tables = np.concatenate([a.rows(1, 12_000, 0.9), b.rows(1, 12_000, 0.9), a.rows(2, 12_000, 0)])
        rng = np.random.default_rng(5)
        rows = tables[rng.integers(len(tables), size=(60, 600))]
        # From rows that look like one part to rows that look like the other.
        for i, row in enumerate(rows):
            row[: 10 * i] = a.rows(i, 10 * i, 0.8)
            row[10 * i :] = b.rows(i, 600 - 10 * i, 0.8)
        logs = np.array([case.log_values(rows.reshape(-1, 2)).reshape(60, 600).sum(axis=1) for case in (a, b)])
        logs += np.log([[0.3], [0.7]])
        gaps = logs[0] - logs[1]
        assert gaps.min() < -30
        assert gaps.max() > 30
        assert (np.abs(gaps) < 10).any()
        assert logs.max() < -750
        found = infer.log_likelihood(circuit, rows.reshape(60, -1))
        np.testing.assert_allclose(found, logsumexp(logs, axis=0), rtol=1e-13)
        weights = np.exp(logs - logsumexp(logs, axis=0))
        posteriors = infer.marginals(circuit, rows.reshape(60, -1), variables=["x1_5"])["x1_5"]
        expected = sum(
            weight[:, None] * [case.posterior(row, 1) for row in rows[:, 5]]
            for case, weight in zip((a, b), weights, strict=True)
        )
        np.testing.assert_allclose(posteriors, expected, rtol=1e-9, atol=1e-14)

    def test_numbers_a_whole_double_apart(self, tools: Any) -> None:
        """exp(-1500) and exp(-1500 - gap) in one sum, in both orders."""
        for gap in (0.5, 1, 36, 300, 690, 694, 700, 900):
            for order in (1, -1):
                logs = np.array([-1500, -1500 - gap])[::order]
                circuit = tools.sum_of_products([[np.exp(log / 4)] * 4 for log in logs])
                found = infer.log_likelihood(circuit, {})
                assert found == pytest.approx(logsumexp(logs), rel=1e-14)
                assert infer.log_likelihood(circuit, np.full((9, 1), -1)).tolist() == [found] * 9
