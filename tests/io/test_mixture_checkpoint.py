"""Learning of a mixture put down and taken up again: the same mixture in the end, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learnac import Dataset, LearnAC, ModelFileError
from learnac.circuit import Mixture
from learnac.errors import DataError, SettingError
from learnac.io import read_checkpoint, write_checkpoint
from learnac.io.container import read_container, write_container
from learnac.learn import (
    Checkpoints,
    Learned,
    LearnSettings,
    MixtureSettings,
    MixtureState,
    RoundInfo,
    Rows,
    learn_mixture,
)

ARITIES = [2, 3, 2, 4, 2]
SETTINGS, MIXING = LearnSettings(max_edges=3000), MixtureSettings(4, 2, random_state=3)


def table(seed: int, n_rows: int) -> Dataset:
    prototypes = np.random.default_rng(0).integers(ARITIES, size=(5, len(ARITIES)))
    rng = np.random.default_rng(seed)
    noise = rng.integers(ARITIES, size=(n_rows, len(ARITIES)))
    rows = np.where(rng.random(noise.shape) < 0.7, prototypes[rng.integers(5, size=n_rows)], noise)
    return Dataset.from_array(rows, arities=ARITIES)


TRAIN, VALID = Rows(table(1, 250)), Rows(table(2, 200))


def learned(checkpoints: Checkpoints[MixtureState], validation: Rows | None, **further: Any) -> Learned:
    return learn_mixture(TRAIN, SETTINGS, MIXING, validation=validation, checkpoints=checkpoints, **further)


def assert_same(a: Learned, b: Learned) -> None:
    one, other = a.model.circuit, b.model.circuit
    assert isinstance(one, Mixture)
    assert isinstance(other, Mixture)
    assert np.array_equal(one.parameters, other.parameters)
    assert np.array_equal(one.weights, other.weights)
    assert a.mixing == b.mixing


@pytest.mark.parametrize("validation", [VALID, None], ids=["validation", "held out"])
def test_resumed_anywhere_it_ends_the_same(tmp_path: Path, validation: Rows | None) -> None:
    states: list[MixtureState] = []
    whole = learned(Checkpoints(None, states.append, 0.0), validation)
    assert len(states) > 20
    path = tmp_path / "kept"
    for state in states[:: 1 + len(states) // 12]:
        write_checkpoint(state, path)
        resumed = read_checkpoint(path)
        assert isinstance(resumed, MixtureState)
        assert_same(learned(Checkpoints(resumed), validation), whole)


def test_what_was_done_is_not_done_again() -> None:
    states: list[MixtureState] = []
    whole: list[Any] = []
    learned(Checkpoints(None, states.append, 0.0), VALID, on_step=whole.append)
    again: list[Any] = []
    learned(Checkpoints(states[-1]), VALID, on_step=again.append)
    assert sum(isinstance(info, RoundInfo) for info in whole) > 20
    assert not any(isinstance(info, RoundInfo) for info in again)


def test_interrupted_and_resumed_by_the_estimator(tmp_path: Path) -> None:
    frame, seen = np.asarray(TRAIN.dataset.codes.T), 0

    def interrupt(info: object) -> None:
        nonlocal seen
        seen += isinstance(info, RoundInfo)
        if seen == 9:
            raise KeyboardInterrupt

    stated: dict[str, Any] = {"n_components": 4, "n_averages": 2, "max_edges": 3000}
    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt, match="the model so far is kept: it has 4 components"):
        LearnAC(**stated, callback=interrupt).fit(frame, checkpoint=path)
    resumed = LearnAC(**stated).fit(frame, checkpoint=path, resume=True)
    whole = LearnAC(**stated).fit(frame)
    assert isinstance(resumed.circuit_, Mixture)
    assert isinstance(whole.circuit_, Mixture)
    assert np.array_equal(resumed.circuit_.parameters, whole.circuit_.parameters)


class TestOtherLearning:
    @pytest.fixture
    def state(self) -> MixtureState:
        states: list[MixtureState] = []
        learned(Checkpoints(None, states.append, 0.0), VALID)
        return states[7]

    def test_other_settings_are_refused(self, state: MixtureState) -> None:
        with pytest.raises(SettingError, match="n_components: the search to go on with has 4, found 5"):
            learn_mixture(TRAIN, SETTINGS, MixtureSettings(5, 2, 3), validation=VALID, checkpoints=Checkpoints(state))
        other = LearnSettings(max_edges=2500)
        with pytest.raises(SettingError, match="max_edges: the search to go on with has 3000, found 2500"):
            learn_mixture(TRAIN, other, MIXING, validation=VALID, checkpoints=Checkpoints(state))

    def test_other_rows_are_refused(self, state: MixtureState) -> None:
        with pytest.raises(DataError, match="was over other tables"):
            learn_mixture(VALID, SETTINGS, MIXING, validation=VALID, checkpoints=Checkpoints(state))

    def test_a_search_for_one_circuit_is_no_mixture(self, tmp_path: Path, state: MixtureState) -> None:
        codes, path = TRAIN.dataset.codes.T, tmp_path / "checkpoint"
        write_checkpoint(state, path)
        with pytest.raises(ModelFileError, match="which were those of a mixture"):
            LearnAC().fit(codes, checkpoint=path, resume=True)
        path.unlink()
        LearnAC().fit(codes, checkpoint=path)
        with pytest.raises(ModelFileError, match="which were those of a single circuit"):
            LearnAC(n_components=2).fit(codes, checkpoint=path, resume=True)

    @pytest.mark.parametrize("part", ["key", "n_done", "best", "vectors", "fits"])
    def test_damaged_entrants_are_refused(self, tmp_path: Path, state: MixtureState, part: str) -> None:
        path = tmp_path / "checkpoint"
        write_checkpoint(state, path)
        container = read_container(path)
        for wrong in ({"a": 1}, -1, "x", [["y"]], [3]):
            header = {**container.header}
            header["entrants"] = [{**entrant, part: wrong} for entrant in container.header["entrants"]]
            if part == "key" and wrong == "x":
                continue
            if part == "best" and wrong == -1:
                continue
            write_container(path, header, container.arrays)
            with pytest.raises(ModelFileError, match=str(path)):
                read_checkpoint(path)

    def test_vectors_of_another_shape_are_refused(self, state: MixtureState) -> None:
        smaller = {
            key: type(entrant)(entrant.n_done, entrant.n_best, entrant.best, entrant.vectors, entrant.fits)
            for key, entrant in state.entrants.items()
        }
        for key, entrant in list(smaller.items()):
            cut = [type(v)(v.parameters[:-1], v.weights) for v in entrant.vectors]
            smaller[key] = type(entrant)(entrant.n_done, entrant.n_best, entrant.best, cut, entrant.fits)
        wrong = MixtureState(state.settings, state.mixing, state.fingerprint, state.seconds, smaller)
        with pytest.raises(DataError, match="vectors of another shape"):
            learned(Checkpoints(wrong), VALID)


def test_a_full_disk_does_not_end_it() -> None:
    told: list[OSError] = []

    def full(state: MixtureState) -> None:
        raise OSError(28, "No space left on device", "checkpoint")

    assert isinstance(learned(Checkpoints(None, full, 0.0, told.append), VALID).model.circuit, Mixture)
    assert told
