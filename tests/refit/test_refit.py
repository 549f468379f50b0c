"""Parameters of a fixed structure: by hand and by enumeration, with gaps and without."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_networks import random_network
from trees import leaf_of, tree_of
from worlds import probabilities, worlds_of

import learnac
from learnac import infer
from learnac.circuit import Circuit, core_evaluator, properties
from learnac.compiler import compile_network
from learnac.data import Schema
from learnac.errors import DataError, SettingError
from learnac.model import Model
from learnac.network import BayesNet

seeds = st.integers(0, 2**32 - 1)
some_arities = st.lists(st.integers(1, 3), min_size=2, max_size=5).map(tuple)


def pair() -> BayesNet:
    schema = Schema(("a", "b"), ((0, 1), (0, 1, 2)))
    tree = tree_of(1, [0, -1, -1], [[1, 2]], [[0.3, 0.3, 0.4]] * 3)
    return BayesNet(schema, (leaf_of(0, [0.5, 0.5]), tree))


def rows_with_gaps(rng: np.random.Generator, arities: tuple[int, ...], share: float, n_rows: int = 40) -> np.ndarray:
    rows = rng.integers(arities, size=(n_rows, len(arities)))
    rows[rng.random(rows.shape) < share] = -1
    return rows


class TestCompleteRows:
    def test_parameters_are_shares_with_alpha_added(self) -> None:
        rows = np.array([[0, 0], [0, 0], [0, 2], [1, 1]])
        found = learnac.refit(pair(), rows, alpha=0.5)
        assert found.n_rounds == 1
        assert found.has_converged
        np.testing.assert_allclose(found.network.trees[0].parameters, [[3.5 / 5, 1.5 / 5]])
        np.testing.assert_allclose(
            found.network.trees[1].parameters[1:], [[2.5 / 4.5, 0.5 / 4.5, 1.5 / 4.5], [0.2, 0.6, 0.2]]
        )
        np.testing.assert_array_equal(found.network.trees[1].counts, [[2, 1, 1], [2, 0, 1], [0, 1, 0]])
        np.testing.assert_allclose(infer.marginals(found.circuit, {"a": 1})["b"], [0.2, 0.6, 0.2])

    def test_what_an_intervention_had_set_is_learned_again(self) -> None:
        """And is a parameter as the others are: an answer may depend on it."""
        tree = tree_of(1, [0, -1, -1], [[1, 2]], [[0.3, 0.3, 0.4], [0.1, 0.2, 0.7], [0.25, 0.6, 0.15]])
        network = BayesNet(pair().schema, (leaf_of(0, [0.45, 0.55]), tree))
        circuit = infer.do(compile_network(network), {"a": {0: 0.2, 1: 0.8}})
        model = Model(circuit, infer.do_network(network, {"a": {0: 0.2, 1: 0.8}}))
        assert {each.variable for each in infer.sensitivity(circuit, {"b": 1}).parameters} == {"b"}
        found = learnac.refit(model, np.array([[0, 0], [0, 0], [0, 2], [1, 1]]), alpha=0.5)
        np.testing.assert_allclose(found.network.trees[0].parameters, [[3.5 / 5, 1.5 / 5]])
        assert {each.variable for each in infer.sensitivity(found.circuit, {"b": 1}).parameters} == {"a", "b"}

    def test_weights_count_as_rows_do(self) -> None:
        rows = np.array([[0, 0], [1, 1], [0, 2]])
        weighted = learnac.refit(pair(), rows, sample_weight=[3, 0, 2])
        repeated = learnac.refit(pair(), np.repeat(rows, [3, 0, 2], axis=0))
        for one, other in zip(weighted.network.trees, repeated.network.trees, strict=True):
            np.testing.assert_allclose(one.parameters, other.parameters)

    def test_frames_with_names_and_categories(self) -> None:
        frame = pd.DataFrame({"b": [1, 1, 2], "a": [1, 1, 0]})
        found = learnac.refit(pair(), frame, alpha=0)
        np.testing.assert_allclose(infer.marginals(found.circuit, {"a": 1})["b"], [0, 1, 0])


class TestGaps:
    @settings(max_examples=100)
    @given(seeds, some_arities)
    def test_expected_counts_are_those_of_all_worlds(self, seed: int, arities: tuple[int, ...]) -> None:
        network = random_network(seed, arities, zeros=0.2)
        circuit = compile_network(network)
        rng = np.random.default_rng(seed)
        worlds, weights = worlds_of(arities), probabilities(network)
        drawn = worlds[:, rng.choice(len(weights), size=20, p=weights)].T.astype(np.int64)
        rows = np.where(rng.random(drawn.shape) < 0.5, -1, drawn)
        own = rng.uniform(0, 2, size=20)
        codes = np.ascontiguousarray(rows.T.astype(circuit.schema.evidence_dtype))
        nothing = np.empty(0, np.uint32), np.empty((20, 0))
        log_values, counts = core_evaluator(circuit).expected_counts(codes, *nothing, own)
        expected = np.zeros(circuit.n_parameters)
        # A parameter stands for all leaves with this value of the parameter: by value, then.
        for row, weight, log_value in zip(rows, own, log_values, strict=True):
            fits = ((worlds == row[:, None]) | (row < 0)[:, None]).all(axis=0) * weights
            assert log_value == pytest.approx(np.log(fits.sum()), abs=1e-9)
            for tree in network.trees:
                used = tree.parameters[tree.leaf_of(worlds), worlds[tree.child]]
                for place in np.flatnonzero(circuit.parameter_origins[:, 0] == tree.child):
                    same = used == circuit.parameters[place]
                    expected[place] += weight * fits[same].sum() / fits.sum()
        np.testing.assert_allclose(counts, expected, rtol=1e-9, atol=1e-12)

    @settings(max_examples=60)
    @given(seeds, some_arities, st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from([0.0, 1.0]))
    def test_the_likelihood_never_falls(self, seed: int, arities: tuple[int, ...], share: float, alpha: float) -> None:
        network = random_network(seed, arities, zeros=0.3, equal=0.5)
        rows = rows_with_gaps(np.random.default_rng(seed), arities, share)
        found = learnac.refit(network, rows, alpha=alpha, max_rounds=20)
        steps = np.diff(found.objectives)
        assert (steps >= -1e-12).all()
        assert all(properties(found.circuit))
        np.testing.assert_allclose(np.mean(infer.log_likelihood(found.circuit, rows)), found.log_likelihood, rtol=1e-10)

    def test_parameters_that_agree_with_their_counts_are_a_maximum(self) -> None:
        rng = np.random.default_rng(0)
        rows = rows_with_gaps(rng, (2, 3), 0.4, 200)
        found = learnac.refit(pair(), rows, alpha=0, tolerance=1e-14, max_rounds=5000)
        assert found.has_converged
        best = np.mean(infer.log_likelihood(found.circuit, rows))
        for _ in range(50):
            moved = found.circuit.parameters * rng.uniform(0.97, 1.03, size=found.circuit.n_parameters)
            trees = []
            for tree in found.network.trees:
                mine = found.circuit.parameter_origins[:, 0] == tree.child
                parameters = tree.parameters.copy()
                _, nodes, values = found.circuit.parameter_origins[mine].T
                parameters[nodes, values] = moved[mine]
                parameters /= parameters.sum(axis=1, keepdims=True)
                trees.append(parameters)
            origins = found.circuit.parameter_origins
            near = np.array([trees[v][node, value] for v, node, value in origins.tolist()])
            circuit = Circuit(
                found.circuit.schema,
                *(getattr(found.circuit, name) for name in ("kinds", "labels", "child_offsets", "children")),
                near,
                origins,
            )
            assert np.mean(infer.log_likelihood(circuit, rows)) <= best + 1e-9

    def test_equal_parameters_may_part_and_zeros_may_go(self) -> None:
        network = pair()  # Its leaves are equal: the compiler would take them for one.
        rows = np.array([[0, 0]] * 9 + [[1, 2]] * 9 + [[-1, 0], [1, -1]])
        found = learnac.refit(network, rows, alpha=0.1)
        posterior = infer.marginals(found.circuit, {"a": 0})["b"]
        assert posterior[0] > 0.9
        assert infer.marginals(found.circuit, {"a": 1})["b"][2] > 0.9

    def test_threads_make_no_difference(self) -> None:
        rows = rows_with_gaps(np.random.default_rng(1), (2, 3), 0.5, 5000)
        one, two = (learnac.refit(pair(), rows, n_threads=n) for n in (1, 2))
        np.testing.assert_array_equal(one.circuit.parameters, two.circuit.parameters)

    def test_a_learned_model_keeps_its_circuit(self) -> None:
        rng = np.random.default_rng(2)
        rows = rng.integers(2, size=(300, 4))
        rows[:, 1] = rows[:, 0]
        model = learnac.LearnAC(shrinkage=0).fit(rows)
        gaps = np.where(rng.random(rows.shape) < 0.2, -1, rows)
        found = learnac.refit(model, gaps)
        np.testing.assert_array_equal(found.circuit.children, model.circuit_.children)


class TestRefusals:
    def test_settings(self) -> None:
        for name in ("alpha", "tolerance"):
            with pytest.raises(SettingError, match=f"{name}: expected a number from 0, found -1"):
                learnac.refit(pair(), np.array([[0, 0]]), **{name: -1})
        with pytest.raises(SettingError, match="max_rounds: expected a number from 1, found 0"):
            learnac.refit(pair(), np.array([[0, 0]]), max_rounds=0)

    def test_no_rows(self) -> None:
        with pytest.raises(DataError, match="the table has no rows"):
            learnac.refit(pair(), np.empty((0, 2), dtype=int))

    def test_what_is_no_network(self) -> None:
        with pytest.raises(TypeError, match=r"expected a network: .*; found 3"):
            learnac.refit(3, np.array([[0, 0]]))
