"""What is learned, seen from outside: the trace, weights, allowed parents, parameters, one model in two forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from counting import PlainCounts
from learning import (
    ARITIES,
    SETTINGS,
    TRAINING,
    assert_agrees_with_itself,
    assert_same_circuit,
    assert_same_model,
    dataset_of,
    each_kind,
    each_schedule,
    random_rows,
    steps,
)
from numpy.typing import NDArray

from learnac.data import Dataset
from learnac.learn import Learned, LearnSettings, Stop, learn, learn_table


class TestTrace:
    @each_schedule
    @each_kind
    def test_each_step_tells_of_the_model_after_it(self, schedule: str, kind: str) -> None:
        model = learn_table(TRAINING, LearnSettings(schedule=schedule, splits=kind, **SETTINGS))
        assert len(model.trace) == model.n_splits >= 10
        assert_agrees_with_itself(model, TRAINING)
        for k, info in enumerate(model.trace, start=1):
            prefix = learn_table(TRAINING, LearnSettings(schedule=schedule, splits=kind, max_splits=k, **SETTINGS))
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
        model = learn_table(TRAINING, LearnSettings(splits="complete", **SETTINGS))
        before = learn_table(TRAINING, LearnSettings(max_splits=0, **SETTINGS)).network
        totals = [before.log_likelihood(TRAINING.codes).sum()]
        totals += [info.log_likelihood * TRAINING.n_rows for info in model.trace]
        arity_of_leaf = [*ARITIES]
        for info, gain in zip(model.trace, np.diff(totals), strict=True):
            child_arity = arity_of_leaf[info.leaf]
            arity_of_leaf += [child_arity] * ARITIES[info.variable]
            n_added = child_arity * (ARITIES[info.variable] - 1)
            assert info.net_gain == pytest.approx(gain - 0.1 * n_added, rel=1e-5, abs=1e-5)

    def test_seconds_only_go_up(self) -> None:
        model = learn_table(TRAINING, LearnSettings(**SETTINGS))
        seconds = [0.0, *(info.seconds for info in model.trace), model.seconds]
        assert seconds == sorted(seconds)


class TestSampleWeight:
    @each_schedule
    @each_kind
    def test_whole_weights_are_repeated_rows(self, schedule: str, kind: str) -> None:
        rows = random_rows(seed=5, n_rows=150)
        weights = np.random.default_rng(6).integers(0, 4, size=150)
        chosen = LearnSettings(schedule=schedule, splits=kind, **SETTINGS)
        weighted = learn_table(dataset_of(rows), chosen, sample_weight=weights.astype(float))
        assert weighted.n_splits > 3
        assert_same_model(weighted, learn_table(dataset_of(np.repeat(rows, weights, axis=0)), chosen))

    def test_rows_of_weight_zero_are_absent(self) -> None:
        rows = random_rows(seed=5, n_rows=150)
        weights = np.random.default_rng(7).exponential(size=150)
        weights[::3] = 0
        chosen = LearnSettings(**SETTINGS)
        present = weights > 0
        full = learn_table(dataset_of(rows), chosen, sample_weight=weights)
        assert full.n_splits > 3
        assert_same_model(full, learn_table(dataset_of(rows[present]), chosen, sample_weight=weights[present]))

    @each_kind
    def test_fractional_weights_are_counted_as_they_are(self, kind: str) -> None:
        weights = np.random.default_rng(8).exponential(size=TRAINING.n_rows)
        model = learn_table(TRAINING, LearnSettings(splits=kind, **SETTINGS), sample_weight=weights)
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
        halves = learn_table(twice, chosen, sample_weight=np.full(300, 0.5))
        assert_same_circuit(halves.circuit, learn_table(once, chosen).circuit)


class TestAllowedParents:
    @each_schedule
    @each_kind
    def test_only_allowed_parents_are_split_on(self, schedule: str, kind: str) -> None:
        allowed = {"x0": ["x1", "x4"], "x1": [], "x5": iter(["x0"])}
        model = learn_table(
            TRAINING, LearnSettings(schedule=schedule, splits=kind, **SETTINGS), allowed_parents=allowed
        )
        parents = model.network.parents
        assert set(parents[0]) <= {1, 4}
        assert parents[1] == ()
        assert set(parents[5]) <= {0}
        assert any(len(found) > 0 for found in (parents[2], parents[4])), "those left out may have any"
        assert_agrees_with_itself(model, TRAINING)

    def test_no_parents_at_all_leaves_the_marginals(self) -> None:
        model = learn_table(TRAINING, LearnSettings(), allowed_parents={name: [] for name in TRAINING.names})
        assert (model.n_splits, model.stop) == (0, Stop.CONVERGED)

    def test_an_empty_mapping_forbids_nothing(self) -> None:
        chosen = LearnSettings(**SETTINGS)
        assert_same_model(learn_table(TRAINING, chosen, allowed_parents={}), learn_table(TRAINING, chosen))

    @each_schedule
    def test_networks_have_no_cycles(self, schedule: str) -> None:
        network = learn_table(TRAINING, LearnSettings(0.001, 0.0, schedule)).network
        order: list[int] = []
        while len(order) < len(ARITIES):
            ready = [v for v, p in enumerate(network.parents) if v not in order and set(p) <= set(order)]
            assert ready
            order += ready


class TestSameAnswer:
    @each_schedule
    @each_kind
    def test_run_to_run(self, schedule: str, kind: str) -> None:
        chosen = LearnSettings(schedule=schedule, splits=kind, **SETTINGS)
        assert_same_model(learn_table(TRAINING, chosen), learn_table(TRAINING, chosen))

    @each_schedule
    def test_a_column_of_many_values(self, schedule: str) -> None:
        """Wider codes, and counts from codes instead of bits."""
        wide = np.column_stack([np.arange(600) % 300, random_rows(11, 600)])
        arities = [300, *ARITIES]
        chosen = LearnSettings(schedule=schedule, splits="binary", max_splits=15, **SETTINGS)
        model = learn_table(dataset_of(wide, arities), chosen)
        table = dataset_of(wide, arities)
        assert_same_model(model, learn(table.schema, PlainCounts(table), chosen))
        assert_agrees_with_itself(model, dataset_of(wide, arities))


class TestParameters:
    def values_unseen(self, alpha: float, kind: str = "complete") -> tuple[Learned, Dataset]:
        """Every column has one more category than the table shows."""
        arities = [arity + 1 for arity in ARITIES]
        dataset = dataset_of(random_rows(1, 400), arities)
        return learn_table(dataset, LearnSettings(splits=kind, **SETTINGS | {"alpha": alpha})), dataset

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
        model = learn_table(TRAINING, LearnSettings(criterion="bdeu", equivalent_sample_size=6.0, **SETTINGS))
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
    model = learn_table(TRAINING, LearnSettings(schedule=schedule, **{**SETTINGS, **others}, max_splits=40))
    assert model.n_splits > 0
    assert all(3 not in parents for parents in model.network.parents)


def test_one_column() -> None:
    for arity in (1, 2, 5):
        rows = np.arange(10)[:, None] % arity
        model = learn_table(dataset_of(rows, [arity]), LearnSettings())
        assert (model.n_splits, model.stop) == (0, Stop.CONVERGED)
        assert_agrees_with_itself(model, dataset_of(rows, [arity]))


def test_one_row() -> None:
    dataset = dataset_of(np.zeros((1, 6), dtype=int))
    model = learn_table(dataset, LearnSettings(edge_penalty=0.0, parameter_penalty=0.0))
    assert_agrees_with_itself(model, dataset)


def test_learning_leaves_the_table_alone() -> None:
    before = TRAINING.codes.copy()
    learn_table(TRAINING, LearnSettings(**SETTINGS))
    np.testing.assert_array_equal(TRAINING.codes, before)
