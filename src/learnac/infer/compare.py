"""What differs between two situations: posteriors of all variables under each, and how far they are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Queryable
from learnac.data import Soft, as_evidence
from learnac.infer.engine import engine_of, usable_threads
from learnac.infer.marginals import Posteriors
from learnac.infer.pieces import Pieces

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two situations. Everything is by variable, from the one that differs most to the one that differs least."""

    divergences: dict[str, float]  # Jensen-Shannon divergence of the two posteriors, in nats: 0 to log 2
    a: Posteriors
    b: Posteriors
    log_probability_a: float  # of the evidence itself
    log_probability_b: float


def compare(
    circuit: Queryable,
    given_a: object,
    given_b: object,
    *,
    soft_a: Soft | None = None,
    soft_b: Soft | None = None,
    n_threads: int = 1,
) -> Comparison:
    """Which variables differ most between two situations, each the evidence of one row.

    Cost: an upward and a downward pass for each situation.
    """
    engine = engine_of(circuit)
    logs, posteriors = [], []
    for name, given, soft in (("given_a", given_a, soft_a), ("given_b", given_b, soft_b)):
        evidence = as_evidence(engine.schema, given, soft)
        Pieces.of(evidence, f"compare: {name}")
        log_values, found = engine.evaluator.marginals(
            *evidence.arrays, engine.all_variables, usable_threads(n_threads)
        )
        evidence.require_possible(log_values)
        logs.append(float(log_values[0] + evidence.log_scales[0]))
        posteriors.append(found[0])
    a, b = posteriors
    divergences = _divergences(a, b, engine.starts)
    order = sorted(range(len(divergences)), key=lambda variable: (-divergences[variable], variable))

    def named(values: Any) -> dict[str, Any]:
        return {engine.schema.names[variable]: values(variable) for variable in order}

    return Comparison(
        divergences=named(lambda variable: divergences[variable]),
        a=named(lambda variable: a[engine.starts[variable] : engine.starts[variable + 1]]),
        b=named(lambda variable: b[engine.starts[variable] : engine.starts[variable + 1]]),
        log_probability_a=logs[0],
        log_probability_b=logs[1],
    )


def _divergences(a: Floats, b: Floats, starts: NDArray[np.int64]) -> list[float]:
    middle = (a + b) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(a > 0, a * np.log(a / middle), 0.0) + np.where(b > 0, b * np.log(b / middle), 0.0)
    return [max(0.0, found) for found in (np.add.reduceat(terms, starts[:-1]) / 2).tolist()]
