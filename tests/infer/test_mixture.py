"""A circuit by hand that is not deterministic: a mixture of two learned ones, its part a hidden variable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from learnac import QueryError, infer
from learnac.circuit import Circuit, is_decomposable, is_smooth

WEIGHTS = (0.35, 0.65)


@pytest.fixture(scope="module", params=[1.0, 0.0], ids=["smoothed", "with impossible worlds"])
def mixed(request: pytest.FixtureRequest, learned: Any, tools: Any) -> tuple[Circuit, Any]:
    """The circuit, and the first part with the probabilities of the mixture."""
    parts = [
        learned(seed=1, alpha=request.param, n_rows=70),
        learned(seed=2, alpha=request.param, n_rows=70, splits="binary"),
    ]
    circuit = tools.mixture([part.circuit for part in parts], list(WEIGHTS))
    probabilities = sum(weight * part.probabilities for weight, part in zip(WEIGHTS, parts, strict=True))
    return circuit, replace(parts[0], probabilities=probabilities)


class TestWhatIsExact:
    def test_it_is_a_circuit(self, mixed: Any) -> None:
        circuit, case = mixed
        # The weights stand in no variable's tree.
        assert is_smooth(replace(circuit, parameter_origins=np.zeros_like(circuit.parameter_origins)))
        assert case.probabilities.sum() == pytest.approx(1, rel=1e-12)
        assert is_decomposable(case.circuit)

    @pytest.mark.parametrize("n_rows", [1, 2, 50])
    def test_likelihoods(self, mixed: Any, n_rows: int) -> None:
        circuit, case = mixed
        for share_known in (0, 0.5, 1):
            rows = case.rows(1, n_rows, share_known, possible=False)
            np.testing.assert_allclose(
                infer.log_likelihood(circuit, rows), case.log_values(rows), rtol=1e-11, atol=1e-13
            )

    def test_marginals(self, mixed: Any) -> None:
        circuit, case = mixed
        rows = case.rows(2, 30, 0.5)
        for variable, table in enumerate(infer.marginals(circuit, rows).values()):
            expected = [case.posterior(row, variable) for row in rows]
            np.testing.assert_allclose(table, expected, rtol=1e-10, atol=1e-14)

    def test_samples(self, mixed: Any) -> None:
        circuit, case = mixed
        for row in (np.full(7, -1), case.rows(3, 1, 0.3)[0]):
            probabilities = case.joint(row) / case.joint(row).sum()
            places = case.places(infer.sample(circuit, 20_000, case.evidence(row), random_state=1).codes.T)
            counts = np.bincount(places, minlength=len(probabilities))
            assert (counts[probabilities == 0] == 0).all()
            is_common = probabilities * 20_000 >= 5
            observed = np.append(counts[is_common], counts[~is_common].sum() + 5)
            expected = np.append(probabilities[is_common], probabilities[~is_common].sum()) * 20_000
            expected[-1] += 5
            assert chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > 1e-4

    def test_queries(self, mixed: Any) -> None:
        circuit, case = mixed
        rows = case.rows(4, 30, 0.5)
        rows[:, 3] = -1
        expected = [case.posterior(row, 3) for row in rows]
        np.testing.assert_allclose(infer.predict_proba(circuit, rows, "x3"), expected, rtol=1e-10, atol=1e-14)
        found = infer.log_probability(circuit, {"x3": 1}, rows)
        np.testing.assert_allclose(np.exp(found), np.array(expected)[:, 1], rtol=1e-10, atol=1e-14)
        filled = infer.impute(circuit, rows, "marginal")
        assert np.array_equal(filled[:, 3], np.argmax(expected, axis=1))

    def test_entropy_counts_the_states(self, mixed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        circuit, case = mixed
        held = case.probabilities[case.probabilities > 0]
        assert infer.entropy(circuit) == pytest.approx(-(held * np.log(held)).sum(), rel=1e-11)
        some = case.table_of([1, 4])
        some = some[some > 0]
        assert infer.entropy(circuit, ["x1", "x4"]) == pytest.approx(-(some * np.log(some)).sum(), rel=1e-11)
        monkeypatch.setattr("learnac.infer.information.MAX_STATES", 479)
        with pytest.raises(QueryError, match="entropy: of all variables it is exact only for a deterministic circuit"):
            infer.entropy(circuit)


class TestWhatIsRefused:
    def test_most_probable_worlds(self, mixed: Any) -> None:
        circuit, case = mixed
        for ask in (lambda: infer.mpe(circuit), lambda: infer.impute(circuit, case.rows(1, 5, 0.5))):
            with pytest.raises(QueryError, match="mpe: expected a deterministic circuit, found one with sums"):
                ask()

    def test_divergence(self, mixed: Any) -> None:
        circuit, case = mixed
        with pytest.raises(QueryError, match="kl_divergence: expected a deterministic circuit"):
            infer.kl_divergence(circuit, case.network)


def test_a_mixture_of_wide_products_underflows_in_one_part_only(learned: Any, tools: Any) -> None:
    """The other part is large enough for linear numbers."""
    a, b = learned(seed=1, arities=(2, 2), alpha=0.0), learned(seed=2, arities=(2, 2))
    sharp = replace(a.circuit, parameters=np.where(a.circuit.parameters > 0.5, 1 - 1e-9, 1e-9))
    circuit = tools.mixture([tools.tiled(sharp, 100), tools.tiled(b.circuit, 100)], [0.5, 0.5])
    rows = np.zeros((20, 200), dtype=int)
    rows[np.arange(200) < 10 * np.arange(20)[:, None]] = 1
    expected = tools.log_space_values(circuit, tools.log_indicators(circuit.schema, rows))
    np.testing.assert_allclose(infer.log_likelihood(circuit, rows), expected, rtol=1e-12)
