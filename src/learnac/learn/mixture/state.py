"""Learning of a mixture put down, so that it can be taken up again where it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learnac.errors import DataError
from learnac.learn.mixture.fit import Rounds, State, Vectors
from learnac.learn.mixture.settings import MixtureSettings
from learnac.learn.settings import LearnSettings
from learnac.learn.state import check_same_settings, check_same_tables


@dataclass(frozen=True, slots=True, eq=False)
class EntrantState:
    """How far an entrant has come. One that learns no more needs no fits."""

    n_done: int
    n_best: int
    best: float
    vectors: Sequence[Vectors]  # of each fold
    fits: Sequence[State]  # of each fold

    @classmethod
    def of(cls, rounds: Rounds, goes_on: bool) -> EntrantState:
        fits = [fit.state for fit in rounds.fits] if goes_on else []
        return cls(rounds.n_done, rounds.n_best, rounds.best, rounds.vectors, fits)

    def restore(self, rounds: Rounds) -> None:
        """DataError if this is not a state of such an entrant."""
        shapes = [[part.shape for part in fit.vectors] for fit in rounds.fits]
        try:
            if self.vectors and [[part.shape for part in vectors] for vectors in self.vectors] != shapes:
                raise ValueError("vectors of another shape")
            if self.fits:
                for fit, state in zip(rounds.fits, self.fits, strict=True):
                    fit.restore(state)
        except (KeyError, TypeError, ValueError):
            raise DataError("the search to go on with has vectors of another shape than are needed here") from None
        rounds.n_done, rounds.n_best, rounds.best, rounds.vectors = self.n_done, self.n_best, self.best, self.vectors


@dataclass(frozen=True, slots=True, eq=False)
class MixtureState:
    """All entrants so far, by their keys. The structures are searched for again."""

    settings: LearnSettings
    mixing: MixtureSettings
    fingerprint: str  # of all that is read
    seconds: float
    entrants: Mapping[str, EntrantState]

    def check_fits(self, settings: LearnSettings, mixing: MixtureSettings, fingerprint: str) -> None:
        """Raise ValueError unless learning with these settings from these tables would be the same."""
        check_same_settings(self.mixing, mixing)
        check_same_settings(self.settings, settings)
        check_same_tables(self.fingerprint, fingerprint)
