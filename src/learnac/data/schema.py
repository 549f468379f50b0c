"""`Schema`: the names of a table's columns, the categories each may hold, and the bins of numbers."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnac.data.bins import Bins
from learnac.errors import DataError, Problem, listed
from learnac.types import Arities, Category, Codes, Evidence

UNSEEN = -1
"""Stands in for the code of a value that is no category."""

UNKNOWN = -1
"""The code of a value that is not known, in evidence."""

# A circuit starts with three edges per category, so a column beyond this is an identifier, not a variable;
# and codes up to here fit into 16 bits.
MAX_ARITY = 65_536


@dataclass(frozen=True, slots=True)
class Schema:
    """Names and categories of discrete variables: code `k` of variable `j` stands for `categories[j][k]`.

    Two categories are the same if `==` says so: `1` and `True` are, `1` and `"1"` are not. So a table of
    booleans can be encoded under a schema made from 0/1 integers. Whole floats become integers.

    `bins[j]` is None, or the intervals of a column of numbers: their labels are its categories, and a number
    under this schema stands for the interval it lies in. No bins at all may be written as ().
    """

    names: tuple[str, ...]
    categories: tuple[tuple[Category, ...], ...]
    bins: tuple[Bins | None, ...] = ()
    # Found once: every table that is read asks for them.
    _arities: Arities = field(init=False, repr=False, compare=False)
    _unlike_codes: str | None = field(init=False, repr=False, compare=False)

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
        arities = np.array([len(column) for column in categories], dtype=np.int32)
        arities.flags.writeable = False
        object.__setattr__(self, "_arities", arities)
        object.__setattr__(self, "_unlike_codes", _first_unlike_codes(names, categories))

    @property
    def n_variables(self) -> int:
        return len(self.names)

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
        largest_code = self._arities.max() - 1
        return np.dtype(next(t for t in (np.int8, np.int16, np.int32) if largest_code <= np.iinfo(t).max))

    def index(self, name: str) -> int:
        """The position of the variable called `name`."""
        try:
            return self.names.index(name)
        except ValueError:
            raise ValueError(f"no variable is called {name!r}; there are {listed(self.names)}") from None

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

        return encode_table(self, table)

    def encode_evidence(self, table: object, *, may_lack_columns: bool = False) -> Evidence:
        """As `encode`, of a table that says what is known: codes in `evidence_dtype`, UNKNOWN where nothing is.

        Unknown is -1 or NaN in an array, what a masked array masks, and null in a frame.
        A frame may lack columns of the schema if that is allowed: nothing is known of them.
        """
        from learnac.data.dataset import encode_evidence

        return encode_evidence(self, table, may_lack_columns)

    def check_known_names(self, found: Iterable[str]) -> None:
        """Raise DataError for a name that is not in this schema."""
        known = frozenset(self.names)
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
        extra = [name for name in present if name not in known]
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


def codes_of(values: Iterable[object], categories: tuple[Category, ...], bins: Bins | None = None) -> list[int]:
    """The code of each value under `categories`, or UNSEEN. With `bins`, that of a number is its interval's."""
    code_of: dict[object, int] = {category: code for code, category in enumerate(categories)}
    if bins is None:
        return [code_of.get(value, UNSEEN) for value in values]
    return [bins.code(value) if isinstance(value, int | float) else code_of.get(value, UNSEEN) for value in values]


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


def _checked_bins(
    names: tuple[str, ...], categories: tuple[tuple[Category, ...], ...], bins: tuple[Bins | None, ...]
) -> tuple[Bins | None, ...]:
    if not bins:
        return (None,) * len(names)
    if len(bins) != len(names):
        raise DataError(f"expected bins or None for each name, found {len(bins)} for {len(names)} names")
    for name, labels, intervals in zip(names, categories, bins, strict=True):
        if intervals is not None and labels != intervals.labels:
            raise DataError(
                f"column {name!r}: expected the intervals of its bins as categories, {listed(intervals.labels)}; "
                f"found {listed(labels)}",
                column=name,
                expected=intervals.labels,
                found=labels,
            )
    return bins


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


def _as_category(name: str, value: object) -> Category:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | np.integer):
        return int(value)
    # pandas turns integers into floats whenever it can, so whole floats are meant as integers.
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    raise DataError(
        f"column {name!r}: expected categories that are strings, integers or booleans, "
        f"found {value!r} ({type(value).__name__})",
        column=name,
        expected="strings, integers or booleans",
        found=value,
    )


def _repeated(values: Iterable[object]) -> list[object]:
    return [value for value, count in Counter(values).items() if count > 1]
