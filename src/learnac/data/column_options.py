"""What people say about the columns of a table: which become intervals, which are left out, what they may hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from learnac.data.binning import ALL_COLUMNS, Binning, BinsStatement
from learnac.data.bins import Bins
from learnac.data.categories import checked_categories
from learnac.data.kinds import Kind
from learnac.data.number_text import number_text
from learnac.errors import SettingError, described, listed
from learnac.types import Category

OF_CATEGORIES = (Kind.BOOLEAN, Kind.CATEGORICAL, Kind.ORDERED)


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """What is stated about columns, by name. What is not stated is found out.

    Bins of `ALL_COLUMNS` are those of every column of numbers that has no others.
    """

    bins: Mapping[str, Bins | Binning] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    categories: Mapping[str, tuple[Category, ...]] = field(default_factory=dict)
    min_count: int = 1  # rows that a string must have to be a category of its own

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", frozenset(self.drop))
        both = set(self.categories) & {name for name, kind in self.kinds.items() if kind not in OF_CATEGORIES}
        both |= set(self.bins) & {name for name, kind in self.kinds.items() if kind in OF_CATEGORIES}
        stated = [*self.bins, *self.drop, *self.categories, *both, *both, *(set(self.drop) & set(self.kinds))]
        if twice := sorted({name for name in stated if stated.count(name) > 1}):
            raise ValueError(f"column {twice[0]!r}: expected one of bins, drop, a kind and categories; found two")

    @property
    def named(self) -> frozenset[str]:
        """The columns that something is said about."""
        return frozenset([*self.bins, *self.drop, *self.kinds, *self.categories]) - {ALL_COLUMNS}

    @property
    def bins_of_others(self) -> Bins | Binning | None:
        return self.bins.get(ALL_COLUMNS)

    def states(self, name: str) -> bool:
        """Whether something is said about a column, so that it is not left out."""
        return name in self.bins or name in self.kinds or name in self.categories

    def over(self, other: Self) -> Self:
        """These options, and for columns that they do not name those of `other`."""
        mine = self.named
        return type(self)(
            {**{name: how for name, how in other.bins.items() if name not in mine}, **self.bins},
            self.drop | (other.drop - mine),
            {**{name: kind for name, kind in other.kinds.items() if name not in mine}, **self.kinds},
            {**{name: values for name, values in other.categories.items() if name not in mine}, **self.categories},
            max(self.min_count, other.min_count),
        )


def stated_options(
    categories: Mapping[Any, Iterable[Category]] | None = None,
    bins: BinsStatement | None = None,
    as_category: Iterable[Any] = (),
    kinds: Mapping[Any, str] | None = None,
    min_count: int = 1,
) -> ColumnOptions:
    """What arguments in Python say about columns. A kind may be "drop". Labels of columns may be other than strings."""
    if categories is not None and not isinstance(categories, Mapping):
        raise TypeError(f"expected categories as a mapping from column name to list, found {described(categories)}")
    if kinds is not None and not isinstance(kinds, Mapping):
        raise TypeError(f"kinds: expected a mapping from column name to a kind, found {described(kinds)}")
    if isinstance(as_category, str) or not isinstance(as_category, Iterable):
        raise TypeError(f"as_category: expected a list of names, found {described(as_category)}")
    of_columns = {str(label): checked_categories(str(label), values) for label, values in (categories or {}).items()}
    stated = {str(label): _kind(str(label), kind) for label, kind in (kinds or {}).items()}
    return ColumnOptions(
        _bins(bins),
        frozenset(name for name, kind in stated.items() if kind is None),
        {name: kind for name, kind in stated.items() if kind is not None}
        | {str(label): Kind.CATEGORICAL for label in as_category},
        of_columns,
        checked_min_count(min_count),
    )


def checked_min_count(given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise SettingError("min_count", "a number of rows from 1", given)
    return given


def _kind(name: str, given: object) -> Kind | None:
    if given == "drop":
        return None
    try:
        return Kind(given)  # type: ignore[arg-type]
    except ValueError:
        expected = (*(kind.value for kind in Kind), "drop")
        raise ValueError(f"kinds: column {name!r}: expected one of {listed(expected)}; found {given!r}") from None


def _bins(given: BinsStatement | None) -> dict[str, Bins | Binning]:
    if given is None:
        return {}
    if isinstance(given, int) and not isinstance(given, bool):
        return {ALL_COLUMNS: Binning(given)}
    if not isinstance(given, Mapping):
        raise TypeError(f"expected bins as a mapping from column name to their number, found {described(given)}")
    found = {str(label): _as_binning(how) for label, how in given.items()}
    for name, how in found.items():
        if not isinstance(how, Bins | Binning):
            raise TypeError(f"column {name!r}: expected a number of bins, edges, Bins or a Binning, found {how!r}")
    return found


def _as_binning(how: Any) -> Any:
    if isinstance(how, int) and not isinstance(how, bool):
        return Binning(how)
    return Bins(tuple(how)) if isinstance(how, list | tuple) else how


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
