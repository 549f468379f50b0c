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
        with np.errstate(divide="ignore"):
            self._sampler = GibbsSampler(*structure, np.log(parameters))
        self._arities = network.schema.arities.astype(np.float64)
        self._starts = np.concatenate([[0], np.cumsum(network.schema.arities)]).astype(np.int64)

    def log_probability(
        self, query: PartialCodes, given: PartialCodes, scenario: GibbsScenario, random_state: object = None
    ) -> NDArray[np.float64]:
        """Log P(query | given) of each row, both (variables x rows).

        As in the paper, a count of 1 is spread evenly over all states of the query variables, so that no estimate is
        zero. The chains of all rows run side by side, 256 at a time, each as if it were alone: the more there are, the
        less time each takes.
        """
        matches, _ = self._run(query, given, scenario, random_state)
        log_states = np.log(self._arities) @ (query >= 0).astype(np.float64)
        with np.errstate(divide="ignore"):
            counts = np.logaddexp(np.log(matches.astype(np.float64)), -log_states)
        return np.asarray(counts - np.log(scenario.n_chains * scenario.n_samples + 1))

    def marginals(
        self, given: PartialCodes, scenario: GibbsScenario, random_state: object = None
    ) -> tuple[NDArray[np.float64], ...]:
        """The share of samples with each value of each variable, given the first row: one array for each variable."""
        known = given[:, :1]
        _, counts = self._run(np.full_like(known, -1), known, scenario, random_state)
        shares = counts / (scenario.n_chains * scenario.n_samples)
        return tuple(np.split(shares, self._starts[1:-1]))

    def _run(
        self, query: PartialCodes, given: PartialCodes, scenario: GibbsScenario, random_state: object
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        generator = np.random.default_rng(random_state)  # type: ignore[arg-type]
        seeds = np.array([seed_of(generator) for _ in range(query.shape[1])], dtype=np.uint64)
        asked, known = (np.ascontiguousarray(codes, dtype=np.int32) for codes in (query, given))
        return self._sampler.run(known, asked, seeds, scenario.n_chains, scenario.n_burn_in, scenario.n_samples)
