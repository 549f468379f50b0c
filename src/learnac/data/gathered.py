"""`Gathered`: what is wrong with several columns, told in one message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from learnac.errors import DataError

_MOST_TOLD = 8


class Gathered:
    """The errors of the columns of a table so far. Changes in place."""

    def __init__(self) -> None:
        self._errors: list[DataError] = []

    @contextmanager
    def column(self) -> Iterator[None]:
        """What is done with one column: if it fails, the others go on."""
        try:
            yield
        except DataError as error:
            self._errors.append(error)

    def raise_all(self) -> None:
        """Raise one DataError for all, with the fields of the first; none if nothing was wrong."""
        if not self._errors:
            return
        first, n_more = self._errors[0], len(self._errors) - _MOST_TOLD
        told = "; ".join(str(error) for error in self._errors[:_MOST_TOLD])
        raise first.saying(f"{told}; and {n_more} more columns" if n_more > 0 else told) from None


@contextmanager
def gathered() -> Iterator[Gathered]:
    """A walk over the columns of a table, which fails when all have been seen."""
    errors = Gathered()
    yield errors
    errors.raise_all()
