"""Amounts of memory as people write them."""

from __future__ import annotations

import re

from learnac.errors import SettingError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
LEAST_MEMORY = 64 * 2**20


def memory_size(given: str | int, name: str = "memory") -> int:
    """A number of bytes, from that or from a text such as "1GB", "500 MB" or "2GiB"."""
    expected = "an amount of memory of at least 64MiB, such as '1GB'"
    if isinstance(given, bool) or not isinstance(given, int | str):
        raise SettingError(name, expected, given)
    if isinstance(given, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?\s*", given.lower())
        if found is None:
            raise SettingError(name, expected, given)
        size = int(float(found[1]) * _UNITS[found[2]])
    else:
        size = given
    if size < LEAST_MEMORY:
        raise SettingError(name, expected, given)
    return size
