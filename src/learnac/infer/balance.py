"""Answers for another share of some variable's values, with everything else as the model has it given that variable.

A population in which a variable has shares q in place of P(value | evidence) has each row with the weight
q / P(value | evidence). That is soft evidence: nothing needs to be drawn and thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.data import Evidence, Schema
from learnac.data.likelihoods import likelihood_table
from learnac.errors import QueryError, described, placed
from learnac.infer.engine import Engine
from learnac.infer.posteriors import posterior_of

Balance: TypeAlias = str | Mapping[Any, Any]
"""A variable whose values are to be equally frequent; or one variable, and the share of each of its categories."""


def balanced(engine: Engine, evidence: Evidence, balance: Balance | None, n_threads: int) -> Evidence:
    """The evidence, with likelihoods that give one variable the shares that are asked for, in each row."""
    if balance is None:
        return evidence
    variable, shares = _asked(engine, balance)
    name = engine.schema.names[variable]
    if (evidence.codes[variable] >= 0).any() or variable in evidence.soft_variables:
        raise QueryError(f"balance: expected {name!r} to be unknown, found evidence about it", column=name)
    posterior = posterior_of(engine, evidence, variable, n_threads)
    is_possible = posterior > 0
    if shares is None:
        wanted = is_possible / is_possible.sum(axis=1, keepdims=True)
    else:
        wanted = np.broadcast_to(shares, posterior.shape)
        if (impossible := (wanted > 0) & ~is_possible).any():
            row, code = (int(place) for place in np.argwhere(impossible)[0])
            category = engine.schema.categories[variable][code]
            where = "" if evidence.is_one else f"row {evidence.row_numbers[row]}: "
            raise QueryError(
                f"balance: {where}expected a share of 0 for {name!r} = {category!r}, which the evidence makes "
                f"impossible, found {float(wanted[row, code])}",
                column=name,
                found=category,
            )
    weights = np.divide(wanted, posterior, out=np.zeros_like(posterior), where=is_possible)
    # One row of likelihoods is for one row of evidence, so that a dict stays one.
    return evidence.with_likelihoods({variable: weights})


def _asked(engine: Engine, balance: Balance) -> tuple[int, NDArray[np.float64] | None]:
    if isinstance(balance, str) or not isinstance(balance, Mapping):
        return engine.schema.position(balance), None
    if len(balance) != 1:
        raise QueryError(
            f"balance: expected one variable with the shares of its categories, found {len(balance)} variables",
            expected="one variable",
            found=len(balance),
        )
    ((name, given),) = balance.items()
    variable = engine.schema.position(name)
    shares = likelihood_table(engine.schema, variable, _checked(engine.schema, variable, given))
    return variable, shares / shares.sum()


def _checked(schema: Schema, variable: int, given: Any) -> Mapping[Any, float]:
    """The share of each category. One that was forgotten is an error: 0 says that there shall be none."""
    name, categories = schema.names[variable], schema.categories[variable]

    def wrong(found: str) -> QueryError:
        expected = "a share from 0 for each category, and some above 0"
        return QueryError(
            f"balance: variable {name!r}: expected {expected}; found {found}", column=name, expected=expected
        )

    if not isinstance(given, Mapping):
        if np.shape(given) != (len(categories),):
            raise wrong(described(given))
        given = dict(zip(categories, given, strict=True))
    if not given:
        raise wrong("none")
    try:
        is_stated = likelihood_table(schema, variable, dict.fromkeys(given, 1))[0] > 0
    except QueryError as error:
        raise placed(error, "balance") from None
    for category, share in given.items():
        if not (isinstance(share, Real) and 0 <= float(share) < np.inf):
            raise wrong(f"{share!r} for {category!r}")
    if not is_stated.all():
        raise wrong(f"none for {categories[int(is_stated.argmin())]!r}")
    if not any(given.values()):
        raise wrong("only zeros")
    return given
