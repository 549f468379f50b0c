"""Mixtures from rows with gaps: a single circuit completes the rows, and a mixture is learned from these."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from learnac.circuit import Mixture, Queryable
from learnac.data import Evidence
from learnac.defaults import MAX_EDGES
from learnac.learn.gaps.completion import completed_by, enough_copies, mean_log_known, weights_of
from learnac.learn.gaps.learn import GapFold, learn_incomplete
from learnac.learn.interrupt import held_interrupt
from learnac.learn.mixture.learn import learn_mixture
from learnac.learn.mixture.settings import MixtureSettings
from learnac.learn.mixture.state import MixtureState
from learnac.learn.model import Gaps, Learned, RoundInfo, StepInfo, Stop
from learnac.learn.parents import Parents
from learnac.learn.settings import LearnSettings
from learnac.learn.state import Checkpoints
from learnac.learn.tables import tenths_of

OnStep = Callable[[StepInfo | RoundInfo], object]

# Of the time that there is: for the single circuit, and until the mixture is learned from all rows.
_CIRCUIT_SHARE, _JUDGED_SHARE = 0.3, 0.6
_SEED = 1000  # and on: others than those of the single circuit


def learn_incomplete_mixture(
    rows: Evidence,
    settings: LearnSettings,
    mixing: MixtureSettings,
    *,
    validation: Evidence | None = None,
    allowed_parents: Parents = None,
    on_step: OnStep | None = None,
    checkpoints: Checkpoints[MixtureState] | None = None,
    n_threads: int = 1,
) -> Learned:
    """A mixture from rows with gaps, taken to be missing at random; with "auto", a single circuit if that does better.

    `learn_incomplete` gives a circuit, which completes the rows; `learn_mixture` learns from these. The mixture and the
    circuit are compared by what is known of held-out rows: those of `validation`, or else of a tenth. In the latter
    case the mixture then completes all rows, and is learned again from these. Learning that is resumed ends with the
    same model: the last mixture goes on where it was, what came before it is done again.
    """
    with held_interrupt():
        start = time.monotonic()
        learner = _Learner(
            rows=rows,
            settings=settings,
            mixing=mixing,
            validation=validation,
            allowed_parents=allowed_parents,
            on_step=on_step,
            checkpoints=checkpoints,
            n_threads=n_threads,
            start=start,
            deadline=np.inf if settings.max_seconds is None else start + settings.max_seconds,
        )
        learned = learner.learn()
    return replace(learned, seconds=time.monotonic() - start)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Learner:
    """All that is given, and the steps from there."""

    rows: Evidence
    settings: LearnSettings
    mixing: MixtureSettings
    validation: Evidence | None
    allowed_parents: Parents
    on_step: OnStep | None
    checkpoints: Checkpoints[MixtureState] | None
    n_threads: int
    start: float
    deadline: float

    def learn(self) -> Learned:
        fold = self.fold()
        alone = learn_incomplete(
            fold.learned,
            self.for_circuit(self.limited(_CIRCUIT_SHARE)),
            validation=fold.judging,
            allowed_parents=self.allowed_parents,
            on_step=self.on_step,
            n_threads=self.n_threads,
        )
        assert alone.gaps is not None
        gaps = self.told(alone.gaps)
        if _is_cut_short(alone):
            return replace(alone, gaps=gaps)
        is_last = self.validation is not None
        found = self.mixture(
            alone.circuit, fold, self.checkpoints if is_last else None, 1.0 if is_last else _JUDGED_SHARE
        )
        if not isinstance(found.model.circuit, Mixture) or (
            self.mixing.is_auto and not self.is_better(found, alone, fold)
        ):
            return replace(self.circuit_of_all_rows(alone), mixing=found.mixing, gaps=gaps)
        if is_last or _is_cut_short(found):
            return replace(found, gaps=gaps)
        again = self.mixture(found.model.circuit, GapFold(self.rows, self.rows), self.checkpoints, 1.0)
        # One that was cut short need not be better.
        return replace(replace(found, stop=again.stop) if _is_cut_short(again) else again, gaps=gaps)

    def fold(self) -> GapFold:
        """Rows to learn from, and rows to judge by."""
        if self.validation is not None:
            return GapFold(self.rows, self.validation)
        tenths = tenths_of(weights_of(self.rows), least_rows=2)
        if tenths is None:
            return GapFold(self.rows, self.rows)
        kept, tenth = next(tenths)
        return GapFold(self.rows.rows(kept), self.rows.rows(tenth))

    def mixture(
        self, asked: Queryable, fold: GapFold, checkpoints: Checkpoints[MixtureState] | None, share: float
    ) -> Learned:
        """A mixture of rows as a model completes them; of all rows, it holds out some by itself."""
        judges_itself = fold.judging is fold.learned
        # Of a row that is there twice, one could be held out and the other not.
        n_copies = 1 if judges_itself else enough_copies(self.rows)
        parts = [
            completed_by(asked, part, n_copies, _SEED + place, self.n_threads).rows
            for place, part in enumerate(fold[:1] if judges_itself else fold)
        ]
        return learn_mixture(
            parts[0],
            self.limited(share),
            self.mixing,
            validation=None if judges_itself else parts[1],
            allowed_parents=self.allowed_parents,
            on_step=self.on_step,
            checkpoints=checkpoints,
            n_threads=self.n_threads,
        )

    def is_better(self, found: Learned, alone: Learned, fold: GapFold) -> bool:
        """Whether what is known of the rows that judge is more likely by the mixture."""
        of_mixture = mean_log_known(found.model.require_circuit(), None, fold.judging, self.n_threads)
        return of_mixture > mean_log_known(alone.circuit, alone.network, fold.judging, self.n_threads)

    def circuit_of_all_rows(self, alone: Learned) -> Learned:
        if self.validation is not None:
            return alone
        return learn_incomplete(
            self.rows,
            self.for_circuit(self.limited(1.0)),
            allowed_parents=self.allowed_parents,
            on_step=self.on_step,
            n_threads=self.n_threads,
        )

    def for_circuit(self, settings: LearnSettings) -> LearnSettings:
        """A budget for all components may be more than a single circuit has by default."""
        is_large = settings.edge_penalty is None and settings.max_edges is not None and settings.max_edges > MAX_EDGES
        return replace(settings, max_edges=None) if is_large else settings

    def limited(self, share: float) -> LearnSettings:
        """Settings with the time that is left until a share of it is used."""
        if np.isinf(self.deadline):
            return self.settings
        end = self.start + share * (self.deadline - self.start)
        return replace(self.settings, max_seconds=max(0.0, end - time.monotonic()))

    def told(self, gaps: Gaps) -> Gaps:
        n_missing, n_values = int(np.count_nonzero(self.rows.codes < 0)), int(self.rows.codes.size)
        return replace(gaps, n_missing=n_missing, n_values=n_values)


def _is_cut_short(learned: Learned) -> bool:
    return learned.stop in (Stop.INTERRUPTED, Stop.CALLBACK)
