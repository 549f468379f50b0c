"""`Bins`: a column of numbers as a few intervals, and `Binning`: how to choose them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

Strategy: TypeAlias = Literal["quantile", "uniform"]
"""Intervals with about the same number of rows, or of the same width."""

_Numbers: TypeAlias = npt.NDArray[np.float64]

# As `schema.UNKNOWN`, which this module may not import.
_UNKNOWN = -1

# scikit-learn drops bins narrower than 1e-8. Among numbers up to this power of two, such bins are no loss.
_LARGE_EXPONENT = 900


@dataclass(frozen=True, slots=True)
class Bins:
    """Intervals that cover all numbers: below the first edge, from each edge up to the next, from the last edge on.

    So a number outside the range of the training table has a bin too. Without edges there is one bin.
    """

    edges: tuple[float, ...]

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

    @property
    def labels(self) -> tuple[str, ...]:
        """The intervals as categories: "< 18", "[18, 65)", ">= 65". Built anew on each access."""
        if not self.edges:
            return ("any number",)
        texts = [number_text(edge) for edge in self.edges]
        between = [f"[{left}, {right})" for left, right in pairwise(texts)]
        return (f"< {texts[0]}", *between, f">= {texts[-1]}")

    def codes(self, numbers: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """The position of each number's interval; -1 for NaN, which is unknown."""
        values = np.asarray(numbers, dtype=np.float64)
        codes = np.searchsorted(np.array(self.edges), values, side="right").astype(np.int32)
        codes[np.isnan(values)] = _UNKNOWN
        return codes

    def code(self, number: float) -> int:
        """The position of one number's interval."""
        if math.isnan(number):
            raise ValueError("expected a number to find the interval of, found nan")
        return int(self.codes([number])[0])


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

    def fit(self, numbers: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Bins:
        """The bins of a column. NaN and infinities have no say in it; weights matter for quantiles only.

        A value that many rows share, such as 0 for "none", would swallow several quantiles: it gets a bin of its
        own instead. Edges are written with as few digits as leave every number of the column in its bin.
        """
        values = np.asarray(numbers, dtype=np.float64).ravel()
        counts = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
        used = np.isfinite(values) & (counts > 0)
        if not used.any():
            raise ValueError("expected finite numbers to choose bins from, found none")
        values, counts = values[used], counts[used]
        distinct, inverse = np.unique(values, return_inverse=True)
        shares = np.bincount(inverse, weights=counts) / counts.sum()
        if self.strategy == "uniform":
            edges = _discretizer_edges(values, None, self)
        elif len(distinct) <= self.n_bins:
            edges = distinct[1:]
        else:
            found = _discretizer_edges(values, None if weights is None else counts, self)
            edges = _with_frequent_values(found, distinct, shares, self.n_bins)
        return Bins(tuple(_tidied(edges, distinct)))


def number_text(number: float) -> str:
    """The shortest text that reads back as the same number; whole numbers without a decimal point."""
    if abs(number) < 1e16 and number == int(number):
        return str(int(number))
    return repr(float(number))


def _discretizer_edges(values: _Numbers, weights: _Numbers | None, binning: Binning) -> _Numbers:
    """The inner edges by scikit-learn, without repetitions."""
    from sklearn.preprocessing import KBinsDiscretizer

    # By a power of two, so that nothing is rounded.
    exponent = _LARGE_EXPONENT - int(np.frexp(np.abs(values).max())[1])
    options: dict[str, Any] = {}
    if "quantile_method" in KBinsDiscretizer().get_params():  # scikit-learn 1.7 and newer.
        options["quantile_method"] = "averaged_inverted_cdf"
    discretizer = KBinsDiscretizer(
        binning.n_bins, encode="ordinal", strategy=binning.strategy, subsample=None, dtype=np.float64, **options
    )
    with warnings.catch_warnings():
        # Constant columns and repeated quantiles are no news: there are fewer bins.
        warnings.simplefilter("ignore")
        discretizer.fit(np.ldexp(values, exponent).reshape(-1, 1), sample_weight=weights)
    edges: _Numbers = np.ldexp(discretizer.bin_edges_[0][1:-1], -exponent)
    return np.unique(edges[np.isfinite(edges)])


def _with_frequent_values(edges: _Numbers, distinct: _Numbers, shares: _Numbers, n_bins: int) -> _Numbers:
    """Edges around the values that are more frequent than a bin should be, as long as bins are left."""
    # By the first value above the edge: two edges with the same one would have an empty bin between them.
    chosen = dict(zip(np.searchsorted(distinct, edges).tolist(), edges.tolist(), strict=True))
    for frequent in np.argsort(-shares, kind="stable").tolist():
        if shares[frequent] * n_bins < 1:
            break
        for above in (frequent, frequent + 1):
            if len(chosen) + 1 < n_bins and 0 < above < len(distinct):
                chosen.setdefault(above, float(distinct[above]))
    return np.array([chosen[above] for above in sorted(chosen)])


def _tidied(edges: _Numbers, distinct: _Numbers) -> list[float]:
    """Edges near these, of few digits, that part the same numbers."""
    # Two edges may have no number between them: they must not become one.
    tolerance = float(np.diff(edges).min()) / 100 if len(edges) > 1 else math.inf
    return [_tidy(float(edge), distinct, tolerance) for edge in edges]


def _tidy(edge: float, distinct: _Numbers, tolerance: float) -> float:
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
