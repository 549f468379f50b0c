"""Mixtures over one structure: every query against all worlds, and against a circuit of copies."""

from __future__ import annotations

import itertools
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from circuits import random_circuit
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import chisquare

from learnac import infer
from learnac.circuit import Circuit, CircuitBuilder, Mixture, check_distribution, core_evaluator, mixture_evaluator
from learnac.data import Dataset, Schema
from learnac.errors import ImpossibleEvidenceError, NotProvenWarning, QueryError
from learnac.learn import LearnSettings, learn_table

ARITIES = (2, 3, 2, 4, 2)
WORLDS = np.array(list(itertools.product(*map(range, ARITIES))))
stable = settings(derandomize=True, max_examples=40)
seeds = st.integers(0, 9_999)
component_counts = st.sampled_from([1, 2, 7, 8, 9, 19])


def structure(seed: int) -> Circuit:
    rng = np.random.default_rng(seed)
    hidden = rng.integers(3, size=(150, 1))
    rows = np.where(rng.random((150, len(ARITIES))) < 0.6, hidden, rng.integers(4, size=(150, len(ARITIES))))
    table = Dataset.from_array(rows % np.array(ARITIES), arities=list(ARITIES))
    kind = ("binary", "complete")[seed % 2]
    return learn_table(
        table, LearnSettings(edge_penalty=0.05, parameter_penalty=0.2, alpha=1.0, shrinkage=0.0, splits=kind)
    ).circuit


def random_parameters(rng: np.random.Generator, circuit: Circuit, n: int, zeros: float = 0.1) -> NDArray[np.float64]:
    """Of each leaf, values that sum to 1, some of them zero."""
    variables, nodes, _ = circuit.parameter_origins.T
    leaves = np.unique(np.column_stack([variables, nodes]), axis=0, return_inverse=True)[1].ravel()
    found = rng.gamma(0.7, size=(n, circuit.n_parameters)) * (rng.random((n, circuit.n_parameters)) > zeros) + 1e-12
    totals = np.array([np.bincount(leaves, row)[leaves] for row in found])
    return np.minimum(found / totals, 1.0)


def random_mixture(seed: int, n_components: int) -> Mixture:
    rng = np.random.default_rng(seed)
    circuit = structure(seed % 5)
    return Mixture(circuit, random_parameters(rng, circuit, n_components), rng.dirichlet(np.ones(n_components)))


def world_logs(mixture: Mixture) -> NDArray[np.float64]:
    """Of all worlds, from the components one by one."""
    logs = [infer.log_likelihood(mixture.component(k), WORLDS) for k in range(mixture.n_components)]
    with np.errstate(divide="ignore"):
        return logsumexp(np.array(logs) + np.log(mixture.weights)[:, None], axis=0)


def partial_rows(seed: int, n: int) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    rows = WORLDS[rng.integers(len(WORLDS), size=n)].copy()
    rows[rng.random(rows.shape) < 0.5] = -1
    return rows


def matching(row: NDArray[np.int64]) -> NDArray[np.bool_]:
    return ((row == WORLDS) | (row < 0)).all(axis=1)


class TestAgainstAllWorlds:
    @stable
    @given(seeds, component_counts)
    def test_likelihoods_and_posteriors(self, seed: int, n_components: int) -> None:
        mixture = random_mixture(seed, n_components)
        logs, rows = world_logs(mixture), partial_rows(seed, 9)
        assert logsumexp(logs) == pytest.approx(0, abs=1e-10)
        found = infer.log_likelihood(mixture, rows)
        posteriors = infer.marginals(mixture, rows)
        for i, row in enumerate(rows):
            weights = np.exp(logs) * matching(row)
            assert found[i] == pytest.approx(np.log(weights.sum()), abs=1e-10)
            for v, arity in enumerate(ARITIES):
                expected = np.bincount(WORLDS[:, v], weights, arity) / weights.sum()
                np.testing.assert_allclose(posteriors[f"x{v}"][i], expected, rtol=1e-9, atol=1e-12)

    @stable
    @given(seeds, component_counts)
    def test_the_most_probable_completion(self, seed: int, n_components: int) -> None:
        mixture = random_mixture(seed, n_components)
        logs, rows = world_logs(mixture), partial_rows(seed, 4)
        completed, found = infer.mpe(mixture, rows)
        for i, row in enumerate(rows):
            assert found[i] == pytest.approx(logs[matching(row)].max(), abs=1e-9)
            assert found[i] == pytest.approx(logs[(completed[i] == WORLDS).all(axis=1)][0], abs=1e-9)
            assert matching(row)[(completed[i] == WORLDS).all(axis=1)].all()

    @stable
    @given(seeds, component_counts)
    def test_components(self, seed: int, n_components: int) -> None:
        mixture = random_mixture(seed, n_components)
        rows = partial_rows(seed, 5)
        own = np.array([infer.log_likelihood(mixture.component(k), rows) for k in range(n_components)]).T
        expected = mixture.weights * np.exp(own)
        expected /= expected.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(infer.components(mixture, rows), expected, rtol=1e-9, atol=1e-12)

    @stable
    @given(seeds)
    def test_soft_evidence(self, seed: int) -> None:
        mixture = random_mixture(seed, 5)
        logs, rng = world_logs(mixture), np.random.default_rng(seed)
        likelihoods = rng.uniform(0.05, 1, size=ARITIES[3])
        weights = np.exp(logs) * likelihoods[WORLDS[:, 3]] * (WORLDS[:, 0] == 1)
        given_ = {"x0": 1, "x3": likelihoods}
        expected = np.bincount(WORLDS[:, 1], weights, ARITIES[1]) / weights.sum()
        np.testing.assert_allclose(infer.marginals(mixture, given_)["x1"], expected, rtol=1e-9)
        assert infer.mpe(mixture, given_)[1] == pytest.approx(np.log(weights.max()), abs=1e-9)

    def test_samples(self) -> None:
        mixture = random_mixture(3, 9)
        given_ = {"x0": 1}
        weights = np.exp(world_logs(mixture)) * (WORLDS[:, 0] == 1)
        samples = infer.sample(mixture, 20_000, given_, random_state=0).codes
        numbers = np.ravel_multi_index(samples.astype(int), ARITIES)
        expected = weights / weights.sum() * samples.shape[1]
        counts = np.bincount(numbers, minlength=len(WORLDS))
        assert counts[expected == 0].sum() == 0
        often = expected > 5
        rest = counts[~often].sum(), expected[~often].sum()
        assert chisquare([*counts[often], rest[0]], [*expected[often], rest[1]]).pvalue > 1e-3

    def test_conditionals_expectations_and_predictions(self) -> None:
        mixture = random_mixture(4, 6)
        weights = np.exp(world_logs(mixture))
        known = WORLDS[:, 2] == 1
        asked = known & (WORLDS[:, 1] == 2)
        expected = np.log(weights[asked].sum() / weights[known].sum())
        assert infer.log_probability(mixture, {"x1": 2}, {"x2": 1}) == pytest.approx(expected, abs=1e-10)
        mean = (weights * known * WORLDS[:, 3]).sum() / weights[known].sum()
        assert infer.expectation(mixture, {"x3": np.arange(4)}, {"x2": 1}) == pytest.approx(mean, abs=1e-10)
        best = np.bincount(WORLDS[:, 4], weights * known).argmax()
        assert infer.predict(mixture, {"x2": 1}, "x4") == best

    def test_entropy(self) -> None:
        mixture = random_mixture(5, 6)
        logs = world_logs(mixture)
        held = np.exp(logs) > 0
        assert infer.entropy(mixture) == pytest.approx(-(np.exp(logs[held]) * logs[held]).sum(), abs=1e-10)


class TestCopies:
    @stable
    @given(seeds, component_counts)
    def test_a_circuit_of_copies_is_the_same_distribution(self, seed: int, n_components: int) -> None:
        mixture = random_mixture(seed, n_components)
        copies = mixture.expanded()
        check_distribution(copies)
        rows = partial_rows(seed, 12)
        np.testing.assert_allclose(
            infer.log_likelihood(mixture, rows), infer.log_likelihood(copies, rows), rtol=1e-12, atol=1e-12
        )
        of_copies = infer.marginals(copies, rows)
        for name, posterior in infer.marginals(mixture, rows).items():
            np.testing.assert_allclose(posterior, of_copies[name], rtol=1e-11, atol=1e-13)
        assert copies.n_edges == mixture.n_edges + 3 * n_components

    def test_one_component_answers_as_its_circuit_to_the_last_bit(self) -> None:
        circuit, rows = structure(1), partial_rows(1, 50)
        one = Mixture(circuit, circuit.parameters[None], np.ones(1))
        assert infer.log_likelihood(one, rows).tobytes() == infer.log_likelihood(circuit, rows).tobytes()

    def test_terms_of_all_copies_have_the_same_mean_logarithm(self) -> None:
        mixture = random_mixture(6, 11)
        rows = np.ascontiguousarray(partial_rows(6, 20).T.astype(np.int8))
        nothing = np.empty(0, np.uint32), np.empty((0, 0))
        found = mixture_evaluator(mixture).mean_logs(rows, *nothing, 1)[1]
        np.testing.assert_allclose(found, core_evaluator(mixture.expanded()).mean_logs(rows, *nothing, 1)[1], rtol=1e-9)


def independent(n: int) -> Circuit:
    """Two values for each of n variables, which do not depend on each other."""
    builder = CircuitBuilder(Schema(tuple(f"v{i}" for i in range(n)), ((0, 1),) * n))
    columns = []
    for v in range(n):
        parts = [builder.product([2 * v + x, builder.parameter(0.5, (v, 0, x))]) for x in (0, 1)]
        columns.append(builder.sum(parts, decides=v))
    builder.product(columns)
    return builder.build()


class TestNumbers:
    def test_rows_and_threads_make_no_difference(self) -> None:
        mixture, rows = random_mixture(7, 19), partial_rows(7, 200)
        alone = np.concatenate([infer.marginals(mixture, rows[i : i + 1])["x1"] for i in range(200)])
        for n_threads in (1, 2, 3):
            together = infer.marginals(mixture, rows, n_threads=n_threads)["x1"]
            assert together.tobytes() == alone.tobytes()
        samples = [infer.sample(mixture, 3, rows[:40], random_state=1, n_threads=n) for n in (1, 2)]
        assert samples[0].tobytes() == samples[1].tobytes()

    def test_what_underflows_is_done_in_wide_numbers(self) -> None:
        n = 3000
        chances = np.array([0.2, 0.9, 0.4])
        parameters = np.tile(np.column_stack([1 - chances, chances]), n)
        mixture = Mixture(independent(n), parameters, np.array([0.2, 0.3, 0.5]))
        row = np.random.default_rng(0).integers(2, size=(1, n))
        ones = row.sum()
        logs = ones * np.log(chances) + (n - ones) * np.log(1 - chances) + np.log(mixture.weights)
        assert infer.log_likelihood(mixture, row)[0] == pytest.approx(logsumexp(logs), rel=1e-12)
        np.testing.assert_allclose(infer.components(mixture, row)[0], np.exp(logs - logsumexp(logs)), atol=1e-12)
        partly = np.where(np.arange(n) < n - 1, row, -1)
        logs += -np.log(chances) if row[0, -1] else -np.log(1 - chances)
        expected = np.exp(logs - logsumexp(logs)) @ chances
        assert infer.marginals(mixture, partly)[f"v{n - 1}"][0, 1] == pytest.approx(expected, rel=1e-10)


class TestMostProbable:
    def test_what_is_not_proven_is_said(self) -> None:
        """Many components that disagree, and no time: the answer is a lower bound, and the warning has the gap."""
        n = 24
        rng = np.random.default_rng(0)
        chances = rng.uniform(0.3, 0.7, size=(40, n))
        parameters = np.stack([1 - chances, chances], axis=2).reshape(40, 2 * n)
        mixture = Mixture(independent(n), parameters, np.full(40, 1 / 40))
        with pytest.warns(NotProvenWarning, match=r"not proven for 1 row within 0 s: .* by at most [0-9.]+ in log"):
            hasty, lower = infer.mpe(mixture, max_seconds=0.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotProvenWarning)
            _, better = infer.mpe(mixture, max_seconds=1.0)
        assert lower == pytest.approx(infer.log_likelihood(mixture, hasty), abs=1e-12)
        assert lower <= better + 1e-12

    @pytest.mark.parametrize("max_seconds", ["x", None, -1.0, float("nan"), True])
    def test_times_that_make_no_sense(self, max_seconds: Any) -> None:
        with pytest.raises(ValueError, match="max_seconds: expected a number from 0, found"):
            infer.mpe(random_mixture(1, 2), {}, max_seconds=max_seconds)

    def test_impossible_evidence(self) -> None:
        builder = CircuitBuilder(Schema(("a",), ((0, 1),)))
        builder.sum([builder.product([x, builder.parameter(0.5)]) for x in (0, 1)], decides=0)
        mixture = Mixture(builder.build(), np.array([[1.0, 0.0], [1.0, 0.0]]), np.full(2, 0.5))
        assert infer.mpe(mixture)[0] == {"a": 0}
        for ask in (infer.mpe, infer.marginals, infer.components):
            with pytest.raises(ImpossibleEvidenceError):
                ask(mixture, {"a": 1})


class TestWhatIsNoMixture:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"weights": np.array([0.5, 0.6])}, "sum to 1"),
            ({"weights": np.array([1.5, -0.5])}, "weights: expected probabilities"),
            ({"weights": np.ones(1)}, "for each of 1 components, found an array of shape"),
            ({"parameters": np.full((2, 3), 0.5)}, "found an array of shape"),
            ({"parameters": None}, "parameters: expected probabilities"),
        ],
    )
    def test_it_is_refused(self, change: dict[str, Any], message: str) -> None:
        circuit = structure(0)
        arrays = {"parameters": random_parameters(np.random.default_rng(0), circuit, 2), "weights": np.full(2, 0.5)}
        if change.get("parameters", 0) is None:
            change = {"parameters": arrays["parameters"] * 3}
        with pytest.raises(ValueError, match=message):
            Mixture(circuit, **arrays | change)

    def test_nobody_can_write(self) -> None:
        mixture = random_mixture(1, 3)
        for array in (mixture.parameters, mixture.weights):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    def test_pickles(self) -> None:
        mixture = random_mixture(1, 3)
        again = pickle.loads(pickle.dumps(mixture))
        assert infer.log_likelihood(again, WORLDS).tobytes() == infer.log_likelihood(mixture, WORLDS).tobytes()

    def test_a_circuit_has_no_components(self) -> None:
        with pytest.raises(QueryError, match="expected a mixture"):
            infer.components(random_circuit(0, ARITIES, is_deterministic=True), {})
