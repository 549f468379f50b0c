"""`Spread`: how the numbers of a column lie within its bins, so that a number has a density and not only a bin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.float64]

# Of a step: 0.3 / 0.1 is a little less than 3. And of the number of steps, where that is large.
_TOLERANCE = 1e-6
_ROUNDING = 1e-15

MOST_DECIMALS = 6
"""Of a step."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Pieces that cover all numbers, each within one bin, with the share that they have of the bin's probability.

    The first piece is all below `starts[0]`, the last all from `starts[-1]` on: tails, whose density decays by e over
    `decay`. Piece i between them reaches from `starts[i - 1]` up to `starts[i]`, with the same density everywhere. A
    piece that holds a single number is a point: a number that many rows share has a probability, not a density.

    If all numbers are multiples of a `step` (1 for integers), a number stands for all from itself up to the next
    multiple: its probability divided by the step is its density. So the density of integers is their probability.
    """

    starts: tuple[float, ...]
    shares: tuple[float, ...]  # one more than starts
    decay: float
    step: float = 0.0

    def __post_init__(self) -> None:
        if len(self.shares) != len(self.starts) + 1 or not self.starts:
            raise ValueError(f"expected a share for each piece, found {len(self.shares)} for {len(self.starts)} starts")
        numbers = [*self.starts, *self.shares, self.decay, self.step]
        if not all(math.isfinite(number) for number in numbers):
            raise ValueError("expected pieces of finite numbers")
        if any(left >= right for left, right in pairwise(self.starts)):
            raise ValueError("expected pieces in increasing order")
        if min(self.shares) < 0 or self.decay <= 0 or self.step < 0:
            raise ValueError("expected shares and a step from 0, and a decay above 0")

    @property
    def largest(self) -> float:
        """The largest number before the tail."""
        last = self.starts[-1]
        return float(self.floor(last - self.step)) if self.step > 0 else float(np.nextafter(last, -np.inf))

    @property
    def is_point(self) -> npt.NDArray[np.bool_]:
        """The pieces of a single number, which lies anywhere: on a grid of steps, none needs to be told apart."""
        found = np.zeros(len(self.shares), dtype=bool)
        if self.step == 0:
            starts = np.array(self.starts)
            found[1:-1] = np.nextafter(starts[:-1], np.inf) == starts[1:]
        return found

    def pieces(self, numbers: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """The piece that each number lies in."""
        return np.searchsorted(np.array(self.starts), np.asarray(numbers, np.float64), side="right")

    def bins(self, edges: tuple[float, ...]) -> npt.NDArray[np.intp]:
        """The bin of each piece."""
        # What lies below the first piece is in the first bin, as is all that is left of the first edge.
        return np.concatenate([[0], np.searchsorted(np.array(edges), np.array(self.starts), side="right")])

    def log_densities(self, numbers: npt.ArrayLike) -> Numbers:
        """The log-density of each number within its bin; of a point, its log-probability. Nan of nan."""
        values = snapped(np.asarray(numbers, np.float64), self.step)
        pieces = self.pieces(values)
        starts, shares = np.array(self.starts), np.array(self.shares)
        widths = np.concatenate([[1.0], np.diff(starts), [1.0]])
        widths[self.is_point] = 1.0
        with np.errstate(divide="ignore"):
            found: Numbers = np.log(shares / widths)[pieces]
        is_low, is_high = pieces == 0, pieces == len(starts)
        found[is_low] += self._log_tail(starts[0] - self.floor(values[is_low]), is_low=True)
        found[is_high] += self._log_tail(self.floor(values[is_high]) - starts[-1], is_low=False)
        found[np.isnan(values)] = np.nan
        return found

    def _log_tail(self, distances: Numbers, *, is_low: bool) -> Numbers:
        """The log-density of numbers at a distance from where a tail begins; on a grid, of all that are floored so."""
        if self.step == 0:
            return -distances / self.decay - math.log(self.decay)
        near = distances - self.step if is_low else distances
        return -near / self.decay + math.log(-math.expm1(-self.step / self.decay) / self.step)

    def floor(self, numbers: npt.ArrayLike) -> Numbers:
        """The largest multiple of the step that is not above each number."""
        return floored(np.asarray(numbers, np.float64), self.step)

    def cumulative(self, numbers: npt.ArrayLike) -> tuple[npt.NDArray[np.intp], Numbers]:
        """For each number its piece, and the share of the piece that lies below it."""
        values = np.asarray(numbers, np.float64)
        pieces = self.pieces(values)
        starts = np.array(self.starts)
        before = np.concatenate([[-np.inf], starts])[pieces]
        after = np.concatenate([starts, [np.inf]])[pieces]
        with np.errstate(invalid="ignore"):
            inside = (values - before) / (after - before)
        inside = np.where(pieces == 0, np.exp(-(starts[0] - values) / self.decay), inside)
        inside = np.where(pieces == len(starts), -np.expm1(-(values - starts[-1]) / self.decay), inside)
        return pieces, inside

    def shares_between(self, low: float, high: float) -> Numbers:
        """The share of each piece that lies from `low` up to, and without, `high`."""
        (first, last), (below_low, below_high) = self.cumulative([low, high])
        found = np.zeros(len(self.shares))
        if low < high:
            found[first:last] = 1.0
            found[first] -= below_low
            found[last] += below_high
        return np.clip(found, 0.0, 1.0)

    def middles(self, low: float = -math.inf, high: float = math.inf) -> Numbers:
        """A number in the middle of the part of each piece between limits; of a tail, where it begins."""
        starts = np.array(self.starts)
        before = np.concatenate([[min(starts[0], high) - self.step], starts])
        after = np.concatenate([starts, starts[-1:] + self.step])
        before, after = np.maximum(before, low), np.minimum(after, high)
        before[0] = np.nextafter(min(starts[0], high), -np.inf) if self.step == 0 else before[0]
        middles = before + np.maximum(after - before - self.step, 0.0) / 2
        middles[0], middles[-1] = before[0], before[-1]
        return self.floor(np.where(self.is_point, np.concatenate([starts[:1], starts]), middles))

    def means(self) -> Numbers:
        """The mean of the numbers of each piece."""
        starts = np.array(self.starts)
        # Numbers are rounded down to multiples of the step: those of a piece are on average half a step below.
        middles = (starts[:-1] + starts[1:] - self.step) / 2
        middles = np.where(self.is_point[1:-1], starts[:-1], middles)
        if self.step == 0:
            return np.concatenate([[starts[0] - self.decay], middles, [starts[-1] + self.decay]])
        beyond = self.step / -math.expm1(-self.step / self.decay)
        return np.concatenate([[starts[0] - beyond], middles, [starts[-1] + beyond - self.step]])

    def means_between(self, low: float, high: float) -> Numbers:
        """The mean of the numbers of each piece that lie from `low` up to `high`; of a piece with none, anything."""
        found = self.means()
        starts = np.array(self.starts)
        for place in {int(piece) for piece in self.pieces([low, high])}:
            start = starts[place - 1] if place > 0 else -np.inf
            end = starts[place] if place < len(starts) else np.inf
            a, b = max(start, low), min(end, high)
            if a < b and not self.is_point[place]:
                found[place] = self._mean_of_part(place, a, b)
        return found

    def _mean_of_part(self, place: int, a: float, b: float) -> float:
        if 0 < place < len(self.starts):
            return (a + b - self.step) / 2
        # Away from where the tail begins: x is exponential, from `near` to `far`.
        origin, sign = (self.starts[0], -1.0) if place == 0 else (self.starts[-1], 1.0)
        near, far = sorted((abs(a - origin), abs(b - origin)))
        if self.step == 0:
            return origin + sign * (self.decay + near - _beyond(far - near, self.decay))
        ratio = math.exp(-self.step / self.decay)
        n_steps = (far - near) / self.step
        first = near if place > 0 else near + self.step
        mean = ratio / (1 - ratio) - (0 if math.isinf(n_steps) else n_steps * ratio**n_steps / (1 - ratio**n_steps))
        return origin + sign * (first + self.step * mean)

    def draw(self, pieces: npt.NDArray[np.intp], uniform: Numbers, low: Numbers, high: Numbers) -> Numbers:
        """A number of each piece, between `low` and `high`, from numbers that are uniform between 0 and 1."""
        starts = np.array(self.starts)
        before = np.maximum(np.concatenate([[-np.inf], starts])[pieces], low)
        after = np.minimum(np.concatenate([starts, [np.inf]])[pieces], high)
        with np.errstate(invalid="ignore", over="ignore"):
            found = before + uniform * (after - before)
            found = np.minimum(found, np.nextafter(after, -np.inf))
        is_low, is_high = pieces == 0, pieces == len(starts)
        near, far = starts[0] - after[is_low], starts[0] - before[is_low]
        # The larger the number between 0 and 1, the larger is what is drawn: the closer to where this tail begins.
        closer = np.minimum(1 - uniform[is_low], 1 - 2.0**-53)
        found[is_low] = starts[0] - _drawn_tail(near, far, closer, self.decay)
        near, far = before[is_high] - starts[-1], after[is_high] - starts[-1]
        found[is_high] = starts[-1] + _drawn_tail(near, far, uniform[is_high], self.decay)
        found = self.floor(np.where(self.is_point[pieces], starts[np.maximum(pieces - 1, 0)], found))
        # What lies a rounding error below the end of a piece is not floored to it.
        return found if self.step == 0 else np.minimum(found, self.floor(after - self.step))


def _drawn_tail(near: Numbers, far: Numbers, uniform: Numbers, decay: float) -> Numbers:
    """Distances from the beginning of a tail, exponential from `near` to `far`."""
    reach = -np.expm1(-(far - near) / decay)
    return near - decay * np.log1p(-uniform * reach)


def _beyond(width: float, decay: float) -> float:
    """How much the mean of an exponential falls when it is cut off at `width`."""
    return 0.0 if math.isinf(width) else width / math.expm1(width / decay) if width / decay < 700 else 0.0


def floored(numbers: Numbers, step: float) -> Numbers:
    """The largest multiple of a step that is not above each number, as people write it: 0.3, not 3 * 0.1."""
    if step == 0:
        return numbers
    scale = next((s for d in range(MOST_DECIMALS + 1) if is_whole(step * (s := 10.0**d))), 1 / step)
    divisor = float(np.rint(step * scale))
    counts = numbers * scale / divisor
    tolerance = np.minimum(_TOLERANCE + _ROUNDING * np.abs(counts), 1e-3)
    found: Numbers = np.floor(counts + tolerance) * divisor / scale
    return found + 0.0


def snapped(numbers: Numbers, step: float) -> Numbers:
    """Numbers that are a rounding error away from a multiple of a step, as that multiple; others as they are."""
    if step == 0:
        return numbers
    near = floored(numbers + step / 2, step)
    with np.errstate(invalid="ignore"):
        tolerance = np.minimum(_TOLERANCE * step + _ROUNDING * np.abs(numbers), 1e-3 * step)
        is_near = np.abs(numbers - near) <= tolerance
    return np.where(is_near, near, numbers)


def is_whole(number: float) -> bool:
    """Whether this is an integer from 1, but for rounding."""
    return number > 0.5 and math.isclose(number, round(number), rel_tol=1e-9)
