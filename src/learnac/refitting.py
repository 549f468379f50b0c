"""New parameters for a network that stays as it is, from rows that may have gaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac.circuit import Circuit, core_evaluator
from learnac.compiler import compile_network
from learnac.compiler.budget import MAX_EDGES
from learnac.data import Evidence, as_evidence
from learnac.data.weights import checked_weights
from learnac.errors import DataError, SettingError
from learnac.io.objects import network_of
from learnac.model import Model
from learnac.network import BayesNet, TreeCPD

Floats = NDArray[np.float64]

_ROWS_AT_ONCE = 1024
# What the first parameters have of a uniform distribution: a parameter of zero would never leave it.
_SHARE_OF_UNIFORM = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Refitted:
    """The network with its new parameters, its circuit, and how they were found.

    `objectives` are those of the first parameters and after each round, per row: the log-likelihood, plus `alpha` times
    the logs of all parameters. They never fall.
    """

    network: BayesNet
    circuit: Circuit
    log_likelihood: float  # per row
    objectives: tuple[float, ...]
    has_converged: bool

    @property
    def n_rounds(self) -> int:
        return len(self.objectives) - 1


def refit(
    model: Any,
    data: object,
    *,
    alpha: float = 1.0,
    sample_weight: ArrayLike | None = None,
    max_rounds: int = 200,
    tolerance: float = 1e-6,
    max_edges: int = MAX_EDGES,
    n_threads: int = 1,
    on_round: Callable[[int, float], None] | None = None,
) -> Refitted:
    """The most probable parameters of a network's trees, given rows with or without gaps; the trees stay as they are.

    `model` is whatever `learnac.compile` takes. A parameter is the share of its value among the rows of its leaf, with
    `alpha` added to each count. Where values are missing, counts are expected ones, exact given all that is known of
    the row, and parameters and counts follow from each other in rounds (EM), until a round gains less than `tolerance`
    per row. Values must be missing at random. Cost of a round: two passes over the circuit for each different row with
    gaps; without gaps there is only one round, and no circuit is asked.
    """
    for name, value, is_right in (
        ("alpha", alpha, alpha >= 0),
        ("tolerance", tolerance, tolerance >= 0),
        ("max_rounds", max_rounds, max_rounds >= 1),
    ):
        if not is_right:
            raise SettingError(name, "a number from 1" if name == "max_rounds" else "a number from 0", value)
    network = network_of(model)
    evidence = as_evidence(network.schema, data)
    if len(evidence.soft_variables):
        raise DataError("expected values or gaps, found likelihoods")
    weights = checked_weights(sample_weight, evidence.n_rows)
    rows = _Rows.of(evidence, evidence.weights if weights is None else weights)
    circuit = _circuit_of_all_leaves(model, network, max_edges)
    return _Rounds(circuit, rows, alpha, n_threads).run(_softened(network), max_rounds, tolerance, on_round)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Different rows with their weights; those without gaps need no circuit."""

    complete: NDArray[np.integer[Any]]  # (variables x rows)
    complete_weights: Floats
    with_gaps: NDArray[np.integer[Any]]
    gap_weights: Floats

    @classmethod
    def of(cls, evidence: Evidence, weights: Floats | None) -> _Rows:
        every = np.ones(evidence.n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
        codes, places = np.unique(evidence.codes, axis=1, return_inverse=True)
        summed = np.bincount(places.ravel(), weights=every, minlength=codes.shape[1]).astype(np.float64)
        has_gaps = (codes < 0).any(axis=0)
        kept = [np.ascontiguousarray(codes[:, which]) for which in (~has_gaps, has_gaps)]
        return cls(kept[0], summed[~has_gaps], kept[1], summed[has_gaps])

    @property
    def weight(self) -> float:
        return float(self.complete_weights.sum() + self.gap_weights.sum())


def _circuit_of_all_leaves(model: Any, network: BayesNet, max_edges: int) -> Circuit:
    """A circuit in which every leaf of the trees has parameters of its own: equal ones and zeros may not stay so."""
    own = model.circuit if isinstance(model, Model) else getattr(model, "circuit_", None)
    if isinstance(own, Circuit) and _has_all_leaves(own, network):
        return own
    distinct = [replace(tree, parameters=_distinct(tree)) for tree in network.trees]
    return compile_network(replace(network, trees=tuple(distinct)), max_edges)


def _has_all_leaves(circuit: Circuit, network: BayesNet) -> bool:
    found = {tuple(origin) for origin in circuit.parameter_origins.tolist()}
    return len(found) == network.n_parameters and all(origin[0] >= 0 for origin in found)


def _distinct(tree: TreeCPD) -> Floats:
    """Parameters of which no two are equal, so that the compiler takes nothing for the same."""
    n_nodes, arity = tree.parameters.shape
    return (1 + np.arange(n_nodes * arity).reshape(n_nodes, arity) / (n_nodes * arity)) / (2 * arity)


def _softened(network: BayesNet) -> BayesNet:
    trees = [
        replace(
            tree,
            parameters=(1 - _SHARE_OF_UNIFORM) * tree.parameters + _SHARE_OF_UNIFORM / tree.parameters.shape[1],
        )
        for tree in network.trees
    ]
    return replace(network, trees=tuple(trees))


@dataclass(slots=True)
class _Rounds:
    """Expected counts from parameters, and parameters from expected counts."""

    circuit: Circuit
    rows: _Rows
    alpha: float
    n_threads: int

    def run(
        self,
        network: BayesNet,
        max_rounds: int,
        tolerance: float,
        on_round: Callable[[int, float], None] | None,
    ) -> Refitted:
        certain = _counts(network, self.rows.complete, self.rows.complete_weights)
        counts, log_likelihood = self._expected(network, certain)
        objectives = [self._objective(network, log_likelihood)]
        has_converged = False
        while not has_converged and len(objectives) <= max_rounds:
            network = _estimated(network, counts, self.alpha)
            counts, log_likelihood = self._expected(network, certain)
            objectives.append(self._objective(network, log_likelihood))
            if on_round is not None:
                on_round(len(objectives) - 1, objectives[-1])
            is_exact = self.rows.with_gaps.shape[1] == 0
            has_converged = is_exact or objectives[-1] - objectives[-2] <= tolerance
        circuit = replace(self.circuit, parameters=network.parameters_at(self.circuit.parameter_origins))
        return Refitted(network, circuit, log_likelihood, tuple(objectives), has_converged)

    def _objective(self, network: BayesNet, log_likelihood: float) -> float:
        if self.alpha == 0:
            return log_likelihood
        logs = sum(float(np.log(tree.parameters[tree.leaves]).sum()) for tree in network.trees)
        return log_likelihood + self.alpha * logs / self.rows.weight

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


def _counts(network: BayesNet, codes: NDArray[np.integer[Any]], weights: Floats) -> list[Floats]:
    """Counts of leaves by complete rows."""
    found = []
    for tree in network.trees:
        counts = np.zeros_like(tree.parameters)
        if codes.shape[1]:
            np.add.at(counts, (tree.leaf_of(codes.astype(np.uint16)), codes[tree.child]), weights)
        found.append(counts)
    return found


def _estimated(network: BayesNet, counts: Sequence[Floats], alpha: float) -> BayesNet:
    """The network whose parameters are shares of the counts; inner nodes have the counts of all below them."""
    trees = []
    for tree, of_leaves in zip(network.trees, counts, strict=True):
        all_counts = of_leaves.copy()
        for node in range(tree.n_nodes - 1, -1, -1):
            if branches := list(tree.branches(node)):
                all_counts[node] = all_counts[branches].sum(axis=0)
        weights = all_counts + alpha
        totals = weights.sum(axis=1, keepdims=True)
        # Where nothing is counted and nothing assumed, parameters stay as they are.
        parameters = np.where(totals > 0, weights / np.where(totals > 0, totals, 1), tree.parameters)
        trees.append(replace(tree, counts=all_counts, parameters=parameters))
    return replace(network, trees=tuple(trees))
