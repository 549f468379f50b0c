"""From counts to a model: a circuit, or a network alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from learnac.data import Schema
from learnac.learn.counts import CountProvider
from learnac.learn.freeze import FrozenNetwork, freeze_learned, freeze_network, judged_by
from learnac.learn.interrupt import Interrupt, held_interrupt
from learnac.learn.learner import Learner, circuit_learner, network_learner, new_circuit
from learnac.learn.limits import require_room
from learnac.learn.model import Learned, StepInfo, Stop
from learnac.learn.parents import Parents, as_rules
from learnac.learn.search import Search
from learnac.learn.settings import LearnSettings
from learnac.learn.smoothing import Judged
from learnac.learn.splits import Split, SplitKind, SplitSpace
from learnac.learn.state import Checkpoints, SearchState, fingerprint_of
from learnac.model import Model

MakeLearner = Callable[[SplitSpace, CountProvider, LearnSettings], Learner]


class Fold(NamedTuple):
    """Some of the rows, and the others, which say how well what was learned from the first does."""

    counts: CountProvider
    held_out: CountProvider


def learn(
    schema: Schema,
    counts: CountProvider,
    settings: LearnSettings,
    *,
    validation: CountProvider | None = None,
    folds: Iterable[Fold] | None = None,
    allowed_parents: Parents = None,
    on_step: Callable[[StepInfo], object] | None = None,
    checkpoints: Checkpoints[SearchState] | None = None,
    first_splits: Sequence[Split] = (),
) -> Learned:
    """Learns a circuit from counts. Ctrl-C ends the search, not the work done: the model so far is returned.

    The rows of `validation` say how many splits are kept, and how much to smooth if the settings leave that open.
    Without it, `folds` of the same rows do: the search is done again for each fold, without its held-out rows. Folds
    are asked for one by one, when they are needed. `on_step` is called after each split; learning ends when it returns
    True. A search that is resumed ends with the model that it would have had without the interruption. One with
    `first_splits` begins with these, whatever they gain and cost.
    """
    require_room(schema)
    space = split_space(schema, settings, allowed_parents)
    settings = settings.for_circuit(new_circuit(space).n_edges)
    checkpoints = checkpoints or Checkpoints()
    fingerprint = ""
    if checkpoints.is_used:
        fingerprint = fingerprint_of(schema, [counts, validation], space)
    if checkpoints.resumed is not None:
        checkpoints.resumed.check_fits(settings, fingerprint)
    start = time.monotonic() - (checkpoints.resumed.seconds if checkpoints.resumed else 0)
    folds = _used(folds, settings, validation)
    with held_interrupt() as interrupt:
        search = Search(
            learner=circuit_learner(space, counts, settings, is_replayed=checkpoints.resumed is not None),
            validation=validation,
            settings=settings,
            start=start,
            deadline=_deadline(start, settings, share=1.0 if folds is None else 0.5),
            on_step=on_step,
            checkpoints=checkpoints,
            fingerprint=fingerprint,
            first_splits=first_splits,
        )
        stop = search.run(interrupt)
        search.keep_state()
        if stop is Stop.INTERRUPTED and search.is_replaying:
            raise KeyboardInterrupt  # The state that was kept has more than this.
        judged, stop = _over_folds(search, stop, circuit_learner, folds, interrupt)
        frozen = freeze_network(search, schema, judged)
        circuit = freeze_learned(search.learner, frozen, search.trace[: frozen.n_splits])
    return _learned(search, Model(circuit, frozen.network), frozen, Stop.INTERRUPTED if interrupt.is_set else stop)


def learn_sizes(
    schema: Schema,
    counts: CountProvider,
    settings: LearnSettings,
    sizes: Sequence[int],
    *,
    validation: CountProvider,
    allowed_parents: Parents = None,
    on_step: Callable[[StepInfo], object] | None = None,
) -> list[Learned]:
    """Circuits of at most so many edges, one for each of the sizes, which ascend: all from one search for the largest.

    Each has as many of the splits as fit, and suit the validation rows. Sizes beyond the first that has all splits are
    left out.
    """
    require_room(schema)
    space = split_space(schema, settings, allowed_parents)
    settings = replace(settings, max_edges=sizes[-1]).for_circuit(new_circuit(space).n_edges)
    start = time.monotonic()
    with held_interrupt() as interrupt:
        search = Search(
            learner=circuit_learner(space, counts, settings),
            validation=validation,
            settings=settings,
            start=start,
            deadline=_deadline(start, settings),
            on_step=on_step,
        )
        stop = search.run(interrupt)
        found = []
        for size in sizes:
            n_fitting = next((i for i, info in enumerate(search.trace) if info.n_edges > size), len(search.trace))
            has_all = n_fitting == len(search.trace)
            frozen = freeze_network(search, schema, most_splits=n_fitting)
            circuit = freeze_learned(search.learner, frozen, search.trace[: frozen.n_splits])
            model = Model(circuit, frozen.network)
            found.append(_learned(search, model, frozen, stop if has_all else Stop.MAX_EDGES))
            if has_all:
                break
    return found


def learn_network(
    schema: Schema,
    counts: CountProvider,
    settings: LearnSettings,
    *,
    validation: CountProvider | None = None,
    folds: Iterable[Fold] | None = None,
    allowed_parents: Parents = None,
    on_step: Callable[[StepInfo], object] | None = None,
) -> Learned:
    """Learns a network of tree CPDs alone, as if edges cost nothing: what circuits are to be compared with.

    The split with the largest gain that closes no cycle, again and again. No circuit is made, and exact inference may
    be out of reach; complete rows can be scored, and `infer.gibbs` can sample. The edge penalty and the schedule have
    no say.
    """
    if settings.max_edges is not None:
        raise ValueError(f"max_edges: a network alone has no edges of a circuit, found {settings.max_edges}")
    space = split_space(schema, settings, allowed_parents)
    start = time.monotonic()
    folds = _used(folds, settings, validation)
    deadline = _deadline(start, settings, share=1.0 if folds is None else 0.5)
    with held_interrupt() as interrupt:
        search = Search(
            learner=network_learner(space, counts, settings),
            validation=validation,
            settings=settings,
            start=start,
            deadline=deadline,
            on_step=on_step,
        )
        stop = search.run(interrupt)
        judged, stop = _over_folds(search, stop, network_learner, folds, interrupt)
        frozen = freeze_network(search, schema, judged)
    return _learned(search, Model(network=frozen.network), frozen, Stop.INTERRUPTED if interrupt.is_set else stop)


def _used(
    folds: Iterable[Fold] | None, settings: LearnSettings, validation: CountProvider | None
) -> Iterable[Fold] | None:
    """The folds, if they have something to say."""
    return folds if settings.chooses_smoothing and validation is None else None


def _over_folds(
    search: Search, stop: Stop, make_learner: MakeLearner, folds: Iterable[Fold] | None, interrupt: Interrupt
) -> tuple[list[Judged], Stop]:
    """What the same search finds without the held-out rows of each fold, nothing if one is cut short; and why
    learning ended, which is for another reason than the search if Ctrl-C came while the folds were searched.
    """
    found: list[Judged] = []
    if stop is Stop.INTERRUPTED:
        return found, stop
    search.learner.schedule.drop_candidates()  # A fold needs room for as many.
    if time.monotonic() >= _deadline(search.start, search.settings):
        return found, stop
    for fold in folds or ():
        again = _search_again(search, make_learner, fold)
        ending = again.run(interrupt)
        if ending is Stop.INTERRUPTED:
            return [], ending
        if ending is Stop.MAX_SECONDS:
            return [], stop
        found.append(judged_by(again))
    return found, stop


def _search_again(search: Search, make_learner: MakeLearner, fold: Fold) -> Search:
    """A search of as many splits in one fold."""
    settings = replace(search.settings, max_splits=len(search.trace))
    return Search(
        learner=make_learner(search.learner.space, fold.counts, settings),
        validation=fold.held_out,
        settings=settings,
        start=search.start,
        deadline=_deadline(search.start, settings),
        first_splits=search.first_splits,
    )


def _deadline(start: float, settings: LearnSettings, share: float = 1.0) -> float:
    return float("inf") if settings.max_seconds is None else start + share * settings.max_seconds


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
        n_passes=search.learner.counts.n_passes,
    )


def split_space(schema: Schema, settings: LearnSettings, allowed_parents: Parents) -> SplitSpace:
    rules = as_rules(allowed_parents)
    arcs = rules.required_arcs(schema)
    required = tuple((child, parent) for child, parents in arcs.items() for parent in parents)
    kind = SplitKind(settings.splits)
    return SplitSpace(schema.arities.astype(np.int64), kind, rules.masks(schema), required, schema.ordered)
