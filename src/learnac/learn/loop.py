"""From a table to a model: a circuit, or a network alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.data import Dataset
from learnac.learn.counts import CountProvider, in_memory
from learnac.learn.interrupt import held_interrupt
from learnac.learn.learner import circuit_learner, network_learner, new_circuit
from learnac.learn.model import Learned, StepInfo, Stop, freeze, freeze_network
from learnac.learn.search import Search
from learnac.learn.settings import LearnSettings, allowed_parent_masks
from learnac.learn.splits import SplitKind, SplitSpace
from learnac.learn.state import Checkpoints, fingerprint_of
from learnac.model import Model


def learn(
    dataset: Dataset,
    settings: LearnSettings,
    *,
    validation: Dataset | None = None,
    sample_weight: NDArray[np.float64] | None = None,
    allowed_parents: Mapping[Any, Iterable[Any]] | None = None,
    on_step: Callable[[StepInfo], object] | None = None,
    counts: CountProvider | None = None,
    checkpoints: Checkpoints | None = None,
) -> Learned:
    """Learns a circuit from a table. Ctrl-C ends the search, not the work done: the model so far is returned.

    `on_step` is called after each split; learning ends when it returns True. `counts` may come from elsewhere than
    the table, which then only says what the variables are. A search that is resumed ends with the model that it would
    have had without the interruption.
    """
    space, masks = _space(dataset, settings, allowed_parents)
    settings = settings.for_circuit(new_circuit(space).n_edges)
    checkpoints = checkpoints or Checkpoints()
    fingerprint = fingerprint_of(dataset, validation, sample_weight, masks)
    if checkpoints.resumed is not None:
        checkpoints.resumed.check_fits(settings, fingerprint)
    start = time.monotonic() - (checkpoints.resumed.seconds if checkpoints.resumed else 0)
    with held_interrupt() as interrupt:
        learner = circuit_learner(space, in_memory(dataset, sample_weight) if counts is None else counts, settings)
        search = Search.of(learner, settings, start, dataset.n_rows, validation, sample_weight, on_step)
        search.checkpoints, search.fingerprint = checkpoints, fingerprint
        stop = search.run(interrupt)
        search.keep_state()
        if stop is Stop.INTERRUPTED and search.is_replaying:
            raise KeyboardInterrupt  # The state that was kept has more than this.
        model = freeze(learner, dataset.schema, search.trace, search.n_best)
    return Learned(
        model=model,
        trace=tuple(search.trace),
        n_splits=search.n_best,
        stop=stop,
        n_candidates=learner.schedule.n_candidates,
        n_evaluations=learner.schedule.n_evaluations,
        n_visits=learner.schedule.n_visits,
        seconds=time.monotonic() - start,
    )


def learn_network(
    dataset: Dataset,
    settings: LearnSettings,
    *,
    validation: Dataset | None = None,
    sample_weight: NDArray[np.float64] | None = None,
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
    space, _ = _space(dataset, settings, allowed_parents)
    with held_interrupt() as interrupt:
        learner = network_learner(space, in_memory(dataset, sample_weight), settings)
        search = Search.of(learner, settings, start, dataset.n_rows, validation, sample_weight, on_step)
        stop = search.run(interrupt)
        network, _ = freeze_network(learner, dataset.schema, search.trace[: search.n_best])
    return Learned(
        model=Model(network=network),
        trace=tuple(search.trace),
        n_splits=search.n_best,
        stop=stop,
        n_candidates=learner.schedule.n_candidates,
        n_evaluations=learner.schedule.n_evaluations,
        n_visits=learner.schedule.n_visits,
        seconds=time.monotonic() - start,
    )


def _space(
    dataset: Dataset, settings: LearnSettings, allowed_parents: Mapping[Any, Iterable[Any]] | None
) -> tuple[SplitSpace, tuple[NDArray[np.bool_], ...] | None]:
    masks = allowed_parent_masks(dataset.schema, allowed_parents)
    return SplitSpace(dataset.arities.astype(np.int64), SplitKind(settings.splits), masks), masks
