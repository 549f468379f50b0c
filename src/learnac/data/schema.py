"""`Schema`: the names of a table's columns, the categories each may hold, and the bins of numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnac.data.bins import Bins
from learnac.data.categories import MISSING, OTHER, checked_categories, checked_names
from learnac.errors import DataError, Problem, QueryError, listed
from learnac.types import Arities, Category, Codes, PartialCodes

UNKNOWN = -1
"""The code of a value that is not known, in evidence."""

WAY_OUT = "drop these rows, or fill them; a Dataset is complete, but LearnAC.fit and queries take missing values"


@dataclass(frozen=True, slots=True)
class Schema:
    """Names and categories of discrete variables: code `k` of variable `j` stands for `categories[j][k]`.

    Categories are compared with `==`: `1` and `True` are the same, `1` and `"1"` are not. So a table of booleans can be
    encoded with a schema made from the integers 0 and 1. Whole floats become integers.

    `bins[j]` is None, or the intervals of a column of numbers. The categories of the column are then the labels of the
    intervals, and a number stands for the interval it lies in; "missing" may come after them. () means that no column
    has bins.

    `ordered[j]` says whether the categories of a column have an order that splits may use, as bins always have; ()
    means that no others have. `ignored` are columns of the training table that were left out: later tables may have
    them.
    """

    names: tuple[str, ...]
    categories: tuple[tuple[Category, ...], ...]
    bins: tuple[Bins | None, ...] = ()
    ordered: tuple[bool, ...] = ()
    ignored: frozenset[str] = field(default=frozenset(), compare=False)
    # Whether a category that is none of the schema's is taken as a missing value, in evidence.
    takes_unknown: bool = field(default=False, compare=False)
    # Found once: every table that is read asks for them.
    _arities: Arities = field(init=False, repr=False, compare=False)
    _evidence_dtype: np.dtype[np.signedinteger[Any]] = field(init=False, repr=False, compare=False)
    _unlike_codes: str | None = field(init=False, repr=False, compare=False)
    _positions: dict[str, int] = field(init=False, repr=False, compare=False)
    # By variable, from category to code; made when first asked for.
    _codes: dict[int, dict[Hashable, int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = checked_names(self.names)
        columns = tuple(self.categories)
        if len(names) != len(columns):
            raise DataError(
                f"expected one list of categories per name, found {len(names)} names and {len(columns)} lists"
            )
        categories = tuple(checked_categories(name, column) for name, column in zip(names, columns, strict=True))
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "categories", categories)
        object.__setattr__(self, "bins", _checked_bins(names, categories, tuple(self.bins)))
        object.__setattr__(self, "ordered", _checked_order(self.bins, tuple(self.ordered)))
        object.__setattr__(self, "ignored", frozenset(self.ignored) - set(names))
        arities = np.array([len(column) for column in categories], dtype=np.int32)
        arities.flags.writeable = False
        object.__setattr__(self, "_arities", arities)
        object.__setattr__(self, "_evidence_dtype", _evidence_dtype(arities))
        object.__setattr__(self, "_unlike_codes", _first_unlike_codes(names, categories))
        object.__setattr__(self, "_positions", {name: position for position, name in enumerate(names)})
        object.__setattr__(self, "_codes", {})

    @property
    def n_variables(self) -> int:
        return len(self.names)

    @property
    def numbers(self) -> list[int]:
        """The variables that are numbers or dates: their intervals have densities."""
        return [variable for variable, bins in enumerate(self.bins) if bins is not None and bins.spread is not None]

    def some(self, variables: Sequence[int]) -> Schema:
        """The schema of some of the columns, in this order."""
        return Schema(
            tuple(self.names[variable] for variable in variables),
            tuple(self.categories[variable] for variable in variables),
            tuple(self.bins[variable] for variable in variables),
            tuple(self.ordered[variable] for variable in variables),
            self.ignored,
            self.takes_unknown,
        )

    @property
    def arities(self) -> Arities:
        """Number of categories of each variable, read-only."""
        return self._arities

    @property
    def unlike_codes(self) -> str | None:
        """A variable whose categories are numbers, but not those of their codes: an array of it would be ambiguous."""
        return self._unlike_codes

    @property
    def code_dtype(self) -> np.dtype[np.unsignedinteger[Any]]:
        """The smaller of uint8 and uint16 that holds every code of this schema, seen or not."""
        largest_code = self._arities.max() - 1
        if largest_code <= np.iinfo(np.uint8).max:
            return np.dtype(np.uint8)
        return np.dtype(np.uint16)

    @property
    def evidence_dtype(self) -> np.dtype[np.signedinteger[Any]]:
        """The smallest of int8, int16 and int32 that holds every code of this schema, and UNKNOWN."""
        return self._evidence_dtype

    def index(self, name: str) -> int:
        """The position of the variable called `name`."""
        if name not in self._positions:
            raise ValueError(f"no variable is called {name!r}; there are {listed(self.names)}")
        return self._positions[name]

    def position(self, name: object) -> int:
        """The position of the variable that a query calls `name`, which may be a label that is no string."""
        position = self._positions.get(str(name))
        if position is None:
            raise QueryError(
                f"no variable is called {name!r}; there are {listed(self.names)}",
                column=str(name),
                expected=self.names,
                found=name,
            )
        return position

    def code(self, variable: int, category: object) -> int:
        """The code of a category of a variable; of the interval that a number lies in, if the variable has bins.

        UNKNOWN of anything else, if the schema takes that as missing.
        """
        if variable not in self._codes:
            self._codes[variable] = {value: code for code, value in enumerate(self.categories[variable])}
        code = self._codes[variable].get(category) if isinstance(category, Hashable) else None
        bins = self.bins[variable]
        if code is None and bins is not None and (number := bins.number(category)) is not None:
            return bins.code(number)
        if code is None and isinstance(category, str) and bins is None:
            code = self._codes[variable].get(OTHER)
        if code is None and self.takes_unknown:
            return UNKNOWN
        if code is None:
            raise self.unknown_category(variable, category)
        return code

    def unknown_category(self, variable: int, found: object) -> QueryError:
        """The complaint about a value that is no category of a variable."""
        name, categories = self.names[variable], self.categories[variable]
        return QueryError(
            f"variable {name!r}: expected one of its categories, {listed(categories)}; found {found!r}",
            column=name,
            expected=categories,
            found=found,
            problem=Problem.UNKNOWN_CATEGORY,
        )

    def encode(self, table: object) -> Codes:
        """The codes of `table` under this schema: shape (n_variables, n_rows), C-contiguous and read-only.

        An array (rows x variables, in the order of this schema) holds codes already, whatever the categories
        are: they are only checked. A frame holds categories, and its columns are found by name, in any order.
        So are those of a Dataset, whose categories are matched by value. Numbers in a binned column become
        the intervals they lie in; strings there are labels of intervals.

        Raises DataError for a column too many or too few, a missing value, a category or code not known here.
        """
        # A Dataset holds a Schema, so its module needs this one first.
        from learnac.data.dataset import encode_table

        return encode_table(self, table)[0]

    def encode_evidence(self, table: object, *, may_lack_columns: bool = False) -> PartialCodes:
        """As `encode`, of a table that says what is known: codes in `evidence_dtype`, UNKNOWN where nothing is.

        Unknown is -1 or NaN in an array, what a masked array masks, and null in a frame.
        A frame may lack columns of the schema if that is allowed: nothing is known of them.
        """
        from learnac.data.dataset import encode_evidence

        return encode_evidence(self, table, may_lack_columns)[0]

    def check_known_names(self, found: Iterable[str]) -> None:
        """Raise DataError for a name that is not in this schema."""
        known = frozenset(self.names) | self.ignored
        if extra := [name for name in found if name not in known]:
            raise DataError(
                f"no variable is called {listed(extra)}; there are {listed(self.names)}",
                column=extra[0],
                expected=self.names,
                found=extra[0],
            )

    def check_same_names(self, found: Iterable[str]) -> None:
        """Raise DataError unless `found` holds the names of this schema, in any order."""
        present, known = dict.fromkeys(found), dict.fromkeys(self.names)
        missing = [name for name in known if name not in present]
        extra = [name for name in present if name not in known and name not in self.ignored]
        complaints = [f"lacks {listed(missing)}"] if missing else []
        complaints += [f"has {listed(extra)} in excess"] if extra else []
        if complaints:
            complaint = " and ".join(complaints)
            raise DataError(
                f"expected the {self.n_variables} columns of the schema; the table {complaint}",
                column=(missing or extra)[0],
                expected=self.names,
                found=tuple(present),
            )

    def __repr__(self) -> str:
        return f"Schema({self.describe()})"

    def describe(self) -> str:
        """The variables and their arities in a few words, for the `repr` of whatever has this schema."""
        first = list(zip(self.names, self.categories, strict=True))[:6]
        shown = [f"{name}[{len(column)}]" for name, column in first] + ["..."] * (self.n_variables > 6)
        plural = "variable" if self.n_variables == 1 else "variables"
        return f"{self.n_variables} {plural}: {', '.join(shown)}"


def _first_unlike_codes(names: tuple[str, ...], categories: tuple[tuple[Category, ...], ...]) -> str | None:
    for name, column in zip(names, categories, strict=True):
        if not isinstance(column[0], str) and column != tuple(range(len(column))):
            return name
    return None


def _checked_order(bins: tuple[Bins | None, ...], ordered: tuple[bool, ...]) -> tuple[bool, ...]:
    if ordered and len(ordered) != len(bins):
        raise DataError(f"expected for each name whether it is ordered, found {len(ordered)} for {len(bins)} names")
    given = ordered or (False,) * len(bins)
    return tuple(bool(is_ordered) or intervals is not None for is_ordered, intervals in zip(given, bins, strict=True))


def _evidence_dtype(arities: Arities) -> np.dtype[np.signedinteger[Any]]:
    largest_code = int(arities.max(initial=1)) - 1
    return np.dtype(next(t for t in (np.int8, np.int16, np.int32) if largest_code <= np.iinfo(t).max))


def _checked_bins(
    names: tuple[str, ...], categories: tuple[tuple[Category, ...], ...], bins: tuple[Bins | None, ...]
) -> tuple[Bins | None, ...]:
    if not bins:
        return (None,) * len(names)
    if len(bins) != len(names):
        raise DataError(f"expected bins or None for each name, found {len(bins)} for {len(names)} names")
    for name, labels, intervals in zip(names, categories, bins, strict=True):
        if intervals is not None and labels not in (intervals.labels, (*intervals.labels, MISSING)):
            raise DataError(
                f"column {name!r}: expected the intervals of its bins as categories, {listed(intervals.labels)}; "
                f"found {listed(labels)}",
                column=name,
                expected=intervals.labels,
                found=labels,
            )
    return bins
