"""`max_seconds` holds wherever the time goes: first leaves, branches of a split, folds, prices that take long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from learning import (
    SETTINGS,
    TRAINING,
    VALIDATION,
    assert_agrees_with_itself,
    assert_same_model,
    dataset_of,
    random_rows,
)

from learnac._core import GreedySchedule, GrowingCircuit, QuickSchedule
from learnac.data import Dataset
from learnac.learn import (
    Checkpoints,
    Fold,
    LeafCounts,
    Learned,
    LearnSettings,
    SearchState,
    Stop,
    TableCounts,
    learn,
    learn_network,
    learn_table,
    learner,
    loop,
    search,
)

SPLIT_BY_SPLIT = pytest.mark.parametrize("learning", [learn, learn_network])


class Clock:
    """Time that passes only when leaves are counted: a second for each."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (loop, search):
        monkeypatch.setattr(module, "time", made)
    monkeypatch.setattr(learner, "_CELLS_AT_ONCE", 1)  # a leaf at a time
    return made


class SlowCounts(TableCounts):
    def __init__(self, dataset: Dataset, clock: Clock) -> None:
        super().__init__(dataset)
        self._clock = clock

    def count(self, leaves: Sequence[int]) -> list[LeafCounts]:
        self._clock.now += len(leaves)
        return super().count(leaves)


@SPLIT_BY_SPLIT
def test_time_is_up_while_the_first_leaves_are_counted(clock: Clock, learning: Callable[..., Learned]) -> None:
    chosen = LearnSettings(max_seconds=2.5, **SETTINGS)
    model = learning(TRAINING.schema, SlowCounts(TRAINING, clock), chosen)
    assert model.stop is Stop.MAX_SECONDS
    assert clock.now == 3
    assert len(model.trace) == 0
    marginals = learn_table(TRAINING, LearnSettings(max_splits=0, **SETTINGS))
    np.testing.assert_array_equal(
        model.network.log_likelihood(TRAINING.codes), marginals.network.log_likelihood(TRAINING.codes)
    )


def test_time_is_up_while_the_branches_of_a_split_are_counted(clock: Clock) -> None:
    arities = [3, 4, 3, 3]
    table, others = (dataset_of(random_rows(seed, 400, arities), arities) for seed in (1, 3))
    chosen = LearnSettings(splits="complete", max_seconds=4.5, **SETTINGS)
    model = learn(table.schema, SlowCounts(table, clock), chosen, validation=TableCounts(others))
    assert model.stop is Stop.MAX_SECONDS
    assert clock.now == 5  # four leaves of the whole table, and one of three or four branches
    assert len(model.trace) == 1
    assert_agrees_with_itself(model, table)


def test_a_fold_that_takes_too_long_is_cut_short(clock: Clock) -> None:
    n_folds_asked = 0

    def folds() -> Iterator[Fold]:
        nonlocal n_folds_asked
        for _ in range(5):
            n_folds_asked += 1
            yield Fold(SlowCounts(TRAINING, clock), TableCounts(VALIDATION))

    chosen = LearnSettings(edge_penalty=0.02, max_splits=2, max_seconds=20)
    model = learn(TRAINING.schema, SlowCounts(TRAINING, clock), chosen, folds=folds())
    assert (model.stop, len(model.trace)) == (Stop.MAX_SPLITS, 2)
    assert (clock.now, n_folds_asked) == (20, 2)  # 6 + 4 leaves in all of the table, and in the first fold


def test_folds_are_not_asked_for_when_time_is_up(clock: Clock) -> None:
    def folds() -> Iterator[Fold]:
        raise AssertionError("asked for")
        yield

    counts = SlowCounts(TRAINING, clock)
    chosen = LearnSettings(edge_penalty=0.02, max_seconds=1)
    assert learn(TRAINING.schema, counts, chosen, folds=folds()).stop is Stop.MAX_SECONDS


def test_what_was_done_before_an_interruption_is_done_again_though_time_is_up(clock: Clock) -> None:
    unhurried = learn_table(TRAINING, LearnSettings(splits="complete", max_splits=4, **SETTINGS))
    kept: list[SearchState] = []
    chosen = LearnSettings(splits="complete", max_seconds=12.5, **SETTINGS)
    first = learn(TRAINING.schema, SlowCounts(TRAINING, clock), chosen, checkpoints=Checkpoints(keep=kept.append))
    assert 0 < len(first.trace) < 4
    again = learn(TRAINING.schema, SlowCounts(TRAINING, clock), chosen, checkpoints=Checkpoints(resumed=kept[-1]))
    assert_same_model(again, first)
    assert [info.net_gain for info in first.trace] == [info.net_gain for info in unhurried.trace[: len(first.trace)]]


def test_nothing_is_counted_for_a_search_of_no_splits(clock: Clock) -> None:
    learn(TRAINING.schema, SlowCounts(TRAINING, clock), LearnSettings(max_splits=0, **SETTINGS))
    assert clock.now == 0


@pytest.mark.parametrize("kind", [QuickSchedule, GreedySchedule])
def test_a_schedule_asks_whether_to_stop_after_few_prices_that_take_long(kind: type[QuickSchedule]) -> None:
    """Each price of a split of the variable with 10,000 values visits all their nodes."""
    n_values, n_others = 10_000, 200
    circuit = GrowingCircuit(np.array([n_values, *[3] * n_others], dtype=np.uint32), True)
    schedule = kind(circuit, 1e-9, True)
    gains = np.ones(n_others)
    schedule.add(0, np.arange(1, n_others + 1, dtype=np.uint32), np.zeros(n_others, dtype=np.uint32), gains)
    asked = 0

    def should_stop() -> bool:
        nonlocal asked
        asked += 1
        return True

    assert schedule.best_split(2**40, should_stop) is None
    assert asked == 1
    assert circuit.n_visits < 3_000_000
