"""A `Spread` for the numbers of a column: pieces of about equally many rows within each bin, and points."""

from __future__ import annotations

import math

import numpy as np

from learnac.data.spread import MOST_DECIMALS, Numbers, Spread, floored, snapped

# Of the pieces, over the cube root of the number of rows: as a histogram should have.
_PIECES = 4.0
_FEWEST_ROWS = 20  # of a piece
# Of the rows that a number must have to be a point, where numbers lie anywhere.
_SHARE_OF_POINT = 0.002
# As many different numbers make a common divisor unlikely to be an accident.
_ENOUGH_FOR_DIVISOR = 10
# How many times the distance of two numbers as computers hold them must go into a step.
_FINER = 4
# What is added to the counts of a bin: spread evenly over it, and for each tail.
_PRIOR = 0.5


def step_of(numbers: Numbers) -> float:
    """The step of which all numbers are multiples; 0 if there is none."""
    distinct = np.unique(numbers)
    largest = float(np.abs(distinct).max())
    for decimals in range(MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if _FINER * scale * np.spacing(largest) > 1:
            return 0.0
        scaled = distinct * scale
        whole = np.rint(scaled)
        # As much as rounding changes a number, and far less than a step.
        tolerance = np.minimum(1e-9 * np.abs(scaled) + 1e-14 * largest * scale, 1e-3)
        if (np.abs(scaled - whole) <= tolerance).all():
            divisor = int(np.gcd.reduce(whole.astype(np.int64))) if len(distinct) >= _ENOUGH_FOR_DIVISOR else 1
            return max(1, divisor) / scale
    return 0.0


def fit_spread(edges: tuple[float, ...], values: Numbers, weights: Numbers) -> Spread:
    """How `values`, which count `weights` rows, are spread within the bins of `edges`."""
    step = step_of(values)
    if step > 0 and not _is_grid(step, edges, values):
        step = 0.0
    distinct, inverse = np.unique(snapped(values, step), return_inverse=True)
    counts = np.bincount(inverse, weights=weights)
    n_bins = len(edges) + 1
    n_pieces = max(1, round(_PIECES * counts.sum() ** (1 / 3) / n_bins))
    of_bin = np.searchsorted(np.array(edges), distinct, side="right")
    least_of_point = max(_FEWEST_ROWS, _SHARE_OF_POINT * counts.sum())
    starts: list[float] = []
    shares: list[float] = []
    for code in range(n_bins):
        inside = of_bin == code
        low = edges[code - 1] if code > 0 else None
        high = edges[code] if code < len(edges) else None
        if step > 0:
            low, high = (None if edge is None else _ceiling(edge, step) for edge in (low, high))
        found = _pieces(distinct[inside], counts[inside], low, high, step, n_pieces, least_of_point)
        starts += [start for start, _ in found if start is not None]
        shares += [share for _, share in found]
    decay = max((distinct[-1] - distinct[0]) / 20, step, 1e-9 * max(1.0, abs(distinct[0]), abs(distinct[-1])))
    if len(distinct) == 1:
        decay = max(step, abs(float(distinct[0])) / 10, 1e-3)
    return Spread(tuple(starts), tuple(shares), float(decay), step)


def _is_grid(step: float, edges: tuple[float, ...], values: Numbers) -> bool:
    """Whether all numbers are multiples of a step, and each bin has one of its own, as numbers are rounded."""
    on_grid = snapped(values, step)
    lowest = [_ceiling(edge, step) for edge in edges]
    return (
        len(set(lowest)) == len(edges)
        and all(low >= edge for low, edge in zip(lowest, edges, strict=True))
        and bool((on_grid == floored(on_grid + step / 2, step)).all())
    )


def _pieces(
    distinct: Numbers,
    counts: Numbers,
    low: float | None,
    high: float | None,
    step: float,
    n_pieces: int,
    least_of_point: float,
) -> list[tuple[float | None, float]]:
    """The pieces of a bin from `low` to `high`: where each starts, and its share. A tail below starts nowhere."""
    tails = (low is None) + (high is None)
    if len(distinct) == 0:
        # In a bin at an end, which has no end, all is tail.
        if low is None:
            return [(None, 1.0)]
        return [(low, 1.0)]
    first = float(distinct[0]) if low is None else low
    last = _after(float(distinct[-1]), step) if high is None else high
    n_rows = counts.sum()
    n_wanted = int(max(1, min(n_pieces, n_rows // _FEWEST_ROWS)))
    bounds = _bounds(distinct, counts, first, last, step, n_rows / n_wanted, least_of_point)
    starts = np.array(bounds)
    of_piece = np.searchsorted(starts, distinct, side="right") - 1
    held = np.bincount(of_piece, weights=counts, minlength=len(starts))
    widths = np.diff([*bounds, last])
    held += _PRIOR * widths / widths.sum()
    total = n_rows + _PRIOR * (1 + tails)
    found: list[tuple[float | None, float]] = [(None, _PRIOR / total)] if low is None else []
    found += [(start, float(share)) for start, share in zip(bounds, held / total, strict=True)]
    if high is None:
        found.append((last, _PRIOR / total))
    return _summing_to_one(found)


def _bounds(
    distinct: Numbers, counts: Numbers, first: float, last: float, step: float, wanted: float, least_of_point: float
) -> list[float]:
    """Where pieces start, of about `wanted` rows; a number that has as many by itself is a piece alone."""
    bounds = [first]
    held = 0.0
    is_alone = counts >= (max(wanted / 2, _FEWEST_ROWS / 2) if step > 0 else least_of_point)
    for place, number in enumerate(distinct.tolist()):
        if is_alone[place]:
            bounds += [number, _after(number, step)]
            held = 0.0
            continue
        held += counts[place]
        is_last = place + 1 == len(distinct)
        if held >= wanted and not is_last:
            following = float(distinct[place + 1])
            bounds.append(following if step > 0 else _between(number, following))
            held = 0.0
    return sorted({bound for bound in bounds if first <= bound < last})


def _after(number: float, step: float) -> float:
    return float(floored(np.array(number + step), step)) if step > 0 else float(np.nextafter(number, np.inf))


def _between(left: float, right: float) -> float:
    middle = left + (right - left) / 2
    return middle if left < middle <= right else right


def _ceiling(number: float, step: float) -> float:
    return -float(floored(np.array(-number), step)) + 0.0


def _summing_to_one(pieces: list[tuple[float | None, float]]) -> list[tuple[float | None, float]]:
    total = math.fsum(share for _, share in pieces)
    return [(start, float(share / total)) for start, share in pieces]
