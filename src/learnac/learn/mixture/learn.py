"""From a table to a mixture: which structure, how many components, and how their vectors are learned."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from learnac.learn.counts import TableCounts
from learnac.learn.interrupt import held_interrupt
from learnac.learn.learner import new_circuit
from learnac.learn.loop import split_space
from learnac.learn.mixture.fit import Seed
from learnac.learn.mixture.race import Entrant, Watch, race, to_the_end
from learnac.learn.mixture.settings import MixtureSettings
from learnac.learn.mixture.state import EntrantState, MixtureState
from learnac.learn.mixture.structures import RowFold, Structure
from learnac.learn.mixture.ways import LOOSENINGS, WAYS
from learnac.learn.model import Learned, Mixing, RoundInfo, StepInfo, Stop, Tried
from learnac.learn.parents import Parents
from learnac.learn.settings import LearnSettings
from learnac.learn.splits import SplitSpace
from learnac.learn.state import Checkpoints, fingerprint_of
from learnac.learn.tables import Rows, held_out_tenths, learn_table, learn_table_sizes
from learnac.model import Model

OnStep = Callable[[StepInfo | RoundInfo], object]

# Of the time that there is: for a search, and until the candidates have been compared if the best of
# them is then learned again from all rows.
_SEARCH_SHARE = 0.3
_RACE_SHARE = 0.6
# How much larger another structure is, if the largest did best, and how much larger it must be to be tried.
_NEXT_TIMES, _WORTH_TIMES = 4, 1.5
_NEXT_TO_NOTHING = 1e-4  # of a log-likelihood


def learn_mixture(
    rows: Rows,
    settings: LearnSettings,
    mixing: MixtureSettings,
    *,
    validation: Rows | None = None,
    allowed_parents: Parents = None,
    on_step: OnStep | None = None,
    checkpoints: Checkpoints[MixtureState] | None = None,
    n_threads: int = 1,
) -> Learned:
    """One structure with many vectors of parameters; with "auto", a single circuit if that does better.

    Structures of several sizes are searched for, and ways to learn vectors for them compared, on the validation rows;
    or else on rows that are held out, and what did best is then learned again from all rows. Ctrl-C ends learning, not
    the work done: the best model so far is returned, and with checkpoints it can be resumed. `on_step` is called after
    each split and each round; learning ends when it returns True.
    """
    with held_interrupt() as interrupt:
        space = split_space(rows.dataset.schema, settings, allowed_parents)
        checkpoints = checkpoints or Checkpoints()
        fingerprint = _fingerprint(rows, validation, space) if checkpoints.is_used else ""
        resumed = checkpoints.resumed
        if resumed is not None:
            resumed.check_fits(settings, mixing, fingerprint)
        start = time.monotonic() - (0.0 if resumed is None else resumed.seconds)

        def keep(entrants: Mapping[str, EntrantState]) -> None:
            seconds = time.monotonic() - start
            checkpoints.hand_over(MixtureState(settings, mixing, fingerprint, seconds, entrants))

        watch = Watch(
            interrupt,
            start,
            on_step,
            n_threads,
            resumed={} if resumed is None else resumed.entrants,
            keep=None if checkpoints.keep is None else keep,
            keep_every=checkpoints.every_seconds,
        )
        n_initial_edges = new_circuit(space).n_edges
        learner = _Learner(
            rows=rows.that_count(),
            settings=settings,
            mixing=mixing,
            validation=None if validation is None else validation.that_count(),
            allowed_parents=allowed_parents,
            n_initial_edges=n_initial_edges,
            budget=mixing.budget(settings.max_edges, n_initial_edges),
            deadline=np.inf if settings.max_seconds is None else start + settings.max_seconds,
            watch=watch,
        )
        learned = learner.learn()
    return replace(learned, seconds=time.monotonic() - start)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Learner:
    """All that is given, and the steps from there."""

    rows: Rows
    settings: LearnSettings
    mixing: MixtureSettings
    validation: Rows | None
    allowed_parents: Parents
    n_initial_edges: int
    budget: int  # of edges x components
    deadline: float
    watch: Watch

    def learn(self) -> Learned:
        self.watch.deadline = self.time_of_share(1.0 if self.validation is not None else _RACE_SHARE)
        folds = self.folds()
        structures = self.structures(folds)
        entrants = [] if self.watch.should_stop() else list(self.entrants(structures))
        winner = race(entrants, self.watch) if entrants else None
        while winner is not None and winner.structure is structures[-1] and (larger := self.next_larger(structures)):
            structures.append(larger)
            entered = list(self.entrants([larger]))
            entrants += entered
            winner = race([winner, *entered], self.watch)
        if winner is None or not winner.rounds.vectors:
            return self.alone(best_of(structures), entrants)
        winner, last = self.loosened(winner, entrants)
        if self.mixing.is_auto and self.watch.stop in (None, Stop.MAX_SECONDS):
            alone = best_of(self.with_larger(structures, folds, last.judged))
            if not is_better(last, alone):
                return self.alone(alone, entrants)
        if self.validation is None and self.watch.stop in (None, Stop.MAX_SECONDS):
            found = self.learned_again(winner, last)
        else:
            found = [last, *self.others(winner, last)]
        return self.mixture(found, winner, last, entrants if last is winner else [*entrants, last])

    def structures(self, folds: Sequence[RowFold]) -> list[Structure]:
        """Of several sizes; of one, if the price of an edge is given."""
        sizes = list(self.mixing.structure_sizes(self.n_initial_edges, self.budget))
        return self.of_sizes(sizes if self.settings.edge_penalty is None else sizes[-1:], folds)

    def next_larger(self, structures: Sequence[Structure]) -> Structure | None:
        """The next size, if the largest so far did best and there is room for components."""
        last, n_components = structures[-1], self.mixing.least_components
        size = min(_NEXT_TIMES * last.max_edges, self.budget // (n_components * self.mixing.n_averages))
        if self.watch.should_stop() or self.settings.edge_penalty is not None or size < _WORTH_TIMES * last.n_edges:
            return None
        found = self.of_sizes([size], last.folds)
        return found[0] if found[0].n_edges >= _WORTH_TIMES * last.n_edges else None

    def with_larger(self, structures: list[Structure], folds: Sequence[RowFold], judged: float) -> list[Structure]:
        """And one with all the edges that there may be, if as a single circuit it could do as well as was judged.

        What ever more edges gain becomes less: as many times more again are taken to gain no more than the last time.
        """
        largest = structures[-1]
        if largest.max_edges >= self.budget or largest.n_edges < largest.max_edges // 2:
            return structures
        if len(structures) > 1:
            before = structures[-2]
            steps = np.log(self.budget / largest.n_edges) / np.log(largest.n_edges / before.n_edges)
            if largest.judged + steps * max(0.0, largest.judged - before.judged) < judged:
                return structures
        return [*structures, *self.of_sizes([self.budget], folds)]

    def of_sizes(self, sizes: Sequence[int], folds: Sequence[RowFold]) -> list[Structure]:
        """Structures of at most so many edges, ascending."""
        of_folds = []
        for fold in folds:
            of_folds.append(
                learn_table_sizes(
                    fold.learned,
                    self.limited(),
                    sizes,
                    validation=fold.judging,
                    allowed_parents=self.allowed_parents,
                    on_step=self.watch.on_step,
                )
            )
            self.take_note_of(of_folds[-1][-1])
        found: list[Structure] = []
        for size, *learned in zip(sizes, *of_folds, strict=False):
            structure = Structure(size, folds, learned)
            # More edges may do no good to the judging rows.
            if not found or structure.n_edges > found[-1].n_edges:
                found.append(structure)
        return found

    def folds(self) -> list[RowFold]:
        if self.validation is not None:
            return [RowFold(self.rows, self.validation)]
        tenths = held_out_tenths(self.rows, least_rows=2)
        # A single row judges itself.
        return [RowFold(self.rows, self.rows)] if tenths is None else [RowFold(*pair) for pair in tenths]

    def search(self, max_edges: int) -> Learned:
        """A single circuit from all rows."""
        learned = learn_table(
            self.rows.dataset,
            replace(self.limited(), max_edges=max_edges),
            validation=None if self.validation is None else self.validation.dataset,
            sample_weight=self.rows.weights,
            validation_weight=None if self.validation is None else self.validation.weights,
            allowed_parents=self.allowed_parents,
            on_step=self.watch.on_step,
        )
        self.take_note_of(learned)
        return learned

    def limited(self) -> LearnSettings:
        """Settings of a search that leaves time for the rest."""
        left = self.watch.deadline - time.monotonic()
        return replace(self.settings, max_seconds=None if np.isinf(left) else max(0.0, _SEARCH_SHARE * left))

    def take_note_of(self, learned: Learned) -> None:
        if learned.stop in (Stop.INTERRUPTED, Stop.CALLBACK):
            self.watch.stop = learned.stop

    def entrants(self, structures: Sequence[Structure]) -> Iterable[Entrant]:
        for structure in structures:
            n_components = self.mixing.n_components_for(structure.n_edges, self.budget)
            if n_components >= (2 if structure is structures[0] else self.mixing.least_components):
                for way in WAYS:
                    yield Entrant(structure, n_components, way, self.seed(0))

    def seed(self, average: int) -> Seed:
        return self.mixing.random_state, average

    def alone(self, structure: Structure, entrants: Sequence[Entrant]) -> Learned:
        """A single circuit, with all the edges that there may be."""
        if self.watch.stop in (Stop.INTERRUPTED, Stop.CALLBACK):
            return replace(structure.found[0], stop=self.watch.stop)
        self.watch.deadline = self.deadline
        is_it = self.validation is not None and structure.max_edges == self.budget
        learned = structure.found[0] if is_it else self.search(self.budget)
        return replace(learned, mixing=Mixing("alone", 1, 1, 0, tuple(told(entrants))))

    def loosened(self, winner: Entrant, entrants: Sequence[Entrant]) -> tuple[Entrant, Entrant]:
        """What comes of the best tied vectors, which need not have won, when they are loosened: these and the others.

        The winner, twice, if it does better.
        """
        tied = [entrant for entrant in entrants if entrant.way.name == "tied" and entrant.rounds.vectors]
        if not tied:
            return winner, winner
        best = max(tied, key=lambda entrant: entrant.judged)
        loosened = [best.loosened(way) for way in LOOSENINGS]
        to_the_end(loosened, self.watch)
        last = max([winner, *loosened], key=lambda entrant: entrant.judged)
        return (winner, winner) if last is winner else (best, last)

    def others(self, winner: Entrant, last: Entrant) -> list[Entrant]:
        """The same from other seeds; without those that were cut short, which would not make the first one better."""
        return self.to_the_end([winner.again(self.seed(i)) for i in range(1, self.mixing.n_averages)], winner, last)

    def learned_again(self, winner: Entrant, last: Entrant) -> list[Entrant]:
        """The same from all rows, for as many rounds as were best without those that judged."""
        self.watch.stop, self.watch.deadline = None, self.deadline
        size = winner.structure.max_edges
        structure = Structure(size, [RowFold(self.rows, self.rows)], [self.search(size)])
        n_components = min(winner.n_components, self.mixing.n_components_for(structure.n_edges, self.budget))
        entrants = [
            Entrant(structure, n_components, winner.way, self.seed(i), winner.rounds.n_best)
            for i in range(self.mixing.n_averages)
        ]
        return self.to_the_end(entrants, winner, last) or [last]

    def to_the_end(self, entrants: Sequence[Entrant], winner: Entrant, last: Entrant) -> list[Entrant]:
        """Entrants that are like the winner, and then loosened as it was; of these, whichever are better."""
        to_the_end(entrants, self.watch)
        done = [entrant for entrant in entrants if entrant.rounds.is_over]
        if last is winner:
            return done
        is_planned = [entrant.n_planned is not None for entrant in done]
        loosened = [
            entrant.loosened(last.way, last.rounds.n_best if planned else None)
            for entrant, planned in zip(done, is_planned, strict=True)
        ]
        to_the_end(loosened, self.watch)
        pairs = zip(done, loosened, is_planned, strict=True)
        return [b if b.rounds.vectors and (planned or b.judged > a.judged) else a for a, b, planned in pairs]

    def mixture(self, found: Sequence[Entrant], winner: Entrant, last: Entrant, tried: Sequence[Entrant]) -> Learned:
        """The average of entrants that have the same structure."""
        first = found[0]
        vectors = [entrant.rounds.vectors[0] for entrant in found]
        parameters = np.concatenate([each.parameters for each in vectors], axis=1)
        weights = np.concatenate([each.weights for each in vectors])
        learned = first.structure.found[0]
        mixture = first.rounds.folds[0].cells.mixture(learned.circuit, parameters, weights / weights.sum())
        way = str(winner.way) if last is winner else f"{winner.way}, {last.way}"
        mixing = Mixing(way, first.n_components, len(found), winner.rounds.n_best, tuple(told(tried)))
        return replace(learned, model=Model(mixture), stop=self.watch.stop or Stop.HELD_OUT, mixing=mixing)

    def time_of_share(self, share: float) -> float:
        return np.inf if np.isinf(self.deadline) else self.watch.start + share * (self.deadline - self.watch.start)


def best_of(structures: Sequence[Structure]) -> Structure:
    """As a single circuit, by the judging rows."""
    return max(structures, key=lambda structure: structure.judged)


def is_better(mixture: Entrant, alone: Structure) -> bool:
    """Whether the judging rows gain enough by a mixture; if not, a single circuit is simpler."""
    return mixture.judged > (1 - _NEXT_TO_NOTHING) * alone.judged


def _fingerprint(rows: Rows, validation: Rows | None, space: SplitSpace) -> str:
    counts = [None if part is None else TableCounts(*part) for part in (rows, validation)]
    return fingerprint_of(rows.dataset.schema, counts, space)


def told(entrants: Iterable[Entrant]) -> Iterator[Tried]:
    """What became of those that learned at all."""
    return (entrant.told() for entrant in entrants if entrant.rounds.n_done > 0)
