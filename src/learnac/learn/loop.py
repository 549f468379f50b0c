"""The loop of Table 1, with its budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac._core import GrowingCircuit
from learnac.circuit import Circuit
from learnac.data import Dataset, Schema
from learnac.learn.counts import CountProvider, in_memory
from learnac.learn.learner import Learner, ScoredSplit, new_circuit
from learnac.learn.settings import LearnSettings, allowed_parent_masks
from learnac.learn.splits import SplitKind, SplitSpace
from learnac.learn.validation import ValidationTracker
from learnac.network import BayesNet

# Halving ends here: a millionth of the price that the search began with.
MOST_HALVINGS = 20


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
    stop: Stop
    n_candidates: int
    n_evaluations: int
    n_visits: int
    seconds: float


def learn(
    dataset: Dataset,
    settings: LearnSettings,
    *,
    validation: Dataset | None = None,
    sample_weight: NDArray[np.float64] | None = None,
    allowed_parents: Mapping[Any, Iterable[Any]] | None = None,
    on_step: Callable[[StepInfo], object] | None = None,
    counts: CountProvider | None = None,
) -> LearnedModel:
    """Learns a circuit from a table. Ctrl-C ends the search, not the work done: the model so far is returned.

    `on_step` is called after each split; learning ends when it returns True.
    """
    start = time.monotonic()
    masks = allowed_parent_masks(dataset.schema, allowed_parents)
    space = SplitSpace(dataset.arities.astype(np.int64), SplitKind(settings.splits), masks)
    check_edge_budget(space, settings.max_edges)
    weight = dataset.n_rows if sample_weight is None else float(sample_weight.sum())
    learner = Learner(space, in_memory(dataset, sample_weight) if counts is None else counts, settings)
    tracker = None if validation is None else ValidationTracker(validation, learner.trees, learner.score)
    trace: list[StepInfo] = []

    def step(chosen: ScoredSplit) -> Stop | None:
        new_leaves = learner.apply(chosen.split)
        if tracker is not None:
            tracker.split(chosen.split, new_leaves)
        info = StepInfo(
            n_splits=len(trace) + 1,
            leaf=chosen.split.leaf,
            variable=chosen.split.variable,
            value=chosen.split.value,
            net_gain=chosen.net_gain,
            edge_cost=chosen.edge_cost,
            edge_penalty=learner.edge_penalty,
            n_edges=learner.circuit.n_edges,
            n_leaves=learner.trees.n_leaves,
            log_likelihood=learner.log_likelihood / weight,
            validation_log_likelihood=None if tracker is None else tracker.log_likelihood,
            seconds=time.monotonic() - start,
        )
        trace.append(info)
        if on_step is not None and on_step(info) is True:
            return Stop.CALLBACK
        if tracker is not None and settings.patience is not None and tracker.n_splits_since_best >= settings.patience:
            return Stop.PATIENCE
        return None

    stop = _run(learner, settings, start, trace, step)
    n_splits = len(trace) if tracker is None else tracker.best_n_splits
    circuit, network = _freeze(learner, dataset.schema, trace, n_splits)
    schedule = learner.schedule
    return LearnedModel(
        circuit=circuit,
        network=network,
        trace=tuple(trace),
        n_splits=n_splits,
        stop=stop,
        n_candidates=schedule.n_candidates,
        n_evaluations=schedule.n_evaluations,
        n_visits=schedule.n_visits,
        seconds=time.monotonic() - start,
    )


def _run(
    learner: Learner,
    settings: LearnSettings,
    start: float,
    trace: list[StepInfo],
    step: Callable[[ScoredSplit], Stop | None],
) -> Stop:
    deadline = float("inf") if settings.max_seconds is None else start + settings.max_seconds
    n_halvings = 0
    try:
        while True:
            if settings.max_splits is not None and len(trace) >= settings.max_splits:
                return Stop.MAX_SPLITS
            chosen = learner.best_split(settings.max_edges, deadline - time.monotonic())
            if time.monotonic() >= deadline:
                return Stop.MAX_SECONDS
            if chosen is not None:
                if (stop := step(chosen)) is not None:
                    return stop
            elif settings.halve_edge_penalty and n_halvings < MOST_HALVINGS:
                n_halvings += 1
                learner.set_edge_penalty(learner.edge_penalty / 2)
            else:
                return Stop.CONVERGED if settings.max_edges is None else Stop.MAX_EDGES
    except KeyboardInterrupt:
        return Stop.INTERRUPTED


def check_edge_budget(space: SplitSpace, max_edges: int | None) -> None:
    initial = new_circuit(space).n_edges
    if max_edges is not None and max_edges < initial:
        raise ValueError(
            f"max_edges: expected at least {initial}, the edges of the initial circuit, found {max_edges}"
        )


def _freeze(
    learner: Learner, schema: Schema, trace: list[StepInfo], n_splits: int
) -> tuple[Circuit, BayesNet]:
    """The model after the first n_splits. A shorter prefix is applied again to a new circuit: no search, so little work."""
    circuit: GrowingCircuit = learner.circuit
    if n_splits < len(trace):
        circuit = new_circuit(learner.space)
        for info in trace[:n_splits]:
            circuit.apply_split(info.leaf, info.variable, info.value)
    network, places = learner.trees.freeze(schema, learner.score, circuit.n_leaves)
    kinds, labels, child_offsets, children, origins = circuit.freeze()
    variables, nodes = places[origins[:, 0]].T
    parameter_origins = np.stack([variables, nodes, origins[:, 1]], axis=1).astype(np.int32)
    parameters = np.empty(len(origins))
    for variable, tree in enumerate(network.trees):
        mine = variables == variable
        parameters[mine] = tree.parameters[nodes[mine], parameter_origins[mine, 2]]
    return Circuit(schema, kinds, labels, child_offsets, children, parameters, parameter_origins), network
