"""Candidates that learn side by side, round by round, until the worse ones have fallen behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import count, repeat
from threading import Lock

from learnac.learn.interrupt import Interrupt
from learnac.learn.mixture.fit import Judged, Rounds, Seed, Vectors
from learnac.learn.mixture.state import EntrantState
from learnac.learn.mixture.structures import Structure
from learnac.learn.mixture.ways import Way
from learnac.learn.model import RoundInfo, StepInfo, Stop, Tried

# After these rounds the worse half is left behind; then whenever there were twice as many.
_FIRST_ROUNDS = 3


@dataclass(slots=True, eq=False)
class Entrant:
    """Vectors being learned: for a structure, so many components, in one way, from one seed."""

    structure: Structure
    n_components: int
    way: Way
    seed: Seed
    n_planned: int | None = None  # rounds, where no rows judge
    start: Sequence[Vectors] = ()  # of each fold, if another one comes before
    rounds: Rounds = field(init=False)

    def __post_init__(self) -> None:
        folds = self.structure.rows
        starts: Sequence[Vectors | None] = self.start or [None] * len(folds)
        seeds = [(*self.seed, fold) for fold in range(len(folds))]
        fits = [self.way.begin(*given) for given in zip(folds, repeat(self.n_components), seeds, starts)]
        self.rounds = Rounds(fits, folds, self.way.patience, self.n_planned)

    @property
    def key(self) -> str:
        """What no other entrant has."""
        rounds = "" if self.n_planned is None else f", {self.n_planned} rounds"
        return f"{self.structure.max_edges} edges, {self.way}, seed {self.seed[-1]}{rounds}"

    @property
    def n_edges(self) -> int:
        return self.structure.n_edges * self.n_components

    @property
    def judged(self) -> float:
        return self.rounds.best

    def again(self, seed: Seed) -> Entrant:
        """The same from another seed."""
        return replace(self, seed=seed)

    def loosened(self, way: Way, n_planned: int | None = None) -> Entrant:
        """One that goes on from the vectors of this one, in another way."""
        return replace(self, way=way, n_planned=n_planned, start=self.rounds.vectors)

    def told(self) -> Tried:
        return Tried(str(self.way), self.n_components, self.n_edges, self.rounds.n_best, self.judged)


@dataclass(slots=True, eq=False)
class Watch:
    """Who is told of rounds, who may say that it is enough, and who keeps what was learned. Changes in place."""

    interrupt: Interrupt
    start: float
    on_step: Callable[[StepInfo | RoundInfo], object] | None = None
    n_threads: int = 1
    deadline: float = float("inf")
    stop: Stop | None = None  # why learning is to end before its time
    resumed: Mapping[str, EntrantState] = field(default_factory=dict)
    keep: Callable[[Mapping[str, EntrantState]], None] | None = None
    keep_every: float = 30.0  # seconds
    _seen: dict[str, Entrant] = field(default_factory=dict)
    _kept_at: float = field(default_factory=time.monotonic)
    _lock: Lock = field(default_factory=Lock)

    def should_stop(self) -> bool:
        if self.stop is None and self.interrupt.is_set:
            self.stop = Stop.INTERRUPTED
        if self.stop is None and time.monotonic() >= self.deadline:
            self.stop = Stop.MAX_SECONDS
        return self.stop is not None

    def tell(self, entrant: Entrant, judged: Judged) -> None:
        if self.on_step is None:
            return
        info = RoundInfo(
            way=str(entrant.way),
            n_rounds=judged.number,
            n_components=entrant.n_components,
            n_edges=entrant.n_edges,
            log_likelihood=judged.log_likelihood,
            validation_log_likelihood=judged.judged,
            seconds=time.monotonic() - self.start,
        )
        with self._lock:
            try:
                if self.on_step(info) is True:
                    self.stop = Stop.CALLBACK
            except KeyboardInterrupt:
                self.stop = Stop.INTERRUPTED

    def take_up(self, entrants: Sequence[Entrant]) -> None:
        """Entrants that are about to learn. Those that learned before a break go on from there, once."""
        for entrant in entrants:
            if entrant.key not in self._seen and entrant.key in self.resumed:
                self.resumed[entrant.key].restore(entrant.rounds)
            self._seen[entrant.key] = entrant

    def advance(self, entrants: Sequence[Entrant], n_rounds: int) -> None:
        """All that have not come to their end do as many rounds, one more than before, unless they already have.

        By threads: no fit knows of another.
        """

        def advance(entrant: Entrant) -> None:
            if entrant.rounds.n_done < n_rounds and not entrant.rounds.is_over and not self.should_stop():
                self.tell(entrant, entrant.rounds.advance())

        if self.n_threads == 1:
            for entrant in entrants:
                advance(entrant)
        else:
            with ThreadPoolExecutor(self.n_threads) as pool:
                for _ in pool.map(advance, entrants):  # What is raised in a thread is raised here.
                    pass
        if time.monotonic() - self._kept_at >= self.keep_every:
            self.keep_states(entrants)

    def keep_states(self, running: Sequence[Entrant] = ()) -> None:
        """Hands what was learned to whoever keeps it."""
        if self.keep is None:
            return
        keys = {entrant.key for entrant in running if not entrant.rounds.is_over}
        self.keep({key: EntrantState.of(seen.rounds, key in keys) for key, seen in self._seen.items()})
        self._kept_at = time.monotonic()


def race(entrants: Sequence[Entrant], watch: Watch) -> Entrant:
    """The entrant that the judging rows like best, when it comes to its end; or the best so far."""
    watch.take_up(entrants)
    running, n_rounds, next_cut = list(entrants), 0, _FIRST_ROUNDS
    while not all(entrant.rounds.is_over for entrant in running) and not watch.should_stop():
        n_rounds += 1
        watch.advance(running, n_rounds)
        if n_rounds >= next_cut:
            running = sorted(running, key=lambda entrant: -entrant.judged)[: (len(running) + 1) // 2]
            next_cut *= 2
    watch.keep_states(running)
    return max(entrants, key=lambda entrant: entrant.judged)


def to_the_end(entrants: Sequence[Entrant], watch: Watch) -> None:
    """All of them, until their judging rows gain no more."""
    watch.take_up(entrants)
    for n_rounds in count(1):
        if all(entrant.rounds.is_over for entrant in entrants) or watch.should_stop():
            break
        watch.advance(entrants, n_rounds)
    watch.keep_states(entrants)
