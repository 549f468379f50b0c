"""An evaluator to be read, and compared with: plain passes in log space, node by node, for all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from learnac.circuit import Circuit, NodeKind, indicators_of
from learnac.infer.evaluator import Codes, Evaluator, Floats, Numbers


class PlainEvaluator(Evaluator):
    """All values are logs, (nodes x rows). A hundred times slower than the core; threads make no difference."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._starts = np.concatenate([[0], np.cumsum(circuit.schema.arities)])
        self._n_leaves = int(self._starts[-1]) + circuit.n_parameters
        with np.errstate(divide="ignore"):
            self._log_parameters = np.log(circuit.parameters)

    def log_values(self, codes: Codes, soft_variables: Numbers, likelihoods: Floats, n_threads: int) -> Floats:
        return self._upward(self._indicators(codes, soft_variables, likelihoods), np.logaddexp)[-1]

    def marginals(
        self, codes: Codes, soft_variables: Numbers, likelihoods: Floats, variables: Numbers, n_threads: int
    ) -> tuple[Floats, Floats]:
        values, shares = self._shares(self._indicators(codes, soft_variables, likelihoods))
        posteriors = [shares[self._starts[v] : self._starts[v + 1]] for v in variables]
        with np.errstate(invalid="ignore"):
            columns = [shared / np.add.accumulate(shared)[-1] for shared in posteriors]
        return values[-1], np.concatenate([np.empty((0, codes.shape[1])), *columns]).T

    def most_probable(
        self, codes: Codes, soft_variables: Numbers, likelihoods: Floats, worlds: Codes, n_threads: int
    ) -> Floats:
        values = self._upward(self._indicators(codes, soft_variables, likelihoods), np.maximum)
        for row in np.flatnonzero(values[-1] > -np.inf):
            self._fill(worlds[:, row], values[:, row], _largest)
        return values[-1]

    def sample(
        self,
        codes: Codes,
        soft_variables: Numbers,
        likelihoods: Floats,
        n_samples: int,
        seed: int,
        worlds: Codes,
        n_threads: int,
    ) -> Floats:
        values = self._upward(self._indicators(codes, soft_variables, likelihoods), np.logaddexp)
        for row in np.flatnonzero(values[-1] > -np.inf):
            for place in range(row * n_samples, (row + 1) * n_samples):
                self._fill(worlds[:, place], values[:, row], partial(_drawn, np.random.default_rng([seed, place])))
        return values[-1]

    def mean_logs(
        self, codes: Codes, soft_variables: Numbers, likelihoods: Floats, n_threads: int
    ) -> tuple[Floats, Floats]:
        values, shares = self._shares(self._indicators(codes, soft_variables, likelihoods))
        means = np.where(values[-1] > -np.inf, 0.0, np.nan)
        # By Euler's theorem, a parameter's share is how often it is expected in the term of a world.
        for share, log_parameter in zip(shares[self._starts[-1] : self._n_leaves], self._log_parameters, strict=True):
            if log_parameter > -np.inf:
                means += share * log_parameter
        return values[-1], means

    def _indicators(self, codes: Codes, soft_variables: Numbers, likelihoods: Floats) -> Floats:
        """Logs of the indicators, (indicators x rows)."""
        indicators = indicators_of(self.circuit, codes).T
        soft = [indicator for v in soft_variables for indicator in range(self._starts[v], self._starts[v + 1])]
        if soft:
            indicators[soft] *= likelihoods.T
        with np.errstate(divide="ignore"):
            return np.log(indicators)

    def _upward(self, indicators: Floats, add: np.ufunc) -> Floats:
        """The values of all nodes; `add` says what a sum does."""
        values = np.empty((self.circuit.n_nodes, indicators.shape[1]))
        values[: len(indicators)] = indicators
        values[len(indicators) : self._n_leaves] = self._log_parameters[:, None]
        for node in range(self._n_leaves, self.circuit.n_nodes):
            # Accumulated, because NumPy's sum over many rows adds in another order than its sum over one.
            combine = add if self.circuit.kinds[node] == NodeKind.SUM else np.add
            values[node] = combine.accumulate(values[self.circuit.children_of(node)])[-1]
        return values

    def _shares(self, indicators: Floats) -> tuple[Floats, Floats]:
        """Values; and for each node, its value times the root's derivative by it, as a share of the root: no logs.

        NaN where the root is zero.
        """
        values = self._upward(indicators, np.logaddexp)
        derivatives = np.full_like(values, -np.inf)
        derivatives[-1] = 0
        for node in range(self.circuit.root, self._n_leaves - 1, -1):
            children = self.circuit.children_of(node)
            passed = np.repeat(derivatives[node][None], len(children), axis=0)
            if self.circuit.kinds[node] == NodeKind.PRODUCT:
                passed += _others(values[children])
            for child, derivative in zip(children, passed, strict=True):
                derivatives[child] = np.logaddexp(derivatives[child], derivative)
        with np.errstate(invalid="ignore"):
            return values, np.exp(values + derivatives - values[-1])

    def _fill(self, world: Codes, values: Floats, choose: Callable[[Floats], int]) -> None:
        """Walks down one term, by the child of each sum that is chosen from their values, and notes its indicators."""
        pending = [self.circuit.root]
        while pending:
            node = pending.pop()
            children = self.circuit.children_of(node)
            if node < self._starts[-1]:
                variable = int(np.searchsorted(self._starts, node, side="right")) - 1
                world[variable] = node - self._starts[variable]
            elif self.circuit.kinds[node] == NodeKind.SUM:
                pending.append(int(children[choose(values[children])]))
            else:
                pending.extend(children.tolist())


def _others(factors: Floats) -> Floats:
    """Log of the product of all other factors, for each: those before it and those after it, as one may be zero."""
    nothing = np.zeros((1, factors.shape[1]))
    before = np.add.accumulate(np.concatenate([nothing, factors[:-1]]))
    after = np.add.accumulate(np.concatenate([nothing, factors[:0:-1]]))[::-1]
    return before + after


def _largest(logs: Floats) -> int:
    """The first of equals."""
    return int(np.argmax(logs))


def _drawn(random: np.random.Generator, logs: Floats) -> int:
    """One of several, each as likely as its log says."""
    shares = np.exp(logs - logs.max())
    return int(random.choice(len(shares), p=shares / shares.sum()))
