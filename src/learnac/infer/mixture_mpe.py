"""The most probable completion under a mixture: branch and bound, with bounds from the circuit.

No completion of a row is more probable than the weighted sum of what each component's own best completion has: one
upward pass for all components bounds a row, and another row with one more variable known is bounded more tightly. Each
pass also gives a completion, whose exact probability bounds the maximum from below.
"""

from __future__ import annotations

import heapq
import time
import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from learnac.data import Evidence
from learnac.errors import NotProvenWarning
from learnac.infer.engine import Engine
from learnac.types import PartialCodes

Floats = NDArray[np.float64]

# Partial rows that are looked at together, and rows that these may branch into, where values are many.
_AT_ONCE, _MOST_BRANCHES = 64, 4096
# Two log-probabilities that differ by less are the same up to rounding.
_ROUNDING = 1e-9


@dataclass(slots=True)
class _Open:
    """Partial rows yet to be looked at, the most promising first; and the best completion so far. Changes in place."""

    best: PartialCodes
    best_log: float
    heap: list[tuple[float, int, NDArray[np.signedinteger]]] = field(default_factory=list)
    n_pushed: int = 0

    @property
    def bound(self) -> float:
        """No completion is more probable."""
        return max(self.best_log, -self.heap[0][0]) if self.heap else self.best_log

    @property
    def is_proven(self) -> bool:
        return self.bound <= self.best_log + _ROUNDING

    def push(self, codes: NDArray[np.signedinteger], bound: float) -> None:
        if bound > self.best_log + _ROUNDING:
            heapq.heappush(self.heap, (-bound, self.n_pushed, codes))
            self.n_pushed += 1

    def pop_some(self, most: int) -> list[tuple[NDArray[np.signedinteger], float]]:
        """Partial rows with their bounds."""
        found: list[tuple[NDArray[np.signedinteger], float]] = []
        while self.heap and len(found) < most and -self.heap[0][0] > self.best_log + _ROUNDING:
            bound, _, codes = heapq.heappop(self.heap)
            found.append((codes, -bound))
        return found

    def offer(self, completions: PartialCodes, logs: Floats) -> None:
        row = int(logs.argmax())
        if logs[row] > self.best_log:
            self.best, self.best_log = completions[:, row].copy(), float(logs[row])


def most_probable(
    engine: Engine, evidence: Evidence, max_seconds: float, n_threads: int
) -> tuple[PartialCodes, Floats, Floats]:
    """The completed codes, their log-probabilities, and bounds that no completion exceeds; equal where it is proven.

    A row has its share of the time: what is left of it, divided by the rows that are left.
    """
    worlds = evidence.codes.copy(order="C")
    logs, bounds = np.empty(evidence.n_rows), np.empty(evidence.n_rows)
    deadline = time.monotonic() + max_seconds
    for row in range(evidence.n_rows):
        now = time.monotonic()
        share = now + max(0.0, deadline - now) / (evidence.n_rows - row)
        found = _search(engine, evidence.rows(np.array([row])), share, n_threads)
        worlds[:, row], logs[row], bounds[row] = found.best, found.best_log, found.bound
    _warn(logs, bounds, max_seconds)
    return worlds, logs, bounds


def _search(engine: Engine, row: Evidence, deadline: float, n_threads: int) -> _Open:
    completions, exact, bounds = _bounded(engine, row, row.codes, n_threads)
    if np.isneginf(bounds[0]):
        return _Open(row.codes[:, 0], -np.inf)
    state = _Open(completions[:, 0], float(exact[0]))
    state.push(row.codes[:, 0], float(bounds[0]))
    most = max(1, min(_AT_ONCE, _MOST_BRANCHES // int(engine.schema.arities.max())))
    while time.monotonic() < deadline and (partial := state.pop_some(most)):
        branches = _branches(engine, row, np.column_stack([codes for codes, _ in partial]), n_threads)
        for start in range(0, branches.shape[1], 4 * _AT_ONCE):
            if time.monotonic() >= deadline:  # Branches are left that nobody has bounded: the bounds above them hold.
                for codes, bound in partial:
                    state.push(codes, bound)
                break
            some = np.ascontiguousarray(branches[:, start : start + 4 * _AT_ONCE])
            completions, exact, bounds = _bounded(engine, row, some, n_threads)
            state.offer(completions, exact)
            for column in range(some.shape[1]):
                state.push(some[:, column], float(bounds[column]))
    return state


def _branches(engine: Engine, row: Evidence, partial: PartialCodes, n_threads: int) -> PartialCodes:
    """For each partial row, a row for each value of the unknown variable that is least certain given the others."""
    _, posteriors = engine.evaluator.marginals(*_like(row, partial).arrays, engine.all_variables, n_threads)
    largest = np.maximum.reduceat(posteriors, engine.starts[:-1], axis=1)  # (rows x variables); 1 where known
    largest[partial.T >= 0] = np.inf
    arities = np.diff(engine.starts)
    branches = []
    for codes, variable in zip(partial.T, largest.argmin(axis=1), strict=True):
        found = np.repeat(codes[:, None], arities[variable], axis=1)
        found[variable] = np.arange(arities[variable])
        branches.append(found)
    return np.concatenate(branches, axis=1)


def _bounded(engine: Engine, row: Evidence, codes: PartialCodes, n_threads: int) -> tuple[PartialCodes, Floats, Floats]:
    """A completion of each partial row, its log-probability, and a bound for all completions of the row."""
    assert engine.components is not None
    evidence = _like(row, codes)
    worlds = evidence.codes.copy(order="C")
    _, bounds = engine.components.most_probable_with_bounds(*evidence.arrays, worlds, n_threads)
    exact = engine.evaluator.log_values(*_like(row, worlds).arrays, n_threads)
    return worlds, np.where(np.isneginf(bounds), -np.inf, exact), bounds


def _like(row: Evidence, codes: PartialCodes) -> Evidence:
    """Other codes under the likelihoods of a row."""
    n = codes.shape[1]
    same = row.rows(np.zeros(n, dtype=np.intp))
    return same.with_codes(np.ascontiguousarray(codes))


def are_proven(logs: Floats, bounds: Floats) -> NDArray[np.bool_]:
    """Of each row, whether no completion is more probable than the one that has been found."""
    return bounds <= logs + _ROUNDING


def _warn(logs: Floats, bounds: Floats, max_seconds: float) -> None:
    with np.errstate(invalid="ignore"):
        open_rows = np.flatnonzero(bounds > logs + _ROUNDING)
    if len(open_rows) == 0:
        return
    gap = float((bounds - logs)[open_rows].max())
    rows = "1 row" if len(open_rows) == 1 else f"{len(open_rows)} rows"
    warnings.warn(
        f"mpe: not proven for {rows} within {max_seconds:g} s: another completion may be more probable, "
        f"by at most {gap:.3g} in log-probability; allow more seconds to find out",
        NotProvenWarning,
        stacklevel=4,
    )
