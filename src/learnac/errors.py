"""The exceptions of learnac.

Arguments of the wrong type or value raise TypeError or ValueError. The classes here are for problems in tables,
queries, files and settings. All of them are ValueErrors, too, so `except ValueError` catches them.

The message is for people. Programs find the same information in fields, such as `column`, `row` and `found`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import copy
from enum import StrEnum
from itertools import islice
from typing import Any, Self, TypeVar


class Problem(StrEnum):
    """The kind of problem with a table or a model, for programs that want to suggest a solution."""

    UNKNOWN_CATEGORY = "unknown category"
    """A value that is not a category of its column: `expected` is a tuple of the categories."""

    WRONG_TYPE = "wrong type"
    """A value of another type than its column, such as a text in a column of numbers."""

    CONTINUOUS = "continuous"
    """A column of numbers that are not whole, or too many to be categories."""

    IDENTIFIER = "identifier"
    """A column of too many different texts to be categories."""

    NOTHING_TO_LEARN = "nothing to learn"
    """All columns would be left out; `column` is the first."""

    GAPS_IN_STREAM = "gaps in a stream"
    """A missing value in a table that is not in memory, where gaps are no category of their own."""

    NO_HEADER = "no header"
    """Numbers in the header, where names of columns are expected."""

    DELIMITER = "delimiter"
    """The values seem to be separated by the character `found`, not by `expected`."""

    CIRCUIT_TOO_LARGE = "circuit too large"
    """A network's circuit would have more edges than `expected`."""

    COMPILING_TOO_LONG = "compiling takes too long"
    """A network was not compiled within `expected` seconds."""

    COMPILING_TOO_LARGE = "compiling takes too much memory"
    """A network was not compiled within `expected` bytes."""

    TABLE_TOO_LARGE = "table too large"
    """The table of the variable `column` would have `found` entries, more than `expected`."""

    UNKNOWN_SET = "unknown data set"
    """A name that the catalog of public data sets does not have."""


class LearnacError(Exception):
    """The base class of all exceptions of learnac. A field that does not apply is None.

    `column` is the name of a column or variable, and `row` the number of a row, from 0. `expected` is a tuple of valid
    values, or a description of them, and `found` is the value that was found instead. `source` is the file, and
    `problem` the kind of problem.
    """

    def __init__(
        self,
        message: str,
        *,
        column: str | None = None,
        row: int | None = None,
        expected: object = None,
        found: object = None,
        source: str | None = None,
        problem: Problem | None = None,
    ) -> None:
        super().__init__(message)
        self.column = column
        self.row = row
        self.expected = expected
        self.found = found
        self.source = source
        self.problem = problem

    def saying(self, message: str, **fields: Any) -> Self:
        """The same error with another message, and with some of its fields set."""
        error = copy(self)
        error.args = (message,)
        error.__dict__.update(fields)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        # Subclasses have constructors of their own: pickles and copies do without.
        return _restored, (type(self), self.args, self.__dict__)


class DataError(LearnacError, ValueError):
    """A table cannot be used: it is empty, has missing values, or its columns or categories do not fit."""


class QueryError(LearnacError, ValueError):
    """A query cannot be answered: for example, it names an unknown variable or category."""


class NoNetworkError(LearnacError, ValueError):
    """A model has no network, where one is needed."""


class ImpossibleEvidenceError(QueryError):
    """The evidence of a query has probability zero.

    `rows` are the numbers of such rows. Large tables are answered in blocks: then these are the rows of one block.
    """

    def __init__(self, message: str, rows: Sequence[int]) -> None:
        super().__init__(message, row=rows[0] if rows else None)
        self.rows = rows


class SizeError(LearnacError, ValueError):
    """A circuit, a table in a file or a picture would be larger than a limit allows.

    `found` is its size and `expected` the limit, if they are known.
    """


class ModelFileError(LearnacError, ValueError):
    """A file is not a model that this version of learnac can read."""


_NOT_SAID = object()


class SettingError(LearnacError, ValueError):
    """A setting has an invalid value: `name` is the setting, `column` the variable it is for, if any.

    In `expected`, the names of other settings are in braces, so that a front end can spell them as its users do: see
    `complaint`. A message that does not fit "expected this, found that" is given as a whole, as `complaint`.
    """

    def __init__(
        self,
        name: str,
        expected: str,
        found: object = _NOT_SAID,
        *,
        column: str | None = None,
        complaint: str | None = None,
    ) -> None:
        self.name = name
        self._expected = expected
        self._found = "" if found is _NOT_SAID else f", found {_shown(found)}"
        self._complaint = complaint
        where = name if column is None else f"{name}[{column!r}]"
        super().__init__(
            f"{where}: {self.complaint(str)}",
            column=column,
            expected=_with_names(expected, str),
            found=None if found is _NOT_SAID else found,
        )

    def complaint(self, spelled: Callable[[str], str]) -> str:
        """The message without the name of the setting, and with other settings as `spelled` writes them."""
        return self._complaint or f"expected {_with_names(self._expected, spelled)}{self._found}"


class SettingTypeError(SettingError, TypeError):
    """A setting of the wrong type."""


def _shown(found: object) -> str:
    return repr(found) if isinstance(found, str) else str(found)


def listed(items: Collection[object], limit: int = 8) -> str:
    """`items` as a message shows them: quoted by `repr`, and cut after `limit` with the total number."""
    shown = ", ".join(repr(item) for item in islice(items, limit))
    return shown if len(items) <= limit else f"{shown}, ... ({len(items):,} in all)"


def described(found: object) -> str:
    """An argument of the wrong type as a message shows it: itself if it is short, otherwise its type."""
    if isinstance(found, str):
        return f"the string {found[:60]!r}"
    return repr(found) if found is None or isinstance(found, bool | int | float) else type(found).__name__


_Error = TypeVar("_Error", bound=Exception)


def placed(error: _Error, where: object, **fields: Any) -> _Error:
    """The same error with `where` it happened before its message. An error of ours keeps its fields, and gets some."""
    message = f"{where}: {error}"
    return error.saying(message, **fields) if isinstance(error, LearnacError) else type(error)(message)


def _restored(kind: type[LearnacError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> LearnacError:
    error = kind.__new__(kind)
    error.args = arguments
    error.__dict__.update(fields)
    return error


class _Spelled(dict[str, str]):
    """From any name to its spelling."""

    def __init__(self, spelled: Callable[[str], str]) -> None:
        self._spelled = spelled

    def __missing__(self, name: str) -> str:
        return self._spelled(name)


def _with_names(expected: str, spelled: Callable[[str], str]) -> str:
    return expected.format_map(_Spelled(spelled))


class NotProvenWarning(UserWarning):
    """An answer that is the best found, but not proven to be the best there is."""


class LeftOutWarning(UserWarning):
    """Columns of a table were left out, because nothing can be learned from them."""


class CausalityWarning(UserWarning):
    """An intervention on arcs that were learned: whether they point from causes to effects, no table tells."""
