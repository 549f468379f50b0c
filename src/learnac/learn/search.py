"""A search under way: the loop of Table 1, its budgets, and what it tells of each step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from learnac.errors import SettingError
from learnac.learn.counts import CountProvider
from learnac.learn.interrupt import Interrupt
from learnac.learn.learner import Learner, never
from learnac.learn.model import StepInfo, Stop
from learnac.learn.schedule import ScoredSplit
from learnac.learn.settings import LearnSettings
from learnac.learn.splits import Split
from learnac.learn.state import Checkpoints, SearchState
from learnac.learn.validation import ValidationTracker

# Halving ends here: a millionth of the price that the search began with.
MOST_HALVINGS = 20


@dataclass(slots=True, kw_only=True)
class Search:
    """A search under way. Changes in place."""

    settings: LearnSettings
    start: float
    deadline: float
    learner: Learner
    validation: CountProvider | None = None
    tracker: ValidationTracker | None = None  # of the validation rows, once the search has begun
    on_step: Callable[[StepInfo], object] | None = None
    checkpoints: Checkpoints[SearchState] = field(default_factory=Checkpoints)
    fingerprint: str = ""
    kept_at: float = field(default_factory=time.monotonic)
    trace: list[StepInfo] = field(default_factory=list)
    n_halvings: int = 0
    first_splits: Sequence[Split] = ()  # of a model whose search goes on
    n_required: int = 0  # splits that were not chosen, but asked for

    def run(self, interrupt: Interrupt) -> Stop:
        settings, learner = self.settings, self.learner
        if self.checkpoints.resumed is not None:
            learner.schedule.replay(self.checkpoints.resumed.costs)
        if self.checkpoints.keep is None:
            learner.schedule.forget_costs()

        def should_stop() -> bool:
            # What was done before is done again, whatever time it took.
            return interrupt.is_set or (time.monotonic() >= self.deadline and not self.is_replaying)

        # Where no split will be chosen, none need be offered.
        self.begin(should_stop if settings.max_splits != 0 else lambda: True)
        try:
            if (stop := self.seed()) is not None:
                return stop
            while True:
                if settings.max_splits is not None and len(self.trace) >= settings.max_splits:
                    return Stop.MAX_SPLITS
                chosen = self.replayed() or learner.best_split(settings.max_edges, should_stop)
                if should_stop():
                    return Stop.INTERRUPTED if interrupt.is_set else Stop.MAX_SECONDS
                if chosen is not None:
                    if (stop := self.step(chosen, should_stop)) is not None:
                        return stop
                elif not self.halve():
                    return Stop.MAX_EDGES if learner.schedule.has_unfitting else Stop.CONVERGED
        except KeyboardInterrupt:  # from the callback, or from a signal that is not ours to hold
            return Stop.INTERRUPTED

    def begin(self, should_stop: Callable[[], bool]) -> None:
        """Counts the leaves of the whole table, in the learner and in the validation rows."""
        self.learner.follower = self.validation
        self.learner.is_seeded |= len(self.first_splits) > 0
        self.learner.begin(should_stop)
        if self.validation is not None:
            self.tracker = ValidationTracker(self.validation, self.learner.space, self.learner.trees)

    def seed(self) -> Stop | None:
        """Lets trees begin with the splits of a model, or with the parents that are required, whatever they cost; why
        learning ends, if it does.
        """
        space, learner = self.learner.space, self.learner
        leaves: dict[int, list[int]] = {child: [child] for child, _ in space.required_arcs}
        stop = None
        for split in self.first_splits:
            stop = self._seed_split(split)[1] or stop
        for child, parent in space.required_arcs:
            split_off: list[int] = []
            rest = leaves[child]
            for value in space.values_to_split_on(parent):
                new_leaves = [self._seed_split(Split(leaf, parent, value)) for leaf in rest]
                *others, rest = ([branches[i] for branches, _ in new_leaves] for i in range(len(new_leaves[0][0])))
                split_off += [leaf for branch in others for leaf in branch]
                stop = next((ending for _, ending in new_leaves if ending is not None), stop)
            leaves[child] = split_off + rest
        learner.is_seeded = False
        self.n_required = len(self.trace)
        most = self.settings.max_edges
        if most is not None and learner.circuit.n_edges > most:
            needed = f"at least {learner.circuit.n_edges}, the edges of a circuit with the {{required_parents}}"
            raise SettingError("max_edges", needed, most)
        return stop

    def _seed_split(self, split: Split) -> tuple[range, Stop | None]:
        learner = self.learner
        n_edges, log_likelihood, first = learner.circuit.n_edges, learner.log_likelihood, learner.trees.n_nodes
        chosen = ScoredSplit(split, 0.0, 0)
        stop = self.step(chosen, never)
        info = self.trace[-1]
        gain = learner.log_likelihood - log_likelihood if math.isfinite(log_likelihood) else 0.0
        self.trace[-1] = replace(info, net_gain=gain, edge_cost=info.n_edges - n_edges)
        return range(first, learner.trees.n_nodes), stop

    def step(self, chosen: ScoredSplit, should_stop: Callable[[], bool]) -> Stop | None:
        """Applies a split and tells everyone; why learning ends, if it does."""
        new_leaves = self.learner.apply(chosen.split, should_stop)
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
        return len(self.trace) if self.tracker is None else max(self.n_required, self.tracker.best_n_splits)

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
        if resumed is None or not self.is_replaying or self.learner.schedule.remembers_costs:
            return None
        info = resumed.trace[len(self.trace)]
        while self.learner.edge_penalty > info.edge_penalty and self.halve():
            pass
        split = Split(info.leaf, info.variable, info.value)
        self.learner.check_offered(split)
        return ScoredSplit(split, info.net_gain, info.edge_cost)

    def keep_state(self) -> None:
        """Hands the state to whoever keeps it, unless it has not yet come back to where it was."""
        if self.checkpoints.keep is None or self.is_replaying:
            return
        costs, seconds = self.learner.schedule.known_costs(), time.monotonic() - self.start
        self.checkpoints.hand_over(SearchState(self.settings, self.fingerprint, tuple(self.trace), costs, seconds))
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
            n_leaves=self.learner.n_leaves,
            log_likelihood=self.learner.log_likelihood / self.learner.counts.weight,
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
