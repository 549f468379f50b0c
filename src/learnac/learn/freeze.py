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
from learnac.learn.smoothing import Judged, Smoothing, choose
from learnac.network import BayesNet


@dataclass(frozen=True, slots=True, eq=False)
class FrozenNetwork:
    """The network, which of the splits it has, and how its parameters were read off."""

    network: BayesNet
    leaf_places: NDArray[np.int32]  # (leaves x 2): whose tree a leaf is in, and which node of it
    n_splits: int
    smoothing: Smoothing


def freeze_network(
    search: Search, schema: Schema, judged: Sequence[Judged] = (), most_splits: int | None = None
) -> FrozenNetwork:
    """As many of the splits, up to `most_splits`, and as much smoothing, as suit rows that were not learned from.

    If the settings leave the smoothing open, it is chosen by the validation rows of the search, or else by what was
    `judged`: trees of searches over parts of the same rows, which then say how many splits to keep too.
    """
    smoothing, n_splits = search.settings.unchosen_smoothing, search.n_best
    if search.tracker is not None:
        judged = [judged_by(search, most_splits)]
    if judged and search.settings.chooses_smoothing:
        smoothing, n_best = choose(judged, search.settings.smoothings)
        # Where the others were best at their end, more splits would have been better still.
        is_end = n_best == max(trees.n_splits for trees, _ in judged)
        n_splits = len(search.trace) if is_end else min(n_best, len(search.trace))
    if most_splits is not None:
        n_splits = min(n_splits, most_splits)
    n_splits = max(n_splits, search.n_required)
    trees = _grown(search, n_splits)
    network, places = trees.network(schema, trees.counts, smoothing.parameters(trees, trees.counts))
    return FrozenNetwork(network, places, n_splits, smoothing)


def judged_by(search: Search, n_splits: int | None = None) -> Judged:
    """All splits of a search, or the first of them, and the counts of the rows that follow it."""
    assert search.tracker is not None
    trees = _grown(search, len(search.trace) if n_splits is None else n_splits)
    return Judged(trees, np.concatenate(search.tracker.totals[: trees.n_nodes]))


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
