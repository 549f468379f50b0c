"""How much each arc of a network tells: what the splits on a parent gain in the tree of its child."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnac.network.tree import TreeCPD

Floats = NDArray[np.float64]


def arc_strengths(tree: TreeCPD) -> dict[int, float]:
    """By parent: the log-likelihood in nats that the tree's questions about it gain, together.

    Over the rows that the tree was learned from. A tree without counts comes from elsewhere: then it is the gain of one
    row, if all states of the parents were equally probable.
    """
    masses = tree.counts if tree.counts.any() else _even_masses(tree)
    worth = _log_likelihoods(masses)
    strengths: dict[int, float] = dict.fromkeys(tree.parents, 0.0)
    for node in np.flatnonzero(tree.variables >= 0).tolist():
        gain = sum(worth[branch] for branch in tree.branches(node)) - worth[node]
        strengths[int(tree.variables[node])] += max(float(gain), 0.0)
    return strengths


def _log_likelihoods(masses: Floats) -> Floats:
    """Of rows at a node, under the shares of the child's values there."""
    totals = masses.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = masses * np.log(masses / totals)
    return np.where(masses > 0, terms, 0.0).sum(axis=1)


def _even_masses(tree: TreeCPD) -> Floats:
    """Shares of one row at each node, by value of the child: every value of a parent takes an equal part."""
    shares = np.zeros(tree.n_nodes)
    shares[0] = 1.0
    for node in range(tree.n_nodes):  # parents before children
        branches = tree.branches(node)
        n_values = sum(values.bit_count() for values in branches.values())
        for branch, values in branches.items():
            shares[branch] += shares[node] * values.bit_count() / n_values
    masses: Floats = shares[:, None] * tree.parameters
    for node in range(tree.n_nodes - 1, -1, -1):
        if branches := tree.branches(node):
            masses[node] = sum(masses[branch] for branch in branches)
    return masses
