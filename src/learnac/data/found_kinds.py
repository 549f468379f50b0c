"""What a column holds, found from its values: categories, ordered ones, numbers, times; or nothing to learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

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


class ColumnValues(Protocol):
    """What is known of the values of a column without gaps, in memory or gathered from a stream."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_values(self) -> int:
        """Different ones."""

    @property
    def has_more(self) -> bool:
        """Whether there are more different values than anybody counted."""

    @property
    def is_boolean(self) -> bool: ...

    @property
    def is_number(self) -> bool:
        """Whether the type of the column is one of numbers."""

    @property
    def is_time(self) -> bool:
        """Whether the type of the column is one of points in time."""

    @property
    def are_dates(self) -> bool:
        """Whether the column holds texts, which are all dates."""

    @property
    def is_whole(self) -> bool:
        """Whether all numbers are integers."""

    @property
    def is_in_order(self) -> bool:
        """Whether each integer is one more than that of the row before, or each one less."""

    @property
    def is_declared(self) -> bool:
        """Whether a person stated the categories, by the type of the column."""

    @property
    def is_ordered(self) -> bool:
        """Whether a person stated an order of the categories too."""

    def used(self) -> list[Any]:
        """The values that some row has, if not too many."""

    def declared(self) -> list[Any] | None:
        """The categories that the type of the column has."""


def kind_of(column: ColumnValues) -> Found:
    """The kind of a column. A person may have declared its categories, and their order, by its type."""
    same = "the same value in every row" if column.n_values == 1 else ""
    if column.is_boolean:
        return Found(Kind.BOOLEAN, same)
    if column.is_declared:
        useless = _too_many(column)
        return Found(Kind.ORDERED if column.is_ordered else Kind.CATEGORICAL, same or useless, bool(useless))
    if column.is_number:
        return _of_numbers(column, same)
    if column.are_dates:
        return Found(Kind.DATE, same)
    useless = _too_many(column)
    return Found(Kind.CATEGORICAL, same or useless, bool(useless))


def _of_numbers(column: ColumnValues, same: str) -> Found:
    n_rows, n_values = column.n_rows, column.n_values
    if not column.is_whole:
        return Found(Kind.NUMBER, same)
    if n_rows >= _FEWEST_NUMBERED_ROWS and column.is_in_order:
        return Found(Kind.NUMBER, "the numbers of the rows", is_identifier=True)
    if n_values <= 2:
        return Found(Kind.CATEGORICAL, same)
    if n_values <= FEW_INTEGERS or (n_values <= MOST_INTEGERS and n_values * _ROWS_OF_INTEGER <= n_rows):
        return Found(Kind.ORDERED)
    return Found(Kind.NUMBER)


def _too_many(column: ColumnValues) -> str:
    """Why there are too many strings for categories, if there are."""
    if column.has_more:
        return f"more than {column.n_values:,} different values"
    values = (column.declared() if column.is_declared else None) or column.used()
    n_values, n_rows = len(values), column.n_rows
    is_rare = n_values > _MANY_STRINGS and n_values > n_rows / 2 and not column.is_declared
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
