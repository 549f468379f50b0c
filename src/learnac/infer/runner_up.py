"""The most probable world beside the runner-up: how sure is the explanation?"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnac.data import Evidence
from learnac.errors import NotProvenWarning
from learnac.infer import mixture_mpe
from learnac.infer.engine import Engine
from learnac.types import PartialCodes

# Rows that are asked of the circuit at once.
_BLOCK = 256


class World(NamedTuple):
    """A value for each variable, and the log of its probability; that of likelihoods whose largest is 1."""

    codes: NDArray[np.signedinteger]
    log: float


class BestTwo(NamedTuple):
    best: World
    second: World | None  # None if there is no other
    is_proven: bool  # that no world is more probable than the best


def best_two(engine: Engine, evidence: Evidence, max_seconds: float) -> BestTwo | None:
    """The two most probable worlds of one row; None if its evidence is impossible. Intervals weigh their shares.

    Exact for a deterministic circuit: another world is the same as the best one up to some variable, and differs there,
    so one upward pass for each value of each unknown variable finds it, over fewer and fewer edges. Of a mixture, the
    best is searched for as long as `max_seconds`, and its runner-up is the best world with one value changed.
    """
    if engine.components is not None:
        return _best_two_of_mixture(engine, evidence, max_seconds)
    engine.require_deterministic("mpe")
    best = _most_probable(engine, evidence, evidence.codes)
    if np.isneginf(best.log):
        return None
    return BestTwo(best, _possible(_most_probable(engine, evidence, _parting(engine, evidence, best))), True)


def _best_two_of_mixture(engine: Engine, evidence: Evidence, max_seconds: float) -> BestTwo | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        worlds, logs, bounds = mixture_mpe.most_probable(engine, evidence, max_seconds, 1)
    if np.isneginf(logs[0]):
        return None
    best = World(worlds[:, 0], float(logs[0]))
    parting = _parting(engine, evidence, best)
    changed = np.where(parting >= 0, parting, worlds)
    second = World(worlds[:, 0], -np.inf)
    for some in _blocks(changed):
        found = engine.evaluator.log_values(*_like(evidence, some).arrays, 1)
        row = int(found.argmax())
        if found[row] > second.log:
            second = World(some[:, row], float(found[row]))
    return BestTwo(best, _possible(second), bool(mixture_mpe.are_proven(logs, bounds)[0]))


def _possible(world: World) -> World | None:
    return None if np.isneginf(world.log) else world


def _most_probable(engine: Engine, evidence: Evidence, codes: PartialCodes) -> World:
    """Of the completions of all columns of `codes`, under the row's likelihoods, the most probable one."""
    best = World(evidence.codes[:, 0], -np.inf)
    for some in _blocks(codes):
        worlds = some.copy(order="C")
        logs = engine.evaluator.most_probable(*_like(evidence, some).arrays, worlds, 1)
        row = int(logs.argmax())
        if logs[row] > best.log:
            best = World(worlds[:, row], float(logs[row]))
    return best


def _parting(engine: Engine, evidence: Evidence, best: World) -> PartialCodes:
    """By unknown variable and other value, a column: the values of the best world before it, and unknown after it."""
    columns = []
    known = evidence.codes[:, 0].copy()
    for variable in np.flatnonzero(evidence.codes[:, 0] < 0).tolist():
        for code in range(int(engine.schema.arities[variable])):
            if code != best.codes[variable]:
                column = known.copy()
                column[variable] = code
                columns.append(column)
        known[variable] = best.codes[variable]
    return np.array(columns, dtype=evidence.codes.dtype).reshape(len(columns), len(known)).T


def _blocks(codes: PartialCodes) -> list[PartialCodes]:
    return [codes[:, start : start + _BLOCK] for start in range(0, codes.shape[1], _BLOCK)]


def _like(evidence: Evidence, codes: PartialCodes) -> Evidence:
    return evidence.rows(np.zeros(codes.shape[1], dtype=np.intp)).with_codes(codes)
