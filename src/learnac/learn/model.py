"""What learning gives: the steps it took and the model they led to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingCircuit
from learnac.circuit import Circuit, freeze_circuit
from learnac.data import Schema
from learnac.learn.learner import Learner, new_circuit
from learnac.model import Model
from learnac.network import BayesNet


class Stop(StrEnum):
    """Why learning ended."""

    CONVERGED = "no split pays"
    MAX_EDGES = "no split that pays fits the edge budget"
    MAX_SPLITS = "all splits of the budget are used"
    MAX_SECONDS = "time is up"
    PATIENCE = "the validation table has not improved for a while"
    CALLBACK = "the callback said so"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class StepInfo:
    """One applied split, and where learning stands after it. Log-likelihoods are means over rows, natural log."""

    n_splits: int
    leaf: int
    variable: int
    value: int
    net_gain: float
    edge_cost: int
    edge_penalty: float
    n_edges: int
    n_leaves: int
    log_likelihood: float
    validation_log_likelihood: float | None
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A model, how it came about, and what the search did."""

    model: Model
    trace: tuple[StepInfo, ...]  # of every split applied; the model has the first n_splits of them
    n_splits: int
    stop: Stop
    n_candidates: int
    n_evaluations: int
    n_visits: int
    seconds: float

    @property
    def circuit(self) -> Circuit:
        return self.model.require_circuit()

    @property
    def network(self) -> BayesNet:
        return self.model.require_network()


def freeze(learner: Learner, schema: Schema, trace: Sequence[StepInfo], n_splits: int) -> Model:
    """The model after the first n_splits of the trace."""
    circuit = learner.circuit
    # A shorter prefix is applied again to a new circuit, without a search. An interrupted step may have reached the
    # circuit but not the trace.
    if not isinstance(circuit, GrowingCircuit) or circuit.n_splits != n_splits:
        circuit = new_circuit(learner.space)
        for info in trace[:n_splits]:
            circuit.apply_split(info.leaf, info.variable, info.value)
    network, places = freeze_network(learner, schema, trace[:n_splits])
    return Model(freeze_circuit(circuit, network, places), network)


def freeze_network(learner: Learner, schema: Schema, trace: Sequence[StepInfo]) -> tuple[BayesNet, NDArray[np.int32]]:
    """The network after these splits, and where each leaf went (`GrowingTrees.freeze`)."""
    space = learner.space
    return learner.trees.freeze(schema, space.n_variables + sum(space.n_branches(info.variable) for info in trace))
