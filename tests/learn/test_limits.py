"""Tables too large for memory are refused before the work, and candidates are kept as far as there is room."""

from __future__ import annotations

import numpy as np
import pytest
from learning import ARITIES, SETTINGS, TRAINING, assert_agrees_with_itself, each_kind, each_schedule

from learnac._core import CandidateFinder, GrowingTrees
from learnac.data import Schema
from learnac.errors import DataError
from learnac.learn import LearnSettings, TableCounts, learn_table, limits


def test_too_many_categories_are_refused_with_the_column_that_has_most() -> None:
    schema = Schema(("a", "street", "b"), (tuple(range(60_000)), tuple(range(65_000)), tuple(range(60_000))))
    with pytest.raises(DataError) as caught:
        limits.require_room(schema)
    assert str(caught.value) == (
        "the columns have 185,000 categories in all: a circuit of them takes 4.0 GB before any split, expected at most "
        "2.0 GB; leave columns out or merge categories ('street' has most, 65,000)"
    )
    assert (caught.value.column, caught.value.found) == ("street", 185_000)


def test_a_column_of_65_536_categories_and_5_000_binary_columns_have_room() -> None:
    names = tuple(f"x{v}" for v in range(5001))
    limits.require_room(Schema(names[:1], (tuple(range(65_536)),)))
    limits.require_room(Schema(names, (tuple(range(10_000)), *[(0, 1)] * 5000)))


def test_the_table_is_refused_before_anything_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_FIRST_BYTES", 10)
    monkeypatch.setattr(TableCounts, "count", None)
    with pytest.raises(DataError, match="14 categories in all"):
        learn_table(TRAINING, LearnSettings(**SETTINGS))


@pytest.mark.parametrize("is_binary", [True, False])
def test_of_too_many_candidates_the_best_are_kept_in_their_order(is_binary: bool) -> None:
    trees = GrowingTrees(np.array(ARITIES, np.uint32), is_binary, "likelihood", 1.0, 0.0)
    (counted,) = TableCounts(TRAINING).count([0])
    trees.add_root(counted.totals)
    found = [
        CandidateFinder(
            trees, "likelihood", 1.0, 0.0, np.ones(6, np.uint8), np.empty(0, np.uint8), most_candidates=most
        ).find(0, counted.cells)
        for most in (1000, 3)
    ]
    (variables, values, gains), few = found
    best = np.sort(np.argsort(-gains, kind="stable")[:3])
    assert len(gains) > 3
    for mine, all_of_them in zip(few, (variables, values, gains), strict=True):
        np.testing.assert_array_equal(mine, all_of_them[best])


@each_schedule
@each_kind
def test_a_search_with_few_candidates_for_each_leaf(schedule: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("learnac.learn.learner.most_candidates", lambda n_variables: 1)
    model = learn_table(TRAINING, LearnSettings(schedule=schedule, splits=kind, **SETTINGS))
    assert len(model.trace) > 3
    assert model.n_candidates <= TRAINING.n_variables + sum(
        2 if kind == "binary" else TRAINING.arities[info.variable] for info in model.trace
    )
    assert_agrees_with_itself(model, TRAINING)


def test_all_candidates_are_kept_of_5_000_binary_columns_and_some_of_20_000() -> None:
    assert limits.most_candidates(5000) >= 5000
    assert 1000 <= limits.most_candidates(20_000) < 20_000
