"""Arrays of codes (rows x variables): what is no such array, and the way to one row of memory for each variable."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from learnac.data.schema import UNKNOWN, WAY_OUT, Schema
from learnac.errors import DataError, Problem, listed
from learnac.types import Codes, PartialCodes

_Table: TypeAlias = npt.NDArray[Any]

# Rows handled at once where a copy in a wide type is needed: small enough to stay in cache.
_BLOCK = 4096


def encode_partial_array(schema: Schema, array: Any) -> PartialCodes:
    """What `Schema.encode_evidence` promises of an array."""
    is_masked = isinstance(array, np.ma.MaskedArray)
    table = as_table(np.ma.filled(array, 0) if is_masked else array)
    _check_width(schema, table)
    codes = np.empty((schema.n_variables, len(table)), dtype=schema.evidence_dtype)
    for start in range(0, len(table), _BLOCK):
        block = table[start : start + _BLOCK]
        if table.dtype.kind == "f":
            block = np.where(np.isnan(block), UNKNOWN, block)
            check_whole_numbers(block, schema.names, start)
        _check_range(schema, block, start, UNKNOWN)
        codes[:, start : start + _BLOCK] = block.T
    if is_masked:
        codes[np.ma.getmaskarray(array).T] = UNKNOWN
    return codes


def none_as_nan(rows: Any) -> Any:
    """Rows as an array; numbers that are objects to NumPy as floats, with NaN for None, which stands for unknown."""
    try:
        table = np.asarray(rows)
    except ValueError:
        return rows  # Rows of different lengths: reported later.
    if table.dtype != object or table.ndim != 2:
        return table
    if not all(value is None or isinstance(value, int | float | np.number | np.bool_) for value in table.flat):
        return table
    return table.astype(np.float64)


def encode_array(schema: Schema, array: npt.ArrayLike) -> Codes:
    """What `Schema.encode` promises of an array."""
    table = as_table(array)
    _check_width(schema, table)
    check_whole_numbers(table, schema.names)
    return pack(schema, table)


def _check_width(schema: Schema, table: _Table) -> None:
    if table.shape[1] != schema.n_variables:
        raise DataError(
            f"expected {schema.n_variables} columns, as the schema has, found {table.shape[1]}",
            expected=f"{schema.n_variables} columns",
            found=table.shape[1],
        )
    # Read as codes, such numbers could mean other categories than the ones they look like.
    if (name := schema.unlike_codes) is not None:
        categories = schema.categories[schema.index(name)]
        raise DataError(
            f"an array holds codes, and those of column {name!r} are not its categories, {listed(categories)}: "
            "pass a data frame, or Dataset(schema, codes)",
            column=name,
        )


def as_table(codes: Any) -> _Table:
    """`codes` as a 2-D array of numbers, neither empty nor masked; the values are still unchecked."""
    if np.ma.is_masked(codes):
        raise _missing_values(np.ma.getmaskarray(codes))
    try:
        table = np.asarray(none_as_nan(codes))
    except ValueError:
        raise DataError(f"expected rows of the same length; {_first_uneven_row(codes)}") from None
    if table.ndim in (1, 2) and table.shape[0] == 0:
        raise DataError("the table has no rows")
    if table.ndim == 0:
        raise TypeError(f"expected a 2-D array (rows x variables), found {type(codes).__name__}")
    if table.dtype.kind == "c":
        raise DataError(
            f"Complex data not supported: expected an array of integer codes, found dtype {table.dtype}",
            expected="an array of integer codes",
            found=str(table.dtype),
        )
    if table.dtype.kind not in "biuf":
        raise DataError(
            f"expected an array of integer codes, found dtype {table.dtype}: "
            "put strings and mixed columns into a data frame and use Dataset.from_frame",
            expected="an array of integer codes",
            found=str(table.dtype),
        )
    if table.ndim != 2:
        hint = ". Reshape your data: one row is array.reshape(1, -1), one column array.reshape(-1, 1)" * (
            table.ndim == 1
        )
        raise DataError(
            f"expected a 2-D array (rows x variables), found shape {table.shape}{hint}",
            expected="a 2-D array (rows x variables)",
            found=table.shape,
        )
    if table.shape[1] == 0:
        raise DataError("the table has no columns")
    return table


def _first_uneven_row(rows: Any) -> str:
    lengths = [len(row) if hasattr(row, "__len__") else None for row in rows]
    for position, length in enumerate(lengths):
        if length != lengths[0]:
            return f"row 0 has {_values(lengths[0])} and row {position} has {_values(length)}"
    return "some of the values are sequences"


def _values(length: int | None) -> str:
    return "a number in its place" if length is None else f"{length} values"


def check_whole_numbers(table: _Table, names: Sequence[str], first_row: int = 0) -> None:
    """Raise DataError unless every number is one, whole and finite; `first_row` is the number of the first row."""
    if table.dtype.kind != "f":
        return
    if (missing := np.isnan(table)).any():
        raise _missing_values(missing, names)
    for start in range(0, len(table), _BLOCK):
        block = table[start : start + _BLOCK]
        broken = ~np.isfinite(block) | (block != np.rint(block))
        if broken.any():
            row, column = (int(place) for place in np.unravel_index(broken.argmax(), broken.shape))
            expected, found = "a code (a whole number from 0)", block[row, column].item()
            row += first_row + start
            raise DataError(
                f"row {row}, column {names[column]!r}: expected {expected}, found {found!r}",
                column=names[column],
                row=row,
                expected=expected,
                found=found,
            )


def _missing_values(missing: npt.NDArray[np.bool_], names: Sequence[str] | None = None) -> DataError:
    first = tuple(int(position) for position in np.unravel_index(missing.argmax(), missing.shape))
    where = f"row {first[0]}, column {names[first[1]]!r}" if names else f"position {first}"
    counted = f"found {missing.sum()}, the first in {where}"
    column = names[first[1]] if names else None
    return DataError(f"missing values are not supported: {counted}; {WAY_OUT}", column=column, row=first[0])


def observed_arities(table: _Table) -> list[int]:
    """As many values as the largest code of each column asks for."""
    # At least 1: whatever is negative is reported later, with its place.
    return [max(int(largest) + 1, 1) for largest in table.max(axis=0)]


def checked_arities(arities: Any, n_variables: int) -> list[int]:
    given = np.asarray(arities)
    if given.dtype.kind not in "iu":
        raise TypeError(f"expected arities that are integers, found {arities!r}")
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n_variables):
        raise ValueError(f"expected one arity or {n_variables}, one per column, found shape {given.shape}")
    if given.min() < 1:
        raise ValueError(f"expected arities of at least 1, found {given.min()}")
    return [int(arity) for arity in np.broadcast_to(given, n_variables)]


def pack(schema: Schema, table: _Table) -> Codes:
    """The table as one row per variable, in the schema's dtype, once every code is known to fit."""
    _check_range(schema, table)
    codes = np.empty((schema.n_variables, len(table)), dtype=schema.code_dtype)
    # By blocks of rows, or each column would fetch the whole table from memory again.
    for start in range(0, len(table), _BLOCK):
        codes[:, start : start + _BLOCK] = table[start : start + _BLOCK].T
    codes.flags.writeable = False
    return codes


def _check_range(schema: Schema, table: _Table, first_row: int = 0, smallest: int = 0) -> None:
    misfits = (table.min(axis=0) < smallest) | (table.max(axis=0) >= schema.arities)
    if not misfits.any():
        return
    column = int(misfits.argmax())
    arity = int(schema.arities[column])
    values = table[:, column]
    row = int(np.argmax((values < smallest) | (values >= arity)))
    name, found = schema.names[column], int(values[row])
    raise DataError(
        f"row {first_row + row}, column {name!r}: expected a code from 0 to {arity - 1} (arity {arity}), found {found}",
        column=name,
        row=first_row + row,
        expected=tuple(range(arity)),
        found=found,
        problem=Problem.UNKNOWN_CATEGORY,
    )
