"""From networks to circuits: the same distribution, within the budget, or a refusal before memory is used."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from trees import leaf_of, tree_of
from worlds import probabilities_under, worlds_of

from learnac import Dataset, LearnAC, infer
from learnac.circuit import Circuit, evaluate, indicators_of, n_operations, properties
from learnac.compiler import Attempt, compile_network
from learnac.compiler.budget import Budget
from learnac.compiler.climbing import climb
from learnac.compiler.draft import Draft
from learnac.data import Schema
from learnac.errors import ImpossibleEvidenceError, Problem, SettingError, SizeError
from learnac.io import read_bif, read_bn, read_model, write_bif, write_bn, write_model
from learnac.model import Model
from learnac.network import BayesNet

DATA = os.environ.get("LEARNAC_DATA")
ARITIES = (2, 3, 1, 5, 4, 2)
each_kind = pytest.mark.parametrize("splits", ["complete", "binary"])


def assert_is_circuit_of(circuit: Circuit, network: BayesNet) -> None:
    codes = worlds_of(network.schema.arities)
    found = evaluate(circuit, indicators_of(circuit, codes))
    np.testing.assert_allclose(found, probabilities_under(network, codes), rtol=1e-12, atol=1e-300)
    assert_has_the_properties(circuit, network)


def assert_has_the_properties(circuit: Circuit, network: BayesNet) -> None:
    assert circuit.schema == network.schema
    assert all(properties(circuit))
    variables, nodes, values = circuit.parameter_origins.T
    for variable, tree in enumerate(network.trees):
        mine = variables == variable
        assert (tree.variables[nodes[mine]] < 0).all()
        np.testing.assert_array_equal(circuit.parameters[mine], tree.parameters[nodes[mine], values[mine]])


def learned(splits: str, alpha: float = 1.0, n_rows: int = 200) -> BayesNet:
    rng = np.random.default_rng(4)
    prototypes = rng.integers(ARITIES, size=(5, len(ARITIES)))
    noise = rng.integers(ARITIES, size=(n_rows, len(ARITIES)))
    rows = np.where(rng.random(noise.shape) < 0.7, prototypes[rng.integers(5, size=n_rows)], noise)
    model = LearnAC(edge_penalty=0.01, parameter_penalty=0.05, splits=splits, alpha=alpha, shrinkage=0)
    return model.fit(Dataset.from_array(rows, arities=ARITIES)).network_


def grid(size: int) -> BayesNet:
    """Each variable depends on the one above and the one to the left: no order is good."""
    rng = np.random.default_rng(0)
    trees = []
    for child in range(size * size):
        parents = [child - size] * (child >= size) + [child - 1] * (child % size > 0)
        p = rng.uniform(0.1, 0.9, size=7)
        rows = np.stack([p, 1 - p], axis=1).tolist()
        if len(parents) == 2:
            trees.append(
                tree_of(child, [*parents[:1], parents[1], parents[1], -1, -1, -1, -1], [[1, 2], [3, 4], [5, 6]], rows)
            )
        elif parents:
            trees.append(tree_of(child, [parents[0], -1, -1], [[1, 2]], rows[:3]))
        else:
            trees.append(leaf_of(child, rows[0]))
    return BayesNet(Schema(tuple(f"v{i}" for i in range(size * size)), ((0, 1),) * (size * size)), tuple(trees))


class TestDistribution:
    @each_kind
    @pytest.mark.parametrize("alpha", [1.0, 0.0])
    def test_every_world_has_the_probability_that_the_trees_give(self, splits: str, alpha: float) -> None:
        network = learned(splits, alpha)
        assert network.n_leaves > 30
        assert_is_circuit_of(compile_network(network), network)

    @each_kind
    def test_networks_that_were_written_and_read(self, tmp_path: Path, splits: str) -> None:
        network = learned(splits)
        write_bn(network, tmp_path / "a.bn")
        write_bif(network, tmp_path / "a.bif")
        codes = worlds_of(ARITIES)
        for found in (read_bn(tmp_path / "a.bn"), read_bif(tmp_path / "a.bif")):
            circuit = compile_network(found)
            assert_is_circuit_of(circuit, found)
            values = evaluate(circuit, indicators_of(circuit, codes))
            np.testing.assert_allclose(values, probabilities_under(network, codes), rtol=1e-12)

    def test_both_kinds_of_splits_in_one_network(self) -> None:
        schema = Schema(("a", "b", "c"), ((0, 1, 2), (0, 1), (0, 1, 2)))
        rows = np.random.default_rng(1).dirichlet([1, 1, 1], size=8).tolist()
        trees = (
            leaf_of(0, rows[0]),
            tree_of(1, [0, -1, -1, -1], [[1, 2, 3]], [[0.5, 0.5], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]),
            tree_of(2, [0, -1, 1, -1, -1], [[2, 1, 2], [3, 4]], rows[1:6]),
        )
        network = BayesNet(schema, trees)
        assert_is_circuit_of(compile_network(network), network)

    def test_questions_that_sort_values_into_groups(self) -> None:
        schema = Schema(("a", "b"), ((0, 1, 2, 3, 4), (0, 1)))
        trees = (
            leaf_of(0, [0.1, 0.2, 0.3, 0.3, 0.1]),
            tree_of(
                1,
                [0, 0, -1, -1, -1],
                [[1, 2, 1, 2, 1], [3, 3, 4, 4, 4]],
                [[0.5, 0.5], [0.5, 0.5], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]],
            ),
        )
        network = BayesNet(schema, trees)
        circuit = compile_network(network)
        assert_is_circuit_of(circuit, network)
        posteriors = [infer.marginals(circuit, {"a": value})["b"][0] for value in range(5)]
        np.testing.assert_allclose(posteriors, [0.2, 0.1, 0.3, 0.1, 0.3])

    def test_leaves_with_one_distribution_are_not_told_apart(self) -> None:
        # b asks a and c, but for nothing.
        schema = Schema(("a", "b", "c"), ((0, 1), (0, 1), (0, 1)))
        same = [[0.5, 0.5]] * 5
        trees = (leaf_of(0, [0.3, 0.7]), tree_of(1, [0, 2, -1, -1, -1], [[1, 2], [3, 4]], same), leaf_of(2, [0.4, 0.6]))
        network = BayesNet(schema, trees)
        circuit = compile_network(network)
        assert_is_circuit_of(circuit, network)
        assert circuit.n_parameters == 5  # The two of b are equal, too.

    def test_one_value_against_the_rest_needs_no_branch_for_each_value(self) -> None:
        rest = tree_of(1, [0, -1, -1], [[2, 2, 1, 2, 2]], [[0.5, 0.5], [0.1, 0.9], [0.2, 0.8]])
        network = BayesNet(Schema(("a", "b"), (tuple(range(5)), (0, 1))), (leaf_of(0, [0.2] * 5), rest))
        circuit = compile_network(network)
        assert_is_circuit_of(circuit, network)
        assert circuit.n_parameters == 1 + 2 * 2

    @pytest.mark.parametrize("arity", [1, 2, 5])
    def test_one_variable(self, arity: int) -> None:
        network = BayesNet(Schema(("a",), (tuple(range(arity)),)), (leaf_of(0, [1 / arity] * arity),))
        assert_is_circuit_of(compile_network(network), network)

    def test_impossible_values(self) -> None:
        schema = Schema(("a", "b"), ((0, 1), (0, 1, 2)))
        tree = tree_of(1, [0, -1, -1], [[1, 2]], [[0.5, 0, 0.5], [1, 0, 0], [0, 0, 1]])
        network = BayesNet(schema, (leaf_of(0, [0.25, 0.75]), tree))
        circuit = compile_network(network)
        assert_is_circuit_of(circuit, network)
        np.testing.assert_allclose(infer.marginals(circuit)["b"], [0.25, 0, 0.75])

    def test_a_cycle_is_an_error(self) -> None:
        trees = [tree_of(a, [1 - a, -1, -1], [[1, 2]], [[0.5, 0.5], [0.1, 0.9], [0.9, 0.1]]) for a in (0, 1)]
        with pytest.raises(ValueError, match="the network has a cycle"):
            compile_network(BayesNet(Schema(("a", "b"), ((0, 1), (0, 1))), tuple(trees)))

    @each_kind
    def test_a_compiled_model_can_be_kept(self, tmp_path: Path, splits: str) -> None:
        network = learned(splits)
        circuit = compile_network(network)
        write_model(Model(circuit, network), tmp_path / "a.learnac")
        np.testing.assert_array_equal(read_model(tmp_path / "a.learnac").circuit.children, circuit.children)

    def test_the_same_network_gives_the_same_circuit(self) -> None:
        first, second = (compile_network(learned("complete")) for _ in range(2))
        for name in ("kinds", "labels", "child_offsets", "children", "parameters", "parameter_origins"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)


class TestGivenSplits:
    """What is known, taken out of a circuit whose splits were applied one after the other."""

    @pytest.mark.parametrize("splits", ["complete", "binary"])
    @pytest.mark.parametrize("known", [{0: 1}, {1: 0, 3: 2}, {2: 0, 4: 3, 5: 1}])
    def test_the_circuit_is_that_of_the_worlds_with_these_values(self, splits: str, known: dict[int, int]) -> None:
        network = learned(splits)
        codes = np.array([known.get(v, -1) for v in range(len(ARITIES))], dtype=np.int32)
        whole = climb(network, Budget(), 1_000_000)
        assert isinstance(whole, Draft)
        smaller = whole.given(network, codes)
        assert smaller.n_edges < whole.n_edges
        worlds = worlds_of(ARITIES)
        fits = np.all([worlds[v] == value for v, value in known.items()], axis=0)
        expected = np.where(fits, probabilities_under(network, worlds), 0.0)
        for draft in (smaller, smaller.shared(network)):
            circuit = draft.circuit(network)
            found = evaluate(circuit, indicators_of(circuit, worlds))
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)

    def test_what_is_impossible_is_told(self) -> None:
        network = learned("complete", alpha=0.0)
        whole = climb(network, Budget(), 1_000_000)
        assert isinstance(whole, Draft)
        worlds = worlds_of(ARITIES)
        impossible = worlds[:, np.flatnonzero(probabilities_under(network, worlds) == 0)[0]].astype(np.int32)
        with pytest.raises(ImpossibleEvidenceError):
            whole.given(network, impossible)


class TestBudget:
    def test_the_smallest_circuit_found_just_fits(self) -> None:
        network = learned("complete")
        n_edges = compile_network(network).n_edges
        assert compile_network(network, n_edges).n_edges == n_edges
        with pytest.raises(ValueError, match=rf"would need more than {n_edges - 1:,} edges \(max_edges\)"):
            compile_network(network, n_edges - 1)

    def test_a_refusal_says_what_was_reached_and_what_would_help(self) -> None:
        said = (
            r"would need more than 50,000 edges \(max_edges\): the longest of \d+ attempts had made [\d,]+ edges "
            r"when it ended; the best order of its variables implies 2\^\d+ states; values that are known for good"
        )
        with pytest.raises(SizeError, match=said) as refusal:
            compile_network(grid(20), 50_000)
        assert refusal.value.problem is Problem.CIRCUIT_TOO_LARGE
        assert refusal.value.expected == 50_000

    def test_even_the_smallest_may_be_too_large(self) -> None:
        with pytest.raises(SizeError, match=r"more than 3 edges \(max_edges\)"):
            compile_network(grid(2), 3)

    def test_time_ends_what_edges_do_not(self) -> None:
        with pytest.raises(SizeError, match=r"more than 0.3 seconds \(max_seconds\)") as refusal:
            compile_network(grid(40), 10**9, max_seconds=0.3)
        assert refusal.value.problem is Problem.COMPILING_TOO_LONG

    def test_memory_ends_what_edges_do_not(self) -> None:
        with pytest.raises(SizeError, match=r"more than 20,000,000 bytes \(max_bytes\)") as refusal:
            compile_network(grid(20), 10**9, max_bytes=20_000_000)
        assert refusal.value.problem is Problem.COMPILING_TOO_LARGE

    @pytest.mark.parametrize("limit", ["max_edges", "max_seconds", "max_bytes"])
    def test_limits_are_above_zero(self, limit: str) -> None:
        with pytest.raises(SettingError, match=f"{limit}: expected a number above 0, found 0"):
            compile_network(grid(2), **{limit: 0})

    def test_attempts_are_told_as_they_end(self) -> None:
        told: list[Attempt] = []
        circuit = compile_network(grid(4), on_attempt=told.append)
        assert len(told) > 10
        assert told[-1].least_edges == circuit.n_edges == min(a.n_edges for a in told if a.n_edges is not None)

    def test_threads_make_no_difference(self) -> None:
        one, three = (compile_network(grid(6), n_threads=n) for n in (1, 3))
        np.testing.assert_array_equal(one.children, three.children)

    def test_a_chain_grows_with_its_length(self) -> None:
        rows = [[0.5, 0.5], [0.1, 0.9], [0.8, 0.2]]
        sizes = []
        for length in (50, 100):
            trees = [leaf_of(0, [0.5, 0.5])]
            trees += [tree_of(child, [child - 1, -1, -1], [[1, 2]], rows) for child in range(1, length)]
            schema = Schema(tuple(f"v{i}" for i in range(length)), ((0, 1),) * length)
            sizes.append(compile_network(BayesNet(schema, tuple(trees))).n_edges)
        assert sizes[1] < 2.2 * sizes[0]


@pytest.mark.skipif(DATA is None, reason="LEARNAC_DATA is not set: the networks of other people are not here")
class TestRealNetworks:
    # The most edges each may have: a twentieth more than when this was written.
    EDGES = {  # noqa: RUF012
        "alarm": 2_500,
        "asia": 142,
        "cancer": 82,
        "child": 1_710,
        "hailfinder": 14_100,
        "insurance": 29_800,
        "sachs": 940,
        "survey": 158,
        "win95pts": 4_220,
    }

    def network(self, name: str) -> BayesNet:
        return read_bif(Path(str(DATA)) / "bif" / f"{name}.bif.gz")

    @pytest.mark.parametrize("name", EDGES)
    def test_rows_are_as_probable_as_in_the_network(self, name: str) -> None:
        network = self.network(name)
        circuit = compile_network(network)
        assert circuit.n_edges <= self.EDGES[name]
        assert_has_the_properties(circuit, network)
        codes = infer.sample(circuit, 300, random_state=1).codes
        np.testing.assert_allclose(
            infer.log_likelihood(circuit, codes.T.astype(np.int64)), network.log_likelihood(codes), rtol=1e-11
        )
        assert infer.log_likelihood(circuit, {}) == pytest.approx(0, abs=1e-11)

    def test_andes(self) -> None:
        network = self.network("andes")
        circuit = compile_network(network)
        assert circuit.n_edges < 460_000
        codes = infer.sample(circuit, 20, random_state=1).codes
        np.testing.assert_allclose(
            infer.log_likelihood(circuit, codes.T.astype(np.int64)), network.log_likelihood(codes), rtol=1e-11
        )

    def test_alarm_takes_at_most_1400_additions_and_multiplications(self) -> None:
        circuit = compile_network(self.network("alarm"))
        assert n_operations(circuit) <= 1_400

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("name", EDGES)
    def test_marginals_are_those_of_variable_elimination(self, name: str, tmp_path: Path) -> None:
        readwrite = pytest.importorskip("pgmpy.readwrite")
        inference = pytest.importorskip("pgmpy.inference")
        network = self.network(name)
        circuit = compile_network(network)
        # Through our own file, for the original's rows need not add up to 1.
        write_bif(network, tmp_path / "a.bif")
        model = readwrite.BIFReader(path=str(tmp_path / "a.bif")).get_model()
        elimination = inference.VariableElimination(model)
        rng = np.random.default_rng(0)
        world = infer.sample(circuit, 1, random_state=2).codes[:, 0].tolist()
        for n_known in (0, 1, len(world) // 4):
            known = rng.permutation(len(world))[:n_known].tolist()
            names = network.schema.names
            given = {names[v]: network.schema.categories[v][world[v]] for v in known}
            evidence = {names[v]: model.get_cpds(names[v]).state_names[names[v]][world[v]] for v in known}
            found = infer.marginals(circuit, given)
            for variable in rng.permutation(len(world))[:8].tolist():
                if variable not in known:
                    expected = elimination.query([names[variable]], evidence=evidence, show_progress=False).values
                    np.testing.assert_allclose(found[names[variable]], expected, rtol=0, atol=1e-9)
