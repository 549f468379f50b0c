"""The exceptions learnac raises on purpose, and how they list what they found.

Wrong arguments raise TypeError or ValueError. These classes are for what only looking at a table, a query or
a file can tell. All of them are ValueErrors too, so `except ValueError` catches every complaint about values.
"""

from collections.abc import Collection, Sequence
from itertools import islice


class LearnacError(Exception):
    """Base of the exceptions below, to catch them all at once."""


class DataError(LearnacError, ValueError):
    """A table cannot be used: nothing in it, missing values, columns or categories that do not fit."""


class QueryError(LearnacError, ValueError):
    """A query cannot be answered as it was asked."""


class ImpossibleEvidenceError(QueryError):
    """Something was asked given evidence whose probability is zero.

    `rows` are the numbers of such rows; large tables are answered by blocks, and these are the rows of one block.
    """

    def __init__(self, message: str, rows: Sequence[int]) -> None:
        super().__init__(message)
        self.rows = rows

    def __reduce__(self) -> tuple[type["ImpossibleEvidenceError"], tuple[str, Sequence[int]]]:
        return ImpossibleEvidenceError, (str(self), self.rows)


class ModelFileError(LearnacError, ValueError):
    """A file does not hold a model that this version can read."""


def listed(items: Collection[object], limit: int = 8) -> str:
    """`items` as a message shows them: quoted by `repr`, and cut after `limit` with the total number."""
    shown = ", ".join(repr(item) for item in islice(items, limit))
    return shown if len(items) <= limit else f"{shown}, ... ({len(items):,} in all)"
