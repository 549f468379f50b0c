"""Conflict: does the evidence hang together? What it is worth as a whole, against what its pieces are worth alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Queryable
from learnac.data import Evidence, Soft, as_evidence
from learnac.infer.engine import Engine, engine_of, usable_threads
from learnac.infer.likelihood import log_values


def conflict(circuit: Queryable, given: object, *, soft: Soft | None = None, n_threads: int = 1) -> Any:
    """Log P(e) less the sum of log P(e_i) over the pieces of evidence, in nats, for each row; one number for a dict.

    Above 0, the pieces support each other; below 0, they are seen together less often than if they had nothing to do
    with each other: something may be wrong with them, or the case is a rare one. Minus infinity where the evidence is
    impossible although each piece is possible. Cost: one upward pass for each row, and two for the marginals.
    """
    engine = engine_of(circuit)
    evidence = as_evidence(engine.schema, given, soft)
    log_pieces = _log_pieces(engine, evidence, n_threads)
    impossible = np.isneginf(log_pieces).any(axis=0)
    evidence.require_possible(np.where(impossible, -np.inf, 0.0))
    found = log_values(engine, evidence, n_threads) - evidence.log_scales - log_pieces.sum(axis=0)
    return float(found[0]) if evidence.is_one else found


def _log_pieces(engine: Engine, evidence: Evidence, n_threads: int) -> NDArray[np.float64]:
    """Log P of each piece by itself, (variables x rows): 0 where nothing is known."""
    nothing = as_evidence(engine.schema, None)
    _, priors = engine.evaluator.marginals(*nothing.arrays, engine.all_variables, usable_threads(n_threads))
    logs = np.zeros(evidence.codes.shape)
    with np.errstate(divide="ignore"):
        for variable, codes in enumerate(evidence.codes):
            prior = np.log(priors[0, engine.starts[variable] : engine.starts[variable + 1]])
            logs[variable] = np.where(codes >= 0, prior[np.maximum(codes, 0)], 0.0)
        first = 0
        for variable in evidence.soft_variables.tolist():
            prior = priors[0, engine.starts[variable] : engine.starts[variable + 1]]
            likelihoods = evidence.likelihoods[:, first : first + len(prior)]
            first += len(prior)
            soft = np.log((likelihoods * prior).sum(axis=1))
            logs[variable] = np.where((likelihoods == 1).all(axis=1), logs[variable], soft)
    return logs
