"""From counts to a model: a circuit, or a network alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from learnac.data import Schema
from learnac.learn.counts import CountProvider
from learnac.learn.freeze import FrozenNetwork, freeze_learned, freeze_network
from learnac.learn.interrupt import held_interrupt
from learnac.learn.learner import Learner, circuit_learner, network_learner, new_circuit
from learnac.learn.model import Learned, StepInfo, Stop
from learnac.learn.search import Search
from learnac.learn.settings import LearnSettings, allowed_parent_masks
from learnac.learn.splits import SplitKind, SplitSpace
from learnac.learn.state import Checkpoints, fingerprint_of
from learnac.learn.validation import ValidationTracker
from learnac.model import Model


def learn(
    schema: Schema,
    counts: CountProvider,
    settings: LearnSettings,
    *,
    validation: CountProvider | None = None,
    held_out: CountProvider | None = None,
    allowed_parents: Mapping[Any, Iterable[Any]] | None = None,
    on_step: Callable[[StepInfo], object] | None = None,
    checkpoints: Checkpoints | None = None,
) -> Learned:
    """Learns a circuit from counts. Ctrl-C ends the search, not the work done: the model so far is returned.

    `validation`, or `held_out`, counts rows that no split is chosen by: they say how many splits are kept, and how much
    to smooth if the settings leave that open. What was held out counts towards the parameters in the end; validation
    rows do not. `on_step` is called after each split; learning ends when it returns True. A search that is resumed
    ends with the model that it would have had without the interruption.
    """
    space = _space(schema, settings, allowed_parents)
    settings = settings.for_circuit(new_circuit(space).n_edges)
    checkpoints = checkpoints or Checkpoints()
    fingerprint = ""
    if checkpoints.is_used:
        fingerprint = fingerprint_of(schema, [counts, validation, held_out], space.allowed_bytes)
    if checkpoints.resumed is not None:
        checkpoints.resumed.check_fits(settings, fingerprint)
    start = time.monotonic() - (checkpoints.resumed.seconds if checkpoints.resumed else 0)
    with held_interrupt() as interrupt:
        learner = circuit_learner(space, counts, settings)
        search = Search(
            settings=settings,
            start=start,
            learner=learner,
            tracker=_tracker(learner, validation, held_out),
            on_step=on_step,
            checkpoints=checkpoints,
            fingerprint=fingerprint,
        )
        stop = search.run(interrupt)
        search.keep_state()
        if stop is Stop.INTERRUPTED and search.is_replaying:
            raise KeyboardInterrupt  # The state that was kept has more than this.
        frozen = freeze_network(search, schema, fills=held_out is not None)
        circuit = freeze_learned(learner, frozen, search.trace[: frozen.n_splits])
    return _learned(search, Model(circuit, frozen.network), frozen, stop)


def learn_network(
    schema: Schema,
    counts: CountProvider,
    settings: LearnSettings,
    *,
    validation: CountProvider | None = None,
    held_out: CountProvider | None = None,
    allowed_parents: Mapping[Any, Iterable[Any]] | None = None,
    on_step: Callable[[StepInfo], object] | None = None,
) -> Learned:
    """Learns a network of tree CPDs alone, as if edges cost nothing: what circuits are to be compared with.

    The split with the largest gain that closes no cycle, again and again. No circuit is made, and exact inference may
    be out of reach; complete rows can be scored, and `infer.gibbs` can sample. The edge penalty and the schedule have
    no say.
    """
    if settings.max_edges is not None:
        raise ValueError(f"max_edges: a network alone has no edges of a circuit, found {settings.max_edges}")
    start = time.monotonic()
    space = _space(schema, settings, allowed_parents)
    with held_interrupt() as interrupt:
        learner = network_learner(space, counts, settings)
        tracker = _tracker(learner, validation, held_out)
        search = Search(settings=settings, start=start, learner=learner, tracker=tracker, on_step=on_step)
        stop = search.run(interrupt)
        frozen = freeze_network(search, schema, fills=held_out is not None)
    return _learned(search, Model(network=frozen.network), frozen, stop)


def _learned(search: Search, model: Model, frozen: FrozenNetwork, stop: Stop) -> Learned:
    schedule = search.learner.schedule
    return Learned(
        model=model,
        trace=tuple(search.trace),
        n_splits=frozen.n_splits,
        smoothing=frozen.smoothing,
        stop=stop,
        n_candidates=schedule.n_candidates,
        n_evaluations=schedule.n_evaluations,
        n_visits=schedule.n_visits,
        seconds=time.monotonic() - search.start,
    )


def _tracker(
    learner: Learner, validation: CountProvider | None, held_out: CountProvider | None
) -> ValidationTracker | None:
    assert validation is None or held_out is None
    judge = held_out if validation is None else validation
    return None if judge is None else ValidationTracker(judge, learner.space, learner.trees)


def _space(schema: Schema, settings: LearnSettings, allowed_parents: Mapping[Any, Iterable[Any]] | None) -> SplitSpace:
    masks = allowed_parent_masks(schema, allowed_parents)
    return SplitSpace(schema.arities.astype(np.int64), SplitKind(settings.splits), masks)
