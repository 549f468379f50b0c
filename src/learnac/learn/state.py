"""A search put down, so that it can be taken up again where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.errors import DataError, SettingError
from learnac.learn.counts import CountProvider
from learnac.learn.model import StepInfo
from learnac.learn.settings import LearnSettings

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
        mine, others = asdict(self.settings), asdict(settings)
        for name in mine:
            if name not in _FREE and mine[name] != others[name]:
                complaint = f"the search to go on with has {mine[name]}, found {others[name]}"
                raise SettingError(name, str(mine[name]), others[name], complaint=complaint)
        if fingerprint != self.fingerprint:
            raise DataError("the search to go on with was over other tables: its rows, weights or columns differ")


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Where a search comes from, who keeps its state, and how often."""

    resumed: SearchState | None = None
    keep: Callable[[SearchState], None] | None = None
    every_seconds: float = 30.0
    on_failure: Callable[[OSError], object] | None = None  # told of a state that could not be kept; the search goes on

    @property
    def is_used(self) -> bool:
        return self.resumed is not None or self.keep is not None


def fingerprint_of(schema: Schema, counts: Sequence[CountProvider | None], allowed: NDArray[np.uint8]) -> str:
    """A checksum of what a search reads."""
    digest = hashlib.blake2b(repr((schema.names, schema.categories)).encode(), digest_size=16)
    digest.update(repr([None if each is None else each.fingerprint for each in counts]).encode())
    digest.update(allowed.tobytes())
    return digest.hexdigest()
