"""A Bayesian network of tree CPDs: the readable twin of every learned circuit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from learnac._core import TreeScores
from learnac.data import Schema
from learnac.drawing import Drawing
from learnac.network.tree import TreeCPD

TreeArrays: TypeAlias = tuple[
    NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint32]
]

SET_FROM_OUTSIDE = -1
"""In the place of a parameter's node: an intervention has set it, and it is none that was learned."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class BayesNet:
    """A Bayesian network: for each variable, a decision tree with its conditional distribution (CPD). No cycles."""

    schema: Schema
    trees: tuple[TreeCPD, ...]

    @property
    def n_leaves(self) -> int:
        return sum(tree.n_leaves for tree in self.trees)

    @property
    def n_parameters(self) -> int:
        """Parameters of all leaves, one for each value of the child."""
        return sum(tree.n_leaves * tree.counts.shape[1] for tree in self.trees)

    @property
    def has_counts(self) -> bool:
        """Whether its trees have the counts of the rows they were learned from."""
        return all(tree.counts[0].sum() > 0 for tree in self.trees)

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tree.parents for tree in self.trees)

    @property
    def arrays(self) -> tuple[TreeArrays, NDArray[np.float64]]:
        """What the core takes: the trees one after the other, and the probabilities of all their nodes."""
        trees = self.trees
        first_routes = np.concatenate([[0], np.cumsum([len(tree.routes) for tree in trees])])
        starts = [tree.route_starts + first for tree, first in zip(trees, first_routes, strict=False)]
        structure = (
            self.schema.arities.astype(np.uint32),
            np.concatenate([[0], np.cumsum([tree.n_nodes for tree in trees])]).astype(np.uint32),
            np.concatenate([tree.variables for tree in trees]),
            np.concatenate(starts).astype(np.uint32),
            np.concatenate([tree.routes for tree in trees]).astype(np.uint32),
        )
        return structure, np.concatenate([tree.parameters.ravel() for tree in trees])

    def parameters_at(self, origins: NDArray[np.integer]) -> NDArray[np.float64]:
        """The parameters at places given as (n x 3): the variable, the node of its tree, and the variable's value.

        SET_FROM_OUTSIDE is the root of a tree that is nothing else. ValueError if there is no such place.
        """
        variables, nodes, values = origins.T.astype(np.int64)
        sizes = np.array([tree.parameters.shape for tree in self.trees])
        is_known = (variables >= 0) & (variables < len(sizes))
        n_nodes, arities = sizes[np.where(is_known, variables, 0)].T
        nodes = np.where((nodes == SET_FROM_OUTSIDE) & (n_nodes == 1), 0, nodes)
        if not (is_known & (nodes >= 0) & (nodes < n_nodes) & (values >= 0) & (values < arities)).all():
            raise ValueError("expected places of parameters in the trees of the network")
        firsts = np.cumsum([0, *sizes.prod(axis=1)])
        parameters = np.concatenate([tree.parameters.ravel() for tree in self.trees])
        return parameters[firsts[variables] + nodes * arities + values]

    def ordered(self) -> tuple[int, ...]:
        """The variables, parents before children. ValueError if there is a cycle."""
        return parents_first(self.schema.names, self.parents)

    def check(self) -> None:
        """Raise ValueError unless every tree is one, and there is no cycle: for networks from elsewhere."""
        _tree_scores(self)
        self.ordered()

    def log_likelihood(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Log P of each complete row, as the sum of its tree entries; codes are (variables x rows).

        Cost: for each row and variable, a walk to a leaf.
        """
        scores = _scores.get(self)
        if scores is None:
            scores = _scores[self] = _tree_scores(self)
        return scores.score(np.ascontiguousarray(codes))

    def __repr__(self) -> str:
        n_arcs = sum(len(parents) for parents in self.parents)
        return f"BayesNet({len(self.trees)} variables, {n_arcs} arcs, {self.n_leaves} leaves)"

    def draw(self, around: str | Iterable[str] | None = None, *, max_arcs: int | None = 300) -> Drawing:
        """A picture of the graph, or only of the variables `around` with their parents and children.

        If there are more than `max_arcs` arcs, only the strongest are drawn, with the variables they join. An arc is
        strong if its splits gain much log-likelihood. With `around`, arcs between two neighbours are dashed. A small
        graph is drawn in layers, a large one as a map, with thick lines for strong arcs.
        """
        from learnac.network.draw_graph import draw_network

        return draw_network(self, around, max_arcs)

    def draw_tree(self, name: str, *, max_depth: int | None = 3, max_nodes: int = 200) -> Drawing:
        """A picture of the decision tree of the variable `name`: its tests, and the distributions at its leaves.

        The picture ends at `max_depth`: an inner node there shows its distribution, as if it were a leaf.
        """
        from learnac.network.draw_tree import draw_tree

        return draw_tree(self, name, max_depth, max_nodes)

    def _repr_html_(self) -> str:
        from learnac.network.draw_graph import network_summary

        return network_summary(self)


# The compiled scorer of each network that has been asked, made once.
_scores: WeakKeyDictionary[BayesNet, TreeScores] = WeakKeyDictionary()


def _tree_scores(network: BayesNet) -> TreeScores:
    structure, parameters = network.arrays
    with np.errstate(divide="ignore"):
        return TreeScores(*structure, np.log(parameters))


def parents_first(names: Sequence[str], parents: Sequence[Iterable[int]]) -> tuple[int, ...]:
    """Variables whose parents are these, parents before children. ValueError, with their names, if there is a cycle."""
    try:
        return tuple(TopologicalSorter(dict(enumerate(parents))).static_order())
    except CycleError as error:
        cycle = " <- ".join(names[variable] for variable in error.args[1])
        raise ValueError(f"the network has a cycle: {cycle}") from None
