"""Parameters of a fixed structure from rows with gaps: expected counts, and parameters from these, in rounds (EM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, NodeKind, core_evaluator
from learnac.data import Evidence
from learnac.network import BayesNet

Floats = NDArray[np.float64]

_ROWS_AT_ONCE = 1024


@dataclass(frozen=True, slots=True, eq=False)
class IncompleteRows:
    """Different rows with their weights; those without gaps need no circuit."""

    complete: NDArray[np.integer[Any]]  # (variables x rows)
    complete_weights: Floats
    with_gaps: NDArray[np.integer[Any]]
    gap_weights: Floats

    @classmethod
    def of(cls, evidence: Evidence, weights: Floats | None = None) -> IncompleteRows:
        """Of rows with their own weights, or with others."""
        weights = evidence.weights if weights is None else weights
        every = np.ones(evidence.n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
        codes, places = np.unique(evidence.codes, axis=1, return_inverse=True)
        summed = np.bincount(places.ravel(), weights=every, minlength=codes.shape[1]).astype(np.float64)
        has_gaps = (codes < 0).any(axis=0)
        kept = [np.ascontiguousarray(codes[:, which]) for which in (~has_gaps, has_gaps)]
        return cls(kept[0], summed[~has_gaps], kept[1], summed[has_gaps])

    @property
    def weight(self) -> float:
        return float(self.complete_weights.sum() + self.gap_weights.sum())

    def in_order_of(self, circuit: Circuit) -> IncompleteRows:
        """Rows that agree on what is decided near the root next to each other: they need the same parts of it."""
        sums = np.flatnonzero(circuit.kinds == NodeKind.SUM)
        highest = np.full(circuit.schema.n_variables + 1, -1)  # The last is for sums that decide nothing.
        np.maximum.at(highest, np.minimum(circuit.labels[sums], circuit.schema.n_variables), sums)
        variables = np.argsort(-highest[:-1], kind="stable")
        order = np.lexsort(self.with_gaps[variables][::-1])
        return replace(
            self, with_gaps=np.ascontiguousarray(self.with_gaps[:, order]), gap_weights=self.gap_weights[order]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A network with its new parameters, its circuit, and how they were found.

    `objectives` are those of the first parameters and after each round, per row: the log-likelihood of what is known,
    plus the logs of all parameters times their pseudo-counts. They never fall.
    """

    network: BayesNet
    circuit: Circuit
    log_likelihood: float  # per row
    objectives: tuple[float, ...]
    has_converged: bool

    @property
    def n_rounds(self) -> int:
        return len(self.objectives) - 1


@dataclass(slots=True, eq=False)
class ParameterRounds:
    """Expected counts from parameters, and parameters from expected counts.

    `pseudo_counts` are added to the counts, of each tree (nodes x values). Cost of a round: two passes over the live
    part of the circuit for each different row with gaps; without gaps one round is enough, and no circuit is asked.
    """

    circuit: Circuit
    rows: IncompleteRows
    pseudo_counts: Sequence[Floats]
    n_threads: int = 1

    def __post_init__(self) -> None:
        self.rows = self.rows.in_order_of(self.circuit)

    def run(
        self,
        network: BayesNet,
        max_rounds: int,
        tolerance: float,
        on_round: Callable[[int, float], object] | None = None,
    ) -> Fitted:
        """Rounds until one gains no more than `tolerance` per row, or `on_round` returns True."""
        certain = counts_of_complete(network, self.rows.complete, self.rows.complete_weights)
        counts, log_likelihood = self._expected(network, certain)
        objectives = [self._objective(network, log_likelihood)]
        has_converged = False
        while not has_converged and len(objectives) <= max_rounds:
            network = estimated(network, counts, self.pseudo_counts)
            counts, log_likelihood = self._expected(network, certain)
            objectives.append(self._objective(network, log_likelihood))
            is_exact = self.rows.with_gaps.shape[1] == 0
            has_converged = is_exact or objectives[-1] - objectives[-2] <= tolerance
            if on_round is not None and on_round(len(objectives) - 1, objectives[-1]) is True:
                break
        circuit = replace(self.circuit, parameters=network.parameters_at(self.circuit.parameter_origins))
        return Fitted(network, circuit, log_likelihood, tuple(objectives), has_converged)

    def _objective(self, network: BayesNet, log_likelihood: float) -> float:
        total = 0.0
        for tree, pseudo in zip(network.trees, self.pseudo_counts, strict=True):
            assumed, parameters = pseudo[tree.leaves], tree.parameters[tree.leaves]
            with np.errstate(divide="ignore"):
                total += float(assumed[assumed > 0] @ np.log(parameters[assumed > 0]))
        return log_likelihood + total / self.rows.weight

    def _expected(self, network: BayesNet, certain: Sequence[Floats]) -> tuple[list[Floats], float]:
        """Counts of the leaves of each tree, given all rows, and the log-likelihood per row."""
        rows = self.rows
        with np.errstate(invalid="ignore"):
            total = _weighted(network.log_likelihood(rows.complete), rows.complete_weights)
        counts = [count.copy() for count in certain]
        if rows.with_gaps.shape[1]:
            origins = self.circuit.parameter_origins
            circuit = replace(self.circuit, parameters=network.parameters_at(origins))
            log_values, expected = self._by_blocks(circuit)
            total += _weighted(log_values, rows.gap_weights)
            for variable, count in enumerate(counts):
                mine = origins[:, 0] == variable
                np.add.at(count, (origins[mine, 1], origins[mine, 2]), expected[mine])
        return counts, total / rows.weight

    def _by_blocks(self, circuit: Circuit) -> tuple[Floats, Floats]:
        """Blocks are summed in their order, so that threads make no difference."""
        evaluator = core_evaluator(circuit)
        n_rows = self.rows.with_gaps.shape[1]

        def block(start: int) -> tuple[Floats, Floats]:
            end = min(start + _ROWS_AT_ONCE, n_rows)
            codes = np.ascontiguousarray(self.rows.with_gaps[:, start:end])
            nothing = np.empty(0, np.uint32), np.empty((end - start, 0))
            return evaluator.expected_counts(codes, *nothing, self.rows.gap_weights[start:end])

        with ThreadPoolExecutor(self.n_threads) as pool:
            found = list(pool.map(block, range(0, n_rows, _ROWS_AT_ONCE)))
        return np.concatenate([values for values, _ in found]), np.sum([counts for _, counts in found], axis=0)


def _weighted(log_values: Floats, weights: Floats) -> float:
    """What has no weight has no say, even if it is impossible."""
    return float(log_values[weights > 0] @ weights[weights > 0])


def counts_of_complete(network: BayesNet, codes: NDArray[np.integer[Any]], weights: Floats) -> list[Floats]:
    """Counts of leaves by complete rows."""
    found = []
    for tree in network.trees:
        counts = np.zeros_like(tree.parameters)
        if codes.shape[1]:
            np.add.at(counts, (tree.leaf_of(codes.astype(np.uint16)), codes[tree.child]), weights)
        found.append(counts)
    return found


def estimated(network: BayesNet, counts: Sequence[Floats], pseudo_counts: Sequence[Floats]) -> BayesNet:
    """The network whose parameters are shares of the counts; inner nodes have the counts of all below them."""
    trees = []
    for tree, of_leaves, pseudo in zip(network.trees, counts, pseudo_counts, strict=True):
        all_counts = tree.gathered(of_leaves)
        weights = all_counts + pseudo
        totals = weights.sum(axis=1, keepdims=True)
        # Where nothing is counted and nothing assumed, parameters stay as they are.
        parameters = np.where(totals > 0, weights / np.where(totals > 0, totals, 1), tree.parameters)
        trees.append(replace(tree, counts=all_counts, parameters=parameters))
    return replace(network, trees=tuple(trees))
