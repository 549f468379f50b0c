"""How parameters are read off counts, and how much smoothing and how many splits other rows choose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from learning import ARITIES, FEW, OVERFITTING, TRAINING, VALIDATION, dataset_of, each_kind, random_rows, steps

from learnac import LearnAC, defaults
from learnac.data import Dataset
from learnac.learn import Fold, LearnSettings, StepInfo, Stop, TableCounts, learn, learn_table, learn_table_network

OPEN: dict[str, Any] = {**OVERFITTING, "alpha": None, "shrinkage": None}


class TestChosenOnAValidationTable:
    @each_kind
    @pytest.mark.parametrize("criterion", ["likelihood", "bdeu"])
    def test_no_smoothing_of_the_grid_and_no_prefix_is_better(self, kind: str, criterion: str) -> None:
        settings = LearnSettings(**OPEN, splits=kind, criterion=criterion)
        chosen = learn_table(FEW, settings, validation=VALIDATION)
        found = chosen.network.log_likelihood(VALIDATION.codes).mean()
        best = -np.inf
        for smoothing in settings.smoothings:
            prior = {"alpha": smoothing.prior} if criterion == "likelihood" else {}
            given = replace(settings, **prior, shrinkage=smoothing.shrinkage)
            # The same splits, whatever the model is smoothed by: only the search's own alpha decides about them.
            for n_splits in range(0, len(chosen.trace) + 1, 3):
                network = _prefix(chosen, given, n_splits)
                best = max(best, network.log_likelihood(VALIDATION.codes).mean())
        assert found >= best - 1e-12
        assert chosen.n_splits > 0

    def test_what_is_given_is_used_as_given(self) -> None:
        for given in ({"alpha": 0.3}, {"shrinkage": 7.0}, {"alpha": 0.3, "shrinkage": 7.0}):
            smoothing = learn_table(FEW, LearnSettings(**OPEN | given), validation=VALIDATION).smoothing
            assert smoothing.prior == given.get("alpha", smoothing.prior)
            assert smoothing.shrinkage == given.get("shrinkage", smoothing.shrinkage)
            assert smoothing.prior in (*defaults.ALPHAS, 0.3)

    def test_the_network_alone_is_smoothed_alike(self) -> None:
        settings = LearnSettings(**OPEN | {"edge_penalty": 0.0})
        alone = learn_table_network(FEW, settings, validation=VALIDATION)
        assert alone.smoothing == learn_table(FEW, settings, validation=VALIDATION).smoothing


def _prefix(learned: Any, settings: LearnSettings, n_splits: int) -> Any:
    search = learn(FEW.schema, TableCounts(FEW), replace(settings, max_splits=n_splits, alpha=None, shrinkage=0.0))
    assert [step["leaf"] for step in steps(search)] == [step["leaf"] for step in steps(learned)[:n_splits]]
    return _smoothed(search.network, settings)


def _smoothed(network: Any, settings: LearnSettings) -> Any:
    """The network with its parameters read off again, node by node."""
    trees = []
    for tree in network.trees:
        arity = tree.counts.shape[1]
        parameters = np.empty_like(tree.counts)
        masses = np.ones(tree.n_nodes)
        left = [{} for _ in range(tree.n_nodes)]
        for node in range(tree.n_nodes):
            if node == 0:
                parameters[0] = _read_off(tree.counts[0], settings, arity, 1.0, None)
            variable = int(tree.variables[node])
            if variable < 0:
                continue
            start = int(tree.route_starts[node])
            routes = tree.routes[start : start + ARITIES[variable]].tolist()
            values = left[node].get(variable, range(ARITIES[variable]))
            for branch in set(routes):
                kept = [value for value in values if routes[value] == branch]
                masses[branch] = masses[node] * len(kept) / len(list(values))
                left[branch] = {**left[node], variable: kept}
                parameters[branch] = _read_off(tree.counts[branch], settings, arity, masses[branch], parameters[node])
        trees.append(replace(tree, parameters=parameters))
    return replace(network, trees=tuple(trees))


def _read_off(counts: Any, settings: LearnSettings, arity: int, mass: float, above: Any) -> Any:
    pseudo_count = settings.equivalent_sample_size * mass / arity if settings.criterion == "bdeu" else settings.alpha
    weights = counts + pseudo_count + (0 if above is None else settings.shrinkage * above)
    return weights / weights.sum()


@pytest.mark.parametrize("arity", [2, 3, 5])
def test_left_open_splits_are_chosen_as_if_each_leaf_had_two_rows_more(arity: int) -> None:
    rng = np.random.default_rng(arity)
    hidden = rng.integers(arity, size=(400, 1))
    table = dataset_of(np.where(rng.random((400, 5)) < 0.6, hidden, rng.integers(arity, size=(400, 5))), [arity] * 5)
    left_open = LearnSettings(**OPEN | {"shrinkage": 10.0})
    given = replace(left_open, alpha=2 / arity)
    assert steps(learn_table(table, left_open)) == steps(learn_table(table, given))
    assert steps(learn_table(table, left_open)) != steps(learn_table(table, replace(given, alpha=2.0)))


class TestChosenOnHeldOutRows:
    def test_the_splits_are_those_of_a_search_over_all_rows(self) -> None:
        chosen = learn_table(TRAINING, LearnSettings(**OPEN))
        assert steps(chosen) == steps(learn(TRAINING.schema, TableCounts(TRAINING), LearnSettings(**OPEN)))
        assert 0 < chosen.n_splits < len(chosen.trace), "without a penalty, held-out rows say when it is enough"
        totals = {tree.counts[0].sum() for tree in chosen.network.trees}
        assert totals == {TRAINING.n_rows}, "all rows count"

    def test_few_rows_are_not_held_out(self) -> None:
        few = dataset_of(random_rows(5, defaults.LEAST_ROWS_TO_HOLD_OUT - 1))
        smoothing = learn_table(few, LearnSettings(**OPEN)).smoothing
        assert (smoothing.prior, smoothing.shrinkage) == (defaults.ALPHA, defaults.SHRINKAGE)

    def test_rows_without_weight_make_no_difference(self) -> None:
        rows = random_rows(6, 400)
        weights = np.where(np.arange(400) % 4 == 0, 0.0, 1.5)
        with_all = learn_table(dataset_of(rows), LearnSettings(**OPEN), sample_weight=weights)
        without = learn_table(dataset_of(rows[weights > 0]), LearnSettings(**OPEN), sample_weight=weights[weights > 0])
        assert steps(with_all) == steps(without)
        assert (with_all.smoothing, with_all.n_splits) == (without.smoothing, without.n_splits)

    def test_near_deterministic_tables_get_little_smoothing_and_noisy_ones_much(self) -> None:
        rng = np.random.default_rng(0)
        bits = rng.integers(2, size=(2000, 4))
        copies = np.column_stack([bits, bits, bits[:, :1] ^ bits[:, 1:2]])
        certain = LearnAC().fit(Dataset.from_array(copies, arities=2))
        noise = LearnAC().fit(Dataset.from_array(rng.integers(2, size=(300, 9)), arities=2))
        assert certain.alpha_ < 0.1
        assert certain.shrinkage_ < 1
        assert noise.n_splits_ < len(noise.trace_), "hardly a split suits other rows"

    def test_it_never_scores_far_below_what_was_fixed_before(self) -> None:
        for seed in range(5):
            train, other = dataset_of(random_rows(seed, 300)), dataset_of(random_rows(100 + seed, 2000))
            chosen = learn_table(train, LearnSettings())
            fixed = learn_table(train, LearnSettings(alpha=0.5, shrinkage=10.0))
            scores = [each.network.log_likelihood(other.codes).mean() for each in (chosen, fixed)]
            assert scores[0] > 1.01 * scores[1]

    def test_a_deadline_leaves_time_to_choose(self) -> None:
        large = dataset_of(random_rows(7, 3000, [3] * 12), [3] * 12)
        model = learn_table(large, LearnSettings(1e-6, 0.0, max_seconds=0.6))
        assert model.stop is Stop.MAX_SECONDS
        assert model.seconds < 3

    def test_without_folds_nothing_is_chosen(self) -> None:
        model = learn(TRAINING.schema, TableCounts(TRAINING), LearnSettings(**OPEN))
        assert (model.smoothing.prior, model.smoothing.shrinkage) == (0.5, 10.0)

    def test_an_interrupt_is_not_followed_by_more_searches(self) -> None:
        def interrupt(info: StepInfo) -> None:
            if info.n_splits == 5:
                raise KeyboardInterrupt

        def folds() -> Iterator[Fold]:
            raise AssertionError("the search was interrupted")
            yield

        counts = TableCounts(TRAINING)
        model = learn(TRAINING.schema, counts, LearnSettings(**OPEN), folds=folds(), on_step=interrupt)
        assert (model.stop, model.n_splits) == (Stop.INTERRUPTED, 5)
