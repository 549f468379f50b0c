"""Evidence in dicts, as people write it down and as JSON has it: for a row, from names to categories or likelihoods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from learnac.data.bins import LARGEST_NUMBER, Bins
from learnac.data.intervals import Interval, interval_of
from learnac.data.likelihoods import likelihood_table
from learnac.data.schema import UNKNOWN, Schema
from learnac.errors import QueryError, placed
from learnac.types import PartialCodes


def are_documents(given: object) -> TypeGuard[Sequence[Any]]:
    """Whether this is a list of dicts, rather than rows of codes; one dict among other things is meant as a row."""
    return isinstance(given, list | tuple) and any(isinstance(row, Mapping) for row in given)


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """What dicts say: codes (variables x rows), and by variable numbers, limits of numbers (2 x rows), likelihoods."""

    codes: PartialCodes
    numbers: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    ranges: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    likelihoods: dict[int, Any] = field(default_factory=dict)


def read_document(schema: Schema, document: Mapping[Any, Any]) -> Documents:
    """What one row says. Its likelihoods are as they were given: of this row, or of many."""
    found = Documents(np.full((schema.n_variables, 1), UNKNOWN, dtype=schema.evidence_dtype))
    for name, value in document.items():
        variable = schema.position(name)
        if not isinstance(value, str) and _is_many(value):
            found.likelihoods[variable] = value
        elif not _is_unknown(value):
            _read_value(schema, variable, value, found)
    return found


def _is_many(value: Any) -> bool:
    return isinstance(value, Mapping | Sequence) or (hasattr(value, "__array__") and np.ndim(value) > 0)


def _read_value(schema: Schema, variable: int, value: Any, found: Documents) -> None:
    bins = schema.bins[variable]
    if bins is not None and value not in schema.categories[variable]:
        if (limits := _limits(schema, variable, bins, value)) is not None:
            found.ranges[variable] = np.array([[limits[0]], [limits[1]]])
            return
        if bins.spread is not None and (number := bins.number(value)) is not None:
            _check_number(schema.names[variable], number)
            found.numbers[variable] = np.array([number])
    found.codes[variable] = schema.code(variable, value)


def _check_number(name: str, number: float) -> None:
    if abs(number) > LARGEST_NUMBER:
        expected = f"a number up to {LARGEST_NUMBER:g}"
        raise QueryError(
            f"variable {name!r}: expected {expected}, found {number}", column=name, expected=expected, found=number
        )


def _limits(schema: Schema, variable: int, bins: Bins, value: object) -> tuple[float, float] | None:
    """Where an interval begins and ends, if the value is one."""
    interval = interval_of(value) if isinstance(value, str) else value
    if not isinstance(interval, Interval):
        return None
    limits, name = interval.limits(bins), schema.names[variable]
    expected = "an interval that some number lies in"
    try:
        if limits is None or not bins.shares_between(*limits).any():
            raise ValueError(f"expected {expected}, found {value!r}")
    except ValueError as error:
        raise QueryError(f"variable {name!r}: {error}", column=name, expected=expected, found=value) from None
    return limits


def read_documents(schema: Schema, documents: Sequence[Any]) -> Documents:
    """What all rows say.

    A row without likelihoods for a variable that another row has them for gets ones, which say nothing.
    """
    n_rows = len(documents)
    found = Documents(np.empty((schema.n_variables, n_rows), dtype=schema.evidence_dtype))
    for row, document in enumerate(documents):
        try:
            one = _read_row(schema, document)
        except QueryError as error:
            raise placed(error, f"row {row}", row=row) from None
        found.codes[:, row] = one.codes[:, 0]
        for variable, number in one.numbers.items():
            found.numbers.setdefault(variable, np.full(n_rows, np.nan))[row] = number[0]
        for variable, limits in one.ranges.items():
            everything = np.tile([[-np.inf], [np.inf]], n_rows)
            found.ranges.setdefault(variable, everything)[:, row] = limits[:, 0]
        for variable, values in one.likelihoods.items():
            ones = np.ones((n_rows, len(schema.categories[variable])))
            found.likelihoods.setdefault(variable, ones)[row] = values
    return found


def _read_row(schema: Schema, document: Any) -> Documents:
    if not isinstance(document, Mapping):
        expected = "a dict from names to categories"
        raise QueryError(f"expected {expected}, found {type(document).__name__}", expected=expected, found=document)
    found = read_document(schema, document)
    return replace(found, likelihoods=dict(_tables_of_one_row(schema, found.likelihoods)))


def _tables_of_one_row(schema: Schema, given: Mapping[int, Any]) -> Iterable[tuple[int, NDArray[np.float64]]]:
    for variable, values in given.items():
        table = likelihood_table(schema, variable, values)
        if len(table) != 1:
            name, expected = schema.names[variable], "likelihoods for one row"
            raise QueryError(
                f"variable {name!r}: expected {expected}, found {len(table)}",
                column=name,
                expected=expected,
                found=len(table),
            )
        yield variable, table[0]


def _is_unknown(value: Any) -> bool:
    """None, NaN of any kind, and pandas' NA and NaT, of which none says that it equals itself."""
    try:
        return value is None or not value == value  # noqa: PLR0124, SIM201
    except TypeError:  # pandas' NA is neither true nor false.
        return True
