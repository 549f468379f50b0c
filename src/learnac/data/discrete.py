"""What is no discrete variable: real numbers, and so many values that a circuit of them would be one of identifiers.

Whoever learns is told so, in Python and on the command line alike, rather than given a circuit that fills the memory.
"""

from __future__ import annotations

import math
from typing import Any

import narwhals.stable.v2 as nw

from learnac.data.distinct import Distinct
from learnac.data.frame_columns import Column
from learnac.errors import DataError, Problem

MOST_INTEGERS = 64
"""Distinct integers of a column that are categories unless stated: days, weeks and minutes are, ages and years not."""

MOST_STRINGS = 1000
"""Distinct strings of a column that are categories unless stated: a circuit has three edges or more for each."""


def problem_of(name: str, column: Column, distinct: Distinct, *, is_declared: bool) -> DataError | None:
    """What is wrong with a column as a discrete variable, if anything.

    Of a type that declares its categories there may be as many as of strings, in however few rows.
    """
    if column.dtype.is_float() and (broken := [v for v in distinct.values if not _is_whole(v)]):
        return _real_numbers(name, column, distinct, broken)
    if column.dtype == nw.Boolean:
        return None
    is_number = column.dtype.is_numeric()
    n_values = len(distinct.values) if is_declared else len(distinct.used())
    limit, what = (MOST_INTEGERS, "integers") if is_number else (MOST_STRINGS, "strings")
    if n_values > limit:
        expected, more = f"at most {limit:,} distinct {what}", ""
    elif n_values > MOST_INTEGERS and n_values > len(column) / 2 and not is_declared:
        expected, more = f"few distinct {what}", f" in {len(column):,} rows"
    else:
        return None
    return DataError(
        f"column {name!r}: expected {expected}, found {n_values:,}{more}",
        column=name,
        expected=expected,
        found=n_values,
        problem=Problem.CONTINUOUS if is_number else Problem.IDENTIFIER,
    )


def too_many_codes(name: str, arity: int) -> DataError | None:
    """What is wrong with a column of codes whose number nobody stated, if anything."""
    if arity <= MOST_STRINGS:
        return None
    expected = f"at most {MOST_STRINGS:,} different codes"
    return DataError(
        f"column {name!r}: expected {expected}, found codes up to {arity - 1:,}",
        column=name,
        expected=expected,
        found=arity,
        problem=Problem.IDENTIFIER,
    )


def with_way_out(error: DataError) -> DataError:
    """The error with what helps in Python: arguments of `Dataset.from_frame` and `LearnAC`."""
    name = error.column
    keep = f"as_category=[{name!r}] keeps every value"
    if error.problem is Problem.IDENTIFIER:
        return error.saying(f"{error}: leave the column out, or {keep}")
    if error.problem is Problem.CONTINUOUS:
        also = "" if error.expected == _WHOLE_NUMBERS else f", {keep}"
        return error.saying(f"{error}: bins={{{name!r}: 5}} makes intervals of it{also}")
    return error


_WHOLE_NUMBERS = "whole numbers"


def _is_whole(value: float) -> bool:
    return math.isfinite(value) and float(value).is_integer()


def _real_numbers(name: str, column: Column, distinct: Distinct, broken: list[Any]) -> DataError:
    wrong = set(broken)
    is_wrong = [value in wrong for value in distinct.values]
    row = next(row for row, position in enumerate(distinct.positions.tolist()) if is_wrong[position])
    value, n_values = distinct.values[distinct.positions[row]], len(distinct.values)
    shown = f"{n_values:,} distinct value{'s' if n_values != 1 else ''}"
    return DataError(
        f"column {name!r}, row {row}: expected {_WHOLE_NUMBERS}, found {value!r} ({shown})",
        column=name,
        row=row,
        expected=_WHOLE_NUMBERS,
        found=value,
        problem=Problem.CONTINUOUS,
    )
