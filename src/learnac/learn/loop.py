"""The loop of Table 1, with its budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.data import Dataset
from learnac.learn.counts import CountProvider, in_memory
from learnac.learn.interrupt import Interrupt, held_interrupt
from learnac.learn.learner import Learner, ScoredSplit, new_circuit
from learnac.learn.model import LearnedModel, LearnedNetwork, StepInfo, Stop, freeze, freeze_network
from learnac.learn.settings import LearnSettings, allowed_parent_masks
from learnac.learn.splits import Split, SplitKind, SplitSpace
from learnac.learn.state import Checkpoints, SearchState, fingerprint_of
from learnac.learn.validation import ValidationTracker

# Halving ends here: a millionth of the price that the search began with.
MOST_HALVINGS = 20


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
) -> LearnedModel:
    """Learns a circuit from a table. Ctrl-C ends the search, not the work done: the model so far is returned.

    `on_step` is called after each split; learning ends when it returns True. `counts` may come from elsewhere than
    the table, which then only says what the variables are. A search that is resumed ends with the model that it would
    have had without the interruption.
    """
    space, masks = _space(dataset, settings, allowed_parents)
    _check_edge_budget(space, settings.max_edges)
    checkpoints = checkpoints or Checkpoints()
    fingerprint = fingerprint_of(dataset, validation, sample_weight, masks)
    if checkpoints.resumed is not None:
        checkpoints.resumed.check_fits(settings, fingerprint)
    start = time.monotonic() - (checkpoints.resumed.seconds if checkpoints.resumed else 0)
    with held_interrupt() as interrupt:
        learner = Learner(space, in_memory(dataset, sample_weight) if counts is None else counts, settings)
        search = _Search(
            settings=settings,
            start=start,
            total_weight=_total_weight(dataset, sample_weight),
            learner=learner,
            tracker=None if validation is None else ValidationTracker(validation, learner.trees),
            on_step=on_step,
            checkpoints=checkpoints,
            fingerprint=fingerprint,
        )
        stop = search.run(interrupt)
        search.keep_state()
        if stop is Stop.INTERRUPTED and search.is_replaying:
            raise KeyboardInterrupt  # The state that was kept has more than this.
        circuit, network = freeze(learner, dataset.schema, search.trace, search.n_best)
    return LearnedModel(
        circuit=circuit,
        network=network,
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
) -> LearnedNetwork:
    """Learns a network of tree CPDs alone, as if edges cost nothing: what circuits are to be compared with.

    The split with the largest gain that closes no cycle, again and again. No circuit is made, and exact inference may
    be out of reach; complete rows can be scored, and `infer.Gibbs` can sample. The edge penalty and the schedule have
    no say.
    """
    if settings.max_edges is not None:
        raise ValueError(f"max_edges: a network alone has no edges of a circuit, found {settings.max_edges}")
    start = time.monotonic()
    space, _ = _space(dataset, settings, allowed_parents)
    with held_interrupt() as interrupt:
        learner = Learner(space, in_memory(dataset, sample_weight), settings, has_circuit=False)
        search = _Search(
            settings=settings,
            start=start,
            total_weight=_total_weight(dataset, sample_weight),
            learner=learner,
            tracker=None if validation is None else ValidationTracker(validation, learner.trees),
            on_step=on_step,
            checkpoints=Checkpoints(),
            fingerprint="",
        )
        stop = search.run(interrupt)
        network, _ = freeze_network(learner, dataset.schema, search.trace[: search.n_best])
    return LearnedNetwork(
        network=network,
        trace=tuple(search.trace),
        n_splits=search.n_best,
        stop=stop,
        n_candidates=learner.schedule.n_candidates,
        seconds=time.monotonic() - start,
    )


@dataclass(slots=True, kw_only=True)
class _Search:
    """A search under way. Changes in place."""

    settings: LearnSettings
    start: float
    total_weight: float
    learner: Learner
    tracker: ValidationTracker | None
    on_step: Callable[[StepInfo], object] | None
    checkpoints: Checkpoints
    fingerprint: str
    kept_at: float = field(default_factory=time.monotonic)
    trace: list[StepInfo] = field(default_factory=list)
    n_halvings: int = 0

    def run(self, interrupt: Interrupt) -> Stop:
        settings, learner = self.settings, self.learner
        if self.checkpoints.resumed is not None:
            learner.replay_costs(self.checkpoints.resumed.costs)
        deadline = float("inf") if settings.max_seconds is None else self.start + settings.max_seconds

        def should_stop() -> bool:
            # What was done before is done again, whatever time it took.
            return interrupt.is_set or (time.monotonic() >= deadline and not self.is_replaying)

        try:
            while True:
                if settings.max_splits is not None and len(self.trace) >= settings.max_splits:
                    return Stop.MAX_SPLITS
                chosen = self.replayed() or learner.best_split(settings.max_edges, should_stop)
                if should_stop():
                    return Stop.INTERRUPTED if interrupt.is_set else Stop.MAX_SECONDS
                if chosen is not None:
                    if (stop := self.step(chosen)) is not None:
                        return stop
                elif not self.halve():
                    return Stop.MAX_EDGES if learner.schedule.has_unfitting else Stop.CONVERGED
        except KeyboardInterrupt:  # from the callback, or from a signal that is not ours to hold
            return Stop.INTERRUPTED

    def step(self, chosen: ScoredSplit) -> Stop | None:
        """Applies a split and tells everyone; why learning ends, if it does."""
        new_leaves = self.learner.apply(chosen.split)
        if self.tracker is not None:
            self.tracker.split(chosen.split, new_leaves)
        info = self.describe(chosen)
        self.trace.append(info)
        if time.monotonic() - self.kept_at >= self.checkpoints.every_seconds:
            self.keep_state()
        if self.on_step is not None and self.on_step(info) is True:
            return Stop.CALLBACK
        patience = self.settings.patience
        if self.tracker is not None and patience is not None and self.tracker.n_splits_since_best >= patience:
            return Stop.PATIENCE
        return None

    @property
    def n_best(self) -> int:
        """How many of the splits the model has: all, or as many as are best on the validation table."""
        return len(self.trace) if self.tracker is None else self.tracker.best_n_splits

    @property
    def is_replaying(self) -> bool:
        """Whether a search that is taken up again has not yet come back to where it was."""
        resumed = self.checkpoints.resumed
        return resumed is not None and len(self.trace) < len(resumed.trace)

    def replayed(self) -> ScoredSplit | None:
        """The next split of a search that is taken up again, if the schedule's choices do not depend on its past.

        AC-Quick's do: it chooses again, by the costs that it saw.
        """
        resumed = self.checkpoints.resumed
        if resumed is None or not self.is_replaying or not self.learner.forgets_costs:
            return None
        info = resumed.trace[len(self.trace)]
        while self.learner.edge_penalty > info.edge_penalty and self.halve():
            pass
        return ScoredSplit(Split(info.leaf, info.variable, info.value), info.net_gain, info.edge_cost)

    def keep_state(self) -> None:
        """Hands the state to whoever keeps it, unless it has not yet come back to where it was."""
        if self.checkpoints.keep is None or self.is_replaying:
            return
        costs, seconds = self.learner.known_costs(), time.monotonic() - self.start
        self.checkpoints.keep(SearchState(self.settings, self.fingerprint, tuple(self.trace), costs, seconds))
        self.kept_at = time.monotonic()

    def describe(self, chosen: ScoredSplit) -> StepInfo:
        return StepInfo(
            n_splits=len(self.trace) + 1,
            leaf=chosen.split.leaf,
            variable=chosen.split.variable,
            value=chosen.split.value,
            net_gain=chosen.net_gain,
            edge_cost=chosen.edge_cost,
            edge_penalty=self.learner.edge_penalty,
            n_edges=self.learner.circuit.n_edges,
            n_leaves=self.learner.trees.n_leaves,
            log_likelihood=self.learner.log_likelihood / self.total_weight,
            validation_log_likelihood=None if self.tracker is None else self.tracker.log_likelihood,
            seconds=time.monotonic() - self.start,
        )

    def halve(self) -> bool:
        """Halves the edge penalty, if that is wanted and not yet done often enough."""
        if not self.settings.halve_edge_penalty or self.n_halvings >= MOST_HALVINGS:
            return False
        self.n_halvings += 1
        self.learner.set_edge_penalty(self.learner.edge_penalty / 2)
        return True


def _space(
    dataset: Dataset, settings: LearnSettings, allowed_parents: Mapping[Any, Iterable[Any]] | None
) -> tuple[SplitSpace, tuple[NDArray[np.bool_], ...] | None]:
    masks = allowed_parent_masks(dataset.schema, allowed_parents)
    return SplitSpace(dataset.arities.astype(np.int64), SplitKind(settings.splits), masks), masks


def _total_weight(dataset: Dataset, sample_weight: NDArray[np.float64] | None) -> float:
    return dataset.n_rows if sample_weight is None else float(sample_weight.sum())


def _check_edge_budget(space: SplitSpace, max_edges: int | None) -> None:
    initial = new_circuit(space).n_edges
    if max_edges is not None and max_edges < initial:
        raise ValueError(f"max_edges: expected at least {initial}, the edges of the initial circuit, found {max_edges}")
