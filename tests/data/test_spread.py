"""Numbers within bins: densities, shares, means, quantiles and draws, against numerical integration and sums."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from learnac.data import Binning, Bins
from learnac.data.binning import spread_over
from learnac.data.number_counts import count_numbers
from learnac.data.spread import Spread
from learnac.data.spread_fitting import step_of

CASES = st.tuples(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["normal", "integers", "tenths", "points", "heavy", "few", "constant"]),
    st.integers(2, 12),
)


def column(seed: int, kind: str, n: int = 400) -> np.ndarray:  # noqa: PLR0911
    rng = np.random.default_rng(seed)
    match kind:
        case "normal":
            return rng.normal(rng.normal(0, 100), rng.gamma(2), n)
        case "integers":
            return rng.poisson(30, n).astype(float)
        case "tenths":
            return np.round(rng.normal(0, 2, n), 1)
        case "points":
            return np.where(rng.random(n) < 0.7, 0.0, rng.exponential(100, n))
        case "heavy":
            return rng.standard_cauchy(n)
        case "few":
            return rng.choice([1.5, 2.25, 7.125], n)
        case _:
            return np.full(n, 42.0)


def grid(bins: Bins) -> np.ndarray:
    spread = bins.spread
    assert spread is not None
    reach = 60 * spread.decay
    return np.arange(spread.floor(spread.starts[0] - reach), spread.starts[-1] + reach, spread.step)


def mass(bins: Bins, code: int, low: float = -math.inf, high: float = math.inf, power: int = 0) -> float:
    """The integral of density times the number to some power over part of a bin, and the points in it."""
    spread = bins.spread
    assert spread is not None
    if spread.step > 0:
        numbers = spread.floor(grid(bins))
        numbers = numbers[(bins.codes(numbers) == code) & (numbers >= low) & (numbers < high)]
        return float((np.exp(bins.log_densities(numbers)) * numbers**power).sum() * spread.step)
    ends = [-math.inf, *bins.edges, math.inf]
    start, end = max(ends[code], low), min(ends[code + 1], high)
    total = 0.0
    inner = [s for s in spread.starts if start < s < end]
    cuts = [start, *inner, end]
    if start == -math.inf:
        cuts[0] = spread.starts[0] - 60 * spread.decay
    if end == math.inf:
        cuts[-1] = max(spread.starts[-1], start if math.isfinite(start) else -math.inf) + 60 * spread.decay
    for a, b in pairwise(cuts):
        if b <= a:
            continue
        if b == np.nextafter(a, np.inf) and spread.is_point[spread.pieces([a])[0]]:
            total += float(np.exp(bins.log_densities([a]))[0]) * a**power
        else:
            total += integrate.quad(
                lambda x: float(np.exp(bins.log_densities([x]))[0]) * x**power, np.nextafter(a, b), b, limit=200
            )[0]
    return total


@given(CASES)
@settings(max_examples=60)
def test_a_density_is_one_over_each_bin(case: tuple[int, str, int]) -> None:
    seed, kind, n_bins = case
    bins = Binning(n_bins).fit(column(seed, kind))
    for code in range(len(bins)):
        assert mass(bins, code) == pytest.approx(1.0, abs=1e-6)


@given(CASES, st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=60)
def test_shares_and_means_of_intervals(case: tuple[int, str, int], a: float, b: float) -> None:
    seed, kind, n_bins = case
    values = column(seed, kind)
    bins = Binning(n_bins).fit(values)
    assert bins.spread is not None
    span = np.ptp(values) or 1.0
    low, high = sorted([values.min() - span / 4 + 1.5 * span * a, values.min() - span / 4 + 1.5 * span * b])
    low, high = bins.limits(low, high, with_high=False)
    shares, means = bins.shares_between(low, high), bins.means(low, high)
    for code in range(len(bins)):
        expected = mass(bins, code, low, high)
        assert shares[code] == pytest.approx(expected, abs=1e-6)
        if expected > 1e-4:
            mean = mass(bins, code, low, high, 1) / expected
            assert means[code] == pytest.approx(mean, rel=1e-4, abs=1e-4 * span)


@given(CASES)
@settings(max_examples=40)
def test_draws_follow_the_density(case: tuple[int, str, int]) -> None:
    seed, kind, n_bins = case
    values = column(seed, kind)
    bins = Binning(n_bins).fit(values)
    assert bins.spread is not None
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(bins), 4000)
    drawn = bins.draw(codes, rng, -math.inf, math.inf)
    assert np.array_equal(bins.codes(drawn), codes)
    assert np.isfinite(bins.log_densities(drawn)).all()
    _, middle = bins.limits(-math.inf, float(np.median(values)), with_high=False)
    expected = bins.shares_between(-math.inf, middle)
    for code in range(len(bins)):
        found = (drawn[codes == code] < middle).mean()
        assert found == pytest.approx(expected[code], abs=5 * 0.5 / math.sqrt((codes == code).sum()))


def test_draws_stay_within_limits() -> None:
    bins = Binning(6).fit(column(0, "normal"))
    low, high = bins.edges[1] - 0.1, bins.edges[2] + 0.1
    shares = bins.shares_between(low, high)
    codes = np.flatnonzero(shares > 0).repeat(500)
    drawn = bins.draw(codes, np.random.default_rng(0), low, high)
    assert (drawn >= low).all()
    assert (drawn < high).all()
    assert np.array_equal(bins.codes(drawn), codes)


@given(CASES, st.floats(0.02, 0.98))
@settings(max_examples=60)
def test_quantiles_part_the_probability(case: tuple[int, str, int], share: float) -> None:
    seed, kind, n_bins = case
    bins = Binning(n_bins).fit(column(seed, kind))
    assert bins.spread is not None
    posterior = np.random.default_rng(seed).dirichlet(np.ones(len(bins)), 3)
    for row, found in zip(posterior, bins.quantiles(posterior, share), strict=True):
        after = found + bins.spread.step if bins.spread.step else np.nextafter(found, np.inf)
        below, up_to = (row @ bins.shares_between(-math.inf, x) for x in (found, after))
        assert below <= share + 1e-9
        assert up_to >= share - 1e-9


@given(CASES, st.floats(0.0, 1.0), st.sampled_from([1e-15, 1e-9, 0.5, 1 - 1e-9, 1 - 1e-13]))
@settings(max_examples=80)
def test_quantiles_of_a_part_lie_in_it_and_grow(case: tuple[int, str, int], at: float, share: float) -> None:
    """In the tails too, and however close to an end."""
    seed, kind, n_bins = case
    values = column(seed, kind)
    bins = Binning(n_bins).fit(values)
    assert bins.spread is not None
    span = np.ptp(values) or 1.0
    limit = bins.limits(values.min() - span / 4 + 1.5 * span * at, math.inf, with_high=False)[0]
    for low, high in ((-math.inf, limit), (limit, math.inf)):
        shares = bins.shares_between(low, high)
        posterior = np.where(shares > 0, 1.0, 0.0)[None] / (shares > 0).sum()
        first, second = (
            float(bins.quantiles(posterior, part, low, high)[0]) for part in (share, min(1 - 1e-15, share + 0.3))
        )
        assert low <= first < high
        assert low <= second < high
        assert first <= second
        part = posterior[0] / np.where(shares > 0, shares, 1.0)
        after = first + bins.spread.step if bins.spread.step else np.nextafter(first, np.inf)
        below, up_to = (part @ bins.shares_between(low, min(x, high)) for x in (first, after))
        assert below <= share + 1e-6
        assert up_to >= share - 1e-6


@pytest.mark.parametrize(
    ("numbers", "step"),
    [
        (np.arange(5.0), 1.0),
        (np.arange(20.0) * 100, 100.0),
        (np.array([100.0, 200.0]), 1.0),
        (np.arange(30) / 10, 0.1),
        (np.arange(30) / 4, 0.25),
        (np.random.default_rng(0).normal(size=50), 0.0),
        (np.array([1e300, 1.0]), 0.0),
        (np.random.default_rng(0).normal(size=50) * 1e12, 0.0),
        (np.random.default_rng(0).normal(size=50) * 1e-12, 0.0),
        (np.array([0.0005, 7.0, 1e6]), 0.0001),
        (np.arange(30) * 0.1, 0.1),
    ],
)
def test_steps(numbers: np.ndarray, step: float) -> None:
    assert step_of(np.unique(numbers)) == step


def test_integers_have_probabilities() -> None:
    values = np.random.default_rng(1).poisson(3, 1000).astype(float)
    bins = Binning(32).fit(values)
    shares = np.bincount(bins.codes(values), minlength=len(bins)) / len(values)
    numbers = np.arange(-30.0, 60.0)
    probabilities = np.exp(bins.log_densities(numbers)) * shares[bins.codes(numbers)]
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-6)
    assert probabilities[33] == pytest.approx((values == 3).mean(), rel=0.01)


def test_a_number_that_many_rows_share_is_a_point() -> None:
    values = column(3, "points", 5000)
    bins = Binning(16).fit(values)
    assert bins.labels[bins.code(0.0)] == "= 0"
    assert bins.log_densities([0.0])[0] == pytest.approx(0.0, abs=0.01)  # Nearly all of its bin.


def test_given_edges_keep_their_place() -> None:
    values = np.random.default_rng(1).integers(18, 90, 500).astype(float)
    bins = spread_over(Bins((17.5, 64.5, 120.0)), count_numbers(values))
    assert bins.labels == ("< 17.5", "[17.5, 64.5)", "[64.5, 120)", ">= 120")
    for code in range(4):
        assert mass(bins, code) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("starts", "shares"), [((), (1.0,)), ((1.0,), (1.0,)), ((2.0, 1.0), (0.3, 0.3, 0.4)), ((1.0,), (-0.5, 1.5))]
)
def test_pieces_that_are_none(starts: tuple[float, ...], shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Spread(starts, shares, 1.0)


def test_shares_of_a_bin_are_one() -> None:
    with pytest.raises(ValueError, match="1 in each bin"):
        Bins((5.0,), Spread((1.0, 5.0), (0.2, 0.2, 1.0), 1.0))


@pytest.mark.parametrize("kind", ["tenths", "hundredths", "quarters", "hours"])
def test_rounding_errors_change_no_bin(kind: str) -> None:
    """Numbers as other programs compute them, 0.1 + 0.2: a little below or above what people write."""
    rng = np.random.default_rng(0)
    unit = {"tenths": 0.1, "hundredths": 0.01, "quarters": 0.25, "hours": 3600.0}[kind]
    counts = rng.integers(1, 60, 500) + (438_300 if kind == "hours" else 0)
    exact = counts / round(1 / unit) if unit < 1 else counts * unit
    noisy = np.nextafter(exact, rng.choice([-np.inf, np.inf], 500))
    for values in (exact, noisy, counts * unit):
        bins = Binning(8).fit(values)
        assert bins.spread is not None
        assert bins.spread.step == unit
        assert bins == Binning(8).fit(exact)
        np.testing.assert_array_equal(bins.codes(values), bins.codes(exact))
        np.testing.assert_array_equal(bins.log_densities(values), bins.log_densities(exact))
    np.testing.assert_array_equal(bins.spread.floor(noisy), exact)


@pytest.mark.parametrize("seed", range(20))
def test_no_share_of_a_bin_is_more_than_all_of_it(seed: int) -> None:
    # The shares of pieces may add up to a little more than 1, which no likelihood may be.
    numbers = np.random.default_rng(seed).lognormal(size=2000)
    bins = Binning(4).fit(numbers)
    assert bins.shares_between(0.0, np.inf).max() <= 1.0
