"""What is known of a number: its density, mean and quantiles, all exact, from the posterior of its intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac.circuit import Queryable
from learnac.data import Bins, Evidence, Schema, Soft, as_evidence
from learnac.errors import QueryError
from learnac.infer.engine import engine_of
from learnac.infer.posteriors import posterior_of


@dataclass(frozen=True, slots=True, eq=False)
class NumberPosterior:
    """The distribution of a variable that is a number, for each row of evidence; or for one, if that is a dict.

    `edges` are those between intervals, of which the first and the last are open; `probabilities` (rows x intervals)
    those of the intervals. Points in time are numbers here: days or seconds since 1970, as `calendar` says.
    """

    variable: str
    edges: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    calendar: str | None
    _bins: Bins
    _limits: NDArray[np.float64]  # (2 x rows): what is known of the number
    _known: NDArray[np.float64]  # the number itself, NaN if it is not known
    _is_one: bool

    @property
    def mean(self) -> Any:
        """The exact mean."""
        means = np.empty(len(self._table))
        for rows, low, high in _same_limits(self._limits):
            means[rows] = _weighted(self._table[rows], self._bins.means(low, high))
        return self._answer(means)

    @property
    def median(self) -> Any:
        return self.quantile(0.5)

    def quantile(self, share: float) -> Any:
        """The number below which a share of the probability lies."""
        if not 0 < share < 1:
            raise ValueError(f"share: expected a number between 0 and 1, found {share!r}")
        found = np.empty(len(self._table))
        for rows, low, high in _same_limits(self._limits):
            found[rows] = self._bins.quantiles(self._table[rows], share, low, high)
        return self._answer(found)

    def interval(self, level: float = 0.9) -> tuple[Any, Any]:
        """The interval that the number lies in with a probability of `level`, with as much on either side."""
        if not 0 < level < 1:
            raise ValueError(f"level: expected a number between 0 and 1, found {level!r}")
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def density(self, numbers: ArrayLike) -> NDArray[np.float64]:
        """The density at each of some numbers, (rows x numbers); of integers, their probability."""
        values = np.atleast_1d(np.asarray(numbers, dtype=np.float64))
        within = np.exp(self._bins.log_densities(values))
        low, high = self._limits[0, :, None], self._limits[1, :, None]
        shares = self._bins.shares_in(self._limits)
        codes = self._bins.codes(values)
        parts = np.divide(self._table, shares, np.zeros(self._table.shape), where=shares > 0)
        found: NDArray[np.float64] = np.where((low <= values) & (values < high), parts[:, codes] * within, 0.0)
        return found[0] if self._is_one else found

    @property
    def _table(self) -> NDArray[np.float64]:
        return np.atleast_2d(self.probabilities)

    def _answer(self, found: NDArray[np.float64]) -> Any:
        found = np.where(np.isnan(self._known), found, self._known)
        return float(found[0]) if self._is_one else found


def distribution(
    circuit: Queryable, variable: Any, given: object = None, *, soft: Soft | None = None, n_threads: int = 1
) -> NumberPosterior:
    """The posterior of a variable that is a number or a date: its density, mean, median and intervals.

    Cost: one upward pass, and a downward pass over the nodes above the variable.
    """
    engine = engine_of(circuit)
    place = engine.schema.position(variable)
    bins = number_bins(engine.schema, place)
    evidence = as_evidence(engine.schema, given, soft)
    table = posterior_of(engine, evidence, place, n_threads)
    limits, known = _limits(evidence, place), _known(evidence, place)
    name, edges = engine.schema.names[place], np.array(bins.edges)
    probabilities = table[0] if evidence.is_one else table
    return NumberPosterior(name, edges, probabilities, bins.calendar, bins, limits, known, evidence.is_one)


def number_bins(schema: Schema, variable: int) -> Bins:
    """The bins of a variable that is a number; QueryError for one that is none."""
    bins, name = schema.bins[variable], schema.names[variable]
    if bins is None or bins.spread is None:
        numbers = [schema.names[other] for other in schema.numbers]
        raise QueryError(
            f"variable {name!r}: expected a number, found categories; numbers are {', '.join(numbers) or 'none'}",
            column=name,
            expected="a number",
        )
    return bins


def number_means(evidence: Evidence, variable: int, posteriors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of a number in each row, given the posterior of its intervals."""
    bins, limits = number_bins(evidence.schema, variable), _limits(evidence, variable)
    means = np.empty(len(posteriors))
    for rows, low, high in _same_limits(limits):
        means[rows] = _weighted(posteriors[rows], bins.means(low, high))
    known = _known(evidence, variable)
    return np.where(np.isnan(known), means, known)


def like_those_of(schema: Schema, variable: int, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers rounded as those of the training table are: to whole ones if there were only such."""
    bins = number_bins(schema, variable)
    assert bins.spread is not None
    return bins.spread.floor(numbers + bins.spread.step / 2)


def _weighted(posteriors: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """One after the other: a matrix product would round a row by what stands beside it."""
    found = np.zeros(len(posteriors))
    for number, column in zip(numbers, posteriors.T, strict=True):
        found += number * column
    return found


def _limits(evidence: Evidence, variable: int) -> NDArray[np.float64]:
    """Between which limits a number is known to lie."""
    return evidence.ranges.get(variable, np.tile([[-np.inf], [np.inf]], evidence.n_rows))


def _known(evidence: Evidence, variable: int) -> NDArray[np.float64]:
    return evidence.numbers.get(variable, np.full(evidence.n_rows, np.nan))


def _same_limits(limits: NDArray[np.float64]) -> list[tuple[NDArray[np.intp], float, float]]:
    """Rows of which the same is known."""
    different, inverse = np.unique(limits, axis=1, return_inverse=True)
    return [
        (np.flatnonzero(inverse.reshape(-1) == place), float(low), float(high))
        for place, (low, high) in enumerate(different.T.tolist())
    ]
