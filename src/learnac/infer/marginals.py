"""Posteriors of all variables in one upward and one downward pass (Darwiche 2003), and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac.circuit import Queryable
from learnac.data import Schema, Soft, as_evidence
from learnac.errors import QueryError, described
from learnac.infer.balance import Balance, balanced
from learnac.infer.engine import Engine, engine_of
from learnac.infer.numbers import distribution
from learnac.infer.posteriors import iter_posteriors, posteriors_of

Posteriors: TypeAlias = dict[str, NDArray[np.float64]]


def marginals(
    circuit: Queryable,
    given: object = None,
    *,
    variables: Iterable[Any] | None = None,
    soft: Soft | None = None,
    balance: Balance | None = None,
    n_threads: int = 1,
) -> Posteriors:
    """Posterior of each variable: from its name to (rows x arity), or (arity,) for one dict of evidence.

    With `variables`, only these. A known value has probability 1; a probability below 2^-200 may be 0. Cost: two passes
    over the edges that the evidence does not rule out, for any number of variables.

    With `balance`, posteriors in a population in which a variable has other shares, as in `sample`: twice the passes.
    """
    engine = engine_of(circuit)
    evidence = balanced(engine, as_evidence(engine.schema, given, soft), balance, n_threads)
    wanted = _positions(engine, variables)
    posteriors = posteriors_of(engine, evidence, wanted, n_threads)
    return _named(engine.schema, wanted, posteriors[0] if evidence.is_one else posteriors)


def iter_marginals(
    circuit: Queryable,
    given: object,
    *,
    variables: Iterable[Any] | None = None,
    soft: Soft | None = None,
    block_rows: int | None = None,
    n_threads: int = 1,
) -> Iterator[tuple[slice, Posteriors]]:
    """`marginals` by blocks of rows, each with the slice of rows it is for: memory for one block at a time.

    By default, a block has as many rows as fit into 64 MB; `block_rows` sets the number.
    """
    engine = engine_of(circuit)
    evidence = as_evidence(engine.schema, given, soft)
    wanted = _positions(engine, variables)
    _check_block_rows(block_rows)
    blocks = iter_posteriors(engine, evidence, wanted, n_threads, block_rows)
    return ((rows, _named(engine.schema, wanted, posteriors)) for rows, posteriors in blocks)


def expectation(
    circuit: Queryable,
    values: str | Mapping[Any, ArrayLike | Mapping[Any, float]],
    given: object = None,
    *,
    soft: Soft | None = None,
    n_threads: int = 1,
) -> Any:
    """The exact mean of a sum of numbers, one for the value of each variable, given each row's evidence.

    `values` maps a variable's name to (arity,) numbers, or to a mapping from each category to its number. It may also
    be the name of a variable that is a number itself: then this is its mean. Cost: as `marginals`.
    """
    engine = engine_of(circuit)
    evidence = as_evidence(engine.schema, given, soft)
    if isinstance(values, str) and values in [engine.schema.names[variable] for variable in engine.schema.numbers]:
        return distribution(circuit, values, evidence, n_threads=n_threads).mean
    if not isinstance(values, Mapping):
        raise _no_mapping(engine.schema, values)
    tables = {engine.schema.position(name): _numbers(engine.schema, name, numbers) for name, numbers in values.items()}
    if not tables:
        raise QueryError("values: expected numbers for at least one variable, found none")
    weights = np.concatenate(list(tables.values()))
    wanted = np.array(list(tables), dtype=np.uint32)
    means = np.zeros(evidence.n_rows)
    for rows, posteriors in iter_posteriors(engine, evidence, wanted, n_threads):
        # One after the other: a matrix product would round a row by what stands beside it.
        for weight, column in zip(weights, posteriors.T, strict=True):
            means[rows] += weight * column
    return float(means[0]) if evidence.is_one else means


def _named(schema: Schema, wanted: NDArray[np.uint32], posteriors: NDArray[np.float64]) -> Posteriors:
    """By variable, the last axis of posteriors that stand side by side."""
    found, start = {}, 0
    for variable in wanted.tolist():
        end = start + len(schema.categories[variable])
        found[schema.names[variable]] = posteriors[..., start:end]
        start = end
    return found


def _positions(engine: Engine, variables: Iterable[Any] | None) -> NDArray[np.uint32]:
    if variables is None:
        return engine.all_variables
    if isinstance(variables, str) or not isinstance(variables, Iterable):
        raise TypeError(f"variables: expected a list of names, found {described(variables)}")
    positions = list(dict.fromkeys(engine.schema.position(name) for name in variables))
    if not positions:
        raise QueryError("variables: expected at least one name, found none", expected="at least one name")
    return np.array(positions, dtype=np.uint32)


def _check_block_rows(block_rows: object) -> None:
    if block_rows is None:
        return
    if not isinstance(block_rows, int | np.integer) or isinstance(block_rows, bool):
        raise TypeError(f"block_rows: expected a number of rows, found {described(block_rows)}")
    if block_rows < 1:
        raise ValueError(f"block_rows: expected at least 1, found {block_rows}")


def _no_mapping(schema: Schema, values: object) -> TypeError:
    name, categories = schema.names[0], schema.categories[0]
    example = {name: {category: float(code) for code, category in enumerate(categories[:3])}}
    return TypeError(
        "values: expected a mapping from names of variables to a number for each category, "
        f"such as {example}; found {described(values)}"
    )


def _numbers(schema: Schema, name: Any, numbers: ArrayLike | Mapping[Any, float]) -> NDArray[np.float64]:
    variable = schema.position(name)
    categories = schema.categories[variable]
    if isinstance(numbers, Mapping):
        for category in numbers:
            schema.code(variable, category)
        if lacking := [category for category in categories if category not in numbers]:
            raise _wrong_values(schema, variable, f" lacks a number for {lacking[0]!r}", categories, tuple(numbers))
        numbers = [numbers[category] for category in categories]
    try:
        table = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        complaint = f": expected numbers, found {numbers!r}"
        raise _wrong_values(schema, variable, complaint, "numbers", numbers) from None
    if table.shape != (len(categories),):
        expected = f"{len(categories)} numbers, one per category"
        complaint = f": expected {expected}, found shape {table.shape}"
        raise _wrong_values(schema, variable, complaint, expected, table.shape)
    if not np.isfinite(table).all():
        found = table[~np.isfinite(table)][0]
        raise _wrong_values(
            schema, variable, f": expected finite numbers, found {found}", "finite numbers", float(found)
        )
    return table


def _wrong_values(schema: Schema, variable: int, complaint: str, expected: object, found: object) -> QueryError:
    name = schema.names[variable]
    return QueryError(f"values: variable {name!r}{complaint}", column=name, expected=expected, found=found)
