"""Gibbs sampling against exact answers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from learnac import Dataset, LearnAC
from learnac.infer.gibbs import FAST, MEDIUM, SLOW, VERY_SLOW, Gibbs, GibbsScenario
from learnac.infer.sample import seed_of
from learnac.network import BayesNet

ARITIES = [2, 3, 1, 4, 2, 3]


def model(splits: str, seed: int = 0) -> LearnAC:
    rng = np.random.default_rng(seed)
    prototypes = rng.integers(ARITIES, size=(4, len(ARITIES)))
    noise = rng.integers(ARITIES, size=(400, len(ARITIES)))
    rows = np.where(rng.random(noise.shape) < 0.6, prototypes[rng.integers(4, size=400)], noise)
    return LearnAC(0.01, 0.1, splits=splits).fit(Dataset.from_array(rows, arities=ARITIES))


def known(**codes: int) -> np.ndarray:
    row = np.full((len(ARITIES), 1), -1, dtype=np.int8)
    for name, code in codes.items():
        row[int(name[1:])] = code
    return row


class PlainRandom:
    """The core's random numbers (splitmix64), in plain Python."""

    GOLDEN, MASK = 0x9E3779B97F4A7C15, 2**64 - 1

    def __init__(self, seed: int, stream: int) -> None:
        self.state = self.mixed(seed) ^ self.mixed((stream + self.GOLDEN) & self.MASK)

    def mixed(self, x: int) -> int:
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & self.MASK
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & self.MASK
        return x ^ (x >> 31)

    def uniform(self) -> float:
        self.state = (self.state + self.GOLDEN) & self.MASK
        return (self.mixed(self.state) >> 11) * 2.0**-53

    def choice(self, weights: NDArray[np.float64]) -> int:
        left = self.uniform() * weights.sum()
        return int(np.searchsorted(np.cumsum(weights), left, side="right"))


def plain_marginals(
    network: BayesNet, given: NDArray[np.int8], scenario: GibbsScenario, seed: int
) -> list[NDArray[np.float64]]:
    """Section 5.3 as written: every variable in turn, by the probabilities of whole rows."""
    arities = network.schema.arities.tolist()
    counts = [np.zeros(arity) for arity in arities]
    unknown = np.flatnonzero(given[:, 0] < 0)
    for chain in range(scenario.n_chains):
        random = PlainRandom(seed, chain)
        codes = zip(given[:, 0].tolist(), arities, strict=True)
        state = [code if code >= 0 else int(random.uniform() * arity) for code, arity in codes]
        for iteration in range(scenario.n_burn_in + scenario.n_samples):
            for variable in unknown:
                rows = np.repeat(np.array(state)[:, None], arities[variable], axis=1)
                rows[variable] = np.arange(arities[variable])
                state[variable] = random.choice(np.exp(network.log_likelihood(rows)))
            if iteration >= scenario.n_burn_in:
                for variable, value in enumerate(state):
                    counts[variable][value] += 1
    return [count / count.sum() for count in counts]


@pytest.mark.parametrize("splits", ["complete", "binary"])
@pytest.mark.parametrize("seed", range(5))
def test_the_same_draws_as_a_plain_sampler(splits: str, seed: int) -> None:
    network = model(splits, seed).network_
    rng = np.random.default_rng(seed)
    row = rng.integers(ARITIES)[:, None].astype(np.int8)
    row[rng.random(row.shape) < 0.8] = -1
    scenario = GibbsScenario(2, 5, 60)
    chain_seed = seed_of(seed)
    for found, plain in zip(
        Gibbs(network).marginals(row, scenario, seed), plain_marginals(network, row, scenario, chain_seed), strict=True
    ):
        np.testing.assert_allclose(found, plain, rtol=1e-12)


def test_the_same_draws_where_trees_are_deep() -> None:
    """Every tree has dozens of leaves and most variables as parents, so that whatever changes touches most ways."""
    rng = np.random.default_rng(1)
    prototypes, noise = rng.integers(2, size=(40, 12)), rng.integers(2, size=(3000, 12))
    codes = np.where(rng.random(noise.shape) < 0.7, prototypes[rng.integers(40, size=3000)], noise)
    rows = Dataset.from_array(codes, arities=[2] * 12)
    network = LearnAC(0.0001, 0.0, splits="complete", max_edges=50_000).fit(rows).network_
    nothing = np.full((12, 1), -1, dtype=np.int8)
    scenario = GibbsScenario(1, 0, 300)
    plain = plain_marginals(network, nothing, scenario, seed_of(3))
    for found, share in zip(Gibbs(network).marginals(nothing, scenario, 3), plain, strict=True):
        np.testing.assert_allclose(found, share, rtol=1e-12)


@pytest.mark.parametrize("splits", ["complete", "binary"])
@pytest.mark.parametrize("variable", [0, 1, 3, 4, 5])
def test_one_unknown_variable_is_drawn_from_its_exact_posterior(splits: str, variable: int) -> None:
    """Its draws do not depend on each other then, so that a chi-square test applies."""
    fitted = model(splits)
    gibbs = Gibbs(fitted.network_)
    rng = np.random.default_rng(variable)
    for _ in range(5):
        row = rng.integers(ARITIES)[:, None].astype(np.int8)
        row[variable] = -1
        exact = fitted.marginals(row.T)[f"x{variable}"][0]
        shares = gibbs.marginals(row, GibbsScenario(3, 1, 4000), 0)[variable]
        assert shares.sum() == pytest.approx(1)
        assert chisquare(shares * 12_000, exact * 12_000).pvalue > 1e-4


@pytest.mark.parametrize("splits", ["complete", "binary"])
def test_marginals_come_near_the_exact_ones(splits: str) -> None:
    fitted = model(splits)
    given = known(x1=2, x4=0)
    exact = fitted.marginals(given.T)
    found = Gibbs(fitted.network_).marginals(given, GibbsScenario(10, 200, 10_000), 1)
    for variable, shares in enumerate(found):
        np.testing.assert_allclose(shares, exact[f"x{variable}"][0], atol=0.03)


def test_queries_come_near_the_exact_ones_and_are_smoothed() -> None:
    fitted = model("complete")
    query, given = known(x0=1, x3=2), known(x5=1)
    exact = fitted.log_probability(query.T, given.T)
    found = Gibbs(fitted.network_).log_probability(query, given, GibbsScenario(10, 200, 10_000), 2)
    np.testing.assert_allclose(found, exact, atol=0.1)
    # A count of 1 is spread over the 8 states of the query variables, even if no sample agrees.
    none = Gibbs(fitted.network_).log_probability(query, given, GibbsScenario(1, 0, 0), 0)
    np.testing.assert_allclose(none, [-np.log(8)])
    matches = (np.exp(found[0]) * 100_001) - 1 / 8
    assert matches == pytest.approx(round(matches), abs=1e-6)


def test_the_same_seed_gives_the_same_estimates() -> None:
    gibbs = Gibbs(model("complete").network_)
    query, given = np.repeat(known(x0=1), 3, axis=1), np.repeat(known(x1=0), 3, axis=1)
    first = gibbs.log_probability(query, given, GibbsScenario(2, 5, 50), 7)
    assert np.array_equal(first, gibbs.log_probability(query, given, GibbsScenario(2, 5, 50), np.random.default_rng(7)))
    assert len(set(first.tolist())) > 1  # Rows have random numbers of their own.


@pytest.mark.parametrize("splits", ["complete", "binary"])
def test_chains_side_by_side_draw_what_each_would_alone(splits: str) -> None:
    """More of them than run at once, with evidence of their own."""
    gibbs = Gibbs(model(splits).network_)
    rng = np.random.default_rng(3)
    rows = rng.integers(ARITIES, size=(90, len(ARITIES))).T.astype(np.int8)
    given = np.where(rng.random(rows.shape) < 0.4, rows, -1)
    query = np.where((given < 0) & (rng.random(rows.shape) < 0.5), rows, -1)
    scenario = GibbsScenario(7, 3, 20)
    alone = np.random.default_rng(5)
    each = [gibbs.log_probability(query[:, [i]], given[:, [i]], scenario, alone)[0] for i in range(90)]
    assert gibbs.log_probability(query, given, scenario, 5).tolist() == each


def test_impossible_states_are_left_at_the_first_chance() -> None:
    rows = np.array([[0, 0], [1, 1]] * 20)
    fitted = LearnAC(0.0, 0.0, alpha=0, shrinkage=0, splits="complete").fit(rows)
    shares = Gibbs(fitted.network_).marginals(np.array([[0], [-1]], dtype=np.int8), GibbsScenario(4, 1, 20), 0)
    assert shares[1].tolist() == [1, 0]


def test_the_papers_scenarios() -> None:
    assert [(s.n_chains, s.n_burn_in, s.n_samples) for s in (FAST, MEDIUM, SLOW, VERY_SLOW)] == [
        (1, 100, 1_000),
        (10, 100, 1_000),
        (10, 1_000, 10_000),
        (10, 10_000, 100_000),
    ]


def test_codes_out_of_range_are_refused() -> None:
    gibbs = Gibbs(model("complete").network_)
    with pytest.raises(ValueError, match="not below its arity"):
        gibbs.marginals(known(x0=5), FAST, 0)
