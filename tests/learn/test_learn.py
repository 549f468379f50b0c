"""The loop of Table 1 from outside: weights, budgets, early stopping, interrupts, and one model in two forms."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from learnac._core import Counter
from learnac.circuit import Circuit, evaluate, indicators_of
from learnac.data import Dataset
from learnac.learn import LearnedModel, LearnSettings, StepInfo, Stop, learn
from learnac.learn.counts import in_memory
from learnac.network import BayesNet

ARITIES = [2, 3, 2, 1, 4, 2]
SETTINGS: dict[str, Any] = {"edge_penalty": 0.02, "parameter_penalty": 0.1}

each_schedule = pytest.mark.parametrize("schedule", ["quick", "greedy"])
each_kind = pytest.mark.parametrize("kind", ["complete", "binary"])


def random_rows(seed: int, n_rows: int, arities: list[int] | None = None) -> NDArray[np.int64]:
    """Rows near a few prototypes: everything depends on everything, so that there is much to learn."""
    arities = ARITIES if arities is None else arities
    prototypes = np.random.default_rng(0).integers(arities, size=(5, len(arities)))
    rng = np.random.default_rng(seed)
    noise = rng.integers(arities, size=(n_rows, len(arities)))
    keeps = rng.random(noise.shape) < 0.75
    return np.where(keeps, prototypes[rng.integers(5, size=n_rows)], noise)


def dataset_of(rows: NDArray[np.int64], arities: list[int] | None = None) -> Dataset:
    return Dataset.from_array(rows, arities=ARITIES if arities is None else arities)


TRAINING = dataset_of(random_rows(seed=1, n_rows=400))
# From the same distribution, but few: so that a search to the end learns more than is good for it.
FEW = dataset_of(random_rows(seed=2, n_rows=60))
VALIDATION = dataset_of(random_rows(seed=3, n_rows=300))


def steps(model: LearnedModel) -> list[dict[str, Any]]:
    """The trace without its clock."""
    return [{name: value for name, value in asdict(info).items() if name != "seconds"} for info in model.trace]


def assert_same_circuit(a: Circuit, b: Circuit) -> None:
    for name in ("kinds", "labels", "child_offsets", "children", "parameters", "parameter_origins"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def assert_same_network(a: BayesNet, b: BayesNet) -> None:
    for tree_a, tree_b in zip(a.trees, b.trees, strict=True):
        for name in ("child", "variables", "route_starts", "routes", "counts", "parameters"):
            np.testing.assert_array_equal(getattr(tree_a, name), getattr(tree_b, name), err_msg=name)


def assert_same_model(a: LearnedModel, b: LearnedModel) -> None:
    assert steps(a) == steps(b)
    assert (a.n_splits, a.stop) == (b.n_splits, b.stop)
    assert_same_circuit(a.circuit, b.circuit)
    assert_same_network(a.network, b.network)


def assert_agrees_with_itself(model: LearnedModel, dataset: Dataset) -> None:
    """The circuit, the network and the trace tell of one and the same model."""
    assert model.n_splits <= len(model.trace)
    n_initial = learn(dataset, LearnSettings(max_splits=0)).circuit.n_edges
    n_edges = [n_initial + int(c) for c in np.cumsum([0, *(info.edge_cost for info in model.trace)])]
    assert [info.n_edges for info in model.trace] == n_edges[1:]
    assert model.circuit.n_edges == n_edges[model.n_splits]
    if model.n_splits:
        assert model.network.n_leaves == model.trace[model.n_splits - 1].n_leaves
    assert model.circuit.n_parameters == model.network.n_parameters
    for value, (variable, node, code) in zip(
        model.circuit.parameters, model.circuit.parameter_origins.tolist(), strict=True
    ):
        assert model.network.trees[variable].variables[node] < 0
        assert value == model.network.trees[variable].parameters[node, code]
    probabilities = evaluate(model.circuit, indicators_of(model.circuit, dataset.codes))
    np.testing.assert_allclose(probabilities, np.exp(model.network.log_likelihood(dataset.codes)), rtol=1e-10, atol=0)
    assert evaluate(model.circuit, np.ones((1, int(dataset.arities.sum()))))[0] == pytest.approx(1, rel=1e-12)


class TestTrace:
    @each_schedule
    @each_kind
    def test_each_step_tells_of_the_model_after_it(self, schedule: str, kind: str) -> None:
        model = learn(TRAINING, LearnSettings(schedule=schedule, splits=kind, **SETTINGS))
        assert len(model.trace) == model.n_splits >= 10
        assert_agrees_with_itself(model, TRAINING)
        for k, info in enumerate(model.trace, start=1):
            prefix = learn(TRAINING, LearnSettings(schedule=schedule, splits=kind, max_splits=k, **SETTINGS))
            assert prefix.stop is Stop.MAX_SPLITS
            assert steps(prefix) == steps(model)[:k]
            assert info.n_splits == k
            assert info.n_edges == prefix.circuit.n_edges
            assert info.n_leaves == prefix.network.n_leaves
            assert info.log_likelihood == pytest.approx(prefix.network.log_likelihood(TRAINING.codes).mean(), rel=1e-12)
            assert info.edge_penalty == SETTINGS["edge_penalty"]
            assert info.net_gain > info.edge_penalty * info.edge_cost
            assert info.validation_log_likelihood is None

    def test_net_gains_are_what_the_likelihood_rose_by_less_the_parameters(self) -> None:
        model = learn(TRAINING, LearnSettings(**SETTINGS))
        before = learn(TRAINING, LearnSettings(max_splits=0)).network
        totals = [before.log_likelihood(TRAINING.codes).sum()]
        totals += [info.log_likelihood * TRAINING.n_rows for info in model.trace]
        arity_of_leaf = [*ARITIES]
        for info, gain in zip(model.trace, np.diff(totals), strict=True):
            child_arity = arity_of_leaf[info.leaf]
            arity_of_leaf += [child_arity] * ARITIES[info.variable]
            n_added = child_arity * (ARITIES[info.variable] - 1)
            assert info.net_gain == pytest.approx(gain - 0.1 * n_added, rel=1e-5, abs=1e-5)

    def test_seconds_only_go_up(self) -> None:
        model = learn(TRAINING, LearnSettings(**SETTINGS))
        seconds = [0.0, *(info.seconds for info in model.trace), model.seconds]
        assert seconds == sorted(seconds)


class TestSampleWeight:
    @each_schedule
    @each_kind
    def test_whole_weights_are_repeated_rows(self, schedule: str, kind: str) -> None:
        rows = random_rows(seed=5, n_rows=150)
        weights = np.random.default_rng(6).integers(0, 4, size=150)
        chosen = LearnSettings(schedule=schedule, splits=kind, **SETTINGS)
        weighted = learn(dataset_of(rows), chosen, sample_weight=weights.astype(float))
        assert weighted.n_splits > 3
        assert_same_model(weighted, learn(dataset_of(np.repeat(rows, weights, axis=0)), chosen))

    def test_rows_of_weight_zero_are_absent(self) -> None:
        rows = random_rows(seed=5, n_rows=150)
        weights = np.random.default_rng(7).exponential(size=150)
        weights[::3] = 0
        chosen = LearnSettings(**SETTINGS)
        present = weights > 0
        full = learn(dataset_of(rows), chosen, sample_weight=weights)
        assert full.n_splits > 3
        assert_same_model(full, learn(dataset_of(rows[present]), chosen, sample_weight=weights[present]))

    @each_kind
    def test_fractional_weights_are_counted_as_they_are(self, kind: str) -> None:
        weights = np.random.default_rng(8).exponential(size=TRAINING.n_rows)
        model = learn(TRAINING, LearnSettings(splits=kind, **SETTINGS), sample_weight=weights)
        assert model.n_splits > 3
        assert_agrees_with_itself(model, TRAINING)
        expected = (weights @ model.network.log_likelihood(TRAINING.codes)) / weights.sum()
        assert model.trace[-1].log_likelihood == pytest.approx(expected, rel=1e-12)
        for tree in model.network.trees:
            reached = tree.leaf_of(TRAINING.codes)
            for leaf in tree.leaves:
                counts = np.bincount(TRAINING.codes[tree.child], weights * (reached == leaf), ARITIES[tree.child])
                np.testing.assert_allclose(tree.counts[leaf], counts, rtol=1e-12, atol=1e-12)
                np.testing.assert_allclose(tree.parameters[leaf], (counts + 1) / (counts + 1).sum(), rtol=1e-12, atol=0)

    def test_halves_of_rows_that_come_twice(self) -> None:
        twice = dataset_of(np.repeat(random_rows(seed=5, n_rows=150), 2, axis=0))
        once = dataset_of(random_rows(seed=5, n_rows=150))
        chosen = LearnSettings(**SETTINGS)
        halves = learn(twice, chosen, sample_weight=np.full(300, 0.5))
        assert_same_circuit(halves.circuit, learn(once, chosen).circuit)


class TestEarlyStopping:
    @each_schedule
    @each_kind
    def test_the_model_is_the_prefix_that_is_best_on_the_validation_table(self, schedule: str, kind: str) -> None:
        chosen = {"schedule": schedule, "splits": kind, "edge_penalty": 0.001, "parameter_penalty": 0.0}
        model = learn(FEW, LearnSettings(**chosen), validation=VALIDATION)
        prefixes = [learn(FEW, LearnSettings(max_splits=k, **chosen)) for k in range(len(model.trace) + 1)]
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
        patient = learn(FEW, LearnSettings(**chosen), validation=VALIDATION)
        hasty = learn(FEW, LearnSettings(patience=3, **chosen), validation=VALIDATION)
        assert hasty.stop is Stop.PATIENCE
        assert len(hasty.trace) == hasty.n_splits + 3
        assert steps(hasty) == steps(patient)[: len(hasty.trace)]
        scores = [info.validation_log_likelihood for info in hasty.trace]
        assert int(np.argmax(scores)) + 1 == hasty.n_splits

    def test_a_validation_table_that_no_split_helps_leaves_the_marginals(self) -> None:
        noise = np.random.default_rng(9).integers(ARITIES, size=(300, len(ARITIES)))
        model = learn(TRAINING, LearnSettings(patience=5, **SETTINGS), validation=dataset_of(noise))
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
        model = learn(dataset_of(rows), LearnSettings(**chosen), validation=dataset_of(held_out))
        assert {info.validation_log_likelihood for info in model.trace} == {-np.inf}
        ranks = []
        for k in range(len(model.trace) + 1):
            network = learn(dataset_of(rows), LearnSettings(max_splits=k, **chosen)).network
            by_tree = np.array([tree.log_likelihood(dataset_of(held_out).codes) for tree in network.trees])
            ranks.append((-np.isinf(by_tree).sum(), by_tree[np.isfinite(by_tree)].sum()))
        assert model.n_splits == max(range(len(ranks)), key=lambda k: ranks[k])
        assert model.n_splits > 0


class TestBudgets:
    @each_schedule
    def test_no_splits(self, schedule: str) -> None:
        model = learn(TRAINING, LearnSettings(schedule=schedule, max_splits=0))
        assert (model.stop, model.trace, model.n_splits) == (Stop.MAX_SPLITS, (), 0)
        assert model.circuit.n_edges == sum(1 + 3 * arity for arity in ARITIES if arity > 1) + 2
        assert_agrees_with_itself(model, TRAINING)

    @each_schedule
    @each_kind
    def test_edges_stay_within_their_budget(self, schedule: str, kind: str) -> None:
        chosen = {"schedule": schedule, "splits": kind, **SETTINGS}
        full = learn(TRAINING, LearnSettings(**chosen)).circuit.n_edges
        for max_edges in (60, 100, full // 2):
            model = learn(TRAINING, LearnSettings(max_edges=max_edges, **chosen))
            assert model.stop is Stop.MAX_EDGES
            assert max(info.n_edges for info in model.trace) <= max_edges
            assert_agrees_with_itself(model, TRAINING)

    @each_schedule
    def test_a_budget_with_room_to_spare_changes_nothing(self, schedule: str) -> None:
        free = learn(TRAINING, LearnSettings(schedule=schedule, **SETTINGS))
        roomy = learn(TRAINING, LearnSettings(schedule=schedule, max_edges=10**6, **SETTINGS))
        assert_same_model(free, roomy)
        assert roomy.stop is Stop.CONVERGED

    @each_schedule
    def test_no_time(self, schedule: str) -> None:
        model = learn(TRAINING, LearnSettings(schedule=schedule, max_seconds=0))
        assert (model.stop, model.n_splits) == (Stop.MAX_SECONDS, 0)
        assert_agrees_with_itself(model, TRAINING)

    @each_schedule
    def test_time_runs_out_in_the_middle(self, schedule: str) -> None:
        large = dataset_of(random_rows(4, 2000, [3] * 16), [3] * 16)
        chosen = LearnSettings(edge_penalty=1e-4, parameter_penalty=0, schedule=schedule, max_seconds=0.5)
        model = learn(large, chosen)
        assert model.stop is Stop.MAX_SECONDS
        assert model.n_splits > 0
        assert model.trace[-1].seconds <= model.seconds < 5
        assert model.network.n_leaves == 16 + 2 * model.n_splits

    @settings(deadline=None, derandomize=True, max_examples=25)
    @given(
        seed=st.integers(0, 9999),
        schedule=st.sampled_from(["quick", "greedy"]),
        kind=st.sampled_from(["complete", "binary"]),
        room=st.integers(0, 400),
        n_threads=st.integers(1, 2),
    )
    def test_halving_the_edge_penalty_fills_the_budget(
        self, seed: int, schedule: str, kind: str, room: int, n_threads: int
    ) -> None:
        dataset = dataset_of(random_rows(seed, n_rows=300))
        initial = learn(dataset, LearnSettings(max_splits=0)).circuit.n_edges
        chosen = {"schedule": schedule, "splits": kind, "parameter_penalty": 0.0, "max_seconds": 10}
        model = learn(
            dataset,
            LearnSettings(
                edge_penalty=20.0,
                max_edges=initial + room,
                halve_edge_penalty=True,
                n_threads=n_threads,
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
        fixed = learn(TRAINING, LearnSettings(**chosen))
        halved = learn(TRAINING, LearnSettings(halve_edge_penalty=True, **chosen))
        assert fixed.stop is Stop.CONVERGED
        assert steps(fixed) == steps(halved)[: fixed.n_splits]
        assert fixed.circuit.n_edges < 200
        assert 300 < halved.circuit.n_edges <= 400


class TestAllowedParents:
    @each_schedule
    @each_kind
    def test_only_allowed_parents_are_split_on(self, schedule: str, kind: str) -> None:
        allowed = {"x0": ["x1", "x4"], "x1": [], "x5": iter(["x0"])}
        model = learn(TRAINING, LearnSettings(schedule=schedule, splits=kind, **SETTINGS), allowed_parents=allowed)
        parents = model.network.parents
        assert set(parents[0]) <= {1, 4}
        assert parents[1] == ()
        assert set(parents[5]) <= {0}
        assert any(len(found) > 0 for found in (parents[2], parents[4])), "those left out may have any"
        assert_agrees_with_itself(model, TRAINING)

    def test_no_parents_at_all_leaves_the_marginals(self) -> None:
        model = learn(TRAINING, LearnSettings(), allowed_parents={name: [] for name in TRAINING.names})
        assert (model.n_splits, model.stop) == (0, Stop.CONVERGED)

    def test_an_empty_mapping_forbids_nothing(self) -> None:
        chosen = LearnSettings(**SETTINGS)
        assert_same_model(learn(TRAINING, chosen, allowed_parents={}), learn(TRAINING, chosen))

    @each_schedule
    def test_networks_have_no_cycles(self, schedule: str) -> None:
        network = learn(TRAINING, LearnSettings(0.001, 0.0, schedule)).network
        order: list[int] = []
        while len(order) < len(ARITIES):
            ready = [v for v, p in enumerate(network.parents) if v not in order and set(p) <= set(order)]
            assert ready
            order += ready


class TestCallback:
    def test_it_sees_every_step_once(self) -> None:
        seen: list[StepInfo] = []
        model = learn(TRAINING, LearnSettings(**SETTINGS), on_step=seen.append)
        assert tuple(seen) == model.trace

    def test_it_ends_learning_by_returning_true(self) -> None:
        model = learn(TRAINING, LearnSettings(**SETTINGS), on_step=lambda info: info.n_splits == 4)
        assert (model.stop, model.n_splits) == (Stop.CALLBACK, 4)
        assert_agrees_with_itself(model, TRAINING)

    def test_its_errors_are_not_swallowed(self) -> None:
        def fail(info: StepInfo) -> None:
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            learn(TRAINING, LearnSettings(**SETTINGS), on_step=fail)


class InterruptedCounter:
    """Counts like a `Counter`, until Ctrl-C comes while it counts."""

    def __init__(self, dataset: Dataset, n_calls: int, is_late: bool) -> None:
        self._counter: Counter = in_memory(dataset)
        self._n_calls_left = n_calls
        self._is_late = is_late

    def count(self, leaf: int) -> NDArray[np.float64]:
        return self._counter.count(leaf)

    def forget(self, leaf: int) -> None:
        self._counter.forget(leaf)

    def split_and_count(
        self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int
    ) -> NDArray[np.float64]:
        self._n_calls_left -= 1
        if self._n_calls_left < 0 and not self._is_late:
            raise KeyboardInterrupt
        counts = self._counter.split_and_count(leaf, variable, branch_of, n_branches)
        if self._n_calls_left < 0:
            raise KeyboardInterrupt
        return counts


class TestInterrupt:
    @pytest.mark.parametrize("validation", [None, VALIDATION])
    def test_from_the_callback_keeps_the_model_so_far(self, validation: Dataset | None) -> None:
        def interrupt(info: StepInfo) -> None:
            if info.n_splits == 5:
                raise KeyboardInterrupt

        model = learn(TRAINING, LearnSettings(**SETTINGS), on_step=interrupt, validation=validation)
        assert (model.stop, len(model.trace)) == (Stop.INTERRUPTED, 5)
        assert_agrees_with_itself(model, TRAINING)

    @pytest.mark.parametrize("is_late", [False, True])
    @pytest.mark.parametrize("validation", [None, VALIDATION])
    def test_in_the_middle_of_a_step_keeps_the_steps_before_it(self, is_late: bool, validation: Dataset | None) -> None:
        counts = InterruptedCounter(TRAINING, n_calls=5, is_late=is_late)
        model = learn(TRAINING, LearnSettings(**SETTINGS), counts=counts, validation=validation)
        assert (model.stop, len(model.trace)) == (Stop.INTERRUPTED, 5)
        assert_agrees_with_itself(model, TRAINING)
        whole = learn(TRAINING, LearnSettings(**SETTINGS), validation=validation)
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
import warnings
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
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(rows)
by_circuit = np.log(evaluate(model.circuit_, indicators_of(model.circuit_, rows[:20].T)))
agrees = np.allclose(by_circuit, model.score_samples(rows[:20]), rtol=1e-9)
print(repr(model.stop_).split(":")[0].strip("<"), bool(agrees), "interrupted" in str(caught[0].message))
"""


class PlainCounts:
    """The protocol of `CountProvider` in NumPy, row by row."""

    def __init__(self, dataset: Dataset) -> None:
        self._codes, self._arities = dataset.codes, dataset.arities
        everything = np.ones(dataset.n_rows, dtype=bool)
        self._leaves = [(child, everything) for child in range(dataset.n_variables)]

    def count(self, leaf: int) -> NDArray[np.float64]:
        child, rows = self._leaves[leaf]
        tables = [np.zeros((arity, self._arities[child])) for arity in self._arities]
        for column, table in zip(self._codes, tables, strict=True):
            np.add.at(table, (column[rows], self._codes[child][rows]), 1)
        return np.concatenate(tables)

    def split_and_count(
        self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int
    ) -> NDArray[np.float64]:
        child, rows = self._leaves[leaf]
        branches = branch_of[self._codes[variable]]
        self._leaves += [(child, rows & (branches == branch)) for branch in range(n_branches)]
        return np.stack([self.count(new) for new in range(len(self._leaves) - n_branches, len(self._leaves))])

    def forget(self, leaf: int) -> None:
        pass


class TestSameAnswer:
    @each_schedule
    @each_kind
    def test_run_to_run(self, schedule: str, kind: str) -> None:
        chosen = LearnSettings(schedule=schedule, splits=kind, **SETTINGS)
        assert_same_model(learn(TRAINING, chosen), learn(TRAINING, chosen))

    @each_schedule
    @each_kind
    @pytest.mark.parametrize(
        "others",
        [
            {"edge_penalty": 0.001, "parameter_penalty": 0.0, "max_splits": 80},
            {"edge_penalty": 0.05, "parameter_penalty": 0.1, "max_edges": 500},
            {"edge_penalty": 5.0, "parameter_penalty": 0.0, "max_edges": 500, "halve_edge_penalty": True},
        ],
    )
    def test_any_number_of_threads(self, schedule: str, kind: str, others: dict[str, Any]) -> None:
        arities = [2, 3, 2, 2, 4, 2, 2, 3]
        dataset = dataset_of(random_rows(10, 1000, arities), arities)
        one, two, three = (
            learn(
                dataset,
                LearnSettings(schedule=schedule, splits=kind, n_threads=n, max_seconds=20, **others),
            )
            for n in (1, 2, 3)
        )
        assert one.n_splits > 10
        assert one.stop is not Stop.MAX_SECONDS
        assert_same_model(one, two)
        assert_same_model(one, three)

    @each_kind
    def test_whoever_counts(self, kind: str) -> None:
        chosen = LearnSettings(splits=kind, **SETTINGS)
        assert_same_model(learn(TRAINING, chosen), learn(TRAINING, chosen, counts=PlainCounts(TRAINING)))

    @each_schedule
    def test_a_column_of_many_values(self, schedule: str) -> None:
        """Wider codes, and counts from codes instead of bits."""
        wide = np.column_stack([np.arange(600) % 300, random_rows(11, 600)])
        arities = [300, *ARITIES]
        chosen = LearnSettings(schedule=schedule, splits="binary", max_splits=15, **SETTINGS)
        model = learn(dataset_of(wide, arities), chosen)
        assert_same_model(
            model, learn(dataset_of(wide, arities), chosen, counts=PlainCounts(dataset_of(wide, arities)))
        )
        assert_agrees_with_itself(model, dataset_of(wide, arities))


class TestParameters:
    def values_unseen(self, alpha: float, kind: str = "complete") -> tuple[LearnedModel, Dataset]:
        """Every column has one more category than the table shows."""
        arities = [arity + 1 for arity in ARITIES]
        dataset = dataset_of(random_rows(1, 400), arities)
        return learn(dataset, LearnSettings(splits=kind, alpha=alpha, **SETTINGS)), dataset

    @each_kind
    def test_unseen_categories_have_some_probability(self, kind: str) -> None:
        model, dataset = self.values_unseen(alpha=1.0, kind=kind)
        assert model.n_splits > 5
        unseen = np.array(ARITIES)[:, None]
        assert np.isfinite(model.network.log_likelihood(unseen)).all()
        assert_agrees_with_itself(model, dataset)

    def test_without_smoothing_the_parameters_are_frequencies(self) -> None:
        model, dataset = self.values_unseen(alpha=0.0)
        assert model.n_splits > 5
        assert np.isfinite(model.network.log_likelihood(dataset.codes)).all()
        assert model.network.log_likelihood(np.array(ARITIES)[:, None])[0] == -np.inf
        for tree in model.network.trees:
            totals = tree.counts.sum(axis=1, keepdims=True)
            uniform = np.full_like(tree.counts, 1 / tree.counts.shape[1])
            expected = np.divide(tree.counts, totals, out=uniform, where=totals > 0)
            np.testing.assert_allclose(tree.parameters, expected, rtol=1e-15, atol=0)
        assert_agrees_with_itself(model, dataset)

    def test_bdeu_spreads_its_sample_over_parents_and_values(self) -> None:
        model = learn(TRAINING, LearnSettings(criterion="bdeu", equivalent_sample_size=6.0, **SETTINGS))
        assert model.n_splits > 5
        assert_agrees_with_itself(model, TRAINING)
        for tree in model.network.trees:
            for leaf in tree.leaves:
                reached = np.flatnonzero(tree.leaf_of(all_worlds()) == leaf)
                prior = 6.0 * len(reached) / all_worlds().shape[1] / ARITIES[tree.child]
                expected = (tree.counts[leaf] + prior) / (tree.counts[leaf] + prior).sum()
                np.testing.assert_allclose(tree.parameters[leaf], expected, rtol=1e-12, atol=0)


def all_worlds() -> NDArray[np.intp]:
    """(variables x worlds)"""
    return np.indices(ARITIES).reshape(len(ARITIES), -1)


@pytest.mark.parametrize(("schedule", "others"), [("quick", {}), ("greedy", {}), ("greedy", {"edge_penalty": 0.0})])
def test_constant_columns_are_never_split_on(schedule: str, others: dict[str, Any]) -> None:
    model = learn(TRAINING, LearnSettings(schedule=schedule, **{**SETTINGS, **others}, max_splits=40))
    assert model.n_splits > 0
    assert all(3 not in parents for parents in model.network.parents)


def test_one_column() -> None:
    for arity in (1, 2, 5):
        rows = np.arange(10)[:, None] % arity
        model = learn(dataset_of(rows, [arity]), LearnSettings())
        assert (model.n_splits, model.stop) == (0, Stop.CONVERGED)
        assert_agrees_with_itself(model, dataset_of(rows, [arity]))


def test_one_row() -> None:
    dataset = dataset_of(np.zeros((1, 6), dtype=int))
    model = learn(dataset, LearnSettings(edge_penalty=0.0, parameter_penalty=0.0))
    assert_agrees_with_itself(model, dataset)


def test_learning_leaves_the_table_alone() -> None:
    before = TRAINING.codes.copy()
    learn(TRAINING, LearnSettings(**SETTINGS))
    np.testing.assert_array_equal(TRAINING.codes, before)
