"""From rows with gaps to a model: structures from completed rows, parameters from expected counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from learnac.circuit import Circuit
from learnac.data import Evidence
from learnac.errors import DataError
from learnac.learn.counts import TableCounts
from learnac.learn.gaps.completion import (
    Completed,
    completed_by,
    completed_by_columns,
    enough_copies,
    mean_log_known,
    weights_of,
)
from learnac.learn.gaps.rounds import Fitted, IncompleteRows, ParameterRounds
from learnac.learn.interrupt import Interrupt, held_interrupt
from learnac.learn.learner import new_circuit
from learnac.learn.loop import Fold, learn, split_space
from learnac.learn.model import Gaps, Learned, RoundInfo, StepInfo, Stop
from learnac.learn.parents import Parents
from learnac.learn.settings import LearnSettings
from learnac.learn.splits import SplitSpace
from learnac.learn.state import Checkpoints, SearchState, check_same_settings, fingerprint_of
from learnac.learn.tables import Rows, tenths_of
from learnac.model import Model

OnStep = Callable[[StepInfo | RoundInfo], object]

MOST_STRUCTURES = 3
"""Structures that are learned one after the other, each from rows that the model before completed."""

# Of the edges that there may be, what the structures before the last have: the first only complete rows for the next.
_BUDGET_SHARES = (1 / 4, 1 / 2, 1.0)
_LEAST_TIMES = 4  # the edges of the initial circuit
# Rounds of EM, and what one must gain per row: between structures, and for the last.
_FEW_ROUNDS, _FEW_TOLERANCE = 3, 1e-3
_MOST_ROUNDS, _TOLERANCE = 20, 1e-4
# More tenths are held out, one after the other, of tables of at most so many values.
_VALUES_FOR_FOLDS = 500_000
# Of the time that there is: for one search, and until all rows are learned from.
_SEARCH_SHARE, _JUDGED_SHARE = 0.4, 0.6


def learn_incomplete(
    rows: Evidence,
    settings: LearnSettings,
    *,
    validation: Evidence | None = None,
    allowed_parents: Parents = None,
    on_step: OnStep | None = None,
    checkpoints: Checkpoints[SearchState] | None = None,
    n_threads: int = 1,
) -> Learned:
    """Learns a circuit from rows with gaps, taken to be missing at random. Rows may have weights.

    Gaps are filled with what is known of their columns, and a structure is learned from the completed rows. Then its
    parameters are fitted to what is known alone, by EM. The circuit completes the rows again, for the next structure. A
    structure is kept if what is known of held-out rows, those of `validation` or else a tenth, is more likely by it.
    Without a validation table, one more is then learned from all rows. Ctrl-C and `on_step` end learning as in `learn`:
    the best model so far is returned. A search that is resumed ends with the same model; what came before it is done
    again.
    """
    with held_interrupt() as interrupt:
        start = time.monotonic()
        space = split_space(rows.schema, settings, allowed_parents)
        learner = _Learner(
            rows=rows,
            settings=settings,
            validation=validation,
            allowed_parents=allowed_parents,
            on_step=on_step,
            numbered=_NumberedSearches.of(rows, validation, settings, space, checkpoints or Checkpoints()),
            n_initial_edges=new_circuit(space).n_edges,
            n_threads=n_threads,
            interrupt=interrupt,
            start=start,
            deadline=np.inf if settings.max_seconds is None else start + settings.max_seconds,
        )
        learned = learner.learn()
    return replace(learned, seconds=time.monotonic() - start)


class GapFold(NamedTuple):
    """Rows to learn from, and others to judge by."""

    learned: Evidence
    judging: Evidence


@dataclass(slots=True, eq=False, kw_only=True)
class _Learner:
    """All that is given, the steps from there, and why learning ends. Changes in place."""

    rows: Evidence
    settings: LearnSettings
    validation: Evidence | None
    allowed_parents: Parents
    on_step: OnStep | None
    numbered: _NumberedSearches
    n_threads: int
    interrupt: Interrupt
    start: float
    deadline: float
    n_initial_edges: int
    stop: Stop | None = None  # if not for want of gain
    judged: list[float] = field(default_factory=list)  # of each structure, by held-out rows

    def learn(self) -> Learned:
        folds = self.folds()
        kept = self.structures(folds)
        if self.is_cut_short():
            return self.told(kept[0])
        if self.validation is not None:
            return self.told(self.with_more_rounds(kept[0], folds[0]))
        return self.told(self.from_all_rows(kept[0], folds))

    def folds(self) -> list[GapFold]:
        if self.validation is not None:
            return [GapFold(self.rows, self.validation)]
        tenths = tenths_of(weights_of(self.rows), least_rows=2)
        if tenths is None:
            return [GapFold(self.rows, self.rows)]  # A single row judges itself.
        n_folds = max(1, _VALUES_FOR_FOLDS // self.rows.codes.size)
        return [
            GapFold(self.rows.rows(a), self.rows.rows(b)) for (a, b), _ in zip(tenths, range(n_folds), strict=False)
        ]

    def structures(self, folds: Sequence[GapFold]) -> list[Learned]:
        """The best structure of each fold, by what is known of the rows that judge."""
        kept: list[Learned] = []
        deadline = self.time_of_share(1.0 if self.validation is not None else _JUDGED_SHARE)
        for number in range(MOST_STRUCTURES):
            found = []
            for place, fold in enumerate(folds):
                before = kept[place].circuit if kept else None
                found.append(self.structure(fold, before, number, place, deadline))
                if self.is_cut_short():
                    # What was found in a search cut short is better than nothing.
                    return kept or found
            judged = self.likelihood(found, folds)
            if kept and judged <= max(self.judged):
                self.judged.append(judged)
                break
            self.judged.append(judged)
            kept = found
            if time.monotonic() >= deadline:
                self.stop = Stop.MAX_SECONDS
                break
        return kept

    def structure(self, fold: GapFold, before: Circuit | None, number: int, place: int, deadline: float) -> Learned:
        """A structure from completed rows, with parameters from what is known."""
        seeds = 4 * (number * 10 + place), 4 * (number * 10 + place) + 1
        n_copies = enough_copies(self.rows)
        parts = [self.completed(part, fold.learned, before, n_copies, s) for part, s in zip(fold, seeds, strict=True)]
        search = self.numbered.search(number, place)
        learned = learn(
            self.rows.schema,
            search.counts(parts[0].rows),
            self.limited(deadline, max_edges=self.budget(number)),
            validation=search.counts(parts[1].rows),
            allowed_parents=self.allowed_parents,
            on_step=self.watched(number),
            checkpoints=search.checkpoints,
        )
        return self.fitted(learned, fold.learned, number, deadline, is_last=False)

    def with_more_rounds(self, kept: Learned, fold: GapFold) -> Learned:
        """The best structure after all rounds of EM that pay, if what is known of the rows that judge gains by them."""
        if kept.gaps is None:  # There were no rounds: nothing is missing in the training table.
            return kept
        best = self.judged.index(max(self.judged))
        further = self.fitted(kept, fold.learned, best, self.deadline, is_last=True)
        assert further.gaps is not None
        judged = self.likelihood([further], [fold])
        if judged <= self.judged[best]:
            return kept
        self.judged[best] = judged
        return replace(further, gaps=self.gaps(kept.gaps.n_rounds + further.gaps.n_rounds))

    def from_all_rows(self, kept: Learned, folds: Sequence[GapFold]) -> Learned:
        """A structure from all rows, as the best one completes them; smoothing by searches without held-out rows."""
        number = len(self.judged)
        whole = completed_by(kept.circuit, self.rows, enough_copies(self.rows), 4 * 10 * number + 2, self.n_threads)
        parts = ((whole.of(f.learned.row_numbers), whole.of(f.judging.row_numbers)) for f in folds)
        search = self.numbered.search(MOST_STRUCTURES, 0)
        learned = learn(
            self.rows.schema,
            search.counts(whole.rows),
            self.limited(self.deadline, self.settings.max_edges, share=1.0),
            folds=(Fold(*(TableCounts(*part) for part in pair)) for pair in parts),
            allowed_parents=self.allowed_parents,
            on_step=self.watched(number),
            checkpoints=search.checkpoints,
        )
        return self.fitted(learned, self.rows, number, self.deadline, is_last=True)

    def completed(self, part: Evidence, like: Evidence, before: Circuit | None, n_copies: int, seed: int) -> Completed:
        if before is None:
            return completed_by_columns(part, like, n_copies, seed)
        return completed_by(before, part, n_copies, seed, self.n_threads)

    def fitted(self, learned: Learned, rows: Evidence, number: int, deadline: float, is_last: bool) -> Learned:
        """With parameters from what is known; those of the search, if it was cut short."""
        if learned.stop in (Stop.INTERRUPTED, Stop.CALLBACK):
            self.stop = learned.stop
            return learned
        incomplete = IncompleteRows.of(rows)
        if incomplete.with_gaps.shape[1] == 0:
            return learned
        pseudo_counts = learned.smoothing.pseudo_counts(learned.network)
        rounds = ParameterRounds(learned.circuit, incomplete, pseudo_counts, self.n_threads)

        def on_round(n_rounds: int, objective: float) -> bool:
            info = RoundInfo(
                way=f"EM, structure {number + 1}",
                n_rounds=n_rounds,
                n_components=1,
                n_edges=learned.circuit.n_edges,
                log_likelihood=objective,
                validation_log_likelihood=None,
                seconds=time.monotonic() - self.start,
            )
            if self.on_step is not None and self.on_step(info) is True:
                self.stop = Stop.CALLBACK
            if self.interrupt.is_set:
                self.stop = Stop.INTERRUPTED
            return self.is_cut_short() or time.monotonic() >= deadline

        most, tolerance = (_MOST_ROUNDS, _TOLERANCE) if is_last else (_FEW_ROUNDS, _FEW_TOLERANCE)
        fitted = self._run(rounds, learned, most, tolerance, on_round)
        if fitted is None:
            return learned
        return replace(learned, model=Model(fitted.circuit, fitted.network), gaps=self.gaps(fitted.n_rounds))

    def _run(
        self,
        rounds: ParameterRounds,
        learned: Learned,
        most: int,
        tolerance: float,
        on_round: Callable[[int, float], bool],
    ) -> Fitted | None:
        try:
            return rounds.run(learned.network, most, tolerance, on_round)
        except KeyboardInterrupt:  # from the callback, or from a signal that is not ours to hold
            self.stop = Stop.INTERRUPTED
            return None

    def likelihood(self, found: Sequence[Learned], folds: Sequence[GapFold]) -> float:
        """The mean log-likelihood of what is known of the rows that judge, of all folds."""
        weights = [float(weights_of(fold.judging).sum()) for fold in folds]
        means = [
            mean_log_known(learned.circuit, learned.network, fold.judging, self.n_threads)
            for learned, fold in zip(found, folds, strict=True)
        ]
        return float(np.average(means, weights=weights))

    def told(self, learned: Learned) -> Learned:
        gaps = self.gaps(0 if learned.gaps is None else learned.gaps.n_rounds)
        return replace(learned, stop=self.stop or learned.stop, gaps=gaps)

    def gaps(self, n_rounds: int) -> Gaps:
        n_missing = int(np.count_nonzero(self.rows.codes < 0))
        return Gaps(n_missing, int(self.rows.codes.size), tuple(self.judged), n_rounds)

    def is_cut_short(self) -> bool:
        return self.stop in (Stop.INTERRUPTED, Stop.CALLBACK)

    def limited(self, deadline: float, max_edges: int | None, share: float = _SEARCH_SHARE) -> LearnSettings:
        """Settings of a search that leaves time for the rest."""
        left = deadline - time.monotonic()
        seconds = None if np.isinf(left) else max(0.0, share * left)
        return replace(self.settings, max_edges=max_edges, max_seconds=seconds)

    def budget(self, number: int) -> int | None:
        """Edges that a structure may have; None if that is left open."""
        whole = self.settings.for_circuit(self.n_initial_edges).max_edges
        if whole is None or _BUDGET_SHARES[number] == 1:
            return self.settings.max_edges
        return min(whole, max(int(whole * _BUDGET_SHARES[number]), _LEAST_TIMES * self.n_initial_edges))

    def time_of_share(self, share: float) -> float:
        return np.inf if np.isinf(self.deadline) else self.start + share * (self.deadline - self.start)

    def watched(self, number: int) -> Callable[[StepInfo], object] | None:
        """Who is told of splits is told of which structure they are."""
        on_step = self.on_step
        return None if on_step is None else lambda info: on_step(replace(info, structure=number + 1))


class _Search(NamedTuple):
    """One of the searches: how its tables are known again, and who keeps its state."""

    fingerprint: str
    checkpoints: Checkpoints[SearchState]

    def counts(self, rows: Rows) -> TableCounts:
        """Completed rows follow from the rows with gaps, the settings and the number of the search."""
        counts = TableCounts(*rows)
        counts.fingerprint = self.fingerprint
        return counts


@dataclass(slots=True, eq=False)
class _NumberedSearches:
    """The searches of one learning. One that is resumed is known by its number; those before it keep nothing."""

    checkpoints: Checkpoints[SearchState]
    origin: str  # a checksum of the rows with gaps
    awaited: str | None = None  # the fingerprint of the search to be resumed, until it comes

    @classmethod
    def of(
        cls,
        rows: Evidence,
        validation: Evidence | None,
        settings: LearnSettings,
        space: SplitSpace,
        checkpoints: Checkpoints[SearchState],
    ) -> _NumberedSearches:
        origin = _checksum([rows] if validation is None else [rows, validation]) if checkpoints.is_used else ""
        searches = cls(checkpoints, origin)
        resumed = checkpoints.resumed
        if resumed is None:
            return searches
        # Structures have budgets of their own: those are compared when the search comes.
        given = settings.for_circuit(new_circuit(space).n_edges)
        check_same_settings(replace(resumed.settings, max_edges=1), replace(given, max_edges=1))
        for name in searches.names():
            named = _Named(name)
            for counts in ([named, named], [named, None]):
                if fingerprint_of(rows.schema, counts, space) == resumed.fingerprint:  # type: ignore[arg-type]
                    searches.awaited = name
                    return searches
        raise DataError("the search to go on with was over other tables: its rows, weights or columns differ")

    def names(self) -> Iterator[str]:
        return (self.name(number, place) for number in range(MOST_STRUCTURES + 1) for place in range(10))

    def name(self, number: int, place: int) -> str:
        return f"{self.origin} {number} {place}"

    def search(self, number: int, place: int) -> _Search:
        name = self.name(number, place)
        if self.awaited is None:
            return _Search(name, replace(self.checkpoints, resumed=None))
        if self.awaited != name:
            return _Search(name, Checkpoints())
        self.awaited = None
        return _Search(name, self.checkpoints)


class _Named(NamedTuple):
    fingerprint: str


def _checksum(tables: Sequence[Evidence]) -> str:
    digest = blake2b(digest_size=16)
    for table in tables:
        digest.update(np.ascontiguousarray(table.codes).tobytes() + b"table")
        if table.weights is not None:
            digest.update(b"weights" + np.ascontiguousarray(table.weights).tobytes())
    return digest.hexdigest()
