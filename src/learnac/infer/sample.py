"""Exact samples: values upwards, then from the root down a child of each sum in proportion to its value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Queryable
from learnac.data import Evidence, Soft, as_evidence
from learnac.data.forms import DatasetForm, MappingForm, TableForm
from learnac.errors import described
from learnac.infer.balance import Balance, balanced
from learnac.infer.engine import engine_of, usable_threads
from learnac.types import PartialCodes


def sample(
    circuit: Queryable,
    n: int,
    given: object = None,
    *,
    soft: Soft | None = None,
    balance: Balance | None = None,
    random_state: object = None,
    form: TableForm | None = None,
    n_threads: int = 1,
) -> Any:
    """Draws `n` random rows for each row of evidence: first all for row 0, then all for row 1, and so on.

    They have the type of the evidence if it is a table, otherwise that of `form`, by default a `Dataset`. The same
    `random_state` (a seed or generator) gives the same samples, with any number of threads. Cost: one upward pass for
    each row of evidence, and for each sample a walk down of a few steps for each variable.

    With `balance`, the name of a variable, all its categories that are possible are equally probable; or, with a dict
    from the name to the share of each category, as probable as that. Everything else is as it is given that variable,
    and no row is drawn in vain. Cost of that: an upward and a downward pass for each row of evidence.
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise ValueError(f"n: expected a number of samples from 0, found {described(n)}")
    engine = engine_of(circuit)
    evidence = balanced(engine, as_evidence(engine.schema, given, soft), balance, n_threads)
    worlds = np.zeros((engine.schema.n_variables, evidence.n_rows * int(n)), dtype=engine.schema.evidence_dtype)
    seed = seed_of(random_state)
    log_values = engine.evaluator.sample(*evidence.arrays, int(n), seed, worlds, usable_threads(n_threads))
    evidence.require_possible(log_values)
    shape = evidence.form
    if isinstance(shape, MappingForm):
        shape = form or DatasetForm()
    return shape.table(engine.schema, worlds, _drawn(evidence, worlds, int(n), seed))


def _drawn(evidence: Evidence, worlds: PartialCodes, n: int, seed: int) -> dict[int, NDArray[np.float64]]:
    """Numbers of the intervals that were drawn: those that are known, and random ones."""
    found = {}
    # Another stream than that of the walks down; by variable, so that one column does not depend on another.
    for variable in evidence.schema.numbers:
        bins, generator = evidence.schema.bins[variable], np.random.default_rng([seed, variable])
        assert bins is not None
        low, high = evidence.ranges.get(variable, np.tile([[-np.inf], [np.inf]], evidence.n_rows))
        drawn = bins.draw(worlds[variable].astype(np.intp), generator, low.repeat(n), high.repeat(n))
        known = evidence.numbers.get(variable, np.full(evidence.n_rows, np.nan)).repeat(n)
        found[variable] = np.where(np.isnan(known), drawn, known)
    return found


def seed_of(random_state: object) -> int:
    """64 bits from a seed, a generator of either of NumPy's kinds, or the system."""
    if isinstance(random_state, np.random.RandomState):
        high, low = random_state.randint(0, 2**32, size=2, dtype=np.uint64)
        return int(high) << 32 | int(low)
    try:
        generator = np.random.default_rng(random_state)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        expected = "a seed from 0, or a generator of NumPy"
        raise type(error)(f"random_state: expected {expected}, found {described(random_state)}") from None
    return int(generator.integers(0, 2**64, dtype=np.uint64))
