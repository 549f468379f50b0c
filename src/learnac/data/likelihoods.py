"""Soft evidence: a likelihood for each category of a variable, in the place of one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac.data.schema import Schema
from learnac.errors import QueryError
from learnac.types import Category, PartialCodes

Soft: TypeAlias = Mapping[Any, ArrayLike | Mapping[Any, float]]
"""From a variable's name to likelihoods of its values: (arity,) for all rows, (rows, arity), or category to number."""


def likelihood_table(schema: Schema, variable: int, values: Any) -> NDArray[np.float64]:
    """Likelihoods as a person gives them as (1 or rows, arity), finite, from 0, some of each row above 0."""
    table = _numbers(schema, variable, values)
    arity = len(schema.categories[variable])
    if table.ndim != 2 or table.shape[1] != arity:
        shape = np.shape(values)
        expected = f"{arity} likelihoods, one per category"
        raise _unlike(schema, variable, expected, shape, f"expected {expected}, found shape {shape}")
    if len(table) == 0:
        expected = "likelihoods for at least one row"
        raise _unlike(schema, variable, expected, 0, f"expected {expected}, found none")
    broken = ~np.isfinite(table) | (table < 0)
    if broken.any():
        expected, found = "finite likelihoods from 0", float(table[broken][0])
        raise _unlike(schema, variable, expected, found, f"expected {expected}, found {found}")
    if not table.any(axis=1).all():
        expected = "a positive likelihood"
        raise _unlike(schema, variable, expected, 0, f"expected {expected}, found only zeros")
    return table


def check_rows(schema: Schema, variable: int, table: NDArray[np.float64], codes: PartialCodes) -> None:
    """Raise QueryError unless the likelihoods are for all rows, and no row has a value of the variable too."""
    n_rows = codes.shape[1]
    if len(table) not in (1, n_rows):
        expected = f"likelihoods for {n_rows} rows"
        raise _unlike(schema, variable, expected, len(table), f"expected {expected}, found {len(table)}")
    if (known := codes[variable] >= 0).any():
        row = int(known.argmax())
        name = schema.names[variable]
        raise QueryError(f"variable {name!r}: row {row} has both a value and likelihoods", column=name, row=row)


def _numbers(schema: Schema, variable: int, values: Any) -> NDArray[np.float64]:
    try:
        if not isinstance(values, Mapping):
            return np.atleast_2d(np.asarray(values, dtype=np.float64))
        table = np.zeros((1, len(schema.categories[variable])))
        for category, likelihood in values.items():
            table[0, _code(schema, variable, category)] = likelihood
        return table
    except QueryError:
        raise
    except (TypeError, ValueError):
        expected = f"{len(schema.categories[variable])} likelihoods"
        raise _unlike(schema, variable, expected, values, f"expected {expected}, found {values!r}") from None


def _code(schema: Schema, variable: int, category: Any) -> int:
    """The code of a category, or of its text: the keys of a JSON object are strings."""
    categories = schema.categories[variable]
    if isinstance(category, str) and category not in categories:
        category = {_json_text(value): value for value in categories}.get(category, category)
    return schema.code(variable, category)


def _json_text(category: Category) -> str:
    return str(category).lower() if isinstance(category, bool) else str(category)


def _unlike(schema: Schema, variable: int, expected: str, found: object, complaint: str) -> QueryError:
    name = schema.names[variable]
    return QueryError(f"variable {name!r}: {complaint}", column=name, expected=expected, found=found)
