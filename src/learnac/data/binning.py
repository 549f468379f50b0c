"""`Binning`: how the bins of a column of numbers are chosen, and how its numbers are spread within them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from learnac.data.bins import Bins
from learnac.data.number_counts import CountedNumbers, count_numbers
from learnac.data.spread import Numbers, snapped
from learnac.data.spread_fitting import fit_spread, step_of

Strategy: TypeAlias = Literal["quantile", "uniform"]
"""Intervals with about the same number of rows, or of the same width."""

MOST_BINS = 32
"""Of a column whose bins nobody stated."""

# scikit-learn drops bins narrower than 1e-8. Among numbers up to this power of two, such bins are no loss.
_LARGE_EXPONENT = 900


@dataclass(frozen=True, slots=True)
class Binning:
    """How the bins of a column are chosen: at most `n_bins`, by scikit-learn's `KBinsDiscretizer`."""

    n_bins: int
    strategy: Strategy = "quantile"

    def __post_init__(self) -> None:
        if isinstance(self.n_bins, bool) or not isinstance(self.n_bins, int):
            raise TypeError(f"expected a number of bins, found {self.n_bins!r}")
        if self.n_bins < 2:
            raise ValueError(f"expected at least 2 bins, found {self.n_bins}")
        if self.strategy not in get_args(Strategy):
            raise ValueError(f"expected bins of strategy 'quantile' or 'uniform', found {self.strategy!r}")

    @classmethod
    def for_rows(cls, n_rows: int) -> Self:
        """As many bins as a column of so many rows should have if nobody says: at most 32."""
        return cls(int(np.clip(round(2 * n_rows ** (1 / 3)), 4, MOST_BINS)))

    def fit(self, numbers: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Bins:
        """The bins of a column. NaN and infinities have no say in it; weights matter for quantiles only."""
        return self.fit_counted(count_numbers(_floats(numbers), None if weights is None else _floats(weights)))

    def fit_counted(self, counted: CountedNumbers) -> Bins:
        """The bins of a column whose numbers are counted.

        A value that many rows share, such as 0 for "none", would swallow several quantiles: it gets a bin of its
        own instead. Edges are written with as few digits as leave every number of the column in its bin.
        """
        if len(counted.values) == 0:
            raise ValueError("expected finite numbers to choose bins from, found none")
        step = step_of(counted.values)
        distinct, inverse = np.unique(snapped(counted.values, step), return_inverse=True)
        counts = np.bincount(inverse, weights=counted.counts).astype(np.float64)
        if self.strategy == "uniform":
            edges = _discretizer_edges(distinct, counts, self)
        elif len(distinct) <= self.n_bins:
            edges = distinct[1:]
        else:
            edges = self._quantile_edges(distinct, counts)
        # Edges of equal widths stay where they are: bins between them may be empty.
        is_grid = self.strategy == "quantile" and step > 0
        tidy = _on_grid(edges, distinct) if is_grid else _tidied(edges, distinct)
        return spread_over(Bins(tuple(tidy)), CountedNumbers(distinct, counts))

    def _quantile_edges(self, distinct: Numbers, counts: Numbers) -> Numbers:
        """Edges around the values that are more frequent than a bin should be, and quantiles of all other values."""
        shares = counts / counts.sum()
        # By the first value above the edge: two edges with the same one would have an empty bin between them.
        chosen: dict[int, float] = {}
        frequent = [place for place in np.argsort(-shares, kind="stable").tolist() if shares[place] * self.n_bins >= 1]
        for place in frequent:
            around = [above for above in (place, place + 1) if 0 < above < len(distinct) and above not in chosen]
            if len(chosen) + 1 + len(around) <= self.n_bins:
                chosen |= {above: float(distinct[above]) for above in around}
        is_rest = np.ones(len(distinct), dtype=bool)
        is_rest[frequent] = False
        if not is_rest.any():
            return np.array([chosen[above] for above in sorted(chosen)])
        # As many quantiles as leave room for the others.
        fewest, most = 1, self.n_bins
        best = chosen
        while fewest <= most:
            n_bins = (fewest + most) // 2
            edges = (
                _discretizer_edges(distinct[is_rest], counts[is_rest], Binning(n_bins)) if n_bins > 1 else np.empty(0)
            )
            places = np.searchsorted(distinct, edges).tolist()
            both = dict(zip(places, edges.tolist(), strict=True)) | chosen
            both = {above: edge for above, edge in both.items() if 0 < above < len(distinct)}
            if len(both) + 1 <= self.n_bins:
                # More quantiles of a few numbers may be fewer edges.
                best, fewest = max(best, both, key=len), n_bins + 1
            else:
                most = n_bins - 1
        if not best:  # One number left no room for edges around it: one edge is better than none.
            half = 1 + int(np.argmin(np.abs(np.cumsum(shares)[:-1] - 0.5)))
            best = {half: float(distinct[half])}
        return np.array([best[above] for above in sorted(best)])


def spread_over(bins: Bins, counted: CountedNumbers) -> Bins:
    """Bins with these edges, and with the numbers of a column spread within them."""
    if len(counted.values) == 0:
        return bins
    return replace(bins, spread=fit_spread(bins.edges, counted.values, counted.counts))


def _floats(given: npt.ArrayLike) -> Numbers:
    return np.asarray(given, dtype=np.float64).ravel()


def _discretizer_edges(values: Numbers, counts: Numbers, binning: Binning) -> Numbers:
    """The inner edges by scikit-learn, without repetitions."""
    from sklearn.preprocessing import KBinsDiscretizer

    # By a power of two, so that nothing is rounded.
    exponent = _LARGE_EXPONENT - int(np.frexp(np.abs(values).max())[1])
    discretizer = KBinsDiscretizer(
        binning.n_bins,
        encode="ordinal",
        strategy=binning.strategy,
        quantile_method="averaged_inverted_cdf",
        subsample=None,
        dtype=np.float64,
    )
    with warnings.catch_warnings():
        # Constant columns and repeated quantiles are no news: there are fewer bins.
        warnings.simplefilter("ignore")
        discretizer.fit(
            np.ldexp(values, exponent).reshape(-1, 1), sample_weight=None if binning.strategy == "uniform" else counts
        )
    edges: Numbers = np.ldexp(discretizer.bin_edges_[0][1:-1], -exponent)
    return np.unique(edges[np.isfinite(edges)])


def _on_grid(edges: Numbers, distinct: Numbers) -> list[float]:
    """The numbers of the column at which bins begin."""
    above = np.searchsorted(distinct, edges)
    return sorted({float(distinct[place]) for place in above if 0 < place < len(distinct)})


def _tidied(edges: Numbers, distinct: Numbers) -> list[float]:
    """Edges near these, of few digits, that part the same numbers."""
    # Two edges may have no number between them: they must not become one.
    tolerance = float(np.diff(edges).min()) / 100 if len(edges) > 1 else math.inf
    return [_tidy(float(edge), distinct, tolerance) for edge in edges]


def _tidy(edge: float, distinct: Numbers, tolerance: float) -> float:
    position = int(np.searchsorted(distinct, edge))
    below = distinct[position - 1] if position > 0 else -math.inf
    above = distinct[position] if position < len(distinct) else math.inf
    for digits in range(4, 17):
        shorter = float(f"{edge:.{digits}g}")
        if below < shorter <= above and abs(shorter - edge) <= tolerance:
            return shorter
    return edge


ALL_COLUMNS = "*"
"""Instead of a column's name: every column of numbers that would otherwise be refused."""

BinsStatement: TypeAlias = int | Mapping[str, Bins | Binning | int | Sequence[float]]
"""For each column a number of intervals, their edges, or how to choose them; one number for all that need it."""
