"""Every evaluator against all terms of random circuits, for whatever may be known of a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from circuits import Terms, random_circuit, schema_of, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chisquare

from learnac._core import MixtureEvaluator
from learnac.circuit import Circuit, CircuitBuilder, core_evaluator, properties
from learnac.infer.evaluator import Evaluator
from learnac.infer.plain import PlainEvaluator


def mixture_of_one(circuit: Circuit) -> Evaluator:
    *structure, parameters = circuit.arrays
    return MixtureEvaluator(*structure, parameters[None], np.ones(1))


EVALUATORS: dict[str, Callable[[Circuit], Evaluator]] = {
    "core": core_evaluator,
    "plain": PlainEvaluator,
    "mixture of one": mixture_of_one,
}
each_evaluator = pytest.mark.parametrize("evaluator", EVALUATORS.values(), ids=EVALUATORS.keys())
each_kind = pytest.mark.parametrize("is_deterministic", [True, False], ids=["deterministic", "mixtures"])
ARITIES = [(2, 3, 1, 4), (3, 2, 2, 2, 2), (5,), (2, 2, 3)]
Make = Callable[[Circuit], Evaluator]


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of evidence, as evaluators take them. Some are impossible."""

    codes: NDArray[Any]
    soft_variables: NDArray[np.uint32]
    likelihoods: NDArray[np.float64]
    arities: tuple[int, ...]

    @property
    def arrays(self) -> tuple[Any, ...]:
        return self.codes, self.soft_variables, self.likelihoods

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1]

    def row(self, row: int) -> Batch:
        likelihoods = self.likelihoods[row : row + 1] if len(self.soft_variables) else self.likelihoods
        codes = np.ascontiguousarray(self.codes[:, row : row + 1])
        return Batch(codes, self.soft_variables, likelihoods, self.arities)

    def soft(self, row: int) -> dict[int, Any]:
        variables = self.soft_variables.tolist()
        ends = np.cumsum([self.arities[v] for v in variables]).tolist()
        return {v: self.likelihoods[row, end - self.arities[v] : end] for v, end in zip(variables, ends, strict=True)}

    def weights(self, terms: Terms, row: int) -> NDArray[np.float64]:
        return terms.weights(self.codes[:, row], self.soft(row))


def random_batch(seed: int, arities: tuple[int, ...], n_rows: int, n_soft: int = 0, dtype: Any = np.int8) -> Batch:
    rng = np.random.default_rng(seed)
    codes = rng.integers(np.array(arities)[:, None], size=(len(arities), n_rows))
    codes[rng.random(codes.shape) < 0.5] = -1
    soft = rng.permutation(len(arities))[:n_soft]
    likelihoods = rng.uniform(0, 1, size=(n_rows, sum(arities[v] for v in soft)))
    likelihoods[rng.random(likelihoods.shape) < 0.2] = 0
    arrays = codes.astype(dtype), soft.astype(np.uint32), likelihoods if n_soft else np.empty((0, 0))
    for array in arrays:
        array.flags.writeable = False
    return Batch(*arrays, arities)


@cache
def case(seed: int, arities: tuple[int, ...], is_deterministic: bool) -> tuple[Circuit, Terms]:
    circuit = random_circuit(seed, arities, is_deterministic=is_deterministic)
    return circuit, terms_of(circuit)


each_batch = given(
    seed=st.integers(0, 60),
    arities=st.sampled_from(ARITIES),
    is_deterministic=st.booleans(),
    n_rows=st.sampled_from([0, 1, 2, 3, 9, 20]),
    n_soft=st.integers(0, 2),
    dtype=st.sampled_from([np.int8, np.int16, np.int32]),
)


@pytest.mark.parametrize("arities", ARITIES[:2])
def test_the_circuits_are_what_they_should_be(arities: tuple[int, ...]) -> None:
    n_mixtures = n_shared = n_impossible = 0
    for seed in range(61):
        for is_deterministic in (True, False):
            circuit, terms = case(seed, arities, is_deterministic)
            found = properties(circuit)
            assert found.is_smooth
            assert found.is_decomposable
            assert found.has_all_variables
            assert found.is_labelled_rightly
            assert found.is_deterministic or not is_deterministic
            assert (terms.worlds >= 0).all()
            n_mixtures += not found.is_deterministic
            n_shared += bool((np.bincount(circuit.children)[circuit.schema.arities.sum() :] > 1).any())
            n_impossible += bool((terms.coefficients == 0).any())
    assert min(n_mixtures, n_shared, n_impossible) > 30


class TestAgainstAllTerms:
    @each_evaluator
    @each_batch
    @settings(max_examples=100)
    def test_log_values(self, evaluator: Make, n_rows: int, n_soft: int, dtype: Any, **chosen: Any) -> None:
        circuit, terms = case(**chosen)
        batch = random_batch(chosen["seed"], chosen["arities"], n_rows, n_soft, dtype)
        found = evaluator(circuit).log_values(*batch.arrays, 1)
        with np.errstate(divide="ignore"):
            expected = [np.log(batch.weights(terms, row).sum()) for row in range(n_rows)]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)

    @each_evaluator
    @each_batch
    @settings(max_examples=100)
    def test_posteriors(self, evaluator: Make, n_rows: int, n_soft: int, dtype: Any, **chosen: Any) -> None:
        circuit, terms = case(**chosen)
        arities = chosen["arities"]
        batch = random_batch(chosen["seed"], arities, n_rows, n_soft, dtype)
        rng = np.random.default_rng(chosen["seed"])
        variables = rng.permutation(len(arities))[: rng.integers(1, len(arities) + 1)].astype(np.uint32)
        log_values, posteriors = evaluator(circuit).marginals(*batch.arrays, variables, 1)
        assert np.array_equal(log_values, evaluator(circuit).log_values(*batch.arrays, 1))
        assert posteriors.shape == (n_rows, sum(arities[v] for v in variables))
        for row, posterior in enumerate(posteriors):
            weights = batch.weights(terms, row)
            if weights.sum() == 0:
                assert np.isnan(posterior).all()
                continue
            tables = [np.bincount(terms.worlds[:, v], weights, arities[v]) / weights.sum() for v in variables]
            np.testing.assert_allclose(posterior, np.concatenate(tables), rtol=1e-11, atol=1e-13)

    @each_evaluator
    @each_batch
    @settings(max_examples=100)
    def test_most_probable_worlds(self, evaluator: Make, n_rows: int, n_soft: int, dtype: Any, **chosen: Any) -> None:
        circuit, terms = case(**chosen)
        batch = random_batch(chosen["seed"], chosen["arities"], n_rows, n_soft, dtype)
        worlds = np.full(batch.codes.shape, 99, dtype=dtype)
        log_values = evaluator(circuit).most_probable(*batch.arrays, worlds, 1)
        for row, (log_value, world) in enumerate(zip(log_values, worlds.T, strict=True)):
            weights = batch.weights(terms, row)
            if weights.max() == 0:
                assert log_value == -np.inf
                assert (world == 99).all()
                continue
            assert log_value == pytest.approx(np.log(weights.max()), rel=1e-12, abs=1e-12)
            of_world = weights[(terms.worlds == world).all(axis=1)]
            assert of_world.max() == pytest.approx(weights.max(), rel=1e-12)

    @each_evaluator
    @each_batch
    @settings(max_examples=100)
    def test_means_of_logs(self, evaluator: Make, n_rows: int, n_soft: int, dtype: Any, **chosen: Any) -> None:
        circuit, terms = case(**chosen)
        batch = random_batch(chosen["seed"], chosen["arities"], n_rows, n_soft, dtype)
        log_values, means = evaluator(circuit).mean_logs(*batch.arrays, 1)
        assert np.array_equal(log_values, evaluator(circuit).log_values(*batch.arrays, 1))
        for row, mean in enumerate(means):
            weights = batch.weights(terms, row)
            held = weights > 0
            if not held.any():
                assert np.isnan(mean)
                continue
            expected = (weights[held] * np.log(terms.coefficients[held])).sum() / weights.sum()
            assert mean == pytest.approx(expected, rel=1e-11, abs=1e-12)

    @each_evaluator
    @each_kind
    @pytest.mark.parametrize("n_soft", [0, 1])
    def test_samples(self, evaluator: Make, is_deterministic: bool, n_soft: int) -> None:
        n_samples, n_rows, arities = 2_000, 4, (2, 3, 1, 4)
        circuit, terms = case(11, arities, is_deterministic)
        batch = random_batch(1, arities, n_rows, n_soft)
        is_possible = [batch.weights(terms, row).sum() > 0 for row in range(n_rows)]
        assert sum(is_possible) == 3, "a case that tells something"
        worlds = np.full((4, n_rows * n_samples), 99, dtype=np.int8)
        log_values = evaluator(circuit).sample(*batch.arrays, n_samples, 11, worlds, 1)
        assert np.array_equal(log_values, evaluator(circuit).log_values(*batch.arrays, 1))
        places = np.ravel_multi_index(terms.worlds.T, arities)
        for row in range(n_rows):
            own = worlds[:, row * n_samples : (row + 1) * n_samples]
            weights = batch.weights(terms, row)
            if not is_possible[row]:
                assert (own == 99).all()
                continue
            expected = np.bincount(places, weights, int(np.prod(arities))) / weights.sum() * n_samples
            counts = np.bincount(np.ravel_multi_index(own, arities), minlength=len(expected))
            assert (counts[expected == 0] == 0).all()
            # A count of 5 more in a class for all that is rare: it must not be too small for the test.
            is_common = expected >= 5
            observed = np.append(counts[is_common], counts[~is_common].sum() + 5)
            rest = np.append(expected[is_common], expected[~is_common].sum() + 5)
            assert chisquare(observed, rest * observed.sum() / rest.sum()).pvalue > 1e-4


class TestRowsAndThreads:
    @each_evaluator
    @each_kind
    @pytest.mark.parametrize("n_soft", [0, 2])
    def test_a_row_among_many_is_a_row_alone(self, evaluator: Make, is_deterministic: bool, n_soft: int) -> None:
        for seed, arities in enumerate(ARITIES):
            asked = evaluator(case(seed, arities, is_deterministic)[0])
            batch = random_batch(seed, arities, 40, min(n_soft, len(arities)))
            variables = np.arange(len(arities), dtype=np.uint32)
            worlds = np.zeros_like(batch.codes)
            values = asked.log_values(*batch.arrays, 1)
            _, posteriors = asked.marginals(*batch.arrays, variables, 1)
            largest = asked.most_probable(*batch.arrays, worlds, 1)
            _, means = asked.mean_logs(*batch.arrays, 1)
            for row in range(40):
                alone, world = batch.row(row).arrays, np.zeros((len(arities), 1), dtype=batch.codes.dtype)
                assert asked.log_values(*alone, 1)[0] == values[row]
                assert np.array_equal(asked.marginals(*alone, variables, 1)[1][0], posteriors[row], equal_nan=True)
                assert asked.most_probable(*alone, world, 1)[0] == largest[row]
                assert np.array_equal(world[:, 0], worlds[:, row])
                assert np.array_equal(asked.mean_logs(*alone, 1)[1][0], means[row], equal_nan=True)

    @each_evaluator
    @each_kind
    def test_any_number_of_threads(self, evaluator: Make, is_deterministic: bool) -> None:
        arities = (3, 2, 2, 2, 2)
        asked = evaluator(case(7, arities, is_deterministic)[0])
        batch = random_batch(7, arities, 1_000, 1)
        variables = np.arange(len(arities), dtype=np.uint32)

        def answers(n_threads: int) -> list[NDArray[Any]]:
            worlds = np.zeros_like(batch.codes)
            samples = np.zeros((len(arities), 3 * batch.n_rows), dtype=np.int8)
            return [
                asked.log_values(*batch.arrays, n_threads),
                *asked.marginals(*batch.arrays, variables, n_threads),
                asked.most_probable(*batch.arrays, worlds, n_threads),
                worlds,
                asked.sample(*batch.arrays, 3, 5, samples, n_threads),
                samples,
                *asked.mean_logs(*batch.arrays, n_threads),
            ]

        first = answers(1)
        for n_threads in (1, 2, 5):
            for one, other in zip(first, answers(n_threads), strict=True):
                assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")

    @each_evaluator
    def test_samples_depend_on_the_seed_and_their_place(self, evaluator: Make) -> None:
        arities = (3, 2, 2, 2, 2)
        asked = evaluator(case(7, arities, False)[0])
        batch = random_batch(2, arities, 0)
        unknown = Batch(np.full((5, 4), -1, dtype=np.int8), *batch.arrays[1:], arities)

        def samples(seed: int, n_rows: int) -> NDArray[Any]:
            worlds = np.zeros((5, 20 * n_rows), dtype=np.int8)
            codes = np.ascontiguousarray(unknown.codes[:, :n_rows])
            asked.sample(codes, *unknown.arrays[1:], 20, seed, worlds, 1)
            return worlds

        assert np.array_equal(samples(3, 4)[:, :20], samples(3, 1))
        assert not np.array_equal(samples(3, 4)[:, :20], samples(3, 4)[:, 20:40])
        assert not np.array_equal(samples(3, 4), samples(4, 4))


class TestOddCircuits:
    @each_evaluator
    def test_values_far_below_the_smallest_double(self, evaluator: Make) -> None:
        """Independent variables: the value is a product, the posterior that of each by itself."""
        n_variables = 400
        builder = CircuitBuilder(schema_of((2,) * n_variables))
        rng = np.random.default_rng(0)
        tables = rng.uniform(1e-9, 1e-7, size=(n_variables, 2))
        sums = [
            builder.sum([builder.product([2 * v + k, builder.parameter(p)]) for k, p in enumerate(table)], decides=v)
            for v, table in enumerate(tables)
        ]
        builder.product(sums)
        codes = np.full((n_variables, 10), -1, dtype=np.int8)
        codes[:, 5:] = rng.integers(2, size=(n_variables, 5))
        codes[:100, 5:] = -1
        no_soft = np.empty(0, np.uint32), np.empty((0, 0))
        variables = np.array([3, 200], dtype=np.uint32)
        log_values, posteriors = evaluator(builder.build()).marginals(codes, *no_soft, variables, 2)
        open_ones = np.stack([(codes == k) | (codes < 0) for k in (0, 1)])
        expected = np.log((open_ones * tables.T[:, :, None]).sum(axis=0)).sum(axis=0)
        assert expected.max() < -5_000
        np.testing.assert_allclose(log_values, expected, rtol=1e-13)
        np.testing.assert_allclose(posteriors[:, :2], [tables[3] / tables[3].sum()] * 10, rtol=1e-12)
        np.testing.assert_allclose(posteriors[:5, 2:], [tables[200] / tables[200].sum()] * 5, rtol=1e-12)
        assert np.array_equal(posteriors[5:, 2:], open_ones[:, 200, 5:].T)

    @each_evaluator
    def test_a_parameter_twice_in_one_term(self, evaluator: Make) -> None:
        builder = CircuitBuilder(schema_of((2,)))
        twice = builder.parameter(0.5)
        builder.sum([builder.product([0, twice, twice]), builder.product([1, twice])], decides=0)
        codes = np.array([[-1, 0, 1]], dtype=np.int8)
        no_soft = np.empty(0, np.uint32), np.empty((0, 0))
        log_values, means = evaluator(builder.build()).mean_logs(codes, *no_soft, 1)
        np.testing.assert_allclose(log_values, np.log([0.75, 0.25, 0.5]), rtol=1e-14)
        np.testing.assert_allclose(means, np.log(0.5) * np.array([4 / 3, 2, 1]), rtol=1e-14)

    @each_evaluator
    def test_a_value_and_likelihoods_for_one_variable_both_count(self, evaluator: Make) -> None:
        circuit, terms = case(0, (5,), True)
        codes, soft = np.array([[2, -1]], dtype=np.int8), np.zeros(1, np.uint32)
        likelihoods = np.array([[0.1, 0.2, 0.3, 0.4, 0.5]] * 2)
        found = evaluator(circuit).log_values(codes, soft, likelihoods, 1)
        batch = Batch(codes, soft, likelihoods, (5,))
        with np.errstate(divide="ignore"):
            expected = [np.log(batch.weights(terms, row).sum()) for row in (0, 1)]
        np.testing.assert_allclose(found, expected, rtol=1e-13)

    @each_evaluator
    def test_sums_of_indicators_and_products_of_one(self, evaluator: Make) -> None:
        builder = CircuitBuilder(schema_of((3,)))
        builder.product([builder.sum([0, 1], decides=0)])
        codes = np.array([[0, 1, 2, -1]], dtype=np.int8)
        no_soft = np.empty(0, np.uint32), np.empty((0, 0))
        log_values, posteriors = evaluator(builder.build()).marginals(codes, *no_soft, np.zeros(1, np.uint32), 1)
        np.testing.assert_allclose(log_values, [0, 0, -np.inf, np.log(2)], rtol=1e-15)
        np.testing.assert_allclose(posteriors, [[1, 0, 0], [0, 1, 0], [np.nan] * 3, [0.5, 0.5, 0]], rtol=1e-15)
