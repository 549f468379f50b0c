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
    """What a leaf with these counts is worth, and the parameters it gets."""

    def leaf_scores(self, counts: Floats, mass: Floats | float) -> Floats: ...

    def parameters(self, counts: Floats, mass: Floats | float) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Log-likelihood of the rows under the smoothed parameters (count + alpha) / (total + alpha * arity)."""

    alpha: float = 1.0

    def leaf_scores(self, counts: Floats, mass: Floats | float = 1.0) -> Floats:
        smoothed = counts + self.alpha
        scores: Floats = np.einsum("...i,...i", counts, np.log(np.maximum(smoothed, np.finfo(float).tiny)))
        totals = counts.sum(axis=-1)
        return scores - totals * np.log(np.maximum(smoothed.sum(axis=-1), np.finfo(float).tiny))

    def parameters(self, counts: Floats, mass: Floats | float = 1.0) -> Floats:
        return _normalised(counts + self.alpha)


@dataclass(frozen=True, slots=True)
class BayesianDirichlet:
    """BDeu: log marginal likelihood under a Dirichlet prior spread evenly over parent configurations and values."""

    equivalent_sample_size: float = 1.0

    def leaf_scores(self, counts: Floats, mass: Floats | float) -> Floats:
        from scipy.special import gammaln  # Slow to import, and a query does not need it.

        prior = self.equivalent_sample_size * np.asarray(mass)
        cell = (prior / counts.shape[-1])[..., None]
        cells: Floats = (gammaln(cell + counts) - gammaln(cell)).sum(axis=-1)
        return cells + gammaln(prior) - gammaln(prior + counts.sum(axis=-1))

    def parameters(self, counts: Floats, mass: Floats | float) -> Floats:
        prior = self.equivalent_sample_size * np.asarray(mass)
        return _normalised(counts + (prior / counts.shape[-1])[..., None])


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
