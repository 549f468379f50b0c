"""`Bins`: a column of numbers as a few intervals, and how its numbers lie within them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from learnac.data.calendars import Calendar
from learnac.data.number_text import number_text
from learnac.data.spread import Numbers, Spread, snapped

# As `schema.UNKNOWN`, which this module may not import.
_UNKNOWN = -1

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

LARGEST_NUMBER = 1e300
"""What has a density lies between this and its negative: beyond, differences of numbers overflow."""

# Of a bin that is named after its one number.
_NEARLY_ALL = 0.99

# In an interval, for its last number to be told.
_MOST_STEPS = 100_000


@dataclass(frozen=True, slots=True)
class Bins:
    """Intervals that cover all numbers: below the first edge, from each edge up to the next, from the last edge on.

    So a number outside the range of the training table has a bin too. Without edges there is one bin.

    With a `spread`, a number has a density within its bin, and what is learned is a density of numbers; without one,
    the intervals are categories. With a `calendar`, the numbers are points in time.
    """

    edges: tuple[float, ...]
    spread: Spread | None = None
    calendar: Calendar | None = None

    def __post_init__(self) -> None:
        try:
            edges = tuple(float(edge) + 0.0 for edge in self.edges)  # Adding 0.0 turns -0.0 into 0.0.
        except TypeError:
            raise TypeError(f"expected edges of bins, found {self.edges!r}") from None
        if not all(math.isfinite(edge) for edge in edges):
            raise ValueError(f"expected edges that are finite, found {list(edges)}")
        if any(left >= right for left, right in pairwise(edges)):
            raise ValueError(f"expected edges in increasing order, found {list(edges)}")
        object.__setattr__(self, "edges", edges)
        if self.spread is not None and not np.allclose(self._sums(np.array(self.spread.shares)), 1.0, atol=1e-9):
            raise ValueError("expected pieces whose shares are 1 in each bin")

    def __len__(self) -> int:
        return len(self.edges) + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The intervals as categories: "< 18", "[18, 65)", ">= 65", "= 0". Built anew on each access."""
        labels = [self.interval_text(low, high) for low, high in pairwise([-math.inf, *self.edges, math.inf])]
        for code, number in self._single_numbers().items():
            labels[code] = f"= {self.text(number)}"
        return tuple(labels)

    def interval_text(self, low: float, high: float) -> str:
        """All numbers from `low` up to, and without, `high`."""
        if math.isinf(low):
            return "any number" if math.isinf(high) else f"< {self.text(high)}"
        return f">= {self.text(low)}" if math.isinf(high) else f"[{self.text(low)}, {self.text(high)})"

    def text(self, number: float) -> str:
        """A number as people write it; a point in time as a date."""
        return number_text(number) if self.calendar is None else self.calendar.text(number)

    def value(self, number: float) -> int | float | str:
        """A number as a dict has it: whole ones where the column has only such, points in time as texts."""
        if self.calendar is not None:
            return self.calendar.text(number)
        is_whole = self.spread is not None and self.spread.step >= 1 and float(number).is_integer()
        return int(number) if is_whole else float(number)

    def number(self, value: object) -> float | None:
        """The number that a value stands for: a number, a point in time, or the text of one; None if it is none."""
        if self.calendar is not None:
            return self.calendar.number(value)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            value = float(value)
        if isinstance(value, bool | np.bool_ | str) or not hasattr(value, "__float__"):
            return None
        found = float(value)
        return None if math.isnan(found) else found

    def codes(self, numbers: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """The position of each number's interval; -1 for NaN, which is unknown."""
        values = np.asarray(numbers, dtype=np.float64)
        if self.spread is not None:
            values = snapped(values, self.spread.step)
        codes = np.searchsorted(np.array(self.edges), values, side="right").astype(np.int32)
        codes[np.isnan(values)] = _UNKNOWN
        return codes

    def code(self, number: float) -> int:
        """The position of one number's interval."""
        if math.isnan(number):
            raise ValueError("expected a number to find the interval of, found nan")
        return int(self.codes([number])[0])

    def log_densities(self, numbers: npt.ArrayLike) -> Numbers:
        """The log-density of each number within its interval; 0 without a spread, and of nan."""
        values = np.asarray(numbers, dtype=np.float64)
        if self.spread is None:
            return np.zeros(values.shape)
        return np.where(np.isnan(values), 0.0, self.spread.log_densities(values))

    def have_densities(self, numbers: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Which numbers have a density, and which a probability: integers, those that many rows share, and nan."""
        values = np.asarray(numbers, dtype=np.float64)
        if self.spread is None or self.spread.step == 1:
            return np.zeros(values.shape, dtype=bool)
        return ~np.isnan(values) & ~self.spread.is_point[self.spread.pieces(snapped(values, self.spread.step))]

    def shares_between(self, low: float, high: float) -> Numbers:
        """The share of each bin that lies from `low` up to, and without, `high`."""
        if self.spread is None:
            return self._whole_bins(low, high)
        found = self._sums(np.array(self.spread.shares) * self.spread.shares_between(low, high))
        return np.minimum(found, 1.0)  # But for rounding, no sum is more.

    def shares_in(self, limits: Numbers) -> Numbers:
        """`shares_between` for limits that may differ from row to row, (2 x rows): (rows x bins)."""
        different, inverse = np.unique(limits, axis=1, return_inverse=True)
        return np.array([self.shares_between(low, high) for low, high in different.T.tolist()])[inverse.reshape(-1)]

    def means(self, low: float = -math.inf, high: float = math.inf) -> Numbers:
        """The mean of the numbers of each bin, of those from `low` up to `high`."""
        if self.spread is None:
            raise TypeError("expected numbers, found intervals without a density")
        weights = np.array(self.spread.shares) * self.spread.shares_between(low, high)
        totals = self._sums(weights)
        return np.divide(
            self._sums(weights * self.spread.means_between(low, high)), totals, np.zeros(len(self)), where=totals > 0
        )

    def quantiles(self, posteriors: Numbers, share: float, low: float = -math.inf, high: float = math.inf) -> Numbers:
        """The number below which a share of the probability lies, for each row of probabilities of the bins.

        `low` and `high` are what is known of the number; the probabilities are those given that.
        """
        if self.spread is None:
            raise TypeError("expected numbers, found intervals without a density")
        spread, bins = self.spread, self.spread.bins(self.edges)
        parts = np.array(spread.shares) * spread.shares_between(low, high)
        totals = self._sums(parts)
        within = np.divide(parts, totals[bins], np.zeros(len(parts)), where=totals[bins] > 0)
        cumulative = np.cumsum(posteriors[:, bins] * within, axis=1)
        wanted = share * cumulative[:, -1]
        pieces = np.minimum((cumulative < wanted[:, None]).sum(axis=1), len(parts) - 1)
        rows = np.arange(len(posteriors))
        mass = posteriors[rows, bins[pieces]] * within[pieces]
        before = cumulative[rows, pieces] - mass
        inside = np.clip(np.divide(wanted - before, mass, np.full(len(rows), 0.5), where=mass > 0), 0.0, 1 - 1e-12)
        return spread.draw(pieces, inside, np.full(len(rows), low), np.full(len(rows), high))

    def modes(self, low: float = -math.inf, high: float = math.inf) -> tuple[Numbers, Numbers]:
        """Of each bin, the highest log-density between limits, and the number that has it: that of a piece's middle."""
        assert self.spread is not None
        spread, bins = self.spread, self.spread.bins(self.edges)
        inside = spread.shares_between(low, high) > 0
        numbers = spread.middles(low, high)
        log_densities = np.where(inside, spread.log_densities(numbers), -np.inf)
        best, places = np.full(len(self), -np.inf), np.zeros(len(self))
        for place, code in enumerate(bins.tolist()):
            if log_densities[place] > best[code]:
                best[code], places[code] = log_densities[place], numbers[place]
        return best, places

    def draw(
        self, codes: npt.NDArray[np.integer], generator: np.random.Generator, low: npt.ArrayLike, high: npt.ArrayLike
    ) -> Numbers:
        """A random number of each bin, between `low` and `high`, which the bin must not lie outside of."""
        assert self.spread is not None
        spread, bins = self.spread, self.spread.bins(self.edges)
        lows, highs = np.broadcast_to(low, codes.shape), np.broadcast_to(high, codes.shape)
        found = np.empty(len(codes))
        limits, which = np.unique(np.stack([lows, highs]), axis=1, return_inverse=True)
        uniform = generator.random((2, len(codes)))
        for place, (least, most) in enumerate(limits.T.tolist()):
            rows = np.flatnonzero(which.reshape(-1) == place)
            parts = np.array(spread.shares) * spread.shares_between(least, most)
            # Pieces lie in the order of bins: a bin's pieces are those up to its cumulative share.
            cumulative = np.cumsum(parts)
            starts = np.concatenate([[0.0], np.cumsum(self._sums(parts))])
            wanted = starts[codes[rows]] + uniform[0, rows] * (starts[codes[rows] + 1] - starts[codes[rows]])
            first, last = np.searchsorted(bins, codes[rows]), np.searchsorted(bins, codes[rows], side="right") - 1
            pieces = np.clip(np.searchsorted(cumulative, wanted, side="right"), first, last)
            found[rows] = spread.draw(pieces, uniform[1, rows], lows[rows], highs[rows])
        return found

    @property
    def has_last_numbers(self) -> bool:
        """Whether intervals are told by their last number, as 30..39, since people count in steps, or go up to 40."""
        if self.spread is None or self.spread.step == 0:
            return False
        return len(self.edges) < 2 or float(np.median(np.diff(self.edges))) < _MOST_STEPS * self.spread.step

    def limits(self, low: float, high: float, *, with_high: bool) -> tuple[float, float]:
        """An interval that a person gives, up to and without its end: on a grid of steps from a multiple to another."""
        step = 0.0 if self.spread is None else self.spread.step
        if self.spread is None or step == 0:
            return low, float(np.nextafter(high, np.inf)) if with_high and math.isfinite(high) else high
        return self._ceiling(low), self._next(high) if with_high else self._ceiling(high)

    def _ceiling(self, number: float) -> float:
        assert self.spread is not None
        if not math.isfinite(number):
            return number
        below = self.spread.floor(number).item()
        return below if math.isclose(below, number, abs_tol=1e-9) else self._next(number)

    def _next(self, number: float) -> float:
        """The first multiple of the step above a number."""
        assert self.spread is not None
        return self.spread.floor(number + self.spread.step).item() if math.isfinite(number) else number

    def _sums(self, of_pieces: Numbers) -> Numbers:
        """Sums over the pieces of each bin."""
        assert self.spread is not None
        sums: Numbers = np.bincount(self.spread.bins(self.edges), of_pieces, len(self)).astype(np.float64)
        return sums[: len(self)]

    def _single_numbers(self) -> dict[int, float]:
        """The bins of which nearly all is one number."""
        if self.spread is None:
            return {}
        spread, starts = self.spread, np.array(self.spread.starts)
        is_one = spread.is_point
        if spread.step > 0:
            is_one[1:-1] = np.diff(starts) < 1.5 * spread.step
        is_one &= np.array(spread.shares) > _NEARLY_ALL
        bins = spread.bins(self.edges)
        return {int(bins[piece]): float(starts[piece - 1]) for piece in np.flatnonzero(is_one)}

    def _whole_bins(self, low: float, high: float) -> Numbers:
        """1 for a bin in the interval, 0 for one outside; ValueError for one that lies partly in it."""
        starts, ends = np.array([-np.inf, *self.edges]), np.array([*self.edges, np.inf])
        inside, outside = (low <= starts) & (ends <= high), (ends <= low) | (high <= starts)
        if not (inside | outside).all():
            raise ValueError("expected an interval of whole bins, found one that ends within a bin without a density")
        return inside.astype(np.float64)
