"""Probabilities of evidence, and of queries given evidence (section 5.3 of the paper)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit
from learnac.errors import QueryError
from learnac.infer.engine import Engine, engine_of
from learnac.infer.evidence import Given, Soft, read_given
from learnac.network import BayesNet

# Queries answered at once: their evidence, with and without the query, is held side by side.
_BLOCK = 65_536


def log_likelihood(
    circuit: Circuit, X: object, *, soft: Soft | None = None, network: BayesNet | None = None, n_threads: int = 1
) -> Any:
    """Log P of each row, what is unknown summed out; minus infinity for an impossible one. One number for a dict.

    Cost: one upward pass over the edges that a row leaves alive. Complete rows are scored by the trees of `network`,
    if that is given: a few steps for each variable.
    """
    given = read_given(engine_of(circuit), X, soft, may_lack_columns=False)
    result = np.empty(given.n_rows)
    is_complete = np.full(given.n_rows, network is not None) & (given.codes >= 0).all(axis=0)
    if network is not None and is_complete.any():
        result[is_complete] = network.log_likelihood(given.codes[:, is_complete])
    if not is_complete.all():
        result[~is_complete] = log_values(given.rows(np.flatnonzero(~is_complete)), n_threads)
    return float(result[0]) if given.is_one else result


def log_probability(
    circuit: Circuit, query: object, given: object = None, *, soft: Soft | None = None, n_threads: int = 1
) -> Any:
    """Log P(query | given) of each row; minus infinity where the evidence excludes the query.

    The query and the evidence are tables of as many rows, or one of them is a dict, for all rows. Where a row has both
    a query and evidence for a variable, they must agree. Cost: one upward pass for both probabilities.
    """
    engine = engine_of(circuit)
    evidence = read_given(engine, given, soft)
    asked = read_given(engine, query)
    if len(asked.soft_variables) > 0:
        raise QueryError("expected a query of categories, found likelihoods: these go with the evidence")
    evidence, asked = _as_many_rows(evidence, asked)
    _check_agreement(engine, evidence, asked)
    result = np.empty(evidence.n_rows)
    for start in range(0, evidence.n_rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        result[block] = _conditional(evidence.rows(block), asked.rows(block), n_threads)
    return float(result[0]) if evidence.is_one and asked.is_one else result


def check_query(circuit: Circuit, query: object, given: object) -> None:
    """Raise QueryError for a query that contradicts its evidence in some row, before any is answered."""
    engine = engine_of(circuit)
    _check_agreement(engine, *_as_many_rows(read_given(engine, given), read_given(engine, query)))


def log_values(given: Given, n_threads: int) -> NDArray[np.float64]:
    """Log P of the evidence of each row."""
    return given.engine.evaluator.log_values(*given.arrays, n_threads) + given.log_scales


def _conditional(evidence: Given, asked: Given, n_threads: int) -> NDArray[np.float64]:
    # Side by side, so that both are in one block of rows: what the query leaves alive, the evidence does too.
    both = evidence.rows(np.repeat(np.arange(evidence.n_rows), 2))
    joint = both.codes[:, 1::2]
    np.copyto(joint, asked.codes, where=asked.codes >= 0)
    found = both.engine.evaluator.log_values(*both.arrays, n_threads)
    evidence.require_possible(found[::2])
    return found[1::2] - found[::2]


def _as_many_rows(evidence: Given, asked: Given) -> tuple[Given, Given]:
    if evidence.n_rows == asked.n_rows:
        return evidence, asked
    if asked.is_one:
        return evidence, asked.rows(np.zeros(evidence.n_rows, dtype=np.intp))
    if evidence.is_one:
        return evidence.rows(np.zeros(asked.n_rows, dtype=np.intp)), asked
    raise QueryError(f"expected as many rows of query as of evidence, found {asked.n_rows} and {evidence.n_rows}")


def _check_agreement(engine: Engine, evidence: Given, asked: Given) -> None:
    contradicts = (asked.codes >= 0) & (evidence.codes >= 0) & (asked.codes != evidence.codes)
    if not contradicts.any():
        return
    variable, row = (int(i) for i in np.argwhere(contradicts)[0])
    categories = engine.schema.categories[variable]
    where = "" if evidence.is_one and asked.is_one else f"row {row}: "
    raise QueryError(
        f"{where}the query contradicts its evidence: variable {engine.schema.names[variable]!r} is asked to be "
        f"{categories[asked.codes[variable, row]]!r} and given as {categories[evidence.codes[variable, row]]!r}"
    )
