"""Why a variable is what it seems to be: what each piece of evidence adds to the log-odds of its values."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Queryable
from learnac.data import Soft, as_evidence
from learnac.errors import QueryError
from learnac.infer.engine import Engine, engine_of
from learnac.infer.likelihood import log_values
from learnac.infer.pieces import Pieces, blocks
from learnac.types import Category

Floats = NDArray[np.float64]

MAX_PIECES = 16
"""Pieces of evidence whose Shapley contributions are worked out: each one more doubles the work."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What the evidence says about a target, and which piece of it says what.

    Log-odds of a value are log P(value) - log(1 - P(value)). Arrays have a column for each category of the target.
    """

    target: str
    categories: tuple[Category, ...]
    prior: Floats  # (categories,), without evidence
    posterior: Floats  # (categories,), with all of it
    pieces: dict[str, Any]  # what is known: by variable, its category or its likelihoods
    leave_one_out: Floats  # (pieces x categories): the log-odds with all evidence, less those without this piece
    shapley: Floats | None  # (pieces x categories): shares that add up to all that the evidence changes
    support: Floats  # (pieces,): log P(piece | all others) - log P(piece); below 0, the others speak against it
    conflict: float  # log P(evidence) - sum of log P(piece); below 0, the pieces do not go together

    def of(self, category: Any) -> dict[str, tuple[float, float | None]]:
        """By piece of evidence: leave-one-out and Shapley contribution to the log-odds of one category."""
        if category not in self.categories:
            raise QueryError(
                f"expected a category of {self.target!r}, found {category!r}; there are {self.categories}",
                column=self.target,
                expected=self.categories,
                found=category,
            )
        column = self.categories.index(category)
        shares = [None] * len(self.pieces) if self.shapley is None else self.shapley[:, column].tolist()
        return dict(zip(self.pieces, zip(self.leave_one_out[:, column].tolist(), shares, strict=True), strict=True))


def explain(
    circuit: Queryable,
    target: Any,
    given: object,
    *,
    soft: Soft | None = None,
    shapley: bool = True,
    n_threads: int = 1,
) -> Explanation:
    """How much each piece of evidence of one row moves the target, in log-odds of each of its values. Exact.

    Leave-one-out compares with all other evidence, so two pieces that say the same both seem to say little. Shapley
    contributions are the mean over all orders in which the pieces could have come: they share what is said twice, and
    add up to the whole change. Where evidence makes a value certain or impossible, its log-odds are infinite.

    Cost: an upward pass for each category and each subset of the pieces, so 2 to the power of their number, which may
    be at most MAX_PIECES. Without `shapley`, one for each category and piece, for any number of pieces.
    """
    engine = engine_of(circuit)
    variable = engine.schema.position(target)
    evidence = as_evidence(engine.schema, given, soft)
    pieces = Pieces.of(evidence, "explain")
    name = engine.schema.names[variable]
    if variable in pieces.variables:
        raise QueryError(f"explain: expected the target {name!r} to be unknown, found evidence about it", column=name)
    if shapley and len(pieces) > MAX_PIECES:
        raise QueryError(
            f"explain: exact Shapley contributions need a pass for each subset of the evidence, so they are limited to "
            f"{MAX_PIECES} pieces, found {len(pieces)}: give less evidence, or ask for leave-one-out contributions "
            "alone, with shapley=False",
            expected=f"at most {MAX_PIECES} pieces of evidence",
            found=len(pieces),
        )
    n = len(pieces)
    none, every, one = np.zeros((1, n), dtype=bool), np.ones((1, n), dtype=bool), np.eye(n, dtype=bool)
    subsets = np.arange(1 << n if shapley else 0)[:, None] >> np.arange(n) & 1
    joint = _joint_logs(engine, pieces, variable, np.concatenate([none, every, ~one, one, subsets == 1]), n_threads)
    logs, odds = np.logaddexp.reduce(joint, axis=1), _log_odds(joint)
    evidence.require_possible(logs[1:2])
    without, alone = slice(2, 2 + n), slice(2 + n, 2 + 2 * n)
    return Explanation(
        target=name,
        categories=engine.schema.categories[variable],
        prior=_normalised(joint[0]),
        posterior=_normalised(joint[1]),
        pieces={engine.schema.names[piece]: pieces.stated(piece) for piece in pieces.variables},
        leave_one_out=_less(odds[1], odds[without]),
        shapley=_shapley(odds[2 + 2 * n :]) if shapley else None,
        support=logs[1] - logs[without] - logs[alone],
        conflict=float(logs[1] - logs[alone].sum()),
    )


def _joint_logs(engine: Engine, pieces: Pieces, target: int, kept: NDArray[np.bool_], n_threads: int) -> Floats:
    """Log P(value of the target, pieces that are kept): (rows of `kept` x values)."""
    arity = len(engine.schema.categories[target])
    logs = np.empty((len(kept), arity))
    for rows in blocks(len(kept)):
        evidence = pieces.subsets(np.repeat(kept[rows], arity, axis=0))
        codes = evidence.codes.copy()
        codes[target] = np.tile(np.arange(arity), codes.shape[1] // arity)
        logs[rows] = log_values(engine, evidence.with_codes(codes), n_threads).reshape(-1, arity)
    return logs


def _shapley(odds: Floats) -> Floats:
    """From the log-odds of all subsets of the pieces, by the numbers whose bits they are."""
    subsets = np.arange(len(odds))
    n, sizes = len(odds).bit_length() - 1, np.bitwise_count(subsets)
    # Of all orders, the share in which exactly this subset comes before a piece that is not in it.
    shares = np.array([factorial(size) * factorial(n - size - 1) / factorial(n) for size in range(n)])
    result = np.empty((n, odds.shape[1]))
    for piece in range(n):
        without = subsets[subsets >> piece & 1 == 0]
        changes = _less(odds[without | 1 << piece], odds[without])
        result[piece] = (shares[sizes[without]][:, None] * changes).sum(axis=0)
    return result


def _log_odds(joint: Floats) -> Floats:
    """From log P(value, e) to log P(value, e) - log P(any other value, e)."""
    arity = joint.shape[1]
    others = [np.logaddexp.reduce(np.delete(joint, value, axis=1), axis=1) for value in range(arity)]
    # Sums of nothing: a target of one value is certain.
    against = np.column_stack(others) if arity > 1 else np.full_like(joint, -np.inf)
    return _less(joint, against)


def _less(a: Floats, b: Floats) -> Floats:
    """Differences of log-odds: 0 between two that are infinite, because nothing has changed.

    More evidence never makes possible what was impossible, so infinities of both signs do not meet.
    """
    a, b = np.broadcast_arrays(a, b)
    return np.subtract(a, b, out=np.zeros(a.shape), where=a != b)


def _normalised(logs: Floats) -> Floats:
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum(), dtype=np.float64)
