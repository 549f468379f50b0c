"""Networks that were learned come back near the size that they were learned with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from learnac import LearnAC
from learnac.compiler import compile_network
from learnac.compiler.gains import guesses
from learnac.compiler.replay import Replay
from learnac.infer import log_likelihood
from learnac.io import read_bn, write_bn


def rows_of_a_mixture(arity: int, n_variables: int = 12, n_rows: int = 3_000) -> np.ndarray:
    """Rows in which all variables depend on each other: trees ask many variables."""
    rng = np.random.default_rng(3)
    centres = rng.integers(arity, size=(6, n_variables))
    rows = centres[rng.integers(6, size=n_rows)]
    return np.where(rng.random(rows.shape) < 0.2, rng.integers(arity, size=rows.shape), rows)


@pytest.mark.parametrize("arity", [2, 3])
@pytest.mark.parametrize("splits", ["binary", "complete"])
def test_with_counts_the_splits_come_in_the_learners_order(arity: int, splits: str) -> None:
    model = LearnAC(max_edges=5_000, splits=splits).fit(rows_of_a_mixture(arity))
    replay = Replay(model.network_)
    assert replay.run(next(guesses(model.network_, np.random.default_rng(0))), 10**6, lambda: False)
    # Of three values, the last two may be told apart by either.
    assert replay.circuit.n_edges == pytest.approx(model.circuit_.n_edges, rel=0 if arity == 2 else 0.01)


def test_compiled_networks_are_at_most_half_as_large_again_and_the_same_distribution(tmp_path: Path) -> None:
    rows = rows_of_a_mixture(2)
    model = LearnAC(max_edges=5_000).fit(rows)
    write_bn(model.network_, tmp_path / "learned.bn")
    for network in (model.network_, read_bn(tmp_path / "learned.bn")):
        circuit = compile_network(network)
        assert circuit.n_edges < 1.5 * model.circuit_.n_edges
        np.testing.assert_allclose(log_likelihood(circuit, rows), log_likelihood(model.circuit_, rows), atol=1e-9)
