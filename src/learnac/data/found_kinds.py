"""What a column holds, found from its values: categories, ordered ones, numbers, times; or nothing to learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from learnac.data.calendars import seconds_of_texts
from learnac.data.distinct import Distinct
from learnac.data.frame_columns import Column
from learnac.data.kinds import Kind
from learnac.data.text_hints import text_hint

MOST_INTEGERS = 32
"""Different integers of a column that are ordered categories: days, grades and hours are, ages and prices not."""

FEW_INTEGERS = 12
"""As many are categories even of a small table."""

_ROWS_OF_INTEGER = 20  # that each of more than a few different integers must have on average

MOST_STRINGS = 1000
"""Different strings of a column that are categories unless stated: a circuit has three edges or more for each."""

_MANY_STRINGS = 64  # They are no categories if most rows have their own.
_FEWEST_NUMBERED_ROWS = 20
_LONG_TEXT = 30  # characters, on average


@dataclass(frozen=True, slots=True)
class Found:
    """The kind of a column, or why there is nothing to learn from it."""

    kind: Kind
    useless: str = ""  # "the same value in every row"
    is_identifier: bool = False


def kind_of(column: Column, distinct: Distinct, *, is_declared: bool, is_ordered: bool) -> Found:
    """The kind of a column without gaps. A person may have declared its categories, and their order, by its type."""
    used = distinct.used()
    same = "the same value in every row" if len(used) == 1 else ""
    if column.dtype == nw.Boolean:
        return Found(Kind.BOOLEAN, same)
    if is_declared:
        useless = _too_many(distinct.values, column, True)
        return Found(Kind.ORDERED if is_ordered else Kind.CATEGORICAL, same or useless, bool(useless))
    if column.dtype.is_numeric():
        return _of_numbers(column, np.array(used, dtype=np.float64), distinct, same)
    if seconds_of_texts(used) is not None:
        return Found(Kind.DATE, same)
    useless = _too_many(used, column, False)
    return Found(Kind.CATEGORICAL, same or useless, bool(useless))


def _of_numbers(column: Column, used: Any, distinct: Distinct, same: str) -> Found:
    n_rows, n_values = len(column), len(used)
    is_whole = np.isfinite(used) & (used == np.rint(used))
    if not (is_whole & ((np.abs(used) < 2.0**63) | column.dtype.is_integer())).all():
        return Found(Kind.NUMBER, same)
    if n_values == n_rows >= _FEWEST_NUMBERED_ROWS and np.ptp(used) == n_rows - 1 and _is_in_order(distinct):
        return Found(Kind.NUMBER, "the numbers of the rows", is_identifier=True)
    if n_values <= 2:
        return Found(Kind.CATEGORICAL, same)
    if n_values <= FEW_INTEGERS or (n_values <= MOST_INTEGERS and n_values * _ROWS_OF_INTEGER <= n_rows):
        return Found(Kind.ORDERED)
    return Found(Kind.NUMBER)


def _is_in_order(distinct: Distinct) -> bool:
    numbers = np.array(distinct.values, dtype=np.float64)[distinct.positions]
    steps = np.diff(numbers)
    return bool((steps == 1).all() or (steps == -1).all())


def _too_many(values: list[Any], column: Column, is_declared: bool) -> str:
    """Why there are too many strings for categories, if there are."""
    n_values, n_rows = len(values), len(column)
    is_rare = n_values > _MANY_STRINGS and n_values > n_rows / 2 and not is_declared
    if n_values <= MOST_STRINGS and not is_rare:
        return ""
    texts = [value for value in values if isinstance(value, str)]
    if hint := text_hint(texts):
        return f"{n_values:,} different strings; {hint}"
    if n_values == n_rows:
        return "a different value in every row"
    if texts and sum(map(len, texts)) / len(texts) > _LONG_TEXT:
        return f"free text: {n_values:,} different values"
    return f"{n_values:,} different values in {n_rows:,} rows"
