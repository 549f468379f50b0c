"""Evidence in dicts, as people write it down and as JSON has it: for a row, from names to categories or likelihoods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from learnac.data.likelihoods import likelihood_table
from learnac.data.schema import UNKNOWN, Schema
from learnac.errors import QueryError, placed
from learnac.types import PartialCodes


def are_documents(given: object) -> TypeGuard[Sequence[Any]]:
    """Whether this is a list of dicts, rather than rows of codes; one dict among other things is meant as a row."""
    return isinstance(given, list | tuple) and any(isinstance(row, Mapping) for row in given)


def read_document(schema: Schema, document: Mapping[Any, Any]) -> tuple[PartialCodes, dict[int, Any]]:
    """The codes of one row, (variables x 1), and by variable what is given of likelihoods: of this row, or of many."""
    codes = np.full((schema.n_variables, 1), UNKNOWN, dtype=schema.evidence_dtype)
    likelihoods: dict[int, Any] = {}
    for name, value in document.items():
        variable = schema.position(name)
        is_many = isinstance(value, Mapping | Sequence) and not isinstance(value, str)
        if is_many or (hasattr(value, "__array__") and np.ndim(value) > 0):
            likelihoods[variable] = value
        elif not _is_unknown(value):
            codes[variable] = schema.code(variable, value)
    return codes, likelihoods


def read_documents(schema: Schema, documents: Sequence[Any]) -> tuple[PartialCodes, dict[int, NDArray[np.float64]]]:
    """The codes of all rows, (variables x rows), and by variable the likelihoods, (rows x arity).

    A row without likelihoods for a variable that another row has them for gets ones, which say nothing.
    """
    codes = np.empty((schema.n_variables, len(documents)), dtype=schema.evidence_dtype)
    likelihoods: dict[int, NDArray[np.float64]] = {}
    for row, document in enumerate(documents):
        try:
            found, soft = _read_row(schema, document)
        except QueryError as error:
            raise placed(error, f"row {row}", row=row) from None
        codes[:, row] = found[:, 0]
        for variable, values in soft.items():
            ones = np.ones((len(documents), len(schema.categories[variable])))
            likelihoods.setdefault(variable, ones)[row] = values
    return codes, likelihoods


def _read_row(schema: Schema, document: Any) -> tuple[PartialCodes, dict[int, NDArray[np.float64]]]:
    if not isinstance(document, Mapping):
        expected = "a dict from names to categories"
        raise QueryError(f"expected {expected}, found {type(document).__name__}", expected=expected, found=document)
    codes, given = read_document(schema, document)
    return codes, dict(_tables_of_one_row(schema, given))


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
