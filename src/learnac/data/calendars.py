"""`Calendar`: points in time as numbers, and back: days or seconds since 1970, and the texts that people write."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from learnac.data.spread import Numbers

_DATE = re.compile(r"\d{4}([-/])\d{2}\1\d{2}")
_TIME = re.compile(r"\d{4}([-/])\d{2}\1\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?")
_SECONDS_OF_DAY = 86_400


class Calendar(StrEnum):
    """What a number counts, from 1 January 1970."""

    DAYS = "days"
    SECONDS = "seconds"

    def text(self, number: float) -> str:
        """A point in time in ISO's form: 2024-05-17, or 2024-05-17 13:45:00, or with a fraction of a second."""
        limit = 3_650_000 * (1 if self is Calendar.DAYS else _SECONDS_OF_DAY)
        number = float(np.clip(number, -limit, limit))
        if self is Calendar.DAYS:
            return str(np.datetime64(math.floor(number), "D"))
        found = np.datetime64(int(number), "s") if number.is_integer() else np.datetime64(round(number * 1e6), "us")
        return str(found).replace("T", " ")

    def number(self, value: object) -> float | None:
        """The number of a point in time: of Python, NumPy or pandas, or written in ISO's form, or as 2024/05/17;
        None of anything else.

        Without a time zone, it is taken to be in that of all others.
        """
        if isinstance(value, str):
            value = _read(value.strip())
        if isinstance(value, np.datetime64) or hasattr(value, "to_datetime64"):  # pandas' own type
            time: Any = value if isinstance(value, np.datetime64) else value.to_datetime64()
            found = time.astype("datetime64[us]")
            seconds = None if np.isnat(found) else float(found.astype(np.int64)) / 1e6
        elif isinstance(value, datetime):
            seconds = (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        elif isinstance(value, date):
            seconds = float((value - date(1970, 1, 1)).days) * _SECONDS_OF_DAY
        else:
            return None
        return None if seconds is None else self.of_seconds(seconds)

    def of_seconds(self, seconds: Any) -> Any:
        return seconds / _SECONDS_OF_DAY if self is Calendar.DAYS else seconds

    def datetimes(self, numbers: Numbers) -> np.ndarray[Any, Any]:
        """As NumPy has them: days, or microseconds."""
        if self is Calendar.DAYS:
            return np.floor(numbers).astype("datetime64[D]")
        return np.round(numbers * 1e6).astype(np.int64).astype("datetime64[us]")


def _read(text: str) -> datetime | None:
    if not (_DATE.fullmatch(text) or _TIME.fullmatch(text)):
        return None
    try:
        return datetime.fromisoformat(text.replace("/", "-"))
    except ValueError:
        return None


def seconds_of_texts(texts: Iterable[Any]) -> Numbers | None:
    """Points in time of texts in ISO's form, in seconds since 1970; None if some text is none."""
    found = []
    for text in texts:
        read = _read(text.strip()) if isinstance(text, str) else None
        if read is None:
            return None
        found.append((read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp())
    return np.array(found)


def calendar_of(seconds: Numbers) -> Calendar:
    """Days if all points in time are midnights."""
    return Calendar.DAYS if (np.mod(seconds, _SECONDS_OF_DAY) == 0).all() else Calendar.SECONDS
