"""Vectors of a mixture, learned from rows as cells: against NumPy in double precision, and finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from learning import TRAINING, VALIDATION, dataset_of
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from learnac import infer
from learnac._core import LeafRows, TiedMixture, expected_counts
from learnac.circuit import Mixture
from learnac.data import Dataset
from learnac.learn import Learned, LearnSettings, learn_table
from learnac.learn.mixture.cells import CellRows, Cells
from learnac.learn.mixture.fit import Fit, Round, Rounds
from learnac.learn.mixture.free import FreeFit
from learnac.learn.mixture.tied import TiedFit, fourier_features

Floats = NDArray[np.float64]


def learned(kind: str = "binary", table: Dataset = TRAINING) -> Learned:
    return learn_table(table, LearnSettings(0.05, 0.3, alpha=1.0, shrinkage=0.0, splits=kind))


def cell_rows(kind: str = "binary", weights: Floats | None = None) -> CellRows:
    return CellRows.of(Cells.of(learned(kind).network), TRAINING, VALIDATION, weights)


def random_vectors(cells: Cells, n_components: int, seed: int = 0) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return cells.normalised(rng.gamma(1.0, size=(cells.n_cells, n_components)) + 1e-3), rng.dirichlet(
        np.ones(n_components)
    )


def row_logs(cells: Cells, table: Dataset, parameters: Floats, weights: Floats) -> Floats:
    """log (weight * P(row | component)), (rows x components)."""
    return np.log(parameters)[cells.table(table)].sum(axis=1) + np.log(weights)


each_kind = pytest.mark.parametrize("kind", ["binary", "complete"])


class TestCells:
    @each_kind
    def test_shared_parameters_are_those_of_the_network(self, kind: str) -> None:
        network = learned(kind).network
        cells = Cells.of(network)
        found = np.log(cells.shared)[cells.table(VALIDATION)].sum(axis=1)
        np.testing.assert_allclose(found, network.log_likelihood(VALIDATION.codes), rtol=1e-12)

    @each_kind
    def test_a_mixture_has_the_parameters_of_its_cells(self, kind: str) -> None:
        model = learned(kind)
        cells = Cells.of(model.network)
        parameters, weights = random_vectors(cells, 5)
        mixture = cells.mixture(model.circuit, parameters, weights)
        expected = logsumexp(row_logs(cells, VALIDATION, parameters, weights), axis=1)
        np.testing.assert_allclose(infer.log_likelihood(mixture, VALIDATION), expected, rtol=1e-12)


class TestExpectedCounts:
    @each_kind
    @pytest.mark.parametrize("n_components", [1, 3, 16, 50])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_they_are_sums_of_posteriors(self, kind: str, n_components: int, weighted: bool) -> None:
        given = np.random.default_rng(1).uniform(0, 3, TRAINING.n_rows) if weighted else None
        rows = cell_rows(kind, given)
        cells = rows.cells
        parameters, weights = random_vectors(cells, n_components)
        logs = row_logs(cells, TRAINING, parameters, weights)
        row_weights = np.ones(TRAINING.n_rows) if given is None else given
        posteriors = softmax(logs, axis=1) * row_weights[:, None]
        expected = np.zeros_like(parameters)
        for column in cells.table(TRAINING).T:
            np.add.at(expected, column, posteriors)
        found, counts, totals = expected_counts(
            *cells.layout,
            rows.usual,
            np.log(parameters).astype(np.float32),
            np.log(weights).astype(np.float32),
            rows.learned,
        )
        mean = (logsumexp(logs, axis=1) * row_weights).sum() / row_weights.sum()
        assert found == pytest.approx(mean, rel=1e-6)
        np.testing.assert_allclose(counts, expected, rtol=1e-4, atol=2e-3)
        np.testing.assert_allclose(totals, posteriors.sum(axis=0), rtol=1e-5)


class TestTied:
    @each_kind
    def test_gradients_are_differences(self, kind: str) -> None:
        rows = cell_rows(kind)
        cells = rows.cells
        rng = np.random.default_rng(2)
        n_features, n_components = 5, 7
        features = rng.standard_normal((n_features, n_components))
        biases, weights = rng.standard_normal(cells.n_cells), 0.3 * rng.standard_normal((cells.n_cells, n_features))
        core = TiedMixture(*cells.layout, rows.usual, *(a.astype(np.float32) for a in (features, biases, weights)))

        def mean_log(biases: Floats, weights: Floats, components: Floats) -> float:
            logits = biases[:, None] + weights @ features
            logits[cells.first_of_leaf[:-1][cells.arities == 2]] = 0.0  # Of two values the second has the logit.
            top = np.maximum.reduceat(logits, cells.first_of_leaf[:-1], axis=0)[cells.leaf_of]
            parameters = cells.normalised(np.exp(logits - top))
            logs = row_logs(cells, TRAINING, parameters, softmax(components))
            return float(logsumexp(logs, axis=1).mean())

        start = (biases, weights, np.zeros(n_components))
        assert core.log_likelihood(rows.learned) == pytest.approx(mean_log(*start), abs=1e-5)
        found = [np.asarray(array, dtype=float) for array in core.gradient(rows.learned)]
        for which, array in enumerate(start):
            for place in rng.permutation(array.size)[:25]:
                moved = []
                for step in (1e-5, -1e-5):
                    changed = [part.copy() for part in start]
                    changed[which].reshape(-1)[place] += step
                    moved.append(mean_log(*changed))
                difference = (moved[0] - moved[1]) / 2e-5
                assert found[which].reshape(-1)[place] == pytest.approx(difference, rel=2e-3, abs=2e-6)

    def test_rows_of_weight_two_are_rows_twice(self) -> None:
        twice = np.where(np.arange(TRAINING.n_rows) % 3 == 0, 2.0, 1.0)
        repeated = dataset_of(np.repeat(TRAINING.codes.T, twice.astype(int), axis=0))
        cells = Cells.of(learned().network)
        by_weight = CellRows.of(cells, TRAINING, VALIDATION, twice)
        by_rows = CellRows.of(cells, repeated, VALIDATION)
        found = [TiedFit(rows, 4, np.random.default_rng(0)) for rows in (by_weight, by_rows)]
        gradients = [fit._core.gradient(rows.learned) for fit, rows in zip(found, (by_weight, by_rows), strict=True)]
        for a, b in zip(*gradients, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-6)

    def test_features_are_bounded_and_of_the_seed(self) -> None:
        first, again, other = (fourier_features(33, np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert first.shape == (128, 33)
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)
        assert np.abs(first).max() <= 3 * np.sqrt(2 / 128)


class TestFree:
    @each_kind
    def test_the_likelihood_never_falls(self, kind: str) -> None:
        rows = cell_rows(kind)
        fit = FreeFit(rows, 6, np.random.default_rng(0), strength=0.0)
        logs = [fit.log_likelihood(rows.learned)]
        for _ in range(12):
            fit.round(rows.learned)
            logs.append(fit.log_likelihood(rows.learned))
        assert (np.diff(logs) > -1e-5).all()
        assert logs[-1] > logs[0] + 0.05

    def test_a_strong_prior_keeps_the_shared_parameters(self) -> None:
        rows = cell_rows()
        fit = FreeFit(rows, 6, np.random.default_rng(0), strength=1e9)
        fit.round(rows.learned)
        np.testing.assert_allclose(fit.vectors[0], np.repeat(rows.cells.shared[:, None], 6, axis=1), atol=1e-5)


def mixture_data(seed: int, n_rows: int) -> tuple[NDArray[np.int64], Any]:
    """Rows of three components, each with values that do not depend on each other; and their true log-probability."""
    arities = np.array([2, 3, 2, 4, 2, 2, 3, 2])
    rng = np.random.default_rng(5)
    tables = [rng.dirichlet(np.full(arity, 0.4), size=3) for arity in arities]
    weights = np.array([0.5, 0.3, 0.2])
    draw = np.random.default_rng(seed)
    hidden = draw.choice(3, size=n_rows, p=weights)
    rows = np.column_stack([[draw.choice(len(t[0]), p=t[k]) for k in hidden] for t in tables])
    logs = np.log(weights) + sum(np.log(t[:, rows[:, v]]).T for v, t in enumerate(tables))
    return rows, logsumexp(logs, axis=1).mean()


@pytest.mark.parametrize("way", ["tied", "free"])
def test_a_known_mixture_is_recovered_within_sampling_error(way: str) -> None:
    arities = [2, 3, 2, 4, 2, 2, 3, 2]
    train, valid, test = (
        dataset_of(mixture_data(seed, n)[0], arities) for seed, n in ((1, 4000), (2, 1500), (3, 6000))
    )
    truth = mixture_data(3, 6000)[1]
    independent = learn_table(train, LearnSettings(max_splits=0, alpha=1.0, shrinkage=0.0))
    rows = CellRows.of(Cells.of(independent.network), train, valid)
    rng = np.random.default_rng(0)
    fit: Fit = TiedFit(rows, 24, rng) if way == "tied" else FreeFit(rows, 3, rng, 1.0)
    told: list[Round] = []
    rounds = Rounds(fit, patience=6)
    rounds.run(rows.learned, rows.judging, 80, lambda: False, told.append)
    assert rounds.vectors is not None
    mixture = rows.cells.mixture(independent.circuit, *rounds.vectors)
    found = float(infer.log_likelihood(mixture, test).mean())
    alone = float(independent.network.log_likelihood(test.codes).mean())
    assert truth - found < 0.03
    assert found - alone > 0.5, "components say much about these rows"
    assert rounds.best == max(round_.judged for round_ in told)
    assert [round_.number for round_ in told] == list(range(1, len(told) + 1))


class TestRounds:
    class Scripted:
        """A fit whose judged likelihoods are known beforehand."""

        def __init__(self, judged: list[float]) -> None:
            self.judged = judged
            self.n = 0

        def round(self, rows: LeafRows) -> float:
            self.n += 1
            return float(self.n)

        def log_likelihood(self, rows: LeafRows) -> float:
            return self.judged[self.n - 1]

        @property
        def vectors(self) -> tuple[Floats, Floats]:
            return np.full((1, 1), self.n), np.ones(1)

    def run(self, judged: list[float], patience: int, most: int = 100) -> tuple[Rounds, bool]:
        rows = cell_rows()
        rounds = Rounds(self.Scripted(judged), patience)
        return rounds, rounds.run(rows.learned, rows.judging, most, lambda: False)

    def test_the_best_vectors_are_kept(self) -> None:
        rounds, is_over = self.run([-5, -3, -4, -4, -4, -1], patience=3)
        assert (rounds.best, rounds.n_best, rounds.n_done, is_over) == (-3, 2, 5, True)
        assert rounds.vectors is not None
        assert rounds.vectors[0][0, 0] == 2

    def test_it_can_go_on(self) -> None:
        rows = cell_rows()
        rounds, is_over = self.run([-5, -4, -3, -2], patience=3, most=2)
        assert (rounds.n_done, is_over) == (2, False)
        assert not rounds.run(rows.learned, rows.judging, 2, lambda: False)
        assert rounds.best == -2

    def test_it_can_be_stopped(self) -> None:
        rows = cell_rows()
        rounds = Rounds(self.Scripted([-1.0]), 3)
        assert rounds.run(rows.learned, rows.judging, 5, lambda: True)
        assert rounds.n_done == 0


def test_one_component_is_the_network() -> None:
    model = learned()
    cells = Cells.of(model.network)
    mixture = cells.mixture(model.circuit, cells.shared[:, None], np.ones(1))
    assert isinstance(mixture, Mixture)
    assert np.array_equal(mixture.parameters[0], model.circuit.parameters)
