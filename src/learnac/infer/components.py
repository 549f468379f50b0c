"""The hidden variable of a mixture: which component a row comes from."""

from __future__ import annotations

from typing import Any

from learnac.circuit import Queryable
from learnac.data import Soft, as_evidence
from learnac.errors import QueryError
from learnac.infer.engine import engine_of, usable_threads


def components(mixture: Queryable, given: object = None, *, soft: Soft | None = None, n_threads: int = 1) -> Any:
    """The posterior of each component: (rows x components), or (components,) for one dict. A soft clustering.

    Cost: one upward pass for each component over the edges that a row leaves alive.
    """
    engine = engine_of(mixture)
    if engine.components is None:
        raise QueryError("components: expected a mixture, found a single circuit", expected="a mixture")
    evidence = as_evidence(engine.schema, given, soft)
    log_values, posteriors = engine.components.components(*evidence.arrays, usable_threads(n_threads))
    evidence.require_possible(log_values)
    return posteriors[0] if evidence.is_one else posteriors


def joint_mpe(
    mixture: Queryable, given: object = None, *, soft: Soft | None = None, n_threads: int = 1
) -> tuple[Any, Any, Any]:
    """The most probable combination of a component and of values for everything unknown in each row.

    Returns the completed rows, with the type of `given`, the log-probability of row and component together, and the
    component. Exact, without a search: one upward pass for each component, and a walk down. `mpe` is another question:
    the most probable row whatever the component.
    """
    engine = engine_of(mixture)
    if engine.components is None:
        raise QueryError("joint_mpe: expected a mixture, found a single circuit", expected="a mixture")
    given_evidence, threads = as_evidence(engine.schema, given, soft), usable_threads(n_threads)
    evidence = given_evidence.densest() if engine.schema.numbers else given_evidence
    worlds = evidence.codes.copy(order="C")
    log_values = engine.components.most_probable(*evidence.arrays, worlds, threads)
    evidence.require_possible(log_values)
    # Of a complete row, the component that goes with it best is the most probable one.
    _, posteriors = engine.components.components(*evidence.with_codes(worlds).arrays, threads)
    found, log_values = posteriors.argmax(axis=1), log_values + evidence.log_scales
    if evidence.is_one:
        return given_evidence.completed(worlds), float(log_values[0]), int(found[0])
    return given_evidence.completed(worlds), log_values, found
