"""The ways to learn the vectors of a mixture, to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from learnac.learn.mixture import free, tied
from learnac.learn.mixture.cells import CellRows
from learnac.learn.mixture.fit import Fit, Seed, Vectors


@dataclass(frozen=True, slots=True)
class Way:
    """Tied vectors, or free ones that are drawn, as if by so many rows, towards what all rows say; or loosened ones,
    which were tied and are then free, but drawn towards what they were.
    """

    name: Literal["tied", "free", "loosened"]
    strength: float = 0.0

    @property
    def patience(self) -> int:
        return tied.PATIENCE if self.name == "tied" else free.PATIENCE

    def begin(self, rows: CellRows, n_components: int, seed: Seed, start: Vectors | None = None) -> Fit:
        match self.name:
            case "tied":
                return tied.TiedFit(rows, n_components, seed)
            case "free":
                return free.FreeFit.from_chance(rows, n_components, seed, self.strength)
            case "loosened":
                assert start is not None
                return free.FreeFit.loosened(rows, start, self.strength)

    def __str__(self) -> str:
        return self.name if self.name == "tied" else f"{self.name}, strength {self.strength:g}"


WAYS = (Way("tied"), Way("free", 1.0), Way("free", 8.0))
LOOSENINGS = (Way("loosened", 64.0), Way("loosened", 16.0))
