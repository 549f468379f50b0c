"""Gibbs sampling against exact answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from learnac import Dataset, LearnAC
from learnac.infer.gibbs import FAST, MEDIUM, SLOW, VERY_SLOW, Gibbs, GibbsScenario

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


def test_impossible_states_are_left_at_the_first_chance() -> None:
    rows = np.array([[0, 0], [1, 1]] * 20)
    fitted = LearnAC(0.0, 0.0, alpha=0).fit(rows)
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
