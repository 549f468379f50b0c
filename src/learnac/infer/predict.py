"""The posterior of one variable, as a classifier gives it."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnac.circuit import Queryable
from learnac.data import Soft, as_evidence
from learnac.errors import QueryError
from learnac.infer.engine import engine_of
from learnac.infer.numbers import distribution
from learnac.infer.posteriors import posterior_of


def predict_proba(circuit: Queryable, X: object, target: Any, *, soft: Soft | None = None, n_threads: int = 1) -> Any:
    """P(target | row) for each row, (rows x arity) in the order of the target's categories; (arity,) for a dict.

    The target must be unknown in every row: leave its column out, or set it to null. Cost: one upward pass, and a
    downward pass over the nodes above the target.
    """
    engine = engine_of(circuit)
    variable = engine.schema.position(target)
    evidence = as_evidence(engine.schema, X, soft)
    known = evidence.row_numbers[evidence.codes[variable] >= 0]
    if len(known) > 0:
        where = "" if evidence.is_one else f" in row {known[0]}"
        raise QueryError(
            f"expected the target {target!r} to be unknown, found a value{where}: leave it out, or set it to null",
            column=engine.schema.names[variable],
            row=int(known[0]),
        )
    posterior = posterior_of(engine, evidence, variable, n_threads)
    return posterior[0] if evidence.is_one else posterior


def predict(circuit: Queryable, X: object, target: Any, *, soft: Soft | None = None, n_threads: int = 1) -> Any:
    """The most probable category of the target for each row; the first, if several are equal. One for a dict.

    Of a target that is a number, its mean; of a date, its median.
    """
    posterior = predict_proba(circuit, X, target, soft=soft, n_threads=n_threads)
    engine = engine_of(circuit)
    if (variable := engine.schema.position(target)) in engine.schema.numbers:
        found = distribution(circuit, target, X, soft=soft, n_threads=n_threads)
        bins = engine.schema.bins[variable]
        if bins is None or bins.calendar is None:
            return found.mean
        times = bins.calendar.datetimes(np.atleast_1d(found.median))
        return bins.calendar.text(found.median) if posterior.ndim == 1 else times
    categories = engine.schema.categories[engine.schema.position(target)]
    best = posterior.argmax(axis=-1)
    if best.ndim == 0:
        return categories[int(best)]
    kinds = {type(category) for category in categories}
    return np.array(categories, dtype=None if len(kinds) == 1 else object)[best]
