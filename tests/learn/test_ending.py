"""When learning ends, and what it keeps: budgets, early stopping, callbacks, interrupts."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning import (
    ARITIES,
    FEW,
    OVERFITTING,
    SETTINGS,
    TRAINING,
    VALIDATION,
    assert_agrees_with_itself,
    assert_same_circuit,
    assert_same_model,
    assert_same_network,
    dataset_of,
    each_kind,
    each_schedule,
    random_rows,
    steps,
)

from learnac.data import Dataset
from learnac.learn import LeafCounts, LearnSettings, StepInfo, Stop, TableCounts, learn, learn_table, search


class TestEarlyStopping:
    @each_schedule
    @each_kind
    def test_the_model_is_the_prefix_that_is_best_on_the_validation_table(self, schedule: str, kind: str) -> None:
        chosen = {**OVERFITTING, "schedule": schedule, "splits": kind}
        model = learn_table(FEW, LearnSettings(**chosen), validation=VALIDATION)
        prefixes = [learn_table(FEW, LearnSettings(max_splits=k, **chosen)) for k in range(len(model.trace) + 1)]
        scores = [prefix.network.log_likelihood(VALIDATION.codes).mean() for prefix in prefixes]
        told = [info.validation_log_likelihood for info in model.trace]
        np.testing.assert_allclose(told, scores[1:], rtol=1e-12)
        assert model.n_splits == int(np.argmax(scores))
        assert 0 < model.n_splits < len(model.trace), "a case where it matters"
        assert_same_circuit(model.circuit, prefixes[model.n_splits].circuit)
        assert_same_network(model.network, prefixes[model.n_splits].network)
        assert_agrees_with_itself(model, FEW)
        assert model.stop is Stop.CONVERGED

    def test_patience_ends_the_search(self) -> None:
        chosen = {"edge_penalty": 0.001, "parameter_penalty": 0.0}
        patient = learn_table(FEW, LearnSettings(**chosen), validation=VALIDATION)
        hasty = learn_table(FEW, LearnSettings(patience=3, **chosen), validation=VALIDATION)
        assert hasty.stop is Stop.PATIENCE
        assert len(hasty.trace) == hasty.n_splits + 3
        assert steps(hasty) == steps(patient)[: len(hasty.trace)]
        scores = [info.validation_log_likelihood for info in hasty.trace]
        assert int(np.argmax(scores)) + 1 == hasty.n_splits

    def test_a_validation_table_that_no_split_helps_leaves_the_marginals(self) -> None:
        noise = np.random.default_rng(9).integers(ARITIES, size=(300, len(ARITIES)))
        model = learn_table(TRAINING, LearnSettings(patience=5, **SETTINGS), validation=dataset_of(noise))
        assert (model.n_splits, len(model.trace)) == (0, 5)
        assert model.network.n_leaves == len(ARITIES)
        assert_agrees_with_itself(model, TRAINING)

    def test_without_smoothing_impossible_validation_rows_are_told_apart(self) -> None:
        """Value 3 of variable 4 is not in the training table: every prefix finds one row impossible."""
        rows = random_rows(seed=1, n_rows=300)
        held_out = random_rows(seed=3, n_rows=200)
        rows[:, 4] %= 3
        held_out[:, 4] %= 3
        held_out[0, 4] = 3
        chosen = {"edge_penalty": 0.05, "parameter_penalty": 2.0, "alpha": 0.0}
        model = learn_table(dataset_of(rows), LearnSettings(**chosen), validation=dataset_of(held_out))
        assert {info.validation_log_likelihood for info in model.trace} == {-np.inf}
        ranks = []
        for k in range(len(model.trace) + 1):
            network = learn_table(dataset_of(rows), LearnSettings(max_splits=k, **chosen)).network
            by_tree = np.array([tree.log_likelihood(dataset_of(held_out).codes) for tree in network.trees])
            ranks.append((-np.isinf(by_tree).sum(), by_tree[np.isfinite(by_tree)].sum()))
        assert model.n_splits == max(range(len(ranks)), key=lambda k: ranks[k])
        assert model.n_splits > 0


class TestBudgets:
    @each_schedule
    def test_no_splits(self, schedule: str) -> None:
        model = learn_table(TRAINING, LearnSettings(schedule=schedule, max_splits=0))
        assert (model.stop, model.trace, model.n_splits) == (Stop.MAX_SPLITS, (), 0)
        assert model.circuit.n_edges == sum(1 + 3 * arity for arity in ARITIES if arity > 1) + 2
        assert_agrees_with_itself(model, TRAINING)

    @each_schedule
    @each_kind
    def test_edges_stay_within_their_budget(self, schedule: str, kind: str) -> None:
        chosen = {"schedule": schedule, "splits": kind, **SETTINGS}
        full = learn_table(TRAINING, LearnSettings(**chosen)).circuit.n_edges
        for max_edges in (60, 100, full // 2):
            model = learn_table(TRAINING, LearnSettings(max_edges=max_edges, **chosen))
            assert model.stop is Stop.MAX_EDGES
            assert max(info.n_edges for info in model.trace) <= max_edges
            assert_agrees_with_itself(model, TRAINING)

    @each_schedule
    def test_a_budget_with_room_to_spare_changes_nothing(self, schedule: str) -> None:
        free = learn_table(TRAINING, LearnSettings(schedule=schedule, **SETTINGS))
        roomy = learn_table(TRAINING, LearnSettings(schedule=schedule, max_edges=10**6, **SETTINGS))
        assert_same_model(free, roomy)
        assert roomy.stop is Stop.CONVERGED

    @each_schedule
    def test_no_time(self, schedule: str) -> None:
        model = learn_table(TRAINING, LearnSettings(schedule=schedule, max_seconds=0))
        assert (model.stop, model.n_splits) == (Stop.MAX_SECONDS, 0)
        assert_agrees_with_itself(model, TRAINING)

    @each_schedule
    def test_time_runs_out_in_the_middle(self, schedule: str) -> None:
        large = dataset_of(random_rows(4, 2000, [3] * 16), [3] * 16)
        chosen = LearnSettings(edge_penalty=1e-4, parameter_penalty=0, schedule=schedule, max_seconds=0.5)
        model = learn_table(large, chosen)
        assert model.stop is Stop.MAX_SECONDS
        assert model.n_splits > 0
        assert model.trace[-1].seconds <= model.seconds < 5
        assert model.network.n_leaves == 16 + model.n_splits

    @settings(derandomize=True, max_examples=25)
    @given(
        seed=st.integers(0, 9999),
        schedule=st.sampled_from(["quick", "greedy"]),
        kind=st.sampled_from(["complete", "binary"]),
        room=st.integers(0, 400),
    )
    def test_halving_the_edge_penalty_fills_the_budget(self, seed: int, schedule: str, kind: str, room: int) -> None:
        dataset = dataset_of(random_rows(seed, n_rows=300))
        initial = learn_table(dataset, LearnSettings(max_splits=0)).circuit.n_edges
        chosen = {"schedule": schedule, "splits": kind, "parameter_penalty": 0.0, "max_seconds": 10}
        model = learn_table(
            dataset,
            LearnSettings(
                edge_penalty=20.0,
                max_edges=initial + room,
                halve_edge_penalty=True,
                **chosen,
            ),
        )
        assert model.stop in (Stop.MAX_EDGES, Stop.CONVERGED)
        assert_agrees_with_itself(model, dataset)
        assert model.circuit.n_edges <= initial + room
        penalties = np.array([20.0, *(info.edge_penalty for info in model.trace)])
        n_halvings = np.log2(penalties[:-1] / penalties[1:])
        assert ((n_halvings >= 0) & (n_halvings == np.rint(n_halvings))).all()
        for info in model.trace:
            assert info.net_gain > info.edge_penalty * info.edge_cost
        if room >= 100:
            assert model.n_splits > 0

    def test_halving_goes_on_where_a_fixed_penalty_stops(self) -> None:
        chosen = {"edge_penalty": 2.0, "parameter_penalty": 0.1, "max_edges": 400}
        fixed = learn_table(TRAINING, LearnSettings(**chosen))
        halved = learn_table(TRAINING, LearnSettings(halve_edge_penalty=True, **chosen))
        assert fixed.stop is Stop.CONVERGED
        assert steps(fixed) == steps(halved)[: fixed.n_splits]
        assert fixed.circuit.n_edges < 200
        assert 300 < halved.circuit.n_edges <= 400

    @each_schedule
    @each_kind
    def test_a_budget_that_is_used_costs_no_further_work(
        self, schedule: str, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chosen = LearnSettings(schedule=schedule, splits=kind, parameter_penalty=0.0, max_edges=300)
        models = []
        for most_halvings in (30, 90):
            monkeypatch.setattr(search, "MOST_HALVINGS", most_halvings)
            models.append(learn_table(TRAINING, chosen))
        assert_same_model(*models)
        assert models[0].stop is Stop.MAX_EDGES
        assert models[0].n_evaluations == models[1].n_evaluations

    @each_schedule
    @pytest.mark.parametrize(("max_edges", "budget"), [(None, 200_000), (300, 300)])
    def test_without_a_penalty_it_is_halved_until_a_budget_is_used(
        self, schedule: str, max_edges: int | None, budget: int
    ) -> None:
        chosen = {"schedule": schedule, "parameter_penalty": 0.1, "max_splits": 40}
        said = LearnSettings(edge_penalty=10.0, halve_edge_penalty=True, max_edges=budget, **chosen)
        assert_same_model(
            learn_table(TRAINING, LearnSettings(max_edges=max_edges, **chosen)), learn_table(TRAINING, said)
        )

    def test_the_budget_has_room_where_there_are_many_variables(self) -> None:
        few, many = (LearnSettings().for_circuit(n_edges) for n_edges in (1_000, 300_000))
        assert (few.max_edges, many.max_edges) == (200_000, 1_200_000)

    def test_with_a_penalty_there_is_no_budget_unless_it_is_set(self) -> None:
        settings = LearnSettings(edge_penalty=0.02)
        assert settings.for_circuit(300_000) == settings


class TestCallback:
    def test_it_sees_every_step_once(self) -> None:
        seen: list[StepInfo] = []
        model = learn_table(TRAINING, LearnSettings(**SETTINGS), on_step=seen.append)
        assert tuple(seen) == model.trace

    def test_it_ends_learning_by_returning_true(self) -> None:
        model = learn_table(TRAINING, LearnSettings(**SETTINGS), on_step=lambda info: info.n_splits == 4)
        assert (model.stop, model.n_splits) == (Stop.CALLBACK, 4)
        assert_agrees_with_itself(model, TRAINING)

    def test_its_errors_are_not_swallowed(self) -> None:
        def fail(info: StepInfo) -> None:
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            learn_table(TRAINING, LearnSettings(**SETTINGS), on_step=fail)


class InterruptedCounts(TableCounts):
    """Counts, until Ctrl-C comes while it counts the leaves of a split."""

    def __init__(self, dataset: Dataset, n_calls: int, is_late: bool) -> None:
        super().__init__(dataset)
        self._n_calls_left = n_calls + 1  # The first is for the whole table.
        self._is_late = is_late

    def count(self, leaves: Sequence[int]) -> list[LeafCounts]:
        self._n_calls_left -= 1
        if self._n_calls_left < 0 and not self._is_late:
            raise KeyboardInterrupt
        counts = super().count(leaves)
        if self._n_calls_left < 0:
            raise KeyboardInterrupt
        return counts


class TestInterrupt:
    @pytest.mark.parametrize("validation", [None, VALIDATION])
    def test_from_the_callback_keeps_the_model_so_far(self, validation: Dataset | None) -> None:
        def interrupt(info: StepInfo) -> None:
            if info.n_splits == 5:
                raise KeyboardInterrupt

        model = learn_table(TRAINING, LearnSettings(**SETTINGS), on_step=interrupt, validation=validation)
        assert (model.stop, len(model.trace)) == (Stop.INTERRUPTED, 5)
        assert_agrees_with_itself(model, TRAINING)

    @pytest.mark.parametrize("is_late", [False, True])
    @pytest.mark.parametrize("validation", [None, VALIDATION])
    def test_in_the_middle_of_a_step_keeps_the_steps_before_it(self, is_late: bool, validation: Dataset | None) -> None:
        counts = InterruptedCounts(TRAINING, n_calls=5, is_late=is_late)
        judge = None if validation is None else TableCounts(validation)
        model = learn(TRAINING.schema, counts, LearnSettings(**SETTINGS), validation=judge)
        assert (model.stop, len(model.trace)) == (Stop.INTERRUPTED, 5)
        assert_agrees_with_itself(model, TRAINING)
        whole = learn_table(TRAINING, LearnSettings(**SETTINGS), validation=validation)
        assert steps(model) == steps(whole)[:5]

    def test_by_a_signal_keeps_the_model_so_far(self) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", SIGNALLED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "learning\n"
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert out == "Stop.INTERRUPTED True True\n"


SIGNALLED = """
import signal
import numpy as np
from learnac import LearnAC
from learnac.circuit import evaluate, indicators_of

# A shell may start what runs in the background with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
rows = np.random.default_rng(0).integers(3, size=(20_000, 30))

def tell(info):
    if info.n_splits == 3:
        print("learning", flush=True)

model = LearnAC(edge_penalty=1e-6, parameter_penalty=0, callback=tell)
said = ""
try:
    model.fit(rows)
except KeyboardInterrupt as interrupt:
    said = str(interrupt)
by_circuit = np.log(evaluate(model.circuit_, indicators_of(model.circuit_, rows[:20].T)))
agrees = np.allclose(by_circuit, model.score_samples(rows[:20]), rtol=1e-9)
print(repr(model.stop_).split(":")[0].strip("<"), bool(agrees), "the model so far is kept" in said)
"""
