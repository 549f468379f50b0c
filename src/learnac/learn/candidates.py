"""From the counts of new leaves to candidate splits and their gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnac.learn.scores import Score
from learnac.learn.splits import SplitSpace
from learnac.learn.trees import GrowingTrees

Floats = NDArray[np.float64]


def rounded(gains: Floats) -> Floats:
    """Gains to single precision, so that splits that are equally good by symmetry tie, whatever the machine."""
    return gains.astype(np.float32).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The splits of one leaf that may pay, ascending by variable and value."""

    leaf: int
    variables: NDArray[np.uint32]
    values: NDArray[np.uint32]
    net_gains: Floats  # gain in score less the parameter penalty


class CandidateGenerator:
    """Finds the candidates of leaves. What only depends on the schema is worked out once."""

    def __init__(
        self,
        space: SplitSpace,
        score: Score,
        parameter_penalty: float,
        keeps_unprofitable: NDArray[np.bool_],
    ) -> None:
        """`keeps_unprofitable` marks the variables whose splits may remove edges, and so pay without a gain."""
        self.space = space
        self.score = score
        self.parameter_penalty = parameter_penalty
        self.keeps_unprofitable = keeps_unprofitable
        self._starts = space.starts
        self._variable_of = np.repeat(np.arange(space.n_variables, dtype=np.uint32), space.arities)
        self._value_of = (np.arange(len(self._variable_of)) - self._starts[self._variable_of]).astype(np.uint32)
        # A split on one of two values is a split on the other: the first stands for both.
        self._is_candidate = (space.arities[self._variable_of] > 2) | (
            (space.arities[self._variable_of] == 2) & (self._value_of == 0)
        )

    def candidates(self, trees: GrowingTrees, leaves: list[int], counts: Floats) -> list[Candidates]:
        """Candidates of leaves of one child; counts are (leaves x indicators x values of the child)."""
        find = self._binary if self.space.is_binary else self._complete
        return find(trees, leaves, counts)

    def _complete(self, trees: GrowingTrees, leaves: list[int], counts: Floats) -> list[Candidates]:
        masses = np.array([trees.nodes[leaf].mass for leaf in leaves])
        shares = masses[:, None] / self.space.arities[self._variable_of]
        scores = self.score.leaf_scores(counts, shares)
        totals = np.stack([trees.nodes[leaf].counts for leaf in leaves])
        gains = np.add.reduceat(scores, self._starts, axis=1) - self.score.leaf_scores(totals, masses)[:, None]
        n_added = (self.space.arities - 1) * counts.shape[-1]
        nets = rounded(gains) - self.parameter_penalty * n_added
        is_open = (self.space.arities >= 2) & ((nets > 0) | self.keeps_unprofitable)
        result = []
        for leaf, net, may in zip(leaves, nets, is_open, strict=True):
            chosen = np.flatnonzero(may & self._allowed(trees, leaf))
            zeros = np.zeros(len(chosen), dtype=np.uint32)
            result.append(Candidates(leaf, chosen.astype(np.uint32), zeros, net[chosen]))
        return result

    def _binary(self, trees: GrowingTrees, leaves: list[int], counts: Floats) -> list[Candidates]:
        result = []
        for leaf, leaf_counts in zip(leaves, counts, strict=True):
            node = trees.nodes[leaf]
            left = np.ones(len(self._variable_of), dtype=bool)
            for variable, values in node.path.items():
                start = self._starts[variable]
                left[start : start + len(values)] = values
            n_left = np.add.reduceat(left, self._starts, dtype=np.int64)[self._variable_of]
            share = 1 / np.maximum(n_left, 2)
            gains = (
                self.score.leaf_scores(leaf_counts, node.mass * share)
                + self.score.leaf_scores(node.counts - leaf_counts, node.mass * (1 - share))
                - self.score.leaf_scores(node.counts, node.mass)
            )
            nets = rounded(gains) - self.parameter_penalty * leaf_counts.shape[-1]
            allowed = self._allowed(trees, leaf)[self._variable_of]
            may = self._is_candidate & left & (n_left >= 2) & allowed
            may &= (nets > 0) | self.keeps_unprofitable[self._variable_of]
            chosen = np.flatnonzero(may)
            result.append(Candidates(leaf, self._variable_of[chosen], self._value_of[chosen], nets[chosen]))
        return result

    def _allowed(self, trees: GrowingTrees, leaf: int) -> NDArray[np.bool_]:
        """Variables a leaf may be split on, as far as its path and the user say; cycles are the schedule's concern."""
        node = trees.nodes[leaf]
        if self.space.allowed_parents is None:
            allowed = np.ones(self.space.n_variables, dtype=bool)
        else:
            allowed = self.space.allowed_parents[node.child].copy()
        allowed[node.child] = False
        if not self.space.is_binary:
            allowed[list(node.path)] = False
        return allowed
