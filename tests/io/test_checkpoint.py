"""Searches put down and taken up again: the model at the end is the one of a search without a break, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning import with_ordered

from learnac import Dataset, LearnAC, ModelFileError
from learnac.io import read_checkpoint, write_checkpoint
from learnac.learn import Checkpoints, Learned, LearnSettings, SearchState, learn_table

ARITIES = [2, 3, 2, 4, 2, 3, 2, 2]
SEARCHES: dict[str, dict[str, Any]] = {
    "quick": {"schedule": "quick"},
    "greedy": {"schedule": "greedy"},
    "binary splits": {"schedule": "quick", "splits": "binary"},
    "greedy, binary splits": {"schedule": "greedy", "splits": "binary"},
    "halving": {"edge_penalty": 2.0, "halve_edge_penalty": True, "max_edges": 600},
    "greedy, halving": {"schedule": "greedy", "edge_penalty": 2.0, "halve_edge_penalty": True, "max_edges": 600},
    "bdeu": {"criterion": "bdeu"},
}


def table(seed: int, n_rows: int = 300) -> Dataset:
    prototypes = np.random.default_rng(0).integers(ARITIES, size=(5, len(ARITIES)))
    rng = np.random.default_rng(seed)
    noise = rng.integers(ARITIES, size=(n_rows, len(ARITIES)))
    rows = np.where(rng.random(noise.shape) < 0.8, prototypes[rng.integers(5, size=n_rows)], noise)
    return with_ordered(Dataset.from_array(rows, arities=ARITIES), [1, 3])


def search(name: str, **changes: Any) -> LearnSettings:
    return LearnSettings(**{"edge_penalty": 0.02, "parameter_penalty": 0.1, **SEARCHES[name], **changes})


def states_of(settings: LearnSettings, validation: Dataset | None = None) -> tuple[Learned, list[SearchState]]:
    """The model, and the state after every split."""
    states: list[SearchState] = []
    model = learn_table(table(1), settings, validation=validation, checkpoints=Checkpoints(None, states.append, 0.0))
    return model, states


def assert_same(a: Learned, b: Learned) -> None:
    for name in ("kinds", "labels", "child_offsets", "children", "parameters", "parameter_origins"):
        assert np.array_equal(getattr(a.circuit, name), getattr(b.circuit, name)), name
    assert [replace(info, seconds=0) for info in a.trace] == [replace(info, seconds=0) for info in b.trace]
    assert (a.n_splits, a.stop) == (b.n_splits, b.stop)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("has_validation", [False, True])
def test_resumed_anywhere_it_ends_the_same(tmp_path: Path, name: str, has_validation: bool) -> None:
    settings, validation = search(name), table(2) if has_validation else None
    model, states = states_of(settings, validation)
    assert len(states) == len(model.trace) + 1
    assert len(model.trace) > 5
    for state in states[:: max(1, len(states) // 7)] + states[-1:]:
        write_checkpoint(state, tmp_path / "c")
        resumed = Checkpoints(resumed=read_checkpoint(tmp_path / "c"))
        assert_same(model, learn_table(table(1), settings, validation=validation, checkpoints=resumed))


def test_costs_are_not_computed_again() -> None:
    model, states = states_of(search("quick"))
    again = learn_table(table(1), search("quick"), checkpoints=Checkpoints(resumed=states[-1]))
    assert model.n_visits > 0
    assert again.n_visits == 0
    _, states = states_of(search("greedy"))
    again = learn_table(table(1), search("greedy"), checkpoints=Checkpoints(resumed=states[-1]))
    assert again.trace[-1].n_splits == states[-1].trace[-1].n_splits


def test_a_state_comes_back_as_it_was(tmp_path: Path) -> None:
    for validation in (None, table(2)):
        state = states_of(search("quick"), validation)[1][5]
        write_checkpoint(state, tmp_path / "c")
        again = read_checkpoint(tmp_path / "c")
        assert again.trace == state.trace
        assert (again.settings, again.fingerprint, again.seconds) == (state.settings, state.fingerprint, state.seconds)
        assert np.array_equal(again.costs, state.costs)


def test_an_empty_search(tmp_path: Path) -> None:
    _, states = states_of(search("quick", max_splits=0))
    write_checkpoint(states[0], tmp_path / "c")
    resumed = Checkpoints(resumed=read_checkpoint(tmp_path / "c"))
    assert_same(learn_table(table(1), search("quick")), learn_table(table(1), search("quick"), checkpoints=resumed))


def test_budgets_may_change() -> None:
    _, states = states_of(search("quick", max_splits=4))
    resumed = Checkpoints(resumed=states[-1])
    assert_same(
        learn_table(table(1), search("quick")),
        learn_table(table(1), search("quick", max_seconds=1e6), checkpoints=resumed),
    )


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"edge_penalty": 0.03}, "edge_penalty: the search to go on with has 0.02, found 0.03"),
        ({"schedule": "greedy"}, "schedule: the search to go on with has quick, found greedy"),
        ({"max_edges": 500}, "max_edges: the search to go on with has None, found 500"),
        ({}, "was over other tables"),
    ],
)
def test_another_search_is_refused(changes: dict[str, Any], complaint: str) -> None:
    _, states = states_of(search("quick", max_splits=4))
    rows = table(1) if changes else table(3)
    with pytest.raises(ValueError, match=complaint):
        learn_table(rows, search("quick", **changes), checkpoints=Checkpoints(resumed=states[-1]))


def test_validation_and_weights_are_part_of_the_search() -> None:
    _, states = states_of(search("quick", max_splits=4))
    with pytest.raises(ValueError, match="other tables"):
        learn_table(table(1), search("quick"), validation=table(2), checkpoints=Checkpoints(resumed=states[-1]))
    with pytest.raises(ValueError, match="other tables"):
        learn_table(
            table(1), search("quick"), sample_weight=np.full(300, 2.0), checkpoints=Checkpoints(resumed=states[-1])
        )


def test_the_estimator_keeps_and_resumes(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    whole = LearnAC(0.02, 0.1).fit(table(1))
    LearnAC(0.02, 0.1, max_splits=6).fit(table(1), checkpoint=path, checkpoint_seconds=0.0)
    assert len(read_checkpoint(path).trace) == 6
    resumed = LearnAC(0.02, 0.1).fit(table(1), checkpoint=path, resume=True)
    assert_same(whole.learned_, resumed.learned_)
    assert len(read_checkpoint(path).trace) == len(whole.trace_)
    with pytest.raises(FileExistsError, match="resume it, or delete it"):
        LearnAC(0.02, 0.1).fit(table(1), checkpoint=path)
    begun = LearnAC(0.02, 0.1).fit(table(1), checkpoint=tmp_path / "new", resume=True)
    assert_same(whole.learned_, begun.learned_)


def test_other_files_are_refused(tmp_path: Path) -> None:
    LearnAC().fit(table(1)).save(tmp_path / "m.learnac")
    with pytest.raises(ModelFileError, match="expected a checkpoint, found a model"):
        read_checkpoint(tmp_path / "m.learnac")
    write_checkpoint(states_of(search("quick", max_splits=3))[1][-1], tmp_path / "c")
    content = (tmp_path / "c").read_bytes()
    for length in range(0, len(content), 7):
        (tmp_path / "c").write_bytes(content[:length])
        with pytest.raises(ModelFileError):
            read_checkpoint(tmp_path / "c")


@pytest.mark.parametrize(
    "changes",
    [
        *({"leaf": 2 * 10**9}, {"variable": 2 * 10**9}, {"leaf": -1}, {"value": -1}),
        *({"value": 1}, {"value": 2 * 10**9}, {"leaf": 12}, {"leaf": 0, "variable": 0}),
    ],
)
def test_splits_that_cannot_be_are_refused(tmp_path: Path, changes: dict[str, int]) -> None:
    _, states = states_of(search("greedy", max_splits=3))
    broken = replace(states[-1], trace=(replace(states[-1].trace[0], **changes), *states[-1].trace[1:]))
    write_checkpoint(broken, tmp_path / "c")
    with pytest.raises(ModelFileError, match="split"):
        learn_table(table(1), search("greedy"), checkpoints=Checkpoints(resumed=read_checkpoint(tmp_path / "c")))


def test_a_split_of_a_leaf_that_is_split_already_is_refused() -> None:
    _, states = states_of(search("greedy", max_splits=3))
    first, *others = states[-1].trace
    twice = (first, replace(others[0], leaf=first.leaf, variable=first.variable, value=first.value), *others)
    with pytest.raises(ModelFileError, match="the search to go on with has a split that cannot be"):
        learn_table(table(1), search("greedy"), checkpoints=Checkpoints(resumed=replace(states[-1], trace=twice)))


def test_splits_that_would_close_a_cycle_are_refused() -> None:
    _, states = states_of(search("greedy", max_splits=2))
    first, second = states[-1].trace
    cycle = (replace(first, leaf=0, variable=1, value=0), replace(second, leaf=1, variable=0, value=0))
    with pytest.raises(ValueError, match="cycle"):
        learn_table(table(1), search("greedy"), checkpoints=Checkpoints(resumed=replace(states[-1], trace=cycle)))
