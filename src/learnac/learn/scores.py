"""Scores: functions from the counts of a leaf to what it contributes (section 4.1 of the paper).

Each takes counts with the child's values on the last axis, and the leaf's prior mass: the share of all configurations
of its parents that reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Score(Protocol):
    """What a leaf with these counts is worth, and what is added to each count before parameters are read off."""

    def leaf_scores(self, counts: Floats, mass: Floats | float) -> Floats: ...

    def pseudo_counts(self, arity: int, mass: Floats | float) -> Floats | float: ...


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Log-likelihood of the rows under the smoothed parameters (count + alpha) / (total + alpha * arity)."""

    alpha: float = 1.0

    def leaf_scores(self, counts: Floats, mass: Floats | float = 1.0) -> Floats:
        smoothed = counts + self.alpha
        scores: Floats = np.einsum("...i,...i", counts, np.log(np.maximum(smoothed, np.finfo(float).tiny)))
        totals = counts.sum(axis=-1)
        return scores - totals * np.log(np.maximum(smoothed.sum(axis=-1), np.finfo(float).tiny))

    def pseudo_counts(self, arity: int, mass: Floats | float = 1.0) -> float:
        return self.alpha


@dataclass(frozen=True, slots=True)
class BayesianDirichlet:
    """BDeu: log marginal likelihood under a Dirichlet prior spread evenly over parent configurations and values."""

    equivalent_sample_size: float = 1.0

    def leaf_scores(self, counts: Floats, mass: Floats | float) -> Floats:
        from scipy.special import gammaln  # Slow to import, and a query does not need it.

        prior = self.equivalent_sample_size * np.asarray(mass)
        cell = self.pseudo_counts(counts.shape[-1], mass)[..., None]
        cells: Floats = (gammaln(cell + counts) - gammaln(cell)).sum(axis=-1)
        return cells + gammaln(prior) - gammaln(prior + counts.sum(axis=-1))

    def pseudo_counts(self, arity: int, mass: Floats | float) -> Floats:
        return self.equivalent_sample_size * np.asarray(mass) / arity


@dataclass(frozen=True, slots=True)
class Estimate:
    """The parameters of tree nodes: counts with the score's pseudo-counts, drawn towards the parent's parameters.

    With shrinkage m, proportional to count + pseudo-count + m * parameter of the parent: where a branch has few rows,
    what was known before the split counts on.
    """

    score: Score
    shrinkage: float = 0.0

    def of_roots(self, counts: Floats) -> Floats:
        return _normalised(counts + self.score.pseudo_counts(counts.shape[-1], 1.0))

    def of_branches(self, counts: Floats, masses: Floats, parent: Floats) -> Floats:
        """Parameters of (branches x values of the child)."""
        pseudo_counts = np.asarray(self.score.pseudo_counts(counts.shape[-1], masses))
        return _normalised(counts + pseudo_counts[..., None] + self.shrinkage * parent)


def _normalised(weights: Floats) -> Floats:
    """Weights as probabilities; uniform where nothing was counted and nothing assumed."""
    totals = weights.sum(axis=-1, keepdims=True)
    if totals.all():
        return weights / totals
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), 1 / weights.shape[-1])


def log_likelihood(counts: Floats, parameters: Floats) -> Floats:
    """Log-likelihood of counted values under parameters, with 0 * log 0 = 0."""
    if parameters.all():
        return (counts * np.log(parameters)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts > 0, counts * np.log(parameters), 0.0).sum(axis=-1)
