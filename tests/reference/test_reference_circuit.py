"""SplitAC against hand-counted circuits, and against the tree CPDs it must equal."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac.reference import (
    Model,
    Split,
    apply_split,
    binary_branches,
    complete_branches,
    evaluate,
    initial_circuit,
    initial_network,
    is_decomposable,
    is_deterministic,
    is_smooth,
    n_edges,
    split_circuit,
    threshold_branches,
    valid_splits,
)
from learnac.reference.circuit import Indicator, Node, Parameter, Product, Sum
from learnac.reference.learn import Network, SplitKind

Arities = tuple[int, ...]
Choices = list[tuple[SplitKind, int]]
BOOLEAN = complete_branches(2)
SMALL_NETWORKS = [
    arities for n in range(1, 5) for arities in itertools.product(range(1, 5), repeat=n) if math.prod(arities) <= 36
]

networks = st.sampled_from(SMALL_NETWORKS)
choices = st.tuples(st.sampled_from(["complete", "binary"]), st.integers(0, 999))
# Of one length, since lists that hypothesis may end early are mostly very short.
sequences = st.lists(choices, min_size=6, max_size=6)
seeds = st.integers(0, 999)


def worlds(arities: Arities) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, arities))


def random_parameters(network: Network, rng: random.Random) -> dict[int, list[float]]:
    parameters = {}
    for leaf_id, leaf in network.leaves.items():
        weights = [rng.uniform(0.1, 1.0) for _ in range(network.arities[leaf.variable])]
        parameters[leaf_id] = [weight / sum(weights) for weight in weights]
    return parameters


def grow(arities: Arities, sequence: Choices, seed: int) -> Iterator[Model]:
    """The model at first and after each split, every leaf with random parameters."""
    rng = random.Random(seed)
    network, circuit = initial_network(arities), initial_circuit(arities)
    yield Model(network, circuit, random_parameters(network, rng))
    for kind, number in sequence:
        ordered = [variable for variable in range(len(arities)) if number >> variable & 1]
        if splits := list(valid_splits(network, kind, ordered)):
            split = splits[number % len(splits)]
            network, circuit = apply_split(network, circuit, split)
            yield Model(network, circuit, random_parameters(network, rng))


def edges_by_split(arities: Arities, splits: Sequence[Split]) -> list[int]:
    network, circuit = initial_network(arities), initial_circuit(arities)
    counts = [n_edges(circuit)]
    for split in splits:
        network, circuit = apply_split(network, circuit, split)
        counts.append(n_edges(circuit))
    return counts


@pytest.mark.parametrize("arities", [(2, 2), (2, 3), (4, 2, 3)])
def test_initial_circuit_has_n_plus_three_edges_a_value(arities: Arities) -> None:
    assert n_edges(initial_circuit(arities)) == len(arities) + 3 * sum(arities)


def test_variable_with_one_value_is_merged_into_the_root() -> None:
    circuit = initial_circuit((1, 3))

    assert isinstance(circuit, Product)
    assert {Indicator(0, 0), Parameter(0, 0, 0)} < set(circuit.children)
    assert n_edges(circuit) == 3 + 3 * 3
    assert n_edges(initial_circuit((1,))) == 2


def test_one_variable_has_its_sum_as_the_root() -> None:
    circuit = initial_circuit((3,))

    assert isinstance(circuit, Sum)
    assert n_edges(circuit) == 9


def test_split_of_two_boolean_variables() -> None:
    """A sum of 2; 2 products of (v_i, d_i, marginal); 2 marginals of 6 edges."""
    circuit = split_circuit(initial_circuit((2, 2)), Split(1, 0, BOOLEAN), [2, 3])

    assert isinstance(circuit, Sum)
    for value, product in enumerate(circuit.children):
        *inputs, marginal = product.children
        assert inputs == [Indicator(0, value), Parameter(0, 0, value)]
        terms = {frozenset(term.children) for term in marginal.children}
        assert terms == {frozenset({Indicator(1, j), Parameter(2 + value, 1, j)}) for j in range(2)}
    assert n_edges(circuit) == 2 + 2 * 3 + 2 * 6


def test_mutual_ancestors_with_their_own_indicator_get_no_sum() -> None:
    """The second split, given 0=0 only, leaves (v_1, d_1, marginal of 1 given 0=1) to
    both values w of variable 2. The third finds it below each (w, d_w, sum), which just
    gets its own copy of these 3 + 6 edges."""
    splits = [Split(1, 0, BOOLEAN), Split(3, 2, BOOLEAN), Split(4, 2, BOOLEAN)]

    # The root, variable 2's marginal, and the 20 edges that two variables have.
    first = 2 + 6 + 20
    # The root; for each w (w, d_w, sum), the sum's 2 and (v_0, d_0, marginal of 6).
    second = 2 + 2 * (3 + 2 + 3 + 6) + (3 + 6)
    assert edges_by_split((2, 2, 2), splits) == [21, first, second, second + 9]


def test_binary_split_leaves_the_rest_of_the_values_together() -> None:
    """A sum of 2 over (v_0, d_0, marginal) and (the sum of v_1 and v_2, marginal)."""
    first = 2 + 3 + 2 + 2 * 3 + 2 * 6
    # The rest is split next: a sum of 2 over (v_i, d_i, marginal) takes its place.
    second = 2 + 3 + 2 + 2 * 3 + 3 * 6
    splits = [Split(1, 0, binary_branches(3, 0)), Split(3, 0, binary_branches(3, 1))]
    complete = Split(1, 0, complete_branches(3))

    assert edges_by_split((3, 2), splits) == [17, first, second]
    assert edges_by_split((3, 2), [complete]) == [17, 3 * (1 + 3 + 6)]


def test_branch_of_several_values_links_to_nodes_that_lie_inside_it() -> None:
    """Variable 1's marginal given 0=1 is shared by both values of 2. The last split, of
    the marginal of 3 given 2=0, conditions it on {1, 2}: a new sum of 2 edges over
    products that exist already."""
    splits = [
        Split(1, 0, BOOLEAN),
        Split(4, 2, BOOLEAN),
        Split(3, 2, BOOLEAN),
        Split(8, 1, binary_branches(3, 0)),
    ]
    # The root; for each value of 2 a product of 4, the sum over 0, (0=0, d, marginal of
    # 9), a marginal of 3; shared, (0=1, d, marginal of 9).
    third = 2 + 2 * (4 + 2 + 3 + 9 + 6) + (3 + 9)
    # What 2=1 reaches stays. For 2=0, a product of 3 and a sum of 2 over 3 + 2; below,
    # the sum over 0 given 1=0, a tree of 8, and given {1, 2}, another 8 with marginals
    # of 6 and of the new 2; two marginals of 3.
    fourth = 2 + (4 + 2 + 3 + 9 + 6 + 3 + 9) + (3 + 2 + 5) + 8 + (8 + 6 + 2) + 2 * 6

    assert edges_by_split((2, 3, 2, 2), splits)[-2:] == [third, fourth]


def test_branches_are_not_narrowed_by_the_path() -> None:
    """The last leaf's path leaves {0, 2} of variable 1. Its branch {0, 1} still counts
    as one of several values, and so links to the product (v_0, d_0) it shares."""
    splits = [
        Split(0, 1, binary_branches(3, 1)),
        Split(4, 2, BOOLEAN),
        Split(5, 1, binary_branches(3, 2)),
    ]
    # A root of 2; for each value of 2 a product of 3, a sum of 2, a product of 2 and a
    # marginal; shared, (v_1, d_1, marginal) and the sum of v_0 and v_2.
    second = 2 + 2 * (3 + 2 + 2 + 6) + (3 + 6) + 6
    # A sum of 2 over (v_2, d_2, marginal) and ((v_0, d_0), marginal).
    third = second - 2 - 6 + 2 + 3 + 2 + 2 * 6

    assert edges_by_split((2, 3, 2), splits)[-2:] == [second, third]


def test_branches_of_a_threshold_keep_their_indicators_if_they_have_several() -> None:
    """A sum of 2 over (the sum of v_0 and v_1, marginal) and (the sum of v_2 and v_3, marginal)."""
    first = 2 + 2 * (2 + 2 + 2 * 2) + 2 * 6
    # The second leaf is split next: (v_0, d_0, marginal) and (v_1, d_1, marginal) in the place of one side.
    second = 2 + (2 + 2 * 3 + 2 * 6) + (2 + 2 + 2 * 2) + 6
    splits = [Split(1, 0, threshold_branches(4, 1)), Split(2, 0, threshold_branches(4, 0))]

    assert splits[0].branches == ((0, 1), (2, 3))
    assert edges_by_split((4, 2), splits) == [2 + 3 * 4 + 3 * 2, first, second]


@settings(max_examples=80)
@given(networks, sequences, seeds)
def test_circuit_equals_tree_cpds_in_every_world(arities: Arities, sequence: Choices, seed: int) -> None:
    """Theorem 1, after every split."""
    for model in grow(arities, sequence, seed):
        for world in worlds(arities):
            by_circuit = evaluate(model.circuit, model.parameters, [{x} for x in world])
            assert by_circuit == pytest.approx(model.probability(world), rel=1e-12)


@settings(max_examples=80)
@given(networks, sequences, seeds)
def test_circuit_keeps_its_properties(arities: Arities, sequence: Choices, seed: int) -> None:
    """Lemma 2, and probabilities that add up to 1."""
    for model in grow(arities, sequence, seed):
        everything = evaluate(model.circuit, model.parameters, [None] * len(arities))
        assert everything == pytest.approx(1.0, rel=1e-12)
        assert is_smooth(model.circuit)
        assert is_decomposable(model.circuit)
        assert is_deterministic(model.circuit)


@settings(max_examples=80)
@given(networks, sequences, seeds)
def test_marginal_is_the_sum_over_its_worlds(arities: Arities, sequence: Choices, seed: int) -> None:
    *_, model = grow(arities, sequence, seed)
    rng = random.Random(seed)
    allowed = [{x for x in range(arity) if rng.random() < 0.7} for arity in arities]
    expected = sum(map(model.probability, itertools.product(*allowed)))

    assert evaluate(model.circuit, model.parameters, allowed) == pytest.approx(expected)


@settings(max_examples=80)
@given(networks, sequences, seeds)
def test_nothing_is_left_to_simplify(arities: Arities, sequence: Choices, seed: int) -> None:
    def below(node: Node) -> set[Node]:
        return {node}.union(*map(below, node.children))

    *_, model = grow(arities, sequence, seed)
    nodes = below(model.circuit)
    for node in nodes:
        assert len(node.children) != 1
        assert len(set(node.children)) == len(node.children)
        parents = [other for other in nodes if node in other.children]
        is_mergeable = len(parents) == 1 and isinstance(parents[0], Product)
        assert not (isinstance(node, Product) and is_mergeable)


V_0, V_1, W_0 = Indicator(0, 0), Indicator(0, 1), Indicator(1, 0)
D_0, D_1 = Parameter(0, 0, 0), Parameter(0, 0, 1)


def test_sum_over_different_variables_is_not_smooth() -> None:
    assert is_smooth(Sum((Product((V_0, D_0)), Product((V_1, D_1)))))
    assert not is_smooth(Sum((Product((V_0, W_0)), V_1)))
    assert not is_smooth(Sum((Product((V_0, D_0)), V_1)))


def test_product_with_a_variable_twice_is_not_decomposable() -> None:
    assert is_decomposable(Product((V_0, D_0, W_0)))
    assert not is_decomposable(Product((V_0, Product((V_1, W_0)))))
    assert not is_decomposable(Product((D_0, D_1)))


def test_sum_with_overlapping_values_is_not_deterministic() -> None:
    assert is_deterministic(Sum((Product((V_0, W_0)), Product((V_1, W_0)))))
    assert not is_deterministic(Sum((Product((V_0, W_0)), Product((V_0, D_0, W_0)))))
    assert not is_deterministic(Sum((V_0, W_0)))
