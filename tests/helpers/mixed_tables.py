"""Small tables of numbers, dates and categories, models of them, and their numbers taken apart for sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from enumerated import Enumerated, enumerated
from numpy.typing import NDArray

from learnac import Dataset, LearnAC
from learnac.data import Bins

Floats = NDArray[np.float64]

# Of Gauss and Legendre: exact for the mass and the mean of a piece, close for the density of a tail.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_REACH = 30  # of a tail, in units of its decay: what lies beyond is e^-30


def mixed_table(seed: int = 0, n_rows: int = 400) -> pd.DataFrame:
    """A number that lies anywhere, with one that many rows share; an integer that often is 0; a date; categories."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["a", "b", "c"], n_rows, p=[0.5, 0.3, 0.2])
    shift = np.select([kind == "a", kind == "b"], [0.0, 3.0], 6.0)
    height = np.where(rng.random(n_rows) < 0.15, 1.5, rng.normal(shift, 1.0))
    spent = np.where(rng.random(n_rows) < 0.4, 0, rng.poisson(20 + 4 * shift))
    day = np.datetime64("2020-01-01") + (rng.integers(0, 40, n_rows) + 30 * (height > 3)).astype("timedelta64[D]")
    is_ill = rng.random(n_rows) < 1 / (1 + np.exp(-height / 2 + 1))
    return pd.DataFrame({"height": height, "kind": kind, "spent": spent, "day": day, "ill": is_ill})


BINS = {"height": 4, "spent": 3, "day": 3}


@dataclass(frozen=True, eq=False)
class Atoms:
    """A column of numbers as a sum: numbers, the bins they lie in, and what each stands for of its bin."""

    values: Floats
    codes: NDArray[np.int32]
    widths: Floats  # what the density at each number is multiplied with
    masses: Floats

    @classmethod
    def of(cls, bins: Bins, cuts: tuple[float, ...] = ()) -> Atoms:
        """Exact for sums between any two of the cuts."""
        spread = bins.spread
        assert spread is not None
        reach = _REACH * spread.decay
        first, last = min(spread.starts[0], *cuts, np.inf) - reach, max(spread.starts[-1], *cuts, -np.inf) + reach
        if spread.step > 0:
            values = spread.floor(np.arange(spread.floor(first), last, spread.step) + spread.step / 4)
            widths = np.full(len(values), spread.step)
        else:
            values, widths = _nodes(bins, first, last, cuts)
        masses = np.exp(bins.log_densities(values)) * widths
        return cls(values, bins.codes(values), widths, masses)

    def shares(self, n_bins: int, inside: Any = slice(None), power: int = 0) -> Floats:
        """Of each bin, the part whose numbers are `inside`; or the sum of its numbers, weighted."""
        weights = self.masses[inside] * self.values[inside] ** power
        return np.bincount(self.codes[inside], weights, n_bins)


def _nodes(bins: Bins, first: float, last: float, cuts: tuple[float, ...]) -> tuple[Floats, Floats]:
    spread = bins.spread
    assert spread is not None
    tails = [np.linspace(first, spread.starts[0], 30), np.linspace(spread.starts[-1], last, 30)]
    ends = np.unique(np.concatenate([spread.starts, bins.edges, [cut for cut in cuts if np.isfinite(cut)], *tails]))
    starts = np.array(spread.starts)
    points = starts[spread.is_point[1:]]
    after = np.nextafter(points, np.inf)
    values, widths = [points], [np.ones(len(points))]
    for a, b in pairwise(ends):
        if not (a in points and b in after):
            values.append((a + b) / 2 + (b - a) / 2 * _NODES)
            widths.append((b - a) / 2 * _WEIGHTS)
    return np.concatenate(values), np.concatenate(widths)


@cache
def learned(seed: int = 0) -> LearnAC:
    """A model of a mixed table, small enough for all worlds of its intervals to be written down."""
    return LearnAC(bins=BINS, max_splits=8, edge_penalty=0.0).fit(mixed_table(seed))


@cache
def mixed(n_components: int, seed: int = 0) -> Enumerated:
    """That model, or a mixture with its structure, with the probabilities of all worlds, from the trees."""
    model = learned(seed)
    assert model.network_ is not None
    return enumerated(model.circuit_, model.network_, n_components, seed)


def dataset(seed: int = 0) -> Dataset:
    return Dataset.from_frame(mixed_table(seed), bins=BINS)


def number_bins(asked: Any, name: str) -> Bins:
    """The bins of a number, of whatever has a schema."""
    found = asked.schema.bins[asked.schema.index(name)]
    assert found is not None
    return found  # type: ignore[no-any-return]
