"""A way to learn the vectors of a mixture, round by round, and the rounds until judging rows gain no more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from learnac._core import LeafRows

Floats = NDArray[np.float64]


class Fit(Protocol):
    """Parameters of K components that get better round by round. Changes in place."""

    def round(self, rows: LeafRows) -> float:
        """Learns from the rows once more; returns their mean log-likelihood on the way."""

    def log_likelihood(self, rows: LeafRows) -> float:
        """The mean over rows."""

    @property
    def vectors(self) -> tuple[Floats, Floats]:
        """Parameters (cells x components) and weights of the components, as they are now."""


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What is told after a round."""

    number: int
    log_likelihood: float
    judged: float


@dataclass(slots=True, eq=False)
class Rounds:
    """A fit under way: the best vectors so far, by the judging rows. Changes in place."""

    fit: Fit
    patience: int  # rounds without improvement
    n_done: int = 0
    n_best: int = 0
    best: float = -np.inf
    vectors: tuple[Floats, Floats] | None = None

    def run(
        self,
        learned: LeafRows,
        judging: LeafRows,
        most: int,
        should_stop: Callable[[], bool],
        on_round: Callable[[Round], object] | None = None,
    ) -> bool:
        """Up to so many more rounds; returns whether the fit has come to its end."""
        for _ in range(most):
            if should_stop():
                return True
            told = self.fit.round(learned)
            self.n_done += 1
            judged = self.fit.log_likelihood(judging)
            if on_round is not None:
                on_round(Round(self.n_done, told, judged))
            if judged > self.best:
                self.best, self.n_best, self.vectors = judged, self.n_done, self.fit.vectors
            elif self.n_done - self.n_best >= self.patience:
                return True
        return False
