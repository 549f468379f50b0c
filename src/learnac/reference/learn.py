"""LearnAC (Lowd & Domingos 2008, Section 4.1 and Table 1), by brute force.

The network of tree CPDs grows beside the circuit: it says which splits are valid, and
what the circuit should compute.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from learnac.reference.circuit import (
    Node,
    Split,
    binary_branches,
    complete_branches,
    initial_circuit,
    n_edges,
    split_circuit,
    threshold_branches,
)

Row: TypeAlias = Sequence[int]
SplitKind: TypeAlias = Literal["complete", "binary"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """D: a distribution of `variable`, for rows that have the values on its path."""

    variable: int
    path: Mapping[int, frozenset[int]]

    def is_reached_by(self, row: Row) -> bool:
        return all(row[variable] in values for variable, values in self.path.items())


@dataclass(frozen=True, slots=True)
class Network:
    """A Bayesian network with tree CPDs: their leaves by id, in order of id."""

    arities: tuple[int, ...]
    leaves: Mapping[int, Leaf]

    def values_left(self, leaf: Leaf, variable: int) -> frozenset[int]:
        return leaf.path.get(variable, frozenset(range(self.arities[variable])))

    def share(self, leaf: Leaf) -> float:
        """The part of its variables' joint values that the leaf's path lets through."""
        return math.prod(len(left) / self.arities[v] for v, left in leaf.path.items())

    def descendants(self, variable: int) -> frozenset[int]:
        """The variable itself and all those that depend on it."""
        found, leaves = frozenset([variable]), self.leaves.values()
        while new := {d.variable for d in leaves if found & d.path.keys()} - found:
            found |= new
        return found


def initial_network(arities: Sequence[int]) -> Network:
    """No arcs: leaf i is the marginal of variable i."""
    return Network(tuple(arities), {x: Leaf(x, {}) for x in range(len(arities))})


def new_leaves(network: Network, split: Split) -> dict[int, Leaf]:
    """What D gives way to: a leaf per branch, with the next free ids."""
    leaf, v = network.leaves[split.leaf], split.variable
    left = network.values_left(leaf, v)
    paths = ({**leaf.path, v: left & set(branch)} for branch in split.branches)
    # The newest leaf has the greatest id, and only newer ones ever replace it.
    next_id = max(network.leaves) + 1
    return {i: Leaf(leaf.variable, path) for i, path in enumerate(paths, next_id)}


def apply_split(network: Network, circuit: Node, split: Split) -> tuple[Network, Node]:
    """The split in both twins."""
    new = new_leaves(network, split)
    kept = {i: leaf for i, leaf in network.leaves.items() if i != split.leaf}
    return Network(network.arities, kept | new), split_circuit(circuit, split, [*new])


def valid_splits(network: Network, kind: SplitKind, ordered: Collection[int] = ()) -> Iterator[Split]:
    """Definition 2, in order of leaf, variable, split value.

    A binary split may take a variable that is on the path already, while it has two values left. It sets one value
    against the rest; of an `ordered` variable, the values up to one of them against those above it.
    """
    for leaf_id, leaf in network.leaves.items():
        descendants = network.descendants(leaf.variable)
        for variable, arity in enumerate(network.arities):
            left = network.values_left(leaf, variable)
            if variable in descendants or len(left) < 2:
                continue
            if kind == "binary" and variable in ordered:
                for value in sorted(left)[:-1]:
                    yield Split(leaf_id, variable, threshold_branches(arity, value))
            elif kind == "binary":
                for value in sorted(left):
                    yield Split(leaf_id, variable, binary_branches(arity, value))
            elif variable not in leaf.path:
                yield Split(leaf_id, variable, complete_branches(arity))


def estimates(counts: Sequence[float], prior: float) -> tuple[float, ...]:
    """The parameters of a leaf that `counts` rows reach, by value of its variable.

    `prior` is the Dirichlet prior's hyperparameter, the same for each value.
    """
    total = sum(counts) + prior * len(counts)
    return tuple((n + prior) / total for n in counts)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """log P(T|C), leaf by leaf, with the parameters of footnote 2; alpha > 0."""

    alpha: float = 1.0

    def prior(self, share: float, arity: int) -> float:
        return self.alpha

    def leaf_score(self, counts: Sequence[float], prior: float) -> float:
        pairs = zip(counts, estimates(counts, prior), strict=True)
        return sum(n * math.log(p) for n, p in pairs if n > 0)


@dataclass(frozen=True, slots=True)
class BayesianDirichlet:
    """The log marginal likelihood (BDeu): the prior is a sample spread evenly."""

    equivalent_sample_size: float = 1.0

    def prior(self, share: float, arity: int) -> float:
        return self.equivalent_sample_size * share / arity

    def leaf_score(self, counts: Sequence[float], prior: float) -> float:
        mass = prior * len(counts)
        cells = sum(math.lgamma(prior + n) - math.lgamma(prior) for n in counts)
        return math.lgamma(mass) - math.lgamma(mass + sum(counts)) + cells


Score: TypeAlias = Likelihood | BayesianDirichlet
LIKELIHOOD = Likelihood()


@dataclass(frozen=True, slots=True)
class StepInfo:
    """What a split would do, or did; `n_edges` is counted after it."""

    split: Split
    gain: float
    edge_cost: int
    improvement: float
    n_edges: int


@dataclass(frozen=True, slots=True)
class Objective:
    """score(C, T) of Section 4.1, by the difference that a split makes to it."""

    rows: Sequence[Row]
    weights: Sequence[float]
    score: Score
    edge_penalty: float
    parameter_penalty: float

    def statistics(self, network: Network, leaf: Leaf) -> tuple[list[float], float]:
        """The leaf's counts and prior."""
        counts = [0.0] * network.arities[leaf.variable]
        for row, weight in zip(self.rows, self.weights, strict=True):
            if leaf.is_reached_by(row):
                counts[row[leaf.variable]] += weight
        return counts, self.score.prior(network.share(leaf), len(counts))

    def leaf_score(self, network: Network, leaf: Leaf) -> float:
        return self.score.leaf_score(*self.statistics(network, leaf))

    def assess(self, network: Network, circuit: Node, split: Split) -> StepInfo:
        old, new = network.leaves[split.leaf], new_leaves(network, split).values()
        gain = sum(self.leaf_score(network, leaf) for leaf in new)
        # To single precision, so that splits which mirror each other tie.
        gain = ctypes.c_float(gain - self.leaf_score(network, old)).value
        n_new_parameters = (len(new) - 1) * network.arities[old.variable]
        n_edges_after = n_edges(apply_split(network, circuit, split)[1])
        edge_cost = n_edges_after - n_edges(circuit)
        net = gain - self.parameter_penalty * n_new_parameters
        improvement = net - self.edge_penalty * edge_cost
        return StepInfo(split, gain, edge_cost, improvement, n_edges_after)


@dataclass(frozen=True, slots=True)
class Model:
    """A network and its circuit, their parameters by leaf id, and how they grew."""

    network: Network
    circuit: Node
    parameters: Mapping[int, Sequence[float]]
    steps: tuple[StepInfo, ...] = ()

    def probability(self, row: Row) -> float:
        """P(row) by the tree CPDs, without the circuit."""
        leaves = self.network.leaves.items()
        reached = ((i, leaf.variable) for i, leaf in leaves if leaf.is_reached_by(row))
        return math.prod(self.parameters[i][row[variable]] for i, variable in reached)


def learn_ac(
    rows: Sequence[Row],
    arities: Sequence[int],
    edge_penalty: float,
    parameter_penalty: float,
    split_kind: SplitKind = "complete",
    score: Score = LIKELIHOOD,
    weights: Sequence[float] | None = None,
    max_splits: int | None = None,
    ordered: Collection[int] = (),
) -> Model:
    """Table 1. Of splits that improve the score equally, the first valid one wins."""
    weights = [1.0] * len(rows) if weights is None else weights
    objective = Objective(rows, weights, score, edge_penalty, parameter_penalty)
    network, circuit = initial_network(arities), initial_circuit(arities)
    steps: list[StepInfo] = []
    while max_splits is None or len(steps) < max_splits:
        splits = valid_splits(network, split_kind, ordered)
        candidates = (objective.assess(network, circuit, split) for split in splits)
        best = max(candidates, key=lambda step: step.improvement, default=None)
        if best is None or best.improvement <= 0:
            break
        network, circuit = apply_split(network, circuit, best.split)
        steps.append(best)
    leaves = network.leaves.items()
    parameters = {i: estimates(*objective.statistics(network, d)) for i, d in leaves}
    return Model(network, circuit, parameters, tuple(steps))
