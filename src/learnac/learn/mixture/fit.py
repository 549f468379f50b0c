"""A way to learn the vectors of a mixture, round by round, and the rounds until judging rows gain no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac._core import LeafRows
from learnac.learn.mixture.cells import CellRows

Floats = NDArray[np.float64]

MOST_ROUNDS = 250
_LEAST_LOG = -1e4


class Vectors(NamedTuple):
    """Parameters (cells x components) and weights of the components."""

    parameters: Floats
    weights: Floats

    @property
    def logs(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Those of zeros are finite, so that sums are."""
        with np.errstate(divide="ignore"):
            parameters, weights = (np.maximum(np.log(part), _LEAST_LOG).astype(np.float32) for part in self)
        return parameters, weights


Seed: TypeAlias = tuple[int, ...]
State: TypeAlias = Mapping[str, NDArray[Any]]


class Fit(Protocol):
    """Parameters of K components that get better round by round. Changes in place."""

    def round(self, rows: LeafRows) -> float:
        """Learns from the rows once more; returns their mean log-likelihood on the way."""

    def log_likelihood(self, rows: LeafRows) -> float:
        """The mean over rows."""

    @property
    def vectors(self) -> Vectors:
        """As they are now."""

    @property
    def state(self) -> State:
        """All that changes, by name."""

    def restore(self, state: State) -> None:
        """Goes on from a state of a fit that began like this one. ValueError for arrays that do not fit."""


class Judged(NamedTuple):
    """What is told of a round: mean log-likelihoods of the rows that were learned from, and of those that judge."""

    number: int
    log_likelihood: float
    judged: float | None


@dataclass(slots=True, eq=False)
class Rounds:
    """Fits of the same kind under way, one for each fold of the rows. Changes in place.

    They go on while their judging rows, taken together, gain, and the best vectors are kept; or, with `n_planned`, for
    so many rounds, and the last vectors are kept.
    """

    fits: Sequence[Fit]
    folds: Sequence[CellRows]
    patience: int  # rounds without improvement
    n_planned: int | None = None
    n_done: int = 0
    n_best: int = 0
    best: float = -np.inf
    vectors: Sequence[Vectors] = ()  # of each fold, once there are any to keep

    @property
    def is_over(self) -> bool:
        if self.n_planned is not None:
            return self.n_done >= self.n_planned
        return self.n_done - self.n_best >= self.patience or self.n_done >= MOST_ROUNDS

    def advance(self) -> Judged:
        """One more round."""
        parts = list(zip(self.fits, self.folds, strict=True))
        told = self._mean([fit.round(rows.learned) for fit, rows in parts])
        self.n_done += 1
        if self.n_planned is not None:
            self.n_best = self.n_done
            if self.is_over:
                self.vectors = [fit.vectors for fit in self.fits]
            return Judged(self.n_done, told, None)
        judged = self._mean([fit.log_likelihood(rows.judging) for fit, rows in parts])
        if judged > self.best:
            self.best, self.n_best, self.vectors = judged, self.n_done, [fit.vectors for fit in self.fits]
        return Judged(self.n_done, told, judged)

    def _mean(self, of_folds: Sequence[float]) -> float:
        return float(np.average(of_folds, weights=[rows.judging.total_weight for rows in self.folds]))
