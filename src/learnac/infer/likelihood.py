"""Probabilities of evidence, and of queries given evidence (section 5.3 of the paper)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Mixture, Queryable
from learnac.data import Evidence, Soft, as_evidence
from learnac.errors import QueryError
from learnac.infer.engine import Engine, engine_of, usable_threads
from learnac.network import BayesNet

# Queries answered at once: their evidence, with and without the query, is held side by side.
_BLOCK = 65_536


def log_likelihood(
    circuit: Queryable, X: object, *, soft: Soft | None = None, network: BayesNet | None = None, n_threads: int = 1
) -> Any:
    """The log-likelihood of each row; minus infinity for an impossible row. One number for a dict.

    Missing values are summed out. Cost: one upward pass over the edges that the evidence does not rule out. With
    `network`, its trees score rows without missing values: a few steps for each variable. No network equals a mixture.
    """
    if network is not None and isinstance(circuit, Mixture):
        raise TypeError("network: expected None with a mixture, found a network: it is not the same distribution")
    if X is None:
        raise TypeError("X: expected rows, found None")
    evidence = as_evidence(circuit.schema, X, soft, may_lack_columns=False)
    result = np.empty(evidence.n_rows)
    is_complete = np.full(evidence.n_rows, network is not None) & (evidence.codes >= 0).all(axis=0)
    if network is not None and is_complete.any():
        result[is_complete] = network.log_likelihood(evidence.codes[:, is_complete])
    if not is_complete.all():
        result[~is_complete] = log_values(engine_of(circuit), evidence.rows(np.flatnonzero(~is_complete)), n_threads)
    return float(result[0]) if evidence.is_one else result


def log_probability(
    circuit: Queryable, query: object, given: object = None, *, soft: Soft | None = None, n_threads: int = 1
) -> Any:
    """Log P(query | given) of each row; minus infinity if the query is impossible given the evidence.

    The query and the evidence are tables with the same number of rows, or one of them is a dict, which applies to all
    rows. A variable that is in both must have the same value in both. Cost: one upward pass for both probabilities.
    """
    engine = engine_of(circuit)
    evidence = as_evidence(engine.schema, given, soft)
    asked = as_evidence(engine.schema, query)
    if len(asked.soft_variables) > 0:
        raise QueryError(
            "expected categories in the query, found likelihoods: only evidence may have these",
            column=engine.schema.names[asked.soft_variables[0]],
            expected="categories",
        )
    evidence, asked = _as_many_rows(evidence, asked)
    _check_agreement(evidence, asked)
    result = np.empty(evidence.n_rows)
    for start in range(0, evidence.n_rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        result[block] = _conditional(engine, evidence.rows(block), asked.rows(block), n_threads)
    return float(result[0]) if evidence.is_one and asked.is_one else result


def check_query(circuit: Queryable, query: object, given: object) -> None:
    """Raise QueryError for a query that contradicts its evidence in some row, before any is answered."""
    schema = circuit.schema
    _check_agreement(*_as_many_rows(as_evidence(schema, given), as_evidence(schema, query)))


def log_values(engine: Engine, evidence: Evidence, n_threads: int) -> NDArray[np.float64]:
    """Log P of the evidence of each row."""
    return engine.evaluator.log_values(*evidence.arrays, usable_threads(n_threads)) + evidence.log_scales


def _conditional(engine: Engine, evidence: Evidence, asked: Evidence, n_threads: int) -> NDArray[np.float64]:
    # Side by side, so that both are in one block of rows: what the query leaves alive, the evidence does too.
    _, soft_variables, likelihoods = evidence.arrays
    codes = np.repeat(evidence.codes, 2, axis=1)
    np.copyto(codes[:, 1::2], asked.codes, where=asked.codes >= 0)
    found = engine.evaluator.log_values(
        codes, soft_variables, np.repeat(likelihoods, 2, axis=0), usable_threads(n_threads)
    )
    evidence.require_possible(found[::2])
    return found[1::2] - found[::2]


def _as_many_rows(evidence: Evidence, asked: Evidence) -> tuple[Evidence, Evidence]:
    if evidence.n_rows == asked.n_rows:
        return evidence, asked
    if asked.is_one:
        return evidence, asked.rows(np.zeros(evidence.n_rows, dtype=np.intp))
    if evidence.is_one:
        return evidence.rows(np.zeros(asked.n_rows, dtype=np.intp)), asked
    raise QueryError(
        f"expected as many rows in the query as in the evidence, found {asked.n_rows} and {evidence.n_rows}",
        expected=f"{evidence.n_rows} rows of query",
        found=asked.n_rows,
    )


def _check_agreement(evidence: Evidence, asked: Evidence) -> None:
    contradicts = (asked.codes >= 0) & (evidence.codes >= 0) & (asked.codes != evidence.codes)
    if not contradicts.any():
        return
    variable, row = (int(i) for i in np.argwhere(contradicts)[0])
    name, categories = evidence.schema.names[variable], evidence.schema.categories[variable]
    wanted, known = categories[asked.codes[variable, row]], categories[evidence.codes[variable, row]]
    number = int((asked if evidence.is_one else evidence).row_numbers[row])
    where = "" if evidence.is_one and asked.is_one else f"row {number}: "
    raise QueryError(
        f"{where}the query contradicts the evidence: "
        f"variable {name!r} is {wanted!r} in the query and {known!r} in the evidence",
        column=name,
        row=number,
        expected=known,
        found=wanted,
    )
