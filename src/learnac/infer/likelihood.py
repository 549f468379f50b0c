"""Probabilities of evidence, and of queries given evidence (section 5.3 of the paper)."""

from __future__ import annotations

from typing import Any, TypeAlias

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

    Columns of numbers have densities, in their own unit; those of integers are probabilities. Missing values are summed
    out. Cost: one upward pass over the edges that the evidence does not rule out. With `network`, its trees score rows
    without missing values: a few steps for each variable. No network equals a mixture.
    """
    if network is not None and isinstance(circuit, Mixture):
        raise TypeError("network: expected None with a mixture, found a network: it is not the same distribution")
    if X is None:
        raise TypeError("X: expected rows, found None")
    evidence = as_evidence(circuit.schema, X, soft, may_lack_columns=False)
    if network is None:
        result = log_values(engine_of(circuit), evidence, n_threads)
    else:
        result = _by_trees_or_circuit(network, circuit, evidence, n_threads)
    return float(result[0]) if evidence.is_one else result


def _by_trees_or_circuit(
    network: BayesNet, circuit: Queryable, evidence: Evidence, n_threads: int
) -> NDArray[np.float64]:
    """The log-likelihood of each row: by the trees if it is complete, by the circuit if not."""
    result = np.empty(evidence.n_rows)
    is_complete = (evidence.codes >= 0).all(axis=0)
    if is_complete.any():
        by_trees = network.log_likelihood(evidence.codes[:, is_complete])
        result[is_complete] = by_trees + evidence.log_scales[is_complete]
    if not is_complete.all():
        result[~is_complete] = log_values(engine_of(circuit), evidence.rows(np.flatnonzero(~is_complete)), n_threads)
    return result


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
    if soft_in_query := [variable for variable in asked.soft_variables.tolist() if variable not in asked.ranges]:
        raise QueryError(
            "expected categories in the query, found likelihoods: only evidence may have these",
            column=engine.schema.names[soft_in_query[0]],
            expected="categories",
        )
    evidence, asked = _as_many_rows(evidence, asked)
    _check_agreement(evidence, asked)
    result = np.empty(evidence.n_rows)
    for start in range(0, evidence.n_rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        result[block] = _conditional(engine, evidence.rows(block), asked.rows(block), n_threads)
    return float(result[0]) if evidence.is_one and asked.is_one else result


def densities_in(circuit: Queryable, query: object, given: object = None) -> tuple[str, ...]:
    """The numbers of a query for which P(query | given) is a density, in some row; none of those that are known.

    Without any, it is a probability. With one, it is one per unit of that variable, and may be larger than 1.
    """
    schema = circuit.schema
    evidence, asked = _as_many_rows(as_evidence(schema, given), as_evidence(schema, query))
    found = []
    for variable, numbers in asked.numbers.items():
        bins, known = schema.bins[variable], evidence.numbers.get(variable, np.full(evidence.n_rows, np.nan))
        assert bins is not None
        if (bins.have_densities(numbers) & np.isnan(known)).any():
            found.append(schema.names[variable])
    return tuple(found)


def check_query(circuit: Queryable, query: object, given: object) -> None:
    """Raise QueryError for a query that contradicts its evidence in some row, before any is answered."""
    schema = circuit.schema
    _check_agreement(*_as_many_rows(as_evidence(schema, given), as_evidence(schema, query)))


def log_values(engine: Engine, evidence: Evidence, n_threads: int) -> NDArray[np.float64]:
    """Log P of the evidence of each row."""
    return engine.evaluator.log_values(*evidence.arrays, usable_threads(n_threads)) + evidence.log_scales


def _conditional(engine: Engine, evidence: Evidence, asked: Evidence, n_threads: int) -> NDArray[np.float64]:
    # Side by side, so that both are in one block of rows: what the query leaves alive, the evidence does too.
    known, both, log_factors = _tables(evidence, asked)
    variables = np.array(list(known), dtype=np.uint32)
    likelihoods = np.empty((2 * evidence.n_rows, sum(table.shape[1] for table in known.values())))
    for side, tables in enumerate((known, both)):
        likelihoods[side::2] = np.concatenate([np.empty((evidence.n_rows, 0)), *tables.values()], axis=1)
    codes = np.repeat(evidence.codes, 2, axis=1)
    np.copyto(codes[:, 1::2], asked.codes, where=asked.codes >= 0)
    found = engine.evaluator.log_values(codes, variables, likelihoods, usable_threads(n_threads))
    evidence.require_possible(found[::2])
    return found[1::2] - found[::2] + log_factors


_Tables: TypeAlias = dict[int, NDArray[np.float64]]


def _tables(evidence: Evidence, asked: Evidence) -> tuple[_Tables, _Tables, NDArray[np.float64]]:
    """Likelihoods of the evidence, and of the evidence with the query; and what else a query of numbers weighs.

    Where a number is known, an interval of the query holds or not. Where a number is asked for, what the evidence says
    of its interval is settled.
    """
    known = evidence.soft_tables()
    both = {variable: table.copy() for variable, table in known.items()}
    log_factors = np.zeros(evidence.n_rows)
    for variable, limits in asked.ranges.items():
        bins, codes = evidence.schema.bins[variable], evidence.codes[variable]
        assert bins is not None
        given = evidence.ranges.get(variable, np.tile([[-np.inf], [np.inf]], evidence.n_rows))
        shares = bins.shares_in(np.stack([np.maximum(limits[0], given[0]), np.minimum(limits[1], given[1])]))
        if variable in known and variable not in evidence.ranges:
            shares = shares * known[variable]  # These are likelihoods that somebody gave.
        known.setdefault(variable, np.ones(shares.shape))
        numbers = evidence.numbers.get(variable, np.full(evidence.n_rows, np.nan))
        is_known = codes >= 0
        held = np.where(
            np.isnan(numbers), shares[np.arange(len(codes)), codes], (limits[0] <= numbers) & (numbers < limits[1])
        )
        with np.errstate(divide="ignore"):
            log_factors[is_known] += np.log(held[is_known])
        both[variable] = np.where(is_known[:, None], 1.0, shares)
    for variable, numbers in asked.numbers.items():
        bins, is_asked = evidence.schema.bins[variable], ~np.isnan(numbers)
        assert bins is not None
        is_new = is_asked & np.isnan(evidence.numbers.get(variable, np.full(evidence.n_rows, np.nan)))
        log_factors += np.where(is_new, bins.log_densities(numbers), 0.0)
        if variable in evidence.ranges:
            low, high = evidence.ranges[variable]
            both[variable] = np.where(is_asked[:, None], 1.0, both[variable])
            log_factors[is_asked & ~((low <= numbers) & (numbers < high))] = -np.inf
    return known, {variable: both[variable] for variable in known}, log_factors


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
    for place, numbers in asked.numbers.items():
        if place in evidence.numbers:
            both = ~np.isnan(numbers) & ~np.isnan(evidence.numbers[place])
            contradicts[place] |= both & (numbers != evidence.numbers[place])
    if not contradicts.any():
        return
    variable, row = (int(i) for i in np.argwhere(contradicts)[0])
    name = evidence.schema.names[variable]
    wanted, known = (each.value_in(variable, row) for each in (asked, evidence))
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
