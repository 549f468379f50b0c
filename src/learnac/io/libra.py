"""What the readers and writers of Libra's formats share."""

from __future__ import annotations

from collections.abc import Sequence

from learnac.data import Schema
from learnac.data.categories import MAX_ARITY
from learnac.errors import ModelFileError

# Values of all variables together: each gets an indicator, whether the file has it or not.
_MAX_VALUES = 1_000_000


def schema_of(arities: list[int], where: str) -> Schema:
    """Variables x0, x1, ... with codes as categories: Libra's files have no names."""
    if not arities or min(arities) < 1 or max(arities) > MAX_ARITY or sum(arities) > _MAX_VALUES:
        expected = f"expected numbers of values from 1 to {MAX_ARITY:,}, at most {_MAX_VALUES:,} in all"
        raise ModelFileError(f"{where}: {expected}; found {arities[:8]}")
    return Schema(tuple(f"x{variable}" for variable in range(len(arities))), tuple(map(tuple, map(range, arities))))


def reached_nodes(children: Sequence[Sequence[int]]) -> list[bool]:
    """Which nodes lie below the last one, or are it, from the children of each: those have smaller numbers."""
    reached = [False] * len(children)
    reached[-1] = True
    for node in range(len(children) - 1, -1, -1):
        if reached[node]:
            for child in children[node]:
                reached[child] = True
    return reached
