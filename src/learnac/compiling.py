"""Networks from anywhere, compiled: what `learnac.compile` and the command do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit
from learnac.compiler import Attempt, compile_network
from learnac.compiler.budget import MAX_BYTES, MAX_EDGES, MAX_SECONDS
from learnac.data import Schema, as_evidence
from learnac.errors import QueryError
from learnac.io.objects import network_of


def compile(  # noqa: A001
    network: Any,
    *,
    given: object = None,
    max_edges: int = MAX_EDGES,
    max_seconds: float = MAX_SECONDS,
    max_bytes: int = MAX_BYTES,
    n_threads: int = 1,
    on_attempt: Callable[[Attempt], None] | None = None,
) -> Circuit:
    """The circuit of a Bayesian network, on which every query works.

    `network` is a `BayesNet`, the path of a file (.bif, .xmlbif, .uai, .bn, .learnac), a model of ours with a network,
    or a network of pgmpy or pyAgrum. Several ways are tried within the limits, and the smallest circuit is kept; the
    same network has the same circuit, unless time is short. SizeError if there is none within the limits.

    With `given`, a dict of values that are known for good, the circuit is that of P(everything | given): smaller, and
    good for this evidence only. `on_attempt` is called after each attempt.
    """
    found = network_of(network)
    return compile_network(
        found,
        max_edges,
        given=None if given is None else known_codes(found.schema, given),
        max_seconds=max_seconds,
        max_bytes=max_bytes,
        n_threads=n_threads,
        on_attempt=on_attempt,
    )


def known_codes(schema: Schema, given: object) -> NDArray[np.int32]:
    """One row of evidence as codes, -1 where nothing is known. QueryError for likelihoods, and for several rows."""
    evidence = as_evidence(schema, given)
    if evidence.codes.shape[1] != 1:
        raise QueryError(f"given: expected the values of one row, found {evidence.codes.shape[1]:,} rows")
    if len(evidence.arrays[1]):
        raise QueryError("given: expected known values, found likelihoods")
    return evidence.codes[:, 0].astype(np.int32)
