"""What people say about the columns of a table: which become intervals, which are left out, what they may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from learnac.data.bins import ALL_COLUMNS, Binning, Bins, number_text
from learnac.types import Category


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """What is stated about columns, by name. What is not stated is found out.

    `as_category` are the columns whose every value is a category, however many there are.
    """

    bins: Mapping[str, Bins | Binning] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    as_category: frozenset[str] = frozenset()
    categories: Mapping[str, tuple[Category, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", frozenset(self.drop))
        object.__setattr__(self, "as_category", frozenset(self.as_category))
        stated = [*self.bins, *self.drop, *self.as_category, *self.categories]
        if twice := sorted({name for name in stated if stated.count(name) > 1}):
            raise ValueError(f"column {twice[0]!r}: expected one of bins, drop, as category and categories; found two")

    @property
    def named(self) -> frozenset[str]:
        """The columns that something is said about."""
        return frozenset([*self.bins, *self.drop, *self.as_category, *self.categories]) - {ALL_COLUMNS}

    def over(self, other: Self) -> Self:
        """These options, and for columns that they do not name those of `other`."""
        mine = self.named
        return type(self)(
            {**{name: how for name, how in other.bins.items() if name not in mine}, **self.bins},
            self.drop | (other.drop - mine),
            self.as_category | (other.as_category - mine),
            {**{name: values for name, values in other.categories.items() if name not in mine}, **self.categories},
        )


def types_to_read(categories: Mapping[str, tuple[Category, ...]]) -> dict[str, Any]:
    """The types of pyarrow to read columns of CSV with, so that their texts can be these categories.

    Strings that are numbers, written as we would, are read as numbers: 0.50 in a file then is the category "0.5".
    Integers may be written as 1.0, which is what many programs make of a column with gaps.
    """
    import pyarrow as pa

    types = {}
    for name, values in categories.items():
        if all(isinstance(value, str) for value in values):
            if not all(_is_number_text(str(value)) for value in values):
                types[name] = pa.string()
        elif not any(isinstance(value, str | bool) or abs(value) >= 2**53 for value in values):
            types[name] = pa.float64()
    return types


def _is_number_text(text: str) -> bool:
    try:
        return number_text(float(text)) == text
    except (ValueError, OverflowError):
        return False
