"""From a table to a mixture: what is chosen, what is kept, and that chance and threads have no say in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from learning import SETTINGS, TRAINING, VALIDATION, assert_same_model, dataset_of

from learnac import infer
from learnac.circuit import Circuit, Mixture, check_components
from learnac.data import Dataset
from learnac.errors import SettingError
from learnac.learn import Learned, LearnSettings, MixtureSettings, RoundInfo, Rows, Stop, learn_mixture, learn_table
from learnac.learn.interrupt import Interrupt
from learnac.learn.mixture.race import Entrant, Watch, race
from learnac.learn.mixture.state import EntrantState
from learnac.learn.mixture.structures import RowFold, Structure
from learnac.learn.mixture.ways import WAYS, Way

SMALL = LearnSettings(max_edges=4000)
THREE = MixtureSettings(n_components=3)


def clustered(seed: int, n_rows: int, n_variables: int = 24, n_clusters: int = 8) -> Dataset:
    """Rows of clusters that no small tree tells apart: mixtures are what they are made of."""
    chances = np.random.default_rng(0).uniform(0.05, 0.95, size=(n_clusters, n_variables))
    rng = np.random.default_rng(seed)
    hidden = rng.integers(n_clusters, size=n_rows)
    return dataset_of((rng.random((n_rows, n_variables)) < chances[hidden]).astype(np.int64), [2] * n_variables)


def mixture_of(learned: Learned) -> Mixture:
    found = learned.model.circuit
    assert isinstance(found, Mixture)
    return found


def assert_same_mixture(a: Learned, b: Learned) -> None:
    for one, other in zip(*((m.parameters, m.weights) for m in map(mixture_of, (a, b))), strict=True):
        assert np.array_equal(one, other)


class TestWhatComesOut:
    @pytest.mark.parametrize("kind", ["binary", "complete"])
    @pytest.mark.parametrize("validation", [None, Rows(VALIDATION)])
    def test_a_mixture_of_as_many_components_as_asked_for(self, kind: str, validation: Rows | None) -> None:
        settings = replace(SMALL, splits=kind)
        learned = learn_mixture(Rows(TRAINING), settings, THREE, validation=validation)
        mixture = mixture_of(learned)
        assert mixture.n_components == 3
        assert mixture.n_edges == mixture.structure.n_edges * 3 <= 4000
        check_components(mixture)
        assert mixture.network is not None
        assert learned.model.network is None, "no network equals a mixture"
        assert learned.stop is Stop.HELD_OUT
        assert learned.mixing is not None
        assert learned.mixing.n_rounds > 0

    def test_it_does_better_than_a_circuit_of_as_many_edges(self) -> None:
        train, valid, test = (clustered(seed, n) for seed, n in ((1, 3000), (2, 600), (3, 3000)))
        budget = LearnSettings(max_edges=6000)
        alone = learn_table(train, budget, validation=valid)
        for given in (Rows(valid), None):
            learned = learn_mixture(Rows(train), budget, MixtureSettings("auto"), validation=given)
            gain = (
                infer.log_likelihood(mixture_of(learned), test).mean() - alone.network.log_likelihood(test.codes).mean()
            )
            assert gain > 0.03

    def test_a_single_circuit_where_that_does_better(self) -> None:
        # A long chain, nearly certain: circuits have it exactly, and components do not help.
        rng = np.random.default_rng(0)
        rows = np.cumsum(rng.random((4000, 10)) < 0.02, axis=1) % 2
        table = dataset_of(rows.astype(np.int64), [2] * 10)
        train, valid = table[np.arange(3000)], table[np.arange(3000, 4000)]
        learned = learn_mixture(
            Rows(train), LearnSettings(max_edges=160), MixtureSettings("auto"), validation=Rows(valid)
        )
        assert isinstance(learned.model.circuit, Circuit)
        assert_same_model(learned, learn_table(train, LearnSettings(max_edges=160), validation=valid))

    @pytest.mark.parametrize(
        "given", [None, Rows(dataset_of(np.random.default_rng(2).integers(2, size=(300, 8)), [2] * 8))]
    )
    def test_a_single_circuit_where_there_is_nothing_to_gain(self, given: Rows | None) -> None:
        coins = dataset_of(np.random.default_rng(1).integers(2, size=(1000, 8)), [2] * 8)
        learned = learn_mixture(Rows(coins), LearnSettings(), MixtureSettings("auto"), validation=given)
        assert isinstance(learned.model.circuit, Circuit)
        assert learned.mixing is not None
        assert learned.mixing.n_components == 1

    @pytest.mark.parametrize("n_rows", [1, 2, 9, 60])
    def test_tables_of_few_rows(self, n_rows: int) -> None:
        learned = learn_mixture(Rows(TRAINING[np.arange(n_rows)]), LearnSettings(), THREE)
        check_components(mixture_of(learned))

    def test_averages_have_components_of_all_seeds(self) -> None:
        one, three = (
            learn_mixture(Rows(TRAINING), SMALL, MixtureSettings(2, n), validation=Rows(VALIDATION)) for n in (1, 3)
        )
        first, averaged = mixture_of(one), mixture_of(three)
        assert averaged.n_components == 6
        assert averaged.n_edges <= 4000
        assert averaged.weights.reshape(3, 2).sum(axis=1) == pytest.approx(np.full(3, 1 / 3))
        assert three.mixing is not None
        assert three.mixing.n_averages == 3
        parts = averaged.parameters.reshape(3, 2, -1)
        assert not np.allclose(parts[0], parts[1])
        assert first.n_components == 2

    def test_weights_of_rows_are_rows_that_often(self) -> None:
        often = np.where(np.arange(TRAINING.n_rows) < 100, 20.0, 1.0)
        repeated = dataset_of(np.repeat(TRAINING.codes.T, often.astype(int), axis=0))
        settings = LearnSettings(max_edges=2000, alpha=1.0, shrinkage=0.0)
        found = [
            mixture_of(learn_mixture(rows, settings, THREE, validation=Rows(VALIDATION)))
            for rows in (Rows(TRAINING, often), Rows(repeated))
        ]
        logs = [infer.log_likelihood(mixture, VALIDATION) for mixture in found]
        assert logs[0].mean() == pytest.approx(logs[1].mean(), abs=0.05)
        unweighted = mixture_of(learn_mixture(Rows(TRAINING), settings, THREE, validation=Rows(VALIDATION)))
        heavy = TRAINING[np.arange(100)]
        assert infer.log_likelihood(found[0], heavy).mean() > infer.log_likelihood(unweighted, heavy).mean()

    def test_rows_without_weight_are_no_rows(self) -> None:
        weights = (np.arange(TRAINING.n_rows) % 4 == 0).astype(float)
        weighted = learn_mixture(Rows(TRAINING, weights), SMALL, THREE, validation=Rows(VALIDATION))
        alone = Rows(TRAINING[np.flatnonzero(weights)], np.ones(int(weights.sum())))
        assert_same_mixture(weighted, learn_mixture(alone, SMALL, THREE, validation=Rows(VALIDATION)))

    def test_validation_weights_are_heard(self) -> None:
        weights = np.where(np.arange(VALIDATION.n_rows) < 30, 100.0, 0.001)
        told: list[list[float]] = []
        for given in (None, weights):
            learned = learn_mixture(Rows(TRAINING), SMALL, THREE, validation=Rows(VALIDATION, given))
            assert learned.mixing is not None
            told.append([tried.validation_log_likelihood for tried in learned.mixing.tried])
        assert told[0] != told[1]


class TestTheSameModel:
    def test_of_any_number_of_threads(self) -> None:
        found = [
            learn_mixture(Rows(TRAINING), SMALL, MixtureSettings(4, 2), validation=Rows(VALIDATION), n_threads=n)
            for n in (1, 2, 5)
        ]
        for other in found[1:]:
            assert_same_mixture(found[0], other)

    @pytest.mark.parametrize("validation", [None, Rows(VALIDATION)])
    def test_of_a_seed_and_another_of_another(self, validation: Rows | None) -> None:
        found = [
            learn_mixture(Rows(TRAINING), SMALL, MixtureSettings(4, random_state=seed), validation=validation)
            for seed in (1, 1, 2)
        ]
        assert_same_mixture(found[0], found[1])
        assert not np.array_equal(mixture_of(found[0]).parameters, mixture_of(found[2]).parameters)


class TestBudgets:
    def test_edges_times_components_are_limited(self) -> None:
        for n_components in (2, 7, "auto"):
            learned = learn_mixture(
                Rows(TRAINING),
                LearnSettings(max_edges=900),
                MixtureSettings(n_components, 2),
                validation=Rows(VALIDATION),
            )
            asked = learned.model.circuit
            assert asked is not None
            assert asked.n_edges <= 900

    def test_too_few_edges_are_refused_before_learning(self) -> None:
        with pytest.raises(SettingError, match=r"max_edges: expected at least \d+, the edges .* times all components"):
            learn_mixture(Rows(TRAINING), LearnSettings(max_edges=100), MixtureSettings(50))

    def test_a_price_of_edges_is_that_of_the_structure(self) -> None:
        settings = LearnSettings(**SETTINGS | {"edge_penalty": 1e9})
        learned = learn_mixture(Rows(TRAINING), settings, THREE, validation=Rows(VALIDATION))
        assert learned.n_splits == 0
        assert mixture_of(learned).n_components == 3

    @pytest.mark.parametrize("validation", [None, Rows(clustered(2, 2000))])
    def test_time(self, validation: Rows | None) -> None:
        start = time.monotonic()
        table = clustered(1, 20_000)
        settings = LearnSettings(max_seconds=1.0)
        learned = learn_mixture(Rows(table), settings, MixtureSettings("auto", 8), validation=validation)
        assert time.monotonic() - start < 6
        assert learned.stop is Stop.MAX_SECONDS
        assert np.isfinite(infer.log_likelihood(learned.model.require_circuit(), table[np.arange(10)])).all()

    def test_no_time_at_all(self) -> None:
        learned = learn_mixture(Rows(TRAINING), LearnSettings(max_seconds=0.0), THREE)
        assert learned.model.circuit is not None


class TestEnding:
    @staticmethod
    def at_round(number: int, then: Callable[[], object]) -> Any:
        """What is called after each step, and does something at a round."""
        seen = 0

        def on_step(info: object) -> object:
            nonlocal seen
            seen += isinstance(info, RoundInfo)
            return then() if seen == number else None

        return on_step

    @staticmethod
    def interrupt() -> None:
        raise KeyboardInterrupt

    @pytest.mark.parametrize("n_threads", [1, 2])
    @pytest.mark.parametrize("validation", [None, Rows(VALIDATION)])
    @pytest.mark.parametrize("number", [1, 5, 14])
    def test_ctrl_c_gives_the_best_so_far(self, number: int, validation: Rows | None, n_threads: int) -> None:
        on_step = self.at_round(number, self.interrupt)
        learned = learn_mixture(
            Rows(TRAINING), SMALL, THREE, validation=validation, on_step=on_step, n_threads=n_threads
        )
        assert learned.stop is Stop.INTERRUPTED
        check_components(mixture_of(learned))

    def test_ctrl_c_in_the_search_gives_a_circuit(self) -> None:
        learned = learn_mixture(
            Rows(TRAINING), SMALL, THREE, validation=Rows(VALIDATION), on_step=lambda info: self.interrupt()
        )
        assert learned.stop is Stop.INTERRUPTED
        assert isinstance(learned.model.circuit, Circuit)

    def test_the_callback_ends_it(self) -> None:
        learned = learn_mixture(
            Rows(TRAINING), SMALL, THREE, validation=Rows(VALIDATION), on_step=self.at_round(2, lambda: True)
        )
        assert learned.stop is Stop.CALLBACK
        assert mixture_of(learned).n_components == 3

    def test_an_error_of_the_callback_is_raised(self) -> None:
        def fail() -> None:
            raise RuntimeError("mine")

        for n_threads in (1, 2):
            with pytest.raises(RuntimeError, match="mine"):
                learn_mixture(
                    Rows(TRAINING),
                    SMALL,
                    THREE,
                    validation=Rows(VALIDATION),
                    on_step=self.at_round(1, fail),
                    n_threads=n_threads,
                )

    def test_rounds_are_told(self) -> None:
        told: list[Any] = []
        learn_mixture(Rows(TRAINING), SMALL, THREE, validation=Rows(VALIDATION), on_step=told.append)
        rounds = [info for info in told if isinstance(info, RoundInfo)]
        assert {info.way for info in rounds} >= {str(way) for way in WAYS}
        assert all(info.n_components == 3 and info.n_edges <= 4000 for info in rounds)
        assert all(np.isfinite(info.validation_log_likelihood) for info in rounds)


class TestRace:
    @staticmethod
    def entrants() -> list[Entrant]:
        found = learn_table(TRAINING, LearnSettings(max_edges=600), validation=VALIDATION)
        structure = Structure(600, [RowFold(Rows(TRAINING), Rows(VALIDATION))], [found])
        return [Entrant(structure, n, way, (0, 0)) for n in (2, 6) for way in (*WAYS, Way("free", 100.0))]

    def test_the_winner_is_the_best_of_all(self) -> None:
        entrants = self.entrants()
        winner = race(entrants, Watch(Interrupt(), 0.0))
        assert winner.judged == max(entrant.judged for entrant in entrants)
        assert winner.rounds.is_over

    def test_the_worse_half_is_left_behind(self) -> None:
        entrants = self.entrants()
        race(entrants, Watch(Interrupt(), 0.0))
        n_done = sorted(entrant.rounds.n_done for entrant in entrants)
        assert n_done[:4] == [3, 3, 3, 3]
        assert n_done[4:6] == [6, 6]

    def test_who_races_again_does_not_go_back(self) -> None:
        first = self.entrants()[0]
        first.rounds.advance()
        kept = {first.key: EntrantState.of(first.rounds, goes_on=True)}
        watch = Watch(Interrupt(), 0.0, resumed=kept)
        again = self.entrants()[0]
        race([again], watch)
        n_done = again.rounds.n_done
        assert n_done > 1
        race([again, self.entrants()[1]], watch)
        assert again.rounds.n_done == n_done

    def test_the_judged_likelihood_is_that_of_the_mixture(self) -> None:
        for entrant in self.entrants():
            for _ in range(2):
                entrant.rounds.advance()
            learned, cells = entrant.structure.found[0], entrant.rounds.folds[0].cells
            mixture = cells.mixture(learned.circuit, *entrant.rounds.vectors[0])
            assert infer.log_likelihood(mixture, VALIDATION).mean() == pytest.approx(entrant.judged, abs=1e-5)


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        ({"n_components": 0}, 'n_components: expected at least 1 or "auto", found 0'),
        ({"n_components": "many"}, "n_components: expected a whole number or \"auto\", found 'many'"),
        ({"n_components": 2.0}, 'n_components: expected a whole number or "auto", found 2.0'),
        ({"n_components": True}, 'n_components: expected a whole number or "auto", found True'),
        ({"n_averages": 0}, "n_averages: expected at least 1, found 0"),
        ({"n_averages": 4}, "n_averages: expected 1, as a single circuit has no seed, or n_components too, found 4"),
        ({"random_state": -1}, "random_state: expected at least 0, found -1"),
    ],
)
def test_settings_that_make_no_sense(stated: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingError) as raised:
        MixtureSettings(**stated)
    assert str(raised.value) == complaint


class TestSizes:
    def test_all_sizes_come_of_one_search(self) -> None:
        from learnac.learn.tables import learn_table_sizes

        settings, sizes = LearnSettings(), [150, 300, 900, 100_000]
        found = learn_table_sizes(Rows(TRAINING), settings, sizes, validation=Rows(VALIDATION))
        edges = [each.circuit.n_edges for each in found]
        assert all(n <= size for n, size in zip(edges, sizes, strict=False))
        assert edges == sorted(edges)
        largest = learn_table(TRAINING, replace(settings, max_edges=sizes[len(found) - 1]), validation=VALIDATION)
        assert found[-1].trace[: largest.n_splits] == largest.trace[: largest.n_splits] or len(found) < len(sizes)
        for each in found:
            logs = infer.log_likelihood(each.circuit, VALIDATION)
            np.testing.assert_allclose(logs, each.network.log_likelihood(VALIDATION.codes), rtol=1e-12)
