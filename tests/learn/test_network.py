"""Networks learned without a circuit: the splits that a search with free edges would make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning import (
    FEW,
    OVERFITTING,
    TRAINING,
    VALIDATION,
    assert_same_network,
    dataset_of,
    each_kind,
    each_schedule,
    random_rows,
)

from learnac.learn import (
    Learned,
    LearnSettings,
    SplitKind,
    SplitSpace,
    Stop,
    learn_table,
    learn_table_network,
)
from learnac.learn.by_gain import GainSchedule


def splits(model: Learned) -> list[tuple[Any, ...]]:
    """What the trace says of the trees."""
    return [(i.leaf, i.variable, i.value, i.net_gain, i.n_leaves, i.log_likelihood) for i in model.trace]


class TestFreeEdges:
    @each_kind
    @each_schedule
    @settings(max_examples=15)
    @given(
        seed=st.integers(0, 2**32 - 1),
        n_rows=st.integers(1, 150),
        arities=st.lists(st.integers(1, 4), min_size=1, max_size=5),
        parameter_penalty=st.sampled_from([0.0, 0.5]),
    )
    def test_same_splits_as_with_a_circuit_whose_edges_cost_nothing(
        self, kind: str, schedule: str, seed: int, n_rows: int, arities: list[int], parameter_penalty: float
    ) -> None:
        table = dataset_of(random_rows(seed, n_rows, arities), arities)
        chosen = {"splits": kind, "schedule": schedule, "parameter_penalty": parameter_penalty}
        alone = learn_table_network(table, LearnSettings(**chosen))
        with_circuit = learn_table(table, LearnSettings(edge_penalty=0.0, **chosen))
        assert splits(alone) == splits(with_circuit)
        assert_same_network(alone.network, with_circuit.network)
        assert (alone.stop, alone.n_candidates) == (with_circuit.stop, with_circuit.n_candidates)

    @each_kind
    def test_the_best_prefix_on_a_validation_table(self, kind: str) -> None:
        chosen = LearnSettings(**OVERFITTING | {"splits": kind, "edge_penalty": 0.0})
        alone = learn_table_network(FEW, chosen, validation=VALIDATION)
        with_circuit = learn_table(FEW, chosen, validation=VALIDATION)
        assert 0 < alone.n_splits == with_circuit.n_splits < len(alone.trace), "a case where it matters"
        assert_same_network(alone.network, with_circuit.network)

    def test_budgets_weights_and_allowed_parents_hold(self) -> None:
        weights = np.random.default_rng(0).random(TRAINING.n_rows)
        parents = {"x0": ["x1"], "x4": []}
        chosen = {"max_splits": 7, "parameter_penalty": 0.0}
        alone = learn_table_network(TRAINING, LearnSettings(**chosen), sample_weight=weights, allowed_parents=parents)
        free = LearnSettings(edge_penalty=0.0, **chosen)
        with_circuit = learn_table(TRAINING, free, sample_weight=weights, allowed_parents=parents)
        assert alone.stop is Stop.MAX_SPLITS
        assert {info.edge_penalty for info in alone.trace} == {0.0}
        assert splits(alone) == splits(with_circuit)

    @pytest.mark.parametrize("ending", [{"patience": 3}, {"max_seconds": 0.0}, {"criterion": "bdeu"}])
    def test_it_ends_as_a_search_for_circuits_does(self, ending: dict[str, Any]) -> None:
        alone = learn_table_network(
            FEW, LearnSettings(parameter_penalty=0.0, alpha=1.0, shrinkage=0.0, **ending), validation=VALIDATION
        )
        free = LearnSettings(edge_penalty=0.0, parameter_penalty=0.0, alpha=1.0, shrinkage=0.0, **ending)
        with_circuit = learn_table(FEW, free, validation=VALIDATION)
        assert (alone.stop, alone.n_splits) == (with_circuit.stop, with_circuit.n_splits)
        assert_same_network(alone.network, with_circuit.network)

    def test_a_callback_ends_it(self) -> None:
        alone = learn_table_network(TRAINING, LearnSettings(), on_step=lambda info: info.n_splits == 4)
        assert alone.stop is Stop.CALLBACK
        assert alone.n_splits == len(alone.trace) == 4

    def test_an_edge_budget_is_refused(self) -> None:
        with pytest.raises(ValueError, match="max_edges"):
            learn_table_network(TRAINING, LearnSettings(max_edges=1000))


class TestGainSchedule:
    def schedule(self) -> GainSchedule:
        """Leaves 0, 1 and 2 of three binary variables; leaf 0 may be split on 1 or 2, leaf 1 on 0."""
        schedule = GainSchedule(SplitSpace(np.array([2, 2, 2]), SplitKind.COMPLETE))
        zeros = np.zeros(2, dtype=np.uint32)
        schedule.add(0, np.array([1, 2], dtype=np.uint32), zeros, np.array([3.0, 5.0]))
        schedule.add(1, np.array([0], dtype=np.uint32), zeros[:1], np.array([4.0]))
        return schedule

    def test_by_gain_and_without_cycles(self) -> None:
        schedule = self.schedule()
        assert schedule.best_split(0, lambda: False) == (0, 2, 0, 5.0, 0)
        schedule.applying(0, 2, 0)
        assert schedule.best_split(0, lambda: False) == (1, 0, 0, 4.0, 0)
        schedule.applying(1, 0, 0)
        # New leaves 3 and 4 of variable 0, which 1 now depends on.
        schedule.add(3, np.array([1], dtype=np.uint32), np.zeros(1, dtype=np.uint32), np.array([9.0]))
        assert schedule.best_split(0, lambda: False) is None

    def test_candidates_are_those_that_close_no_cycle(self) -> None:
        schedule = self.schedule()
        assert [column.tolist() for column in schedule.candidates()] == [[0, 0, 1], [2, 1, 0], [0, 0, 0], [5, 3, 4]]
        schedule.applying(1, 0, 0)
        assert [column.tolist() for column in schedule.candidates()] == [[0], [2], [0], [5]]

    def test_a_split_that_closes_a_cycle_is_refused(self) -> None:
        schedule = self.schedule()
        schedule.applying(1, 0, 0)
        with pytest.raises(ValueError, match="closes no cycle"):
            schedule.applying(0, 1, 0)
