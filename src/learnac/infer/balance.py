"""Answers for another share of some variable's values, with everything else as the model has it given that variable.

A population in which a variable has shares q in place of P(value | evidence) has each row with the weight
q / P(value | evidence). That is soft evidence: nothing needs to be drawn and thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.data import Evidence
from learnac.data.likelihoods import likelihood_table
from learnac.errors import QueryError, described
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
    shares = likelihood_table(engine.schema, variable, given)
    if len(shares) != 1:
        raise QueryError(f"balance: expected one share for each category of {name!r}, found {described(given)}")
    return variable, shares / shares.sum()
