"""Hundreds of variables, large tables, many zeros: there is a circuit, or a clear end in time."""

from __future__ import annotations

import time

import numpy as np
import pytest

from learnac.compiler import compile_network
from learnac.data import Schema
from learnac.errors import SizeError
from learnac.infer import log_likelihood
from learnac.io.foreign import tree_of_table
from learnac.network import BayesNet


def hard_network(n_variables: int, n_parents: int, zeros: float, reach: int = 20) -> BayesNet:
    """Parents are among the variables before; one table has 100,000 entries; this share of all entries is zero."""
    rng = np.random.default_rng(0)
    arities = rng.integers(2, 5, n_variables).tolist()
    trees = []
    for child in range(n_variables):
        before = rng.permutation(np.arange(max(0, child - reach), child)).tolist()
        parents = before[:n_parents]
        while child == n_variables // 2 and np.prod([arities[v] for v in (*parents, child)]) < 100_000:
            parents = before[: len(parents) + 1]
        shape = [arities[variable] for variable in (*parents, child)]
        rows = np.where(rng.random(shape) < zeros, 0, rng.random(shape)).reshape(-1, arities[child])
        rows[rows.sum(axis=1) == 0, rng.integers(arities[child])] = 1
        table = (rows / rows.sum(axis=1, keepdims=True)).reshape(shape)
        trees.append(tree_of_table(child, tuple(parents), table))
    names = tuple(f"v{variable}" for variable in range(n_variables))
    return BayesNet(Schema(names, tuple(tuple(range(arity)) for arity in arities)), tuple(trees))


def test_zeros_make_a_large_network_easy() -> None:
    network = hard_network(200, n_parents=3, zeros=0.9)
    circuit = compile_network(network, max_seconds=8)
    rows = np.zeros((20, 200), dtype=np.int64)
    rng = np.random.default_rng(1)
    for variable in network.ordered():
        tree = network.trees[variable]
        sums = tree.parameters.cumsum(axis=1)[tree.leaf_of(rows.T.astype(np.uint16))]
        rows[:, variable] = (sums[:, :-1] <= rng.random(20)[:, None]).sum(axis=1)
    expected = network.log_likelihood(rows.T.astype(np.uint8))
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(log_likelihood(circuit, rows), expected, atol=1e-9)


@pytest.mark.parametrize("zeros", [0.0, 0.5])
def test_what_is_too_hard_ends_in_time(zeros: float) -> None:
    network = hard_network(300, n_parents=4, zeros=zeros)
    started = time.process_time()
    with pytest.raises(SizeError, match=r"the circuit of this network would need more than .* \(max_"):
        compile_network(network, max_seconds=2, max_bytes=300_000_000)
    assert time.process_time() - started < 5
