"""A search put down, so that it can be taken up again where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.errors import DataError, SettingError
from learnac.learn.counts import CountProvider
from learnac.learn.mixture.settings import MixtureSettings
from learnac.learn.model import StepInfo
from learnac.learn.settings import LearnSettings
from learnac.learn.splits import SplitSpace

# Settings that say when to end or how to go about it: these may change before a search is taken up again.
_FREE = ("max_splits", "max_seconds", "patience")


@dataclass(frozen=True, slots=True, eq=False)
class SearchState:
    """The splits so far. AC-Quick also needs the edge costs it has seen, old as they may be; AC-Greedy does not."""

    settings: LearnSettings
    fingerprint: str  # of all that the search reads
    trace: tuple[StepInfo, ...]
    costs: NDArray[np.int64]
    seconds: float

    def check_fits(self, settings: LearnSettings, fingerprint: str) -> None:
        """Raise ValueError unless a search with these settings over these tables would be the same one."""
        check_same_settings(self.settings, settings)
        check_same_tables(self.fingerprint, fingerprint)


def check_same_settings(kept: LearnSettings | MixtureSettings, given: LearnSettings | MixtureSettings) -> None:
    mine, others = asdict(kept), asdict(given)
    for name in mine:
        if name not in _FREE and mine[name] != others[name]:
            complaint = f"the search to go on with has {mine[name]}, found {others[name]}"
            raise SettingError(name, str(mine[name]), others[name], complaint=complaint)


def check_same_tables(kept: str, given: str) -> None:
    if kept != given:
        raise DataError("the search to go on with was over other tables: its rows, weights or columns differ")


StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class Checkpoints(Generic[StateT]):
    """Where a search comes from, who keeps its state, and how often."""

    resumed: StateT | None = None
    keep: Callable[[StateT], None] | None = None
    every_seconds: float = 30.0
    on_failure: Callable[[OSError], object] | None = None  # told of a state that could not be kept; the search goes on

    @property
    def is_used(self) -> bool:
        return self.resumed is not None or self.keep is not None

    def hand_over(self, state: StateT) -> None:
        """Gives a state to whoever keeps it. A full disk does not end a search, if somebody is told of it."""
        if self.keep is None:
            return
        try:
            self.keep(state)
        except OSError as error:
            if self.on_failure is None:
                raise
            self.on_failure(error)


def fingerprint_of(schema: Schema, counts: Sequence[CountProvider | None], space: SplitSpace) -> str:
    """A checksum of what a search reads."""
    digest = hashlib.blake2b(repr((schema.names, schema.categories)).encode(), digest_size=16)
    digest.update(repr([None if each is None else each.fingerprint for each in counts]).encode())
    digest.update(space.allowed_bytes.tobytes())
    if space.ordered_bytes.any():
        digest.update(space.ordered_bytes.tobytes())
    if space.required_arcs:
        digest.update(repr(space.required_arcs).encode())
    return digest.hexdigest()
