"""SplitAC in the core against the reference, on random sequences of valid splits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from learnac import reference
from learnac._core import GrowingCircuit
from learnac.circuit import Circuit, evaluate, indicators_of, is_decomposable, is_deterministic, is_smooth
from learnac.data import Schema
from learnac.reference.circuit import Node
from learnac.reference.learn import Network, SplitKind

Floats = NDArray[np.float64]
N_SPLITS = 12

kinds = st.sampled_from(["complete", "binary"])
# Of seeds, since the lists that hypothesis makes by itself are mostly short and of equal numbers.
seeds = st.integers(0, 99_999)
stable = settings(derandomize=True)


def random_arities(rng: np.random.Generator, most_worlds: int | None = None) -> list[int]:
    while True:
        arities: list[int] = rng.choice([1, 2, 2, 3, 3, 4, 5], size=rng.integers(2, 8)).tolist()
        if most_worlds is None or math.prod(arities) <= most_worlds:
            return arities


@dataclass
class Twins:
    """The core's circuit and the reference's, grown by the same splits."""

    arities: list[int]
    kind: SplitKind
    ordered: list[int]
    core: GrowingCircuit
    network: Network
    circuit: Node

    @classmethod
    def of(cls, arities: list[int], kind: SplitKind, ordered: Sequence[int] = ()) -> Twins:
        is_ordered = np.isin(np.arange(len(arities)), ordered).astype(np.uint8)
        core = GrowingCircuit(np.array(arities, dtype=np.uint32), kind == "binary", is_ordered)
        network, circuit = reference.initial_network(arities), reference.initial_circuit(arities)
        return cls(arities, kind, list(ordered), core, network, circuit)

    @classmethod
    def random(cls, rng: np.random.Generator, kind: SplitKind, most_worlds: int | None = None) -> Twins:
        """Some of the variables are ordered, half of the time."""
        arities = random_arities(rng, most_worlds)
        ordered = np.flatnonzero(rng.random(len(arities)) < rng.choice([0.0, 0.7]))
        return cls.of(arities, kind, ordered.tolist())

    def splits(self) -> list[reference.Split]:
        """Two values against each other are one split in the core, named by the first of them."""
        found = reference.valid_splits(self.network, self.kind, self.ordered)
        return [split for split in found if self.arities[split.variable] > 2 or split.branches[0] == (0,)]

    def in_core(self, split: reference.Split) -> tuple[int, int, int]:
        return split.leaf, split.variable, split.branches[0][-1] if self.kind == "binary" else 0

    def random_splits(self, rng: np.random.Generator) -> Iterator[reference.Split]:
        """Valid splits, each to be applied before the next is drawn."""
        for _ in range(N_SPLITS):
            if splits := self.splits():
                yield splits[rng.integers(len(splits))]

    def apply(self, split: reference.Split) -> tuple[int, int, int]:
        self.network, self.circuit = reference.apply_split(self.network, self.circuit, split)
        return self.core.apply_split(*self.in_core(split))

    def random_parameters(self, rng: np.random.Generator) -> dict[int, Floats]:
        leaves = self.network.leaves.items()
        return {i: rng.dirichlet(np.full(self.arities[leaf.variable], 2.0)) for i, leaf in leaves}

    def freeze(self, parameters: dict[int, Floats]) -> Circuit:
        kinds, labels, child_offsets, children, origins = self.core.freeze()
        names = tuple(f"x{v}" for v in range(len(self.arities)))
        schema = Schema(names, tuple(tuple(range(arity)) for arity in self.arities))
        values = np.array([parameters[leaf][value] for leaf, value in origins.tolist()])
        variables = [self.network.leaves[leaf].variable for leaf in origins[:, 0].tolist()]
        places = np.column_stack([variables, origins]).astype(np.int32)
        return Circuit(schema, kinds, labels, child_offsets, children, values, places)


def all_worlds(arities: Sequence[int]) -> NDArray[np.int64]:
    """(variables x worlds)"""
    return np.array(list(itertools.product(*map(range, arities)))).T


def tree_probabilities(network: Network, parameters: dict[int, Floats], worlds: NDArray[np.int64]) -> Floats:
    """P(x) as the product of the tree entries that each world reaches."""
    result = np.ones(worlds.shape[1])
    for i, leaf in network.leaves.items():
        reached = np.ones(worlds.shape[1], dtype=bool)
        for variable, values in leaf.path.items():
            reached &= np.isin(worlds[variable], list(values))
        result[reached] *= parameters[i][worlds[leaf.variable, reached]]
    return result


def check_theorem_1(twins: Twins, rng: np.random.Generator) -> None:
    parameters = twins.random_parameters(rng)
    frozen = twins.freeze(parameters)
    assert frozen.n_edges == twins.core.n_edges
    assert frozen.n_parameters == sum(twins.arities[leaf.variable] for leaf in twins.network.leaves.values())
    assert is_smooth(frozen)
    assert is_decomposable(frozen)
    assert is_deterministic(frozen)
    worlds = all_worlds(twins.arities)
    expected = tree_probabilities(twins.network, parameters, worlds)
    np.testing.assert_allclose(evaluate(frozen, indicators_of(frozen, worlds)), expected, rtol=1e-12)
    np.testing.assert_allclose(evaluate(frozen, np.ones((1, sum(twins.arities)))), 1, rtol=1e-12)


@settings(stable, max_examples=120)
@given(seeds, kinds)
def test_every_split_costs_what_was_predicted_and_what_the_reference_pays(seed: int, kind: SplitKind) -> None:
    rng = np.random.default_rng(seed)
    twins = Twins.random(rng, kind)
    assert twins.core.n_edges == reference.n_edges(twins.circuit)
    for split in twins.random_splits(rng):
        n_edges, n_leaves = twins.core.n_edges, twins.core.n_leaves
        predicted = twins.core.edge_cost(*twins.in_core(split))
        assert twins.apply(split) == (n_leaves, len(split.branches), predicted)
        assert twins.core.n_edges == n_edges + predicted == reference.n_edges(twins.circuit)
        assert twins.core.n_leaves == n_leaves + len(split.branches)
        twins.core.check_invariants()


@settings(stable, max_examples=40)
@given(seeds, kinds)
def test_the_circuit_equals_its_trees_after_every_split(seed: int, kind: SplitKind) -> None:
    rng = np.random.default_rng(seed)
    twins = Twins.random(rng, kind, most_worlds=400)
    check_theorem_1(twins, rng)
    for split in twins.random_splits(rng):
        twins.apply(split)
        check_theorem_1(twins, rng)


@settings(stable, max_examples=60)
@given(seeds, kinds)
def test_costs_of_all_candidates_and_their_limits(seed: int, kind: SplitKind) -> None:
    """Up to the limit the cost is exact; above it, a bound that says so. Asking changes nothing."""
    rng = np.random.default_rng(seed)
    twins = Twins.random(rng, kind)
    for split in twins.random_splits(rng):
        twins.apply(split)
    n_edges = reference.n_edges(twins.circuit)
    candidates = twins.splits()
    for position in rng.permutation(len(candidates))[:8]:
        split = candidates[position]
        after = reference.apply_split(twins.network, twins.circuit, split)[1]
        cost = reference.n_edges(after) - n_edges
        assert twins.core.edge_cost(*twins.in_core(split)) == cost
        for limit in (-100, -1, 0, cost - 1, cost, cost + 1, *rng.integers(-5, 2 * abs(cost) + 5, size=3)):
            priced = twins.core.edge_cost(*twins.in_core(split), limit=int(limit))
            if cost <= limit:
                assert priced == cost
            else:
                assert limit < priced <= cost
    assert twins.core.n_edges == n_edges
    twins.core.check_invariants()


def test_hand_counted_splits() -> None:
    """The circuits of tests/reference/test_reference_circuit.py."""
    circuit = GrowingCircuit(np.array([2, 2, 2], dtype=np.uint32), False)
    edges = [circuit.n_edges]
    for leaf, variable in [(1, 0), (3, 2), (4, 2)]:
        circuit.apply_split(leaf, variable, 0)
        edges.append(circuit.n_edges)
    second = 2 + 2 * (3 + 2 + 3 + 6) + (3 + 6)
    assert edges == [21, 28, second, second + 9]


def test_binary_splits_of_one_variable_narrow_the_rest() -> None:
    circuit = GrowingCircuit(np.array([3, 2], dtype=np.uint32), True)
    edges = [circuit.n_edges]
    for leaf, value in [(1, 0), (3, 1)]:
        circuit.apply_split(leaf, 0, value)
        edges.append(circuit.n_edges)
    assert edges == [17, 2 + 3 + 2 + 2 * 3 + 2 * 6, 2 + 3 + 2 + 2 * 3 + 3 * 6]


def test_variables_of_more_values_than_a_word_has_bits() -> None:
    """Scopes, branches and the copies that they need span several words."""
    spaces: list[tuple[SplitKind, list[int]]] = [("complete", []), ("binary", []), ("binary", [0, 1, 2])]
    for kind, ordered in spaces:
        twins = Twins.of([70, 2, 130], kind, ordered)
        for leaf, variable in [(1, 0), (2, 1)]:
            *_, split = itertools.islice((s for s in twins.splits() if (s.leaf, s.variable) == (leaf, variable)), 66)
            twins.apply(split)
            assert twins.core.n_edges == reference.n_edges(twins.circuit)
            twins.core.check_invariants()
        check_theorem_1(twins, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ((9, 0, 0), "leaf: expected less than 6, found 9"),
        ((1, 0, 0), "leaf 1 is already split"),
        ((4, 4, 0), "variable: expected less than 4, found 4"),
        ((4, 2, 3), "value: expected less than 3, found 3"),
        ((0, 3, 0), "a variable with one value cannot be split on"),
        ((4, 1, 0), "a leaf cannot be split on its own child variable"),
    ],
)
def test_splits_that_cannot_be_are_refused(split: tuple[int, int, int], message: str) -> None:
    circuit = GrowingCircuit(np.array([2, 2, 3, 1], dtype=np.uint32), False)
    circuit.apply_split(1, 0, 0)
    for refuse in (circuit.apply_split, circuit.edge_cost):
        with pytest.raises(ValueError, match=message):
            refuse(*split)
    circuit.check_invariants()
    assert circuit.n_edges == 2 + 2 + 3 * 3 + 20


def test_thresholds_above_the_last_value_are_refused() -> None:
    circuit = GrowingCircuit(np.array([3, 2], dtype=np.uint32), True, np.array([1, 0], dtype=np.uint8))
    with pytest.raises(ValueError, match="no value of an ordered variable is above its last"):
        circuit.apply_split(1, 0, 2)
    with pytest.raises(ValueError, match="a byte for each variable"):
        GrowingCircuit(np.array([3, 2], dtype=np.uint32), True, np.array([1], dtype=np.uint8))


def test_circuits_without_variables_or_values_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one variable"):
        GrowingCircuit(np.array([], dtype=np.uint32), False)
    with pytest.raises(ValueError, match="every variable to have a value"):
        GrowingCircuit(np.array([2, 0], dtype=np.uint32), False)
