"""What learning gives: the steps it took and the model they led to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingCircuit
from learnac.circuit import Circuit
from learnac.data import Schema
from learnac.learn.learner import Learner, new_circuit
from learnac.learn.smoothing import Smoothing
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
class LearnedModel:
    """The circuit and the network it equals, how they came about, and what the search did."""

    circuit: Circuit
    network: BayesNet
    trace: tuple[StepInfo, ...]  # of every split applied; the model has the first n_splits of them
    n_splits: int
    smoothing: Smoothing
    stop: Stop
    n_candidates: int
    n_evaluations: int
    n_visits: int
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class LearnedNetwork:
    """A network that was learned without a circuit, and how it came about."""

    network: BayesNet
    trace: tuple[StepInfo, ...]  # of every split applied; the network has the first n_splits of them
    n_splits: int
    smoothing: Smoothing
    stop: Stop
    n_candidates: int
    seconds: float


def freeze_circuit(
    learner: Learner, schema: Schema, trace: Sequence[StepInfo], network: BayesNet, places: NDArray[np.int32]
) -> Circuit:
    """The circuit after the splits of the trace; `places` are those of the network's leaves."""
    circuit = learner.circuit
    # A shorter prefix is applied again to a new circuit, without a search. An interrupted step may have reached the
    # circuit but not the trace.
    if not isinstance(circuit, GrowingCircuit) or circuit.n_splits != len(trace):
        circuit = new_circuit(learner.space)
        for info in trace:
            circuit.apply_split(info.leaf, info.variable, info.value)
    kinds, labels, child_offsets, children, origins = circuit.freeze()
    variables, nodes = places[origins[:, 0]].T
    parameter_origins = np.stack([variables, nodes, origins[:, 1]], axis=1).astype(np.int32)
    parameters = np.empty(len(origins))
    for variable, tree in enumerate(network.trees):
        mine = variables == variable
        parameters[mine] = tree.parameters[nodes[mine], parameter_origins[mine, 2]]
    return Circuit(schema, kinds, labels, child_offsets, children, parameters, parameter_origins)
