"""Gibbs sampling on a network, for comparison: what people use where exact inference is out of reach (section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnac._core import GibbsSampler
from learnac.infer.sample import seed_of
from learnac.network import BayesNet
from learnac.types import PartialCodes


@dataclass(frozen=True, slots=True)
class GibbsScenario:
    """How long to sample: chains, and iterations of each before and while samples count."""

    n_chains: int
    n_burn_in: int
    n_samples: int


FAST = GibbsScenario(1, 100, 1_000)
MEDIUM = GibbsScenario(10, 100, 1_000)
SLOW = GibbsScenario(10, 1_000, 10_000)
VERY_SLOW = GibbsScenario(10, 10_000, 100_000)
"""The four scenarios of the paper."""


class Gibbs:
    """Estimates from one network. Codes are -1 where nothing is known or asked."""

    def __init__(self, network: BayesNet) -> None:
        structure, parameters = network.arrays
        self._sampler = GibbsSampler(*structure, parameters)
        self._arities = network.schema.arities.astype(np.float64)
        self._starts = np.concatenate([[0], np.cumsum(network.schema.arities)]).astype(np.int64)

    def log_probability(
        self, query: PartialCodes, given: PartialCodes, scenario: GibbsScenario, random_state: object = None
    ) -> NDArray[np.float64]:
        """Log P(query | given) of each row, both (variables x rows).

        As in the paper, a count of 1 is spread evenly over all states of the query variables, so that no estimate is
        zero. Cost for a row: at most iterations x variables without evidence x the trees that ask each; much less where
        few values change from one iteration to the next.
        """
        generator = np.random.default_rng(random_state)  # type: ignore[arg-type]
        result = np.empty(query.shape[1])
        for row in range(query.shape[1]):
            asked, known = _column(query, row), _column(given, row)
            matches, _ = self._run(asked, known, scenario, generator)
            total = scenario.n_chains * scenario.n_samples
            log_states = float(np.log(self._arities[asked >= 0]).sum())
            result[row] = np.logaddexp(np.log(matches) if matches else -np.inf, -log_states) - np.log(total + 1)
        return result

    def marginals(
        self, given: PartialCodes, scenario: GibbsScenario, random_state: object = None
    ) -> tuple[NDArray[np.float64], ...]:
        """The share of samples with each value of each variable, given the first row: one array for each variable."""
        nothing = np.full(len(given), -1, dtype=np.int32)
        _, counts = self._run(nothing, _column(given, 0), scenario, random_state)
        shares = counts / (scenario.n_chains * scenario.n_samples)
        return tuple(np.split(shares, self._starts[1:-1]))

    def _run(
        self, query: NDArray[np.int32], given: NDArray[np.int32], scenario: GibbsScenario, random_state: object
    ) -> tuple[int, NDArray[np.uint64]]:
        seed = seed_of(random_state)
        return self._sampler.run(given, query, scenario.n_chains, scenario.n_burn_in, scenario.n_samples, seed)


def _column(codes: PartialCodes, row: int) -> NDArray[np.int32]:
    return np.ascontiguousarray(codes[:, row], dtype=np.int32)
