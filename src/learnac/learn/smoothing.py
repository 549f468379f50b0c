"""Smoothing: how parameters are read off counts, and how much of it suits rows that were not learned from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnac.learn.grown import GrownTrees
from learnac.network import BayesNet, TreeCPD

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Parameters proportional to count + pseudo-count + shrinkage * parameter of the parent.

    The pseudo-count is `prior` for "likelihood" (alpha), `prior` spread evenly over the values of a leaf for
    "likelihood_by_leaf", and over parent configurations and values for "bdeu" (the equivalent sample size). Where a
    branch has few rows, shrinkage lets what was known before the split count on.
    """

    criterion: str
    prior: float
    shrinkage: float

    def parameters(self, trees: GrownTrees, counts: Floats) -> Floats:
        """Of all nodes, one after the other, as `counts` are. Cost: a few passes over the counts."""
        result = np.empty(len(counts))
        for level in trees.levels:
            cells = level.cells
            weights = counts[cells] + self._pseudo_counts(cells.shape[1], level.masses)
            if level.parent_cells is not None:
                weights += self.shrinkage * result[level.parent_cells]
            result[cells] = _normalised(weights)
        return result

    def pseudo_counts(self, network: BayesNet) -> list[Floats]:
        """What is added to the counts of each tree (nodes x values), with the parameters that parent nodes have."""
        found = []
        for tree in network.trees:
            parents = np.zeros(tree.n_nodes, dtype=np.intp)
            for node in range(tree.n_nodes):
                parents[list(tree.branches(node))] = node
            masses = _masses(tree, network) if self.criterion == "bdeu" else np.ones(tree.n_nodes)
            pseudo = np.zeros_like(tree.parameters) + self._pseudo_counts(tree.parameters.shape[1], masses)
            pseudo[1:] += self.shrinkage * tree.parameters[parents[1:]]
            found.append(pseudo)
        return found

    def node_parameters(self, counts: Floats, mass: float, above: Floats | None) -> Floats:
        """The same of one node, with its share of all configurations and the parameters of its parent."""
        weights = counts + self._pseudo_counts(len(counts), np.array([mass]))
        if above is not None:
            weights = weights + self.shrinkage * above
        return _normalised(weights.reshape(1, -1))[0]

    def _pseudo_counts(self, arity: int, masses: Floats) -> Floats | float:
        match self.criterion:
            case "bdeu":
                return self.prior * masses[:, None] / arity
            case "likelihood_by_leaf":
                return self.prior / arity
            case _:
                return self.prior


def _masses(tree: TreeCPD, network: BayesNet) -> Floats:
    """The share of all parent configurations that reach each node."""
    masses, paths = np.ones(tree.n_nodes), [dict[int, int]() for _ in range(tree.n_nodes)]
    for node in range(tree.n_nodes):
        variable = int(tree.variables[node])
        for branch, values in tree.branches(node).items():
            before = paths[node].get(variable, (1 << int(network.schema.arities[variable])) - 1)
            paths[branch] = {**paths[node], variable: before & values}
            masses[branch] = masses[node] * (before & values).bit_count() / before.bit_count()
    return masses


class Judged(NamedTuple):
    """Trees of a search, and what it did not learn from: counts of other rows at the same nodes."""

    trees: GrownTrees
    held_out: Floats


def choose(judged: Sequence[Judged], candidates: Iterable[Smoothing]) -> tuple[Smoothing, int]:
    """The smoothing under which some number of splits does best on held-out rows, and that number of splits.

    With several searches, each with its own held-out rows, the best over all rows. Of several that do equally well the
    first, with the fewest splits. Cost: for each candidate a few passes over the counts.
    """
    best: tuple[tuple[float, float], Smoothing, int] | None = None
    for smoothing in candidates:
        curves = [_prefixes(each, smoothing.parameters(each.trees, each.trees.counts)) for each in judged]
        impossible, finite = (_added([curve[i] for curve in curves]) for i in (0, 1))
        n_splits = int(np.lexsort((np.arange(len(finite)), -finite, impossible))[0])
        rank = (-float(impossible[n_splits]), float(finite[n_splits]))
        if best is None or rank > best[0]:
            best = rank, smoothing, n_splits
    assert best is not None
    return best[1], best[2]


def grid(criterion: str, priors: Sequence[float], shrinkages: Sequence[float]) -> list[Smoothing]:
    return [Smoothing(criterion, prior, shrinkage) for prior in priors for shrinkage in shrinkages]


def _prefixes(judged: Judged, parameters: Floats) -> tuple[Floats, Floats]:
    """For each number of splits from 0: the weight of impossible values, and the log-likelihood of all others."""
    trees, held_out = judged
    is_possible = parameters > 0
    logs = np.log(parameters, where=is_possible, out=np.zeros(len(parameters)))
    impossible = np.add.reduceat(np.where(is_possible, 0.0, held_out), trees.first_cells)
    finite = np.add.reduceat(held_out * logs, trees.first_cells)
    return trees.by_prefix(impossible), trees.by_prefix(finite)


def _added(curves: Sequence[Floats]) -> Floats:
    """The sum of curves; a shorter one goes on as it ends."""
    longest = max(len(curve) for curve in curves)
    return np.sum([np.pad(curve, (0, longest - len(curve)), mode="edge") for curve in curves], axis=0)


def _normalised(weights: Floats) -> Floats:
    """Rows of weights as probabilities; uniform where nothing was counted and nothing assumed."""
    totals = weights.sum(axis=-1, keepdims=True)
    if totals.all():
        return weights / totals
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), 1 / weights.shape[-1])
