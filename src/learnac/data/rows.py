"""Which rows of a table are meant: a number, a slice, a mask, or a list of numbers, as NumPy has them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Rows: TypeAlias = slice | npt.NDArray[np.intp]


def chosen_rows(key: Any, n_rows: int) -> Rows:
    """A slice, or the numbers of the rows in the order wanted. Raises IndexError for rows that are not there."""
    if isinstance(key, slice):
        return key
    try:
        wanted = np.asarray(key)
    except ValueError:
        raise _no_rows(key) from None
    if wanted.size == 0 and wanted.ndim == 1:
        return np.empty(0, dtype=np.intp)
    if wanted.ndim != 1 or wanted.dtype.kind not in "biu":
        raise _no_rows(key)
    if wanted.dtype.kind == "b":
        return _where(wanted, n_rows)
    if (outside := (wanted < -n_rows) | (wanted >= n_rows)).any():
        raise no_such_row(int(wanted[outside][0]), n_rows)
    return wanted.astype(np.intp)


def row_number(key: Any, n_rows: int) -> int:
    """The number of one row, from 0; negative ones count from the end."""
    number = int(key)
    if not -n_rows <= number < n_rows:
        raise no_such_row(number, n_rows)
    return number % n_rows


def no_such_row(number: int, n_rows: int) -> IndexError:
    return IndexError(f"expected a row from 0 to {n_rows - 1}, found {number}")


def _where(mask: npt.NDArray[Any], n_rows: int) -> npt.NDArray[np.intp]:
    if len(mask) != n_rows:
        raise IndexError(f"expected a mask of {n_rows} rows, found one of {len(mask)}")
    return np.flatnonzero(mask)


def _no_rows(key: object) -> TypeError:
    return TypeError(f"expected rows as a number, a slice, a mask or a list of numbers; found {key!r}")
