"""Learning from rows with gaps: against enumeration, and what must hold of the rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning import ARITIES, TRAINING, VALIDATION, assert_same_circuit, dataset_of, each_kind, random_rows
from numpy.typing import NDArray
from random_networks import random_network
from worlds import probabilities, worlds_of

from learnac.circuit import Circuit, Mixture, properties
from learnac.compiler import compile_network
from learnac.data import Dataset, Evidence
from learnac.errors import DataError, SettingError
from learnac.infer import log_likelihood
from learnac.learn import (
    Checkpoints,
    Learned,
    LearnSettings,
    MixtureSettings,
    MixtureState,
    RoundInfo,
    SearchState,
    Smoothing,
    StepInfo,
    Stop,
    learn_incomplete,
    learn_incomplete_mixture,
    learn_table,
)
from learnac.learn.gaps import learn as gaps_learn
from learnac.learn.gaps import mixture as gaps_mixture
from learnac.learn.gaps.completion import (
    MOST_COPIES,
    completed_by,
    completed_by_columns,
    enough_copies,
    log_known,
    mean_log_known,
)
from learnac.learn.gaps.rounds import IncompleteRows, ParameterRounds, counts_of_complete, estimated

seeds = st.integers(0, 2**32 - 1)
some_arities = st.lists(st.integers(1, 3), min_size=2, max_size=5).map(tuple)
SETTINGS = LearnSettings(edge_penalty=0.02, parameter_penalty=0.1)


def with_gaps(dataset: Dataset, share: float, seed: int = 0, weights: Any = None) -> Evidence:
    """Some of the values of a table deleted at random."""
    codes = dataset.codes.astype(dataset.schema.evidence_dtype)
    codes[np.random.default_rng(seed).random(codes.shape) < share] = -1
    return replace(Evidence.of_codes(dataset.schema, codes), weights=weights)


GAPS = with_gaps(TRAINING, 0.3)
OTHERS = with_gaps(VALIDATION, 0.3, seed=1)


def possible(row: NDArray[Any], worlds: NDArray[Any]) -> NDArray[np.bool_]:
    """Which worlds agree with what is known of a row."""
    return np.asarray(((worlds == row[:, None]) | (row < 0)[:, None]).all(axis=0))


class TestCompletions:
    @settings(max_examples=20)
    @given(seeds, some_arities)
    def test_samples_have_the_exact_distribution_given_what_is_known(self, seed: int, arities: tuple[int, ...]) -> None:
        network = random_network(seed, arities)
        worlds, weights = worlds_of(arities), probabilities(network)
        rng = np.random.default_rng(seed)
        row = worlds[:, rng.choice(len(weights), p=weights)].astype(np.int64)
        row[rng.random(len(row)) < 0.5] = -1
        n_rows = 4000
        codes = np.repeat(row[:, None], n_rows, axis=1).astype(network.schema.evidence_dtype)
        evidence = Evidence.of_codes(network.schema, codes)
        drawn = completed_by(compile_network(network), evidence, 1, seed).rows.dataset.codes
        expected = np.where(possible(row, worlds), weights, 0)
        expected = expected / expected.sum()
        found = np.array([(drawn == world[:, None]).all(axis=0).mean() for world in worlds.T])
        # Six standard deviations: one in a billion by chance.
        assert (np.abs(found - expected) <= 6 * np.sqrt(expected * (1 - expected) / n_rows) + 1e-9).all()

    def test_every_row_keeps_its_weight_and_what_is_known_of_it(self) -> None:
        weights = np.random.default_rng(0).uniform(0, 3, size=TRAINING.n_rows)
        rows = with_gaps(TRAINING, 0.1, weights=weights)
        circuit = learn_table(TRAINING, SETTINGS).circuit
        for done in (completed_by(circuit, rows, 3, 7), completed_by_columns(rows, rows, 3, 7)):
            codes, known = done.rows.dataset.codes, rows.codes[:, done.origins]
            assert (codes[known >= 0] == known[known >= 0]).all()
            np.testing.assert_allclose(np.bincount(done.origins, weights=done.rows.weights), weights)
            times = np.bincount(done.origins)
            np.testing.assert_array_equal(times, np.where((rows.codes < 0).any(axis=0), 3, 1))

    def test_columns_fill_gaps_with_what_they_hold(self) -> None:
        codes = np.array([[0, 2, 2, 2, *[-1] * 4000]], dtype=np.int8)
        schema = Dataset.from_array(np.zeros((1, 1), dtype=int), arities=3).schema
        rows = Evidence.of_codes(schema, codes)
        filled = completed_by_columns(rows, rows, 1, 0).rows.dataset.codes[0, 4:]
        np.testing.assert_allclose(np.bincount(filled, minlength=3) / 4000, [0.25, 0, 0.75], atol=0.05)

    def test_what_is_impossible_is_completed_nevertheless(self) -> None:
        training = Dataset.from_array([[0, 0, 1], [1, 1, 1]] * 30)
        circuit = learn_table(training, LearnSettings(edge_penalty=0.01, alpha=0.0, shrinkage=0.0)).circuit
        rows = Evidence.of_codes(training.schema, np.array([[0, 1, 0], [-1, -1, 1], [1, 1, -1]], dtype=np.int8))
        assert np.isneginf(log_likelihood(circuit, rows)[2])
        done = completed_by(circuit, rows, 2, 0).rows.dataset.codes
        np.testing.assert_array_equal(done, [[0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]])

    def test_few_rows_are_completed_more_often(self) -> None:
        assert enough_copies(GAPS) == MOST_COPIES
        many = Evidence.of_codes(GAPS.schema, np.repeat(GAPS.codes, 200, axis=1))
        assert enough_copies(many) == 1

    @settings(max_examples=30)
    @given(seeds, some_arities)
    def test_likelihoods_of_what_is_known_are_sums_over_worlds(self, seed: int, arities: tuple[int, ...]) -> None:
        network = random_network(seed, arities)
        worlds, weights = worlds_of(arities), probabilities(network)
        rng = np.random.default_rng(seed)
        rows = np.where(rng.random((12, len(arities))) < 0.4, -1, rng.integers(arities, size=(12, len(arities))))
        evidence = Evidence.of_codes(network.schema, np.ascontiguousarray(rows.T).astype(network.schema.evidence_dtype))
        with np.errstate(divide="ignore"):
            expected = [np.log(weights[possible(row, worlds)].sum()) for row in rows]
        found = log_known(compile_network(network), network, evidence)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


class TestParameterRounds:
    @settings(max_examples=60)
    @given(seeds, some_arities, st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from([0.0, 2.0]))
    def test_the_objective_never_falls_whatever_is_assumed(
        self, seed: int, arities: tuple[int, ...], share: float, most_assumed: float
    ) -> None:
        rng = np.random.default_rng(seed)
        network = random_network(seed, arities, zeros=0)
        circuit = _with_all_leaves(network)
        rows = np.where(rng.random((40, len(arities))) < share, -1, rng.integers(arities, size=(40, len(arities))))
        evidence = Evidence.of_codes(network.schema, np.ascontiguousarray(rows.T).astype(network.schema.evidence_dtype))
        weights = rng.uniform(0.1, 2, size=40)
        pseudo = [rng.uniform(0, most_assumed, size=tree.parameters.shape) for tree in network.trees]
        rounds = ParameterRounds(circuit, IncompleteRows.of(evidence, weights), pseudo)
        found = rounds.run(network, max_rounds=15, tolerance=0)
        assert (np.diff(found.objectives) >= -1e-10).all()
        observed = np.average(log_likelihood(found.circuit, evidence), weights=weights)
        assert found.log_likelihood == pytest.approx(observed, rel=1e-9)
        assert all(properties(found.circuit))

    @settings(max_examples=30)
    @given(seeds, some_arities)
    def test_a_round_is_the_expectation_over_all_worlds(self, seed: int, arities: tuple[int, ...]) -> None:
        rng = np.random.default_rng(seed)
        network = random_network(seed, arities)
        worlds, weights = worlds_of(arities), probabilities(network)
        rows = np.where(rng.random((15, len(arities))) < 0.5, -1, rng.integers(arities, size=(15, len(arities))))
        rows = np.array([row for row in rows if weights[possible(row, worlds)].sum() > 0])
        if len(rows) == 0:
            return
        evidence = Evidence.of_codes(network.schema, np.ascontiguousarray(rows.T).astype(network.schema.evidence_dtype))
        pseudo = [np.full_like(tree.parameters, 0.5) for tree in network.trees]
        found = ParameterRounds(_with_all_leaves(network), IncompleteRows.of(evidence), pseudo).run(network, 1, 0)
        # The same by counting worlds, each as often as it is expected to be behind a row.
        share = np.zeros(len(weights))
        for row in rows:
            fits = np.where(possible(row, worlds), weights, 0)
            share += fits / fits.sum()
        expected = estimated(network, counts_of_complete(network, worlds, share), pseudo)
        for one, other in zip(found.network.trees, expected.trees, strict=True):
            np.testing.assert_allclose(one.parameters, other.parameters, rtol=1e-9, atol=1e-12)

    @each_kind
    @pytest.mark.parametrize("smoothing", [{"alpha": 0.7, "shrinkage": 5.0}, {"criterion": "bdeu", "shrinkage": 3.0}])
    def test_without_gaps_parameters_stay_as_smoothing_made_them(self, kind: str, smoothing: dict[str, Any]) -> None:
        learned = learn_table(TRAINING, replace(SETTINGS, splits=kind, **smoothing))
        assert isinstance(learned.smoothing, Smoothing)
        pseudo = learned.smoothing.pseudo_counts(learned.network)
        complete = Evidence.of_codes(TRAINING.schema, TRAINING.codes.astype(np.int8))
        rounds = ParameterRounds(learned.circuit, IncompleteRows.of(complete), pseudo)
        found = rounds.run(learned.network, 1, 0)
        for one, other in zip(found.network.trees, learned.network.trees, strict=True):
            np.testing.assert_allclose(one.parameters, other.parameters, rtol=1e-9)
            np.testing.assert_allclose(one.counts, other.counts)

    def test_threads_and_the_order_of_rows_make_no_difference(self) -> None:
        learned = learn_table(TRAINING, SETTINGS)
        pseudo = learned.smoothing.pseudo_counts(learned.network)
        turned = GAPS.rows(np.arange(GAPS.n_rows)[::-1])
        found = [
            ParameterRounds(learned.circuit, IncompleteRows.of(rows), pseudo, n).run(learned.network, 3, 0)
            for rows, n in ((GAPS, 1), (GAPS, 3), (turned, 1))
        ]
        for other in found[1:]:
            np.testing.assert_array_equal(found[0].circuit.parameters, other.circuit.parameters)


class TestLearning:
    @each_kind
    @pytest.mark.parametrize("schedule", ["quick", "greedy"])
    @pytest.mark.parametrize("validation", [None, OTHERS])
    def test_a_circuit_and_its_network(self, kind: str, schedule: str, validation: Evidence | None) -> None:
        learned = learn_incomplete(GAPS, replace(SETTINGS, splits=kind, schedule=schedule), validation=validation)
        assert all(properties(learned.circuit))
        assert learned.gaps is not None
        assert learned.gaps.n_missing == np.count_nonzero(GAPS.codes < 0)
        by_network = learned.network.log_likelihood(TRAINING.codes)
        np.testing.assert_allclose(log_likelihood(learned.circuit, TRAINING), by_network, rtol=1e-9)
        learned_again = learn_incomplete(GAPS, replace(SETTINGS, splits=kind, schedule=schedule), validation=validation)
        assert_same_circuit(learned.circuit, learned_again.circuit)

    def test_it_does_better_than_rows_without_gaps_alone(self) -> None:
        rows = with_gaps(dataset_of(random_rows(5, 1500)), 0.3)
        complete = rows.codes[:, (rows.codes >= 0).all(axis=0)].astype(np.uint8)
        dropped = learn_table(Dataset(rows.schema, complete), SETTINGS)
        found = learn_incomplete(rows, SETTINGS)
        test = dataset_of(random_rows(6, 2000))
        with_all = learn_table(dataset_of(random_rows(5, 1500)), SETTINGS).network.log_likelihood(test.codes).mean()
        from_gaps = found.network.log_likelihood(test.codes).mean()
        assert dropped.network.log_likelihood(test.codes).mean() < from_gaps <= with_all + 0.02
        assert from_gaps > with_all - 0.15

    def test_a_structure_is_kept_only_if_held_out_rows_gain(self, monkeypatch: pytest.MonkeyPatch) -> None:
        judged = iter([-3.0, -2.0, -2.5, -2.1])
        found: list[Learned] = []
        first = gaps_learn._Learner.structure

        def structure(self: Any, *given: Any) -> Learned:
            found.append(first(self, *given))
            return found[-1]

        monkeypatch.setattr(gaps_learn._Learner, "structure", structure)
        monkeypatch.setattr(gaps_learn._Learner, "likelihood", lambda *_: next(judged))
        learned = learn_incomplete(GAPS, SETTINGS, validation=OTHERS)
        assert learned.gaps is not None
        assert learned.gaps.structures == (-3.0, -2.0, -2.5)
        assert_same_circuit(learned.circuit, found[1].circuit)

    def test_more_rounds_are_kept_only_if_held_out_rows_gain(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = with_gaps(TRAINING, 0.6)
        found = []
        for last in (-2.1, -1.9):
            judged = iter([-2.0, -3.0, last])
            monkeypatch.setattr(gaps_learn._Learner, "likelihood", lambda *_, judged=judged: next(judged))
            found.append(learn_incomplete(rows, SETTINGS, validation=OTHERS))
        few, more = (each.gaps for each in found)
        assert few is not None
        assert more is not None
        assert few.structures == (-2.0, -3.0)
        assert more.structures == (-1.9, -3.0)
        assert few.n_rounds <= 3 < more.n_rounds

    def test_no_more_structures_once_one_is_worse(self, monkeypatch: pytest.MonkeyPatch) -> None:
        judged = iter([-2.0, -2.0, -2.0])
        monkeypatch.setattr(gaps_learn._Learner, "likelihood", lambda *_: next(judged))
        learned = learn_incomplete(GAPS, SETTINGS, validation=OTHERS)
        assert learned.gaps is not None
        assert learned.gaps.structures == (-2.0, -2.0)

    def test_what_judges_is_the_likelihood_of_what_is_known(self) -> None:
        learned = learn_incomplete(GAPS, SETTINGS, validation=OTHERS)
        assert learned.gaps is not None
        found = mean_log_known(learned.circuit, learned.network, OTHERS)
        assert found == pytest.approx(max(learned.gaps.structures), rel=1e-12)

    def test_gaps_in_the_validation_table_alone(self) -> None:
        complete = Evidence.of_codes(TRAINING.schema, TRAINING.codes.astype(np.int8))
        learned = learn_incomplete(complete, SETTINGS, validation=OTHERS)
        assert learned.gaps is not None
        assert (learned.gaps.n_missing, learned.gaps.n_rounds) == (0, 0)
        # Parameters are those of complete rows: counts of the trees are whole numbers.
        assert all((tree.counts == np.rint(tree.counts)).all() for tree in learned.network.trees)

    def test_weights_count_as_rows_do(self) -> None:
        times = np.random.default_rng(0).integers(0, 3, size=GAPS.n_rows)
        weighted = learn_incomplete(
            replace(GAPS, weights=times.astype(np.float64)), replace(SETTINGS, max_splits=0), validation=OTHERS
        )
        repeated = learn_incomplete(
            GAPS.rows(np.repeat(np.arange(GAPS.n_rows), times)), replace(SETTINGS, max_splits=0), validation=OTHERS
        )
        # Without splits EM has one answer, whatever was sampled on the way; it is near after some rounds.
        np.testing.assert_allclose(weighted.circuit.parameters, repeated.circuit.parameters, atol=0.02)

    @pytest.mark.parametrize("n_rows", [1, 2, 9])
    def test_few_rows(self, n_rows: int) -> None:
        codes = np.array([[0], [-1], [1], [0], [3], [1]], dtype=np.int8)
        rows = Evidence.of_codes(TRAINING.schema, np.repeat(codes, n_rows, axis=1))
        assert all(properties(learn_incomplete(rows, SETTINGS).circuit))

    def test_the_callback_ends_learning_and_is_told_of_structures_and_rounds(self) -> None:
        seen: list[StepInfo | RoundInfo] = []
        learn_incomplete(GAPS, SETTINGS, validation=OTHERS, on_step=seen.append)
        assert {info.structure for info in seen if isinstance(info, StepInfo)} >= {1, 2}
        assert "EM, structure 1" in {info.way for info in seen if isinstance(info, RoundInfo)}
        assert str(next(info for info in seen if isinstance(info, StepInfo))).startswith("structure 1: 1 splits")
        for n_calls in (1, len(seen) // 2, len(seen) - 1):
            calls = iter(range(n_calls))
            learned = learn_incomplete(
                GAPS, SETTINGS, validation=OTHERS, on_step=lambda _, calls=calls: next(calls, None) is None
            )
            assert learned.stop is Stop.CALLBACK
            assert all(properties(learned.circuit))

    def test_ctrl_c_gives_the_best_model_so_far(self) -> None:
        n_seen = 0

        def interrupt(info: StepInfo | RoundInfo) -> None:
            nonlocal n_seen
            n_seen += 1
            if isinstance(info, StepInfo) and info.structure == 2:
                raise KeyboardInterrupt

        learned = learn_incomplete(GAPS, SETTINGS, validation=OTHERS, on_step=interrupt)
        assert learned.stop is Stop.INTERRUPTED
        assert learned.gaps is not None
        assert len(learned.gaps.structures) == 1
        assert mean_log_known(learned.circuit, learned.network, OTHERS) == pytest.approx(learned.gaps.structures[0])

    def test_no_time_is_no_error(self) -> None:
        for validation in (None, OTHERS):
            learned = learn_incomplete(GAPS, replace(SETTINGS, max_seconds=0.0), validation=validation)
            assert learned.stop is Stop.MAX_SECONDS
            assert all(properties(learned.circuit))


class TestCheckpoints:
    @pytest.mark.parametrize("validation", [None, OTHERS])
    def test_resumed_anywhere_it_ends_the_same(self, validation: Evidence | None) -> None:
        states: list[SearchState] = []
        whole = learn_incomplete(
            GAPS, SETTINGS, validation=validation, checkpoints=Checkpoints(None, states.append, 0.0)
        )
        assert len({state.fingerprint for state in states}) > 1
        for state in (states[0], states[len(states) // 2], states[-1]):
            resumed = learn_incomplete(GAPS, SETTINGS, validation=validation, checkpoints=Checkpoints(state))
            assert_same_circuit(whole.circuit, resumed.circuit)

    def test_the_search_that_was_under_way_is_resumed_and_those_before_keep_nothing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        states: list[SearchState] = []
        learn_incomplete(GAPS, SETTINGS, validation=OTHERS, checkpoints=Checkpoints(None, states.append, 0.0))
        state = next(state for state in states if state.fingerprint != states[0].fingerprint)
        seen: list[Checkpoints[SearchState]] = []
        search = gaps_learn.learn

        def watched(*given: Any, checkpoints: Checkpoints[SearchState], **further: Any) -> Learned:
            seen.append(checkpoints)
            return search(*given, checkpoints=checkpoints, **further)

        monkeypatch.setattr(gaps_learn, "learn", watched)
        learn_incomplete(
            GAPS, SETTINGS, validation=OTHERS, checkpoints=Checkpoints(state, lambda _: None, every_seconds=0.0)
        )
        assert [checkpoints.resumed for checkpoints in seen] == [None, state, None]
        assert [checkpoints.keep is not None for checkpoints in seen] == [False, True, True]

    def test_other_tables_and_settings_are_refused(self) -> None:
        states: list[SearchState] = []
        learn_incomplete(GAPS, SETTINGS, checkpoints=Checkpoints(None, states.append, 0.0))
        with pytest.raises(DataError, match="the search to go on with was over other tables"):
            learn_incomplete(OTHERS, SETTINGS, checkpoints=Checkpoints(states[-1]))
        with pytest.raises(SettingError, match="parameter_penalty"):
            learn_incomplete(GAPS, replace(SETTINGS, parameter_penalty=3.0), checkpoints=Checkpoints(states[-1]))


class TestMixtures:
    @pytest.mark.parametrize("validation", [None, OTHERS])
    def test_a_mixture_is_learned_from_completed_rows(self, validation: Evidence | None) -> None:
        learned = learn_incomplete_mixture(GAPS, LearnSettings(), MixtureSettings(3), validation=validation)
        assert isinstance(learned.model.circuit, Mixture)
        assert learned.model.circuit.n_components == 3
        assert learned.gaps is not None
        assert learned.gaps.n_missing == np.count_nonzero(GAPS.codes < 0)
        test = dataset_of(random_rows(6, 1000))
        independent = learn_table(TRAINING, LearnSettings(max_splits=0)).network.log_likelihood(test.codes).mean()
        assert np.mean(log_likelihood(learned.model.circuit, test)) > independent + 0.1

    def test_with_auto_a_single_circuit_wins_where_nothing_is_hidden(self) -> None:
        rng = np.random.default_rng(0)
        rows, others = (
            with_gaps(dataset_of(rng.integers(ARITIES, size=(n_rows, len(ARITIES)))), 0.2) for n_rows in (300, 2000)
        )
        learned = learn_incomplete_mixture(rows, LearnSettings(), MixtureSettings("auto"), validation=others)
        assert isinstance(learned.model.circuit, Circuit)

    @pytest.mark.parametrize("wins", [Circuit, Mixture])
    def test_with_auto_what_is_known_of_the_rows_that_judge_decides(
        self, wins: type, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        learn_mixture = gaps_mixture.learn_mixture

        def three(rows: Any, settings: Any, _: Any, **further: Any) -> Learned:
            return learn_mixture(rows, settings, MixtureSettings(3), **further)

        monkeypatch.setattr(gaps_mixture, "learn_mixture", three)
        monkeypatch.setattr(gaps_mixture, "mean_log_known", lambda asked, *_: -1.0 if isinstance(asked, wins) else -9.0)
        learned = learn_incomplete_mixture(GAPS, LearnSettings(), MixtureSettings("auto"), validation=OTHERS)
        assert isinstance(learned.model.circuit, wins)

    def test_resumed_it_ends_the_same(self) -> None:
        states: list[MixtureState] = []
        given: dict[str, Any] = {"validation": OTHERS}
        whole = learn_incomplete_mixture(
            GAPS, LearnSettings(), MixtureSettings(2), checkpoints=Checkpoints(None, states.append, 0.0), **given
        )
        resumed = learn_incomplete_mixture(
            GAPS, LearnSettings(), MixtureSettings(2), checkpoints=Checkpoints(states[len(states) // 2]), **given
        )
        assert isinstance(whole.model.circuit, Mixture)
        assert isinstance(resumed.model.circuit, Mixture)
        np.testing.assert_array_equal(whole.model.circuit.parameters, resumed.model.circuit.parameters)


def _with_all_leaves(network: Any) -> Circuit:
    """A circuit in which every leaf has parameters of its own, with the parameters of the network."""
    from learnac.refitting import _circuit_of_all_leaves

    circuit = _circuit_of_all_leaves(network, network, 1_000_000)
    return replace(circuit, parameters=network.parameters_at(circuit.parameter_origins))
