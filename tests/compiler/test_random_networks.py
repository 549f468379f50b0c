"""Circuits of random networks, tables and trees of mixed arity with zeros, against the enumeration of all worlds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_networks import random_network
from worlds import probabilities, worlds_of

from learnac import _core, infer
from learnac.circuit import Circuit, check_distribution, evaluate, indicators_of, properties
from learnac.compiler import compile_network
from learnac.compiler.budget import Budget
from learnac.compiler.climbing import climb
from learnac.compiler.draft import Draft
from learnac.errors import ImpossibleEvidenceError
from learnac.network import BayesNet

some_arities = st.lists(st.integers(1, 4), min_size=1, max_size=6).map(tuple)
seeds = st.integers(0, 2**32 - 1)
shares = st.sampled_from([0.0, 0.3, 0.8])


def assert_is_circuit_of(circuit: Circuit, network: BayesNet) -> None:
    codes = worlds_of(network.schema.arities)
    found = evaluate(circuit, indicators_of(circuit, codes))
    np.testing.assert_allclose(found, probabilities(network), rtol=1e-12, atol=1e-300)
    assert all(properties(circuit))
    np.testing.assert_array_equal(circuit.parameters, network.parameters_at(circuit.parameter_origins))


@settings(max_examples=300)
@given(seeds, some_arities, shares, shares)
def test_every_world_has_its_probability(seed: int, arities: tuple[int, ...], zeros: float, equal: float) -> None:
    network = random_network(seed, arities, zeros=zeros, equal=equal)
    assert_is_circuit_of(compile_network(network), network)


@settings(max_examples=200)
@given(seeds, some_arities, shares)
def test_any_order_of_the_variables_gives_the_same_distribution(
    seed: int, arities: tuple[int, ...], zeros: float
) -> None:
    network = random_network(seed, arities, zeros=zeros)
    order = np.random.default_rng(seed).permutation(len(arities)).astype(np.uint32)
    structure, parameters = network.arrays
    unknown = np.full(len(arities), -1, dtype=np.int32)
    end, is_impossible, _, _, arrays, origins = _core.compile_network(
        *structure, parameters, order, unknown, 10**9, 10**9, lambda: False
    )
    assert (end, is_impossible) == (0, False)
    circuit = Circuit(network.schema, *arrays, network.parameters_at(origins), origins)
    assert_is_circuit_of(circuit, network)


@settings(max_examples=200)
@given(seeds, some_arities, shares, st.data())
def test_what_is_given_for_good_gives_the_conditional_distribution(
    seed: int, arities: tuple[int, ...], zeros: float, data: st.DataObject
) -> None:
    network = random_network(seed, arities, zeros=zeros)
    known = np.array([data.draw(st.integers(-1, arity - 1)) for arity in arities], dtype=np.int32)
    codes = worlds_of(arities)
    fits = ((codes == known[:, None]) | (known < 0)[:, None]).all(axis=0)
    expected = probabilities(network) * fits
    if expected.sum() == 0:
        with pytest.raises(ImpossibleEvidenceError, match="probability zero"):
            compile_network(network, given=known)
        return
    circuit = compile_network(network, given=known)
    check_distribution(circuit)
    found = evaluate(circuit, indicators_of(circuit, codes))
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-12, atol=1e-300)


@settings(max_examples=60)
@given(seeds, some_arities, shares)
def test_splits_in_any_order_give_the_same_distribution(seed: int, arities: tuple[int, ...], zeros: float) -> None:
    network = random_network(seed, arities, zeros=zeros)
    # On a busy machine, the first may be too short for any order.
    drafts = (climb(network, Budget(max_seconds=seconds), 10**6) for seconds in (0.05, 30.0))
    draft = next(draft for draft in drafts if isinstance(draft, Draft))
    circuit, smaller = draft.circuit(network), draft.shared(network).circuit(network)
    codes = worlds_of(arities)
    for found in (circuit, smaller):
        values = evaluate(found, indicators_of(found, codes))
        np.testing.assert_allclose(values, probabilities(network), rtol=1e-12, atol=1e-300)
        assert all(properties(found))
    assert smaller.n_edges <= circuit.n_edges


@settings(max_examples=50)
@given(seeds, st.lists(st.integers(2, 3), min_size=4, max_size=6).map(tuple))
def test_marginals_and_most_probable_rows_are_those_of_enumeration(seed: int, arities: tuple[int, ...]) -> None:
    network = random_network(seed, arities, zeros=0.2)
    circuit = compile_network(network)
    worlds, weights = worlds_of(arities), probabilities(network)
    observed = worlds[:, np.random.default_rng(seed).choice(len(weights), p=weights)].astype(np.int64)
    known = np.where(np.arange(len(arities)) < 2, observed, -1)
    fits = ((worlds == known[:, None]) | (known < 0)[:, None]).all(axis=0)
    found = infer.marginals(circuit, known[None])
    for variable, name in enumerate(network.schema.names):
        expected = [weights[fits & (worlds[variable] == value)].sum() for value in range(arities[variable])]
        np.testing.assert_allclose(found[name][0], np.array(expected) / weights[fits].sum(), rtol=1e-10, atol=1e-14)
    _, log_probabilities = infer.mpe(circuit, known[None])
    assert np.exp(log_probabilities[0]) == pytest.approx(weights[fits].max())
