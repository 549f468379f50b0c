"""Names and categories of columns: what can be one, and which code a value has."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np

from learnac.data.bins import Bins
from learnac.errors import DataError, Problem, described, listed
from learnac.types import Category

UNSEEN = -1
"""Stands in for the code of a value that is no category."""

MISSING = "missing"
"""The category of values that are missing, where that is a category of its own: the last of its column."""

_LARGEST_INTEGER = int(np.iinfo(np.int64).max)

# A circuit starts with three edges per category, so a column beyond this is an identifier, not a variable;
# and codes up to here fit into 16 bits.
MAX_ARITY = 65_536


OTHER = "(other)"
"""The category that rare ones are gathered in, and any text that is no other category."""


def codes_of(values: Iterable[object], categories: tuple[Category, ...], bins: Bins | None = None) -> list[int]:
    """The code of each value under `categories`, or UNSEEN. With `bins`, that of a number is its interval's."""
    code_of: dict[object, int] = {category: code for code, category in enumerate(categories)}
    if bins is None and OTHER in code_of:
        return [code_of.get(value, code_of[OTHER] if isinstance(value, str) else UNSEEN) for value in values]
    if bins is None and categories[-1] == MISSING:
        return [code_of[value] if value in code_of else code_of.get(_number_in(value), UNSEEN) for value in values]
    if bins is None:
        return [code_of.get(value, UNSEEN) for value in values]
    return [code_of[value] if value in code_of else _code_in(bins, value) for value in values]


def numbers_of(values: Iterable[object], categories: tuple[Category, ...], bins: Bins) -> list[float]:
    """The numbers that values stand for; NaN for the label of an interval."""
    labels = frozenset(categories)
    numbers = (None if value in labels else bins.number(value) for value in values)
    return [math.nan if number is None else number for number in numbers]


def _code_in(bins: Bins, value: object) -> int:
    """The interval of a number, which may be a text: beside labels, that is what numbers are."""
    number = bins.number(value)
    return UNSEEN if number is None else bins.code(number)


def _number_in(value: object) -> object:
    """The whole number that a text stands for: where a column of numbers has texts too, all of it is read as text."""
    if not isinstance(value, str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if number.is_integer() else None


def unseen_category(name: str, row: int, value: object, categories: tuple[Category, ...]) -> DataError:
    """The error for a `value` in a table that is none of its column's `categories`."""
    return DataError(
        f"column {name!r}, row {row}: expected one of its categories, {listed(categories)}; found {value!r}",
        column=name,
        row=row,
        expected=categories,
        found=value,
        problem=Problem.UNKNOWN_CATEGORY,
    )


def unusable_type(name: str, found: str) -> DataError:
    """The error for a column of a type whose values are no categories."""
    expected = "strings, booleans, numbers, dates or categories"
    return DataError(
        f"column {name!r} has type {found}; expected {expected}: convert it, for example to strings",
        column=name,
        expected=expected,
        found=found,
    )


def check_largest_integer(name: str, largest: int) -> None:
    """Raise DataError for an integer that only an unsigned type can hold."""
    if largest > _LARGEST_INTEGER:
        expected = f"integers up to {_LARGEST_INTEGER}"
        raise DataError(
            f"column {name!r}: expected {expected}, found {largest}", column=name, expected=expected, found=largest
        )


def checked_categories(name: str, values: Iterable[object]) -> tuple[Category, ...]:
    """`values` as the categories of column `name`, or a DataError that names the column."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"column {name!r}: expected a list of categories, found {values!r}")
    categories = tuple(_as_category(name, value) for value in values)
    if not categories:
        raise DataError(f"column {name!r} has no categories; expected at least one", column=name)
    if repeated := _repeated(categories):
        raise DataError(
            f"column {name!r}: categories must be unique, repeated: {listed(repeated)}", column=name, found=repeated[0]
        )
    check_arity(name, len(categories))
    return categories


def check_arity(name: str, arity: int) -> None:
    if arity > MAX_ARITY:
        expected = f"at most {MAX_ARITY:,} categories"
        raise DataError(
            f"column {name!r}: expected {expected}, found {arity:,}: an identifier?",
            column=name,
            expected=expected,
            found=arity,
        )


def checked_names(values: Iterable[object]) -> tuple[str, ...]:
    """`values` as the names of columns, or an error that says which of them cannot be one."""
    if isinstance(values, str):
        raise TypeError(f"expected a sequence of names, found the string {values!r}")
    names = []
    for position, name in enumerate(values):
        if not isinstance(name, str):
            raise TypeError(f"expected names that are strings, found {name!r} at position {position}")
        if not name:
            raise DataError(f"the name at position {position} is empty; every column needs one")
        names.append(str(name))
    if not names:
        raise DataError("the table has no columns")
    if repeated := _repeated(names):
        raise DataError(f"column names must be unique; repeated: {listed(repeated)}", found=repeated[0])
    return tuple(names)


def checked_columns(columns: Collection[str], as_category: Iterable[object]) -> frozenset[str]:
    """The columns of a table whose every value is a category, or an error that says which is none of its columns."""
    if isinstance(as_category, str) or not isinstance(as_category, Iterable):
        raise TypeError(f"as_category: expected a list of names, found {described(as_category)}")
    wanted = frozenset(str(name) for name in as_category)
    if unknown := sorted(wanted - set(columns)):
        raise ValueError(f"as_category names {unknown[0]!r}, but the columns of the table are {listed(columns)}")
    return wanted


def _as_category(name: str, value: object) -> Category:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    # pandas turns integers into floats whenever it can, so whole floats are meant as integers.
    if isinstance(value, int | np.integer) or (isinstance(value, float | np.floating) and float(value).is_integer()):
        return _checked_integer(name, int(value))
    raise DataError(
        f"column {name!r}: expected categories that are strings, integers or booleans, "
        f"found {value!r} ({type(value).__name__})",
        column=name,
        expected="strings, integers or booleans",
        found=value,
    )


def _checked_integer(name: str, value: int) -> int:
    """The integer, if tables can hold it. Floats go further, but do not tell neighbours apart there."""
    if not -_LARGEST_INTEGER - 1 <= value <= _LARGEST_INTEGER:
        expected = f"integers from {-_LARGEST_INTEGER - 1} to {_LARGEST_INTEGER}"
        raise DataError(
            f"column {name!r}: expected {expected}, found {value}",
            column=name,
            expected=expected,
            found=value,
            problem=Problem.CONTINUOUS,
        )
    return value


def _repeated(values: Iterable[object]) -> list[object]:
    return [value for value, count in Counter(values).items() if count > 1]
