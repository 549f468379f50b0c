"""What is known of a variable as people write it: "age < 37", "age = 30..39", "city = Bern or Oslo"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from learnac.data.bins import Bins
from learnac.data.schema import Schema

_COMPARED = re.compile(r"(?P<sign><=|>=|<|>|=)\s*(?P<end>.+)")
MOST_LISTED = 4  # categories that are written out


def condition(schema: Schema, variable: int, codes: Sequence[int]) -> str:
    """That a variable has one of some values, in increasing order of their codes."""
    name, categories, bins = schema.names[variable], schema.categories[variable], schema.bins[variable]
    if bins is not None:
        return " or ".join(_interval(bins, name, run) for run in _runs(codes))
    if (text := range_text(schema, variable, codes)) is not None:
        return f"{name} {text}"
    others = sorted(set(range(len(categories))) - set(codes))
    if len(codes) > MOST_LISTED and len(others) == 1:
        return f"{name} not {categories[others[0]]}"
    listed = [str(categories[code]) for code in codes]
    if len(listed) > MOST_LISTED:
        listed = [*listed[: MOST_LISTED - 1], f"{len(listed) - MOST_LISTED + 1} others"]
    return f"{name} = {' or '.join(listed)}"


def range_text(schema: Schema, variable: int, codes: Sequence[int], shown: Callable[[object], str] = str) -> str | None:
    """Several values of an ordered variable that are all up to one, or all from one on: "< 37", "> small".

    None for any others.
    """
    categories, bins = schema.categories[variable], schema.bins[variable]
    if not schema.ordered[variable] or not 1 < len(codes) < len(categories):
        return None
    if tuple(codes) == tuple(range(len(codes))):
        last = codes[-1]
        return f"<= {shown(categories[last])}" if bins is None else f"< {bins.text(bins.edges[last])}"
    if tuple(codes) == tuple(range(codes[0], len(categories))):
        before = codes[0] - 1
        return f"> {shown(categories[before])}" if bins is None else f">= {bins.text(bins.edges[before])}"
    return None


def known_text(schema: Schema, name: str, value: object) -> str:
    """What is known of a variable, as evidence has it: a number between limits has no equals sign before these."""
    bins = schema.bins[schema.index(name)]
    compared = _COMPARED.fullmatch(value) if bins is not None and isinstance(value, str) else None
    return f"{name} = {value}" if compared is None else f"{name} {compared['sign']} {compared['end']}"


def _runs(codes: Sequence[int]) -> list[Sequence[int]]:
    """Codes that follow each other."""
    ends = [place for place in range(1, len(codes)) if codes[place] != codes[place - 1] + 1]
    return [codes[start:end] for start, end in zip([0, *ends], [*ends, len(codes)], strict=True)]


def _interval(bins: Bins, name: str, run: Sequence[int]) -> str:
    if len(run) == 1 and (label := bins.labels[run[0]]).startswith("= "):
        return f"{name} {label}"
    is_first, is_last = run[0] == 0, run[-1] == len(bins.edges)
    if is_first and is_last:
        return f"{name} = any number"
    if is_first:
        return f"{name} < {bins.text(bins.edges[run[-1]])}"
    low = bins.edges[run[0] - 1]
    if is_last:
        return f"{name} >= {bins.text(low)}"
    high = bins.edges[run[-1]]
    if bins.spread is not None and bins.has_last_numbers:
        first, last = bins.limits(low, high, with_high=False)
        # Both ends belong to what people write like this.
        return f"{name} = {bins.text(first)}..{bins.text(float(bins.spread.floor(last - bins.spread.step / 2)))}"
    return f"{bins.text(low)} <= {name} < {bins.text(high)}"
