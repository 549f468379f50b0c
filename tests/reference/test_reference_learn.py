"""Validity, scores and the loop of Table 1, against independent calculations."""

from __future__ import annotations

import ctypes
import itertools
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac.reference import (
    BayesianDirichlet,
    Likelihood,
    Model,
    Split,
    apply_split,
    binary_branches,
    complete_branches,
    evaluate,
    initial_circuit,
    initial_network,
    learn_ac,
    n_edges,
    valid_splits,
)
from learnac.reference.learn import Network, Score, SplitKind

Rows = list[tuple[int, ...]]
Table = tuple[tuple[int, ...], Rows]
Penalties = tuple[float, float]
BOOLEAN = complete_branches(2)
EQUAL_PAIRS = [(0, 0), (0, 0), (1, 1), (1, 1)]
# Variable 2 is the xor of the others in 3 rows of 4; variable 1 follows 0 mostly.
MIXED_ROWS = [
    *[(0, 0, 0)] * 9,
    *[(0, 1, 1)] * 4,
    *[(1, 1, 0)] * 8,
    *[(1, 0, 1)] * 3,
    *[(0, 2, 1)] * 6,
    *[(1, 2, 0)] * 2,
]
MIXED_ARITIES = (2, 3, 2)


def random_table(seed: int) -> Table:
    """A few different rows, several times each, so that there is something to learn."""
    rng = random.Random(seed)
    arities = tuple(rng.choice([1, 2, 2, 3, 4]) for _ in range(rng.randint(1, 4)))
    rows: Rows = []
    for _ in range(5):
        rows += [tuple(map(rng.randrange, arities))] * rng.randint(1, 8)
    return arities, rows


tables = st.integers(0, 9999).map(random_table)
kinds = st.sampled_from(["complete", "binary"])
scores = st.sampled_from([Likelihood(), Likelihood(0.5), BayesianDirichlet(4.0)])
all_penalties = st.sampled_from([(0.0, 0.0), (0.05, 0.0), (0.01, 0.2)])


def grown(arities: Sequence[int], *splits: Split) -> Network:
    network, circuit = initial_network(arities), initial_circuit(arities)
    for split in splits:
        network, circuit = apply_split(network, circuit, split)
    return network


def targets(network: Network, kind: SplitKind) -> set[tuple[int, int]]:
    return {(split.leaf, split.variable) for split in valid_splits(network, kind)}


def marginal_log_likelihood(network: Network, rows: Rows, sample_size: float) -> float:
    """By the chain rule: each row predicted from those before it."""
    total = 0.0
    for leaf in network.leaves.values():
        arity = network.arities[leaf.variable]
        mass = sample_size
        for variable, values in leaf.path.items():
            mass *= len(values) / network.arities[variable]
        seen = [0] * arity
        for row in rows:
            if all(row[variable] in values for variable, values in leaf.path.items()):
                j = row[leaf.variable]
                total += math.log((seen[j] + mass / arity) / (sum(seen) + mass))
                seen[j] += 1
    return total


def fitted_log_likelihood(network: Network, rows: Rows, alpha: float) -> float:
    """log P(T|C) with smoothed parameters, row by row at each leaf."""
    total = 0.0
    for leaf in network.leaves.values():
        arity = network.arities[leaf.variable]
        values = [row[leaf.variable] for row in rows if leaf.is_reached_by(row)]
        for value in values:
            estimate = (values.count(value) + alpha) / (len(values) + alpha * arity)
            total += math.log(estimate)
    return total


def total_score(model: Model, rows: Rows, score: Score, penalties: Penalties) -> float:
    edge_penalty, parameter_penalty = penalties
    network = model.network
    if isinstance(score, Likelihood):
        first_term = fitted_log_likelihood(network, rows, score.alpha)
    else:
        size = score.equivalent_sample_size
        first_term = marginal_log_likelihood(network, rows, size)
    n_parameters = sum(network.arities[d.variable] for d in network.leaves.values())
    penalty = edge_penalty * n_edges(model.circuit) + parameter_penalty * n_parameters
    return first_term - penalty


def test_new_leaves_take_the_next_ids_in_order_of_branches() -> None:
    network = grown((3, 2), Split(1, 0, binary_branches(3, 1)))

    assert list(network.leaves) == [0, 2, 3]
    assert network.leaves[2].path == {0: {1}}
    assert network.leaves[3].path == {0: {0, 2}}
    assert network.leaves[2].variable == network.leaves[3].variable == 1


def test_ids_of_split_leaves_are_not_used_again() -> None:
    network = grown((2, 2, 2), Split(2, 0, BOOLEAN), Split(3, 1, BOOLEAN))

    assert list(network.leaves) == [0, 1, 4, 5, 6]


def test_descendants_are_not_valid_parents() -> None:
    network = grown((2, 2, 2), Split(1, 0, BOOLEAN), Split(2, 1, BOOLEAN))

    # Leaves 3 and 4 are of variable 1, and 5 and 6 of variable 2.
    assert targets(network, "complete") == {(5, 0), (6, 0)}
    assert targets(network, "binary") == targets(network, "complete")


def test_variable_with_one_value_is_never_split_on() -> None:
    assert targets(initial_network((1, 2)), "complete") == {(0, 1)}
    assert targets(initial_network((1, 2)), "binary") == {(0, 1)}


def test_binary_splits_return_to_a_variable_while_two_values_are_left() -> None:
    network = grown((4, 2), Split(1, 0, binary_branches(4, 1)))

    assert targets(network, "complete") == set()
    assert list(valid_splits(network, "binary")) == [
        Split(3, 0, ((0,), (1, 2, 3))),
        Split(3, 0, ((2,), (0, 1, 3))),
        Split(3, 0, ((3,), (0, 1, 2))),
    ]
    splits = [Split(1, 0, binary_branches(4, 1)), Split(3, 0, binary_branches(4, 2))]
    again = grown((4, 2), *splits)
    assert again.leaves[4].path == {0: {2}}
    assert again.leaves[5].path == {0: {0, 3}}
    assert again.share(again.leaves[5]) == 0.5


def test_ordered_variables_are_split_at_thresholds_that_leave_values_on_both_sides() -> None:
    network = grown((4, 2), Split(1, 0, ((0,), (1, 2, 3))))

    assert list(valid_splits(network, "binary", ordered=[0])) == [
        Split(3, 0, ((0, 1), (2, 3))),
        Split(3, 0, ((0, 1, 2), (3,))),
    ]
    assert targets(network, "complete") == {split.leaf for split in valid_splits(network, "complete", ordered=[0])}


def test_valid_splits_come_in_order_of_leaf_variable_value() -> None:
    network = grown((3, 2, 2), Split(2, 1, BOOLEAN))
    keys = [(split.leaf, split.variable, split.branches[0][0]) for split in valid_splits(network, "binary")]

    assert keys == sorted(keys)
    assert {(0, 1, 0), (0, 1, 1), (1, 0, 2), (4, 0, 1)} < set(keys)


def test_marginal_likelihood_by_hand() -> None:
    """A uniform prior on a coin: heads, then tails, has probability 1/2 * 1/3."""
    score = BayesianDirichlet(2.0)

    assert score.prior(share=1.0, arity=2) == 1.0
    assert score.leaf_score([1, 1], 1.0) == pytest.approx(math.log(1 / 6))


def test_step_by_hand() -> None:
    """From 3/6 for each value of each row's second variable to 3/4."""
    model = learn_ac(EQUAL_PAIRS, (2, 2), 0.05, 0.1)

    (step,) = model.steps
    assert step.gain == ctypes.c_float(4 * math.log(3 / 4) - 4 * math.log(1 / 2)).value
    assert (step.edge_cost, step.n_edges) == (6, 20)
    assert step.improvement == pytest.approx(step.gain - 0.05 * 6 - 0.1 * 2)
    assert model.parameters == {1: (0.5, 0.5), 2: (0.75, 0.25), 3: (0.25, 0.75)}


def test_bayesian_dirichlet_parameters_by_hand() -> None:
    """An equivalent sample of 4 gives 2 to each of two branches, 1 to each cell."""
    model = learn_ac(EQUAL_PAIRS, (2, 2), 0.05, 0.1, score=BayesianDirichlet(4.0))

    assert model.parameters == {1: (0.5, 0.5), 2: (0.75, 0.25), 3: (0.25, 0.75)}


@pytest.mark.parametrize("kind", ["complete", "binary"])
def test_ties_go_to_the_smallest_leaf_variable_and_value(kind: SplitKind) -> None:
    rows = [(value, value, value) for value in (0, 1)] * 5
    model = learn_ac(rows, (2, 2, 2), 0.01, 0.01, kind, max_splits=1)

    assert [step.split for step in model.steps] == [Split(0, 1, ((0,), (1,)))]


def test_split_must_improve_the_score() -> None:
    """With gain, edge cost 6 and 2 parameters, a net of exactly 0 is not enough."""
    gain = learn_ac(EQUAL_PAIRS, (2, 2), 0.0, 0.0).steps[0].gain

    assert learn_ac(EQUAL_PAIRS, (2, 2), 0.0, gain / 2).steps == ()
    assert learn_ac(EQUAL_PAIRS, (2, 2), 0.0, 0.99 * gain / 2).steps != ()
    assert learn_ac(EQUAL_PAIRS, (2, 2), 1.01 * gain / 6, 0.0).steps == ()
    assert learn_ac(EQUAL_PAIRS, (2, 2), 0.99 * gain / 6, 0.0).steps != ()


@pytest.mark.parametrize("kind", ["complete", "binary"])
@pytest.mark.parametrize("score", [Likelihood(), BayesianDirichlet(2.0)])
def test_weight_of_two_is_the_row_twice(kind: SplitKind, score: Score) -> None:
    twice = [row for row in MIXED_ROWS for _ in range(2)]
    weights = [2.0] * len(MIXED_ROWS)
    repeated = learn_ac(twice, MIXED_ARITIES, 0.05, 0.1, kind, score)
    weighted = learn_ac(MIXED_ROWS, MIXED_ARITIES, 0.05, 0.1, kind, score, weights)

    assert len(repeated.steps) > 1
    assert weighted.steps == repeated.steps
    assert weighted.parameters == repeated.parameters
    assert weighted.steps != learn_ac(MIXED_ROWS, MIXED_ARITIES, 0.05, 0.1, kind).steps


def test_max_splits_stops_early() -> None:
    model = learn_ac(MIXED_ROWS, MIXED_ARITIES, 0.01, 0.01, "binary")
    first = learn_ac(MIXED_ROWS, MIXED_ARITIES, 0.01, 0.01, "binary", max_splits=2)

    assert first.steps == model.steps[:2] != model.steps
    assert learn_ac(MIXED_ROWS, MIXED_ARITIES, 0.01, 0.01, max_splits=0).steps == ()


@settings(max_examples=30)
@given(tables, kinds, scores, all_penalties, st.sets(st.integers(0, 3)))
def test_every_step_is_the_best_by_the_whole_score(
    table: Table, kind: SplitKind, score: Score, penalties: Penalties, ordered: set[int]
) -> None:
    """Table 1 word for word: by the score of each whole circuit, not by differences."""
    arities, rows = table
    learned = learn_ac(rows, arities, *penalties, kind, score, ordered=ordered)

    def score_of(model: Model) -> float:
        return total_score(model, rows, score, penalties)

    model = Model(initial_network(arities), initial_circuit(arities), {})
    for step in learned.steps:
        outcomes = {
            split: Model(*apply_split(model.network, model.circuit, split), {})
            for split in valid_splits(model.network, kind, ordered)
        }
        totals = {split: score_of(outcome) for split, outcome in outcomes.items()}
        best = max(totals.values())
        assert step.improvement > 0
        # Gains are compared in single precision: what differs by less is a tie, and any of those will do here.
        assert step.improvement == pytest.approx(best - score_of(model), rel=1e-6, abs=1e-6)
        assert totals[step.split] > best - 1e-5
        model = outcomes[step.split]
        assert step.n_edges == n_edges(model.circuit)
    for split in valid_splits(model.network, kind, ordered):
        end = Model(*apply_split(model.network, model.circuit, split), {})
        assert score_of(end) < score_of(model) + 1e-5


@settings(max_examples=30)
@given(tables, kinds, scores)
def test_learned_circuit_equals_the_learned_trees(table: Table, kind: SplitKind, score: Score) -> None:
    arities, rows = table
    model = learn_ac(rows, arities, 0.01, 0.01, kind, score)
    worlds = list(itertools.product(*map(range, arities)))

    assert sum(map(model.probability, worlds)) == pytest.approx(1.0)
    for world in worlds:
        by_circuit = evaluate(model.circuit, model.parameters, [{x} for x in world])
        assert by_circuit == pytest.approx(model.probability(world))
