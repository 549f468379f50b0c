"""What to ask next: how much the answer about each unknown variable would tell about a target, on average."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Queryable
from learnac.data import Evidence, Soft, as_evidence
from learnac.errors import QueryError, described
from learnac.infer.engine import Engine, engine_of, usable_threads
from learnac.infer.pieces import Pieces

Floats = NDArray[np.float64]


def next_question(
    circuit: Queryable,
    target: Any,
    given: object = None,
    candidates: Iterable[Any] | None = None,
    *,
    soft: Soft | None = None,
    n_threads: int = 1,
) -> dict[str, float]:
    """The expected information gain in nats about the target, by variable, from the best question to the worst.

    That is the mutual information of target and variable, given the evidence of one row: how much less uncertain the
    target will be, on average over the answers. `candidates` are the variables that can be asked, by default all that
    nothing is known of. Ask the first, add the answer to the evidence, ask again: that is a questionnaire. Cost: an
    upward and a downward pass for each value of the target, for all candidates together.
    """
    engine = engine_of(circuit)
    schema = engine.schema
    variable = schema.position(target)
    evidence = as_evidence(schema, given, soft)
    pieces = Pieces.of(evidence, "next_question")
    if variable in pieces.variables:
        name = schema.names[variable]
        raise QueryError(
            f"next_question: expected the target {name!r} to be unknown, found evidence about it", column=name
        )
    wanted = _candidates(engine, variable, pieces, candidates)
    if len(wanted) == 0:
        return {}
    gains = gains_of(*given_target(engine, evidence, variable, wanted, n_threads), schema.arities[wanted])
    order = sorted(range(len(wanted)), key=lambda place: (-gains[place], place))
    return {schema.names[int(wanted[place])]: gains[place] for place in order}


def given_target(
    engine: Engine, evidence: Evidence, target: int, wanted: NDArray[np.uint32], n_threads: int
) -> tuple[Floats, Floats]:
    """P(target), and P(variable | target) of all values of the wanted variables, by value of the target."""
    arity = len(engine.schema.categories[target])
    rows = evidence.rows(np.zeros(arity, dtype=np.intp))
    codes = rows.codes.copy()
    codes[target] = np.arange(arity)
    logs, found = engine.evaluator.marginals(*rows.with_codes(codes).arrays, wanted, usable_threads(n_threads))
    evidence.require_possible(np.array([logs.max()]))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return weights, np.where(weights[:, None] > 0, found, 0.0)


def gains_of(weights: Floats, table: Floats, arities: NDArray[np.integer]) -> list[float]:
    """Mutual information of the target and each variable, from P(target) and P(variable | target)."""
    mixed = weights @ table
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(table > 0, table * np.log(table / mixed), 0.0)
    by_value = weights @ terms
    starts = np.concatenate([[0], np.cumsum(arities)[:-1]])
    return [max(0.0, gain) for gain in np.add.reduceat(by_value, starts).tolist()]


def _candidates(engine: Engine, target: int, pieces: Pieces, candidates: Iterable[Any] | None) -> NDArray[np.uint32]:
    known = {target, *pieces.variables}
    if candidates is None:
        return np.array([v for v in range(engine.schema.n_variables) if v not in known], dtype=np.uint32)
    if isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise TypeError(f"candidates: expected a list of names, found {described(candidates)}")
    positions = list(dict.fromkeys(engine.schema.position(name) for name in candidates))
    for variable in positions:
        if variable in known:
            name = engine.schema.names[variable]
            found = "the target" if variable == target else "evidence about it"
            raise QueryError(f"candidates: expected {name!r} to be unknown, found {found}", column=name)
    return np.array(positions, dtype=np.uint32)
