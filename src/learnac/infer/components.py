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
