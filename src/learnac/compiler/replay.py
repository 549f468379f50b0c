"""The splits of a network's trees, applied one after the other to a growing circuit, as the learner does.

This suits networks that were learned: their trees ask many variables but have few leaves, and no one order of the
variables fits all of their contexts. A split costs more edges the later it comes, so the order of the splits decides
the size. The learner's order is not in the trees, but its reasons are: it takes the splits with most gain for their
edges (gains.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from learnac._core import GrowingCircuit, QuickSchedule
from learnac.compiler.draft import Draft
from learnac.compiler.gains import Floats, Worth
from learnac.network import BayesNet, TreeCPD
from learnac.network.bits import is_interval, lowest
from learnac.network.tree import Path

_NO_LIMIT = 2**40


@dataclass(frozen=True, slots=True)
class _Open:
    """A leaf of the growing circuit: the node of its tree where it stands, and the values left of what was asked."""

    tree: int
    node: int
    values: Path


@dataclass(frozen=True, slots=True)
class Applied:
    """A split: where it stands in the trees, the edges it took, and what the growing circuit calls it."""

    tree: int
    node: int
    edge_cost: int
    leaf: int
    variable: int
    value: int


@dataclass(slots=True)
class Replay:
    """A growing circuit, and where in the trees its leaves stand. Changes in place."""

    network: BayesNet
    # How the splits were made, and by variable whether at thresholds; if nobody says, as the trees look.
    is_binary: bool | None = None
    has_thresholds: Sequence[bool] | None = None
    circuit: GrowingCircuit = field(init=False)
    applied: list[Applied] = field(default_factory=list)
    _arities: list[int] = field(init=False)
    _is_binary: bool = field(init=False)
    _has_thresholds: list[bool] = field(init=False)
    _open: dict[int, _Open] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._arities = self.network.schema.arities.tolist()
        groups = any(_groups_values(tree) for tree in self.network.trees)
        self._is_binary = groups if self.is_binary is None else self.is_binary
        looks = self.has_thresholds
        self._has_thresholds = _have_thresholds(self.network) if looks is None else list(looks)
        arities, ordered = np.array(self._arities, dtype=np.uint32), np.array(self._has_thresholds, dtype=np.uint8)
        self.circuit = GrowingCircuit(arities, self._is_binary, ordered)

    def run(self, worth: Worth, max_edges: int, should_stop: Callable[[], bool]) -> bool:
        """Applies all splits; False if they do not fit, or time is up. The penalty of an edge falls until all pay."""
        penalty, gains = worth.edge_penalty, worth.gains
        schedule = QuickSchedule(self.circuit, penalty, True)
        n_waiting = sum(self._enter(schedule, gains, leaf, _Open(leaf, 0, {})) for leaf in range(len(self._arities)))
        while n_waiting and self.circuit.n_edges <= max_edges and not should_stop():
            chosen = schedule.best_split(_NO_LIMIT, should_stop)
            if chosen is None:
                penalty /= 2
                schedule.set_edge_penalty(penalty)
                continue
            leaf, variable, value, _, edge_cost = chosen
            state = self._open.pop(leaf)
            schedule.applying(leaf, variable, value)
            first, n_branches, _ = self.circuit.apply_split(leaf, variable, value)
            self.applied.append(Applied(state.tree, state.node, edge_cost, leaf, variable, value))
            n_waiting -= 1
            for branch in range(n_branches):
                values = {**state.values, variable: self._kept(state, variable, value, branch)}
                n_waiting += self._enter(schedule, gains, first + branch, _Open(state.tree, state.node, values))
        return n_waiting == 0 and self.circuit.n_edges <= max_edges

    def _enter(self, schedule: QuickSchedule, gains: Sequence[Floats], leaf: int, state: _Open) -> bool:
        """Walks down the tree as far as the values tell; whether there is a split to wait for."""
        tree, node = self.network.trees[state.tree], state.node
        while (variable := int(tree.variables[node])) >= 0:
            left = self._left(state, variable)
            groups = {branch: values & left for branch, values in tree.branches(node).items() if values & left}
            if len(groups) > 1:
                break
            (node,) = groups
        self._open[leaf] = _Open(state.tree, node, state.values)
        if variable < 0:
            return False
        value = self._value_to_split_on(variable, groups.values())
        gain = gains[state.tree][[node]]
        schedule.add(leaf, np.array([variable], np.uint32), np.array([value], np.uint32), gain)
        return True

    def _value_to_split_on(self, variable: int, groups: Collection[int]) -> int:
        """What the next split on a variable tells apart, of groups of its values."""
        if not self._is_binary or self._arities[variable] == 2:
            return 0
        if self._has_thresholds[variable]:
            return min(groups, key=lowest).bit_length() - 1
        return lowest(min(groups, key=int.bit_count))

    def _left(self, state: _Open, variable: int) -> int:
        return state.values.get(variable, (1 << self._arities[variable]) - 1)

    def _kept(self, state: _Open, variable: int, value: int, branch: int) -> int:
        left = self._left(state, variable)
        if not self._is_binary or self._arities[variable] == 2:
            return left & 1 << branch
        first = (2 << value) - 1 if self._has_thresholds[variable] else 1 << value
        return left & first if branch == 0 else left & ~first

    def draft(self) -> Draft:
        places = np.full((max(self._open) + 1, 2), -1, dtype=np.int32)
        for leaf, state in self._open.items():
            places[leaf] = state.tree, state.node
        return Draft.of_growing(self.circuit, places)


def _groups_values(tree: TreeCPD) -> bool:
    """Whether some question of the tree sends several values of a variable, but not all, the same way."""
    return any(
        values.bit_count() > 1
        for node in range(tree.n_nodes)
        if len(branches := tree.branches(node)) > 1
        for values in branches.values()
    )


def _have_thresholds(network: BayesNet) -> list[bool]:
    """Of each variable, whether it is asked at thresholds: some question has several values on both sides, and none
    groups values that are not next to each other. Other questions are better asked value by value.
    """
    has_large_groups = [False] * network.schema.n_variables
    has_intervals_only = [True] * network.schema.n_variables
    for tree in network.trees:
        for node in range(tree.n_nodes):
            if branches := tree.branches(node):
                variable, groups = int(tree.variables[node]), branches.values()
                has_large_groups[variable] |= sum(values.bit_count() > 1 for values in groups) > 1
                has_intervals_only[variable] &= all(is_interval(values) for values in groups)
    return [large and intervals for large, intervals in zip(has_large_groups, has_intervals_only, strict=True)]
