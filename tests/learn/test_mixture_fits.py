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
from learnac.learn.mixture.fit import Fit, Judged, Rounds, State, Vectors
from learnac.learn.mixture.free import FreeFit
from learnac.learn.mixture.tied import TiedFit, fourier_features
from learnac.learn.mixture.ways import Way
from learnac.learn.tables import Rows

Floats = NDArray[np.float64]


def learned(kind: str = "binary", table: Dataset = TRAINING) -> Learned:
    return learn_table(table, LearnSettings(0.05, 0.3, alpha=1.0, shrinkage=0.0, splits=kind))


def cell_rows(kind: str = "binary", weights: Floats | None = None) -> CellRows:
    return CellRows.of(Cells.of(learned(kind).network), Rows(TRAINING, weights), Rows(VALIDATION))


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


def test_rows_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.random.default_rng(0).uniform(0, 2, TRAINING.n_rows)
    whole = cell_rows(weights=weights)
    monkeypatch.setattr("learnac.learn.mixture.cells._BLOCK", 7)
    in_blocks = cell_rows(weights=weights)
    assert in_blocks.learned.n_rows == TRAINING.n_rows
    vectors = random_vectors(whole.cells, 3)
    logs = [np.log(part).astype(np.float32) for part in vectors]
    found = [expected_counts(rows.layout, *logs, rows.learned) for rows in (whole, in_blocks)]
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-6)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-3)


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
            rows.layout,
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
        core = TiedMixture(rows.layout, *(a.astype(np.float32) for a in (features, biases, weights)))

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
        by_weight = CellRows.of(cells, Rows(TRAINING, twice), Rows(VALIDATION))
        by_rows = CellRows.of(cells, Rows(repeated), Rows(VALIDATION))
        found = [TiedFit(rows, 4, (0,)) for rows in (by_weight, by_rows)]
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
        fit = FreeFit.from_chance(rows, 6, (0,), strength=0.0)
        logs = [fit.log_likelihood(rows.learned)]
        for _ in range(12):
            fit.round(rows.learned)
            logs.append(fit.log_likelihood(rows.learned))
        assert (np.diff(logs) > -1e-5).all()
        assert logs[-1] > logs[0] + 0.05

    def test_a_strong_prior_keeps_the_shared_parameters(self) -> None:
        rows = cell_rows()
        fit = FreeFit.from_chance(rows, 6, (0,), strength=1e9)
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
    rows = CellRows.of(Cells.of(independent.network), Rows(train), Rows(valid))
    fit: Fit = TiedFit(rows, 24, (0,)) if way == "tied" else FreeFit.from_chance(rows, 3, (0,), 1.0)
    rounds = Rounds([fit], [rows], patience=6)
    told: list[Judged] = []
    while not rounds.is_over:
        told.append(rounds.advance())
    mixture = rows.cells.mixture(independent.circuit, *rounds.vectors[0])
    found = float(infer.log_likelihood(mixture, test).mean())
    alone = float(independent.network.log_likelihood(test.codes).mean())
    assert truth - found < 0.03
    assert found - alone > 0.5, "components say much about these rows"
    assert rounds.best == max(judged for _, _, judged in told if judged is not None)
    assert [judged.number for judged in told] == list(range(1, len(told) + 1))


@each_kind
@pytest.mark.parametrize("way", [Way("tied"), Way("free", 2.0), Way("loosened", 4.0)], ids=str)
class TestStates:
    def test_a_fit_goes_on_from_its_state_as_it_would_have(self, kind: str, way: Way) -> None:
        rows = cell_rows(kind)
        start = Vectors(*random_vectors(rows.cells, 5))
        fit, again = (way.begin(rows, 5, (3, 1), start) for _ in range(2))
        for _ in range(2):
            fit.round(rows.learned)
        again.restore(fit.state)
        for each in (fit, again):
            each.round(rows.learned)
        for a, b in zip(fit.vectors, again.vectors, strict=True):
            assert np.array_equal(a, b)

    def test_vectors_are_probabilities(self, kind: str, way: Way) -> None:
        rows = cell_rows(kind)
        fit = way.begin(rows, 5, (3, 1), Vectors(*random_vectors(rows.cells, 5)))
        fit.round(rows.learned)
        parameters, weights = fit.vectors
        sums = np.add.reduceat(parameters, rows.cells.first_of_leaf[:-1], axis=0)
        np.testing.assert_allclose(sums, 1, rtol=1e-14)
        assert weights.sum() == pytest.approx(1, rel=1e-14)


def test_the_state_of_another_fit_is_refused() -> None:
    rows = cell_rows()
    small, large = (TiedFit(rows, n, (0,)) for n in (3, 40))
    with pytest.raises(ValueError, match="expected the state of a mixture like this one"):
        small.restore(large.state)


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
        def vectors(self) -> Vectors:
            return Vectors(np.full((1, 1), self.n), np.ones(1))

        @property
        def state(self) -> State:
            return {}

        def restore(self, state: State) -> None: ...

    def rounds(self, *judged: list[float], patience: int = 3, n_planned: int | None = None) -> Rounds:
        rows = cell_rows()
        return Rounds([self.Scripted(each) for each in judged], [rows] * len(judged), patience, n_planned)

    def test_the_best_vectors_are_kept(self) -> None:
        rounds = self.rounds([-5, -3, -4, -4, -4, -1])
        while not rounds.is_over:
            rounds.advance()
        assert (rounds.best, rounds.n_best, rounds.n_done) == (-3, 2, 5)
        assert rounds.vectors[0].parameters[0, 0] == 2

    def test_folds_are_judged_together(self) -> None:
        rounds = self.rounds([-5, -3, -4, -4, -4], [-5, -5, -1, -4, -4], patience=2)
        while not rounds.is_over:
            rounds.advance()
        assert (rounds.best, rounds.n_best) == (-2.5, 3)
        assert [vectors.parameters[0, 0] for vectors in rounds.vectors] == [3, 3]

    def test_as_many_rounds_as_planned_are_judged_by_nobody(self) -> None:
        rounds = self.rounds([], n_planned=4)
        while not rounds.is_over:
            assert rounds.advance().judged is None
        assert rounds.n_done == 4
        assert rounds.vectors[0].parameters[0, 0] == 4


def test_one_component_is_the_network() -> None:
    model = learned()
    cells = Cells.of(model.network)
    mixture = cells.mixture(model.circuit, cells.shared[:, None], np.ones(1))
    assert isinstance(mixture, Mixture)
    assert np.array_equal(mixture.parameters[0], model.circuit.parameters)
