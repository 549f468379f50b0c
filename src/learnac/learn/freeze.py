"""From a search that has ended to the model it has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingCircuit
from learnac.circuit import Circuit, freeze_circuit
from learnac.data import Schema
from learnac.learn.grown import GrownTrees
from learnac.learn.learner import Learner, new_circuit
from learnac.learn.model import StepInfo
from learnac.learn.search import Search
from learnac.learn.smoothing import Smoothing, choose
from learnac.network import BayesNet


@dataclass(frozen=True, slots=True, eq=False)
class FrozenNetwork:
    """The network, which of the splits it has, and how its parameters were read off."""

    network: BayesNet
    leaf_places: NDArray[np.int32]  # (leaves x 2): whose tree a leaf is in, and which node of it
    n_splits: int
    smoothing: Smoothing


def freeze_network(search: Search, schema: Schema, fills: bool) -> FrozenNetwork:
    """As many of the splits, and as much smoothing, as suit the rows that the search was judged by.

    Where `fills`, the counts of these rows are added to those that were learned from, before parameters are read off.
    """
    settings, tracker = search.settings, search.tracker
    trees = _grown(search, len(search.trace))
    smoothing, n_splits = settings.search_smoothing, search.n_best
    held_out = None if tracker is None else np.concatenate(tracker.totals[: trees.n_nodes])
    if held_out is not None and settings.chooses_smoothing:
        smoothing, n_splits = choose(trees, trees.counts, held_out, settings.smoothings)
    trees = _grown(search, n_splits)
    counts = trees.counts + held_out[: len(trees.counts)] if fills and held_out is not None else trees.counts
    network, places = trees.network(schema, counts, smoothing.parameters(trees, counts))
    return FrozenNetwork(network, places, n_splits, smoothing)


def freeze_learned(learner: Learner, frozen: FrozenNetwork, trace: Sequence[StepInfo]) -> Circuit:
    """The circuit of a network that has the splits of the trace."""
    circuit = learner.circuit
    # A shorter prefix is applied again to a new circuit, without a search. An interrupted step may have reached the
    # circuit but not the trace.
    if not isinstance(circuit, GrowingCircuit) or circuit.n_splits != len(trace):
        circuit = new_circuit(learner.space)
        for info in trace:
            circuit.apply_split(info.leaf, info.variable, info.value)
    return freeze_circuit(circuit, frozen.network, frozen.leaf_places)


def _grown(search: Search, n_splits: int) -> GrownTrees:
    space = search.learner.space
    n_nodes = space.n_variables + sum(space.n_branches(info.variable) for info in search.trace[:n_splits])
    return GrownTrees.of(space, search.learner.trees, n_nodes)
