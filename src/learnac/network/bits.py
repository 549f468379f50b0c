"""Sets of small numbers (values of a variable, neighbours in a graph) as the bits of an integer."""

from __future__ import annotations

from collections.abc import Iterator


def lowest(bits: int) -> int:
    """The smallest member of a set that is not empty."""
    return (bits & -bits).bit_length() - 1


def members(bits: int) -> Iterator[int]:
    """Ascending."""
    while bits:
        yield lowest(bits)
        bits &= bits - 1


def is_interval(bits: int) -> bool:
    """Whether the members are numbers next to each other, with no gap."""
    return bits != 0 and (bits // (bits & -bits) + 1).bit_count() == 1
