"""Evidence and queries as people type them: "smoker=yes,age=60+"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress

from learnac.cli.command import UsageError
from learnac.data import Schema
from learnac.errors import QueryError, listed, placed
from learnac.types import Category

_BOOLEANS = {"true": True, "false": False}
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_COMMA = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')  # one with whole quotations after it


def read_assignments(texts: Sequence[str], schema: Schema, option: str) -> dict[str, Category | float]:
    """From names to categories. Commas part assignments, except between double quotes: two of these are one.

    A name or category may hold an equals sign, as long as only one reading is right.
    """
    found: dict[str, Category | float] = {}
    for part in (part for text in texts for part in _parts(text)):
        try:
            name, value = _read_one(part, schema, option)
        except QueryError as error:
            raise placed(error, option) from None
        if name in found and found[name] != value:
            raise QueryError(
                f"{option}: variable {name!r} is given twice, as {found[name]!r} and as {value!r}",
                column=name,
                found=value,
            )
        found[name] = value
    return found


def _parts(text: str) -> list[str]:
    pieces: list[str] = []
    for piece in _COMMA.split(text):
        # An interval has a comma: what follows one without an equals sign goes on with what came before.
        if pieces and piece.strip() and "=" not in piece:
            pieces[-1] += f",{piece}"
        else:
            pieces.append(piece)
    return [_QUOTED.sub(lambda quoted: quoted[1].replace('""', '"'), piece.strip()).strip() for piece in pieces]


def _read_one(part: str, schema: Schema, option: str) -> tuple[str, Category | float]:
    if "=" not in part:
        raise UsageError(f"expected NAME=CATEGORY, found {part!r}", option)
    places = [place for place, character in enumerate(part) if character == "="]
    readings = [(part[:place].strip(), part[place + 1 :].strip()) for place in places]
    known = [(name, value) for name, value in readings if name in schema.names]
    if not known:
        raise QueryError(f"no variable is called {readings[0][0]!r}; there are {listed(schema.names)}")
    right = []
    for name, value in known:
        with suppress(QueryError):
            right.append((name, category_of(schema, name, value)))
    if len(right) > 1:
        raise QueryError(
            f"{part!r} is ambiguous: it could be {' or '.join(f'{name} = {value}' for name, value in right)}"
        )
    return right[0] if right else (known[0][0], category_of(schema, *known[0]))


def category_of(schema: Schema, name: str, text: str) -> Category | float:
    """The category that is written like this, or a number for a variable with bins."""
    position = schema.index(name)
    categories = schema.categories[position]
    written = {str(category): category for category in categories}
    if text in written:
        return written[text]
    if text.lower() in _BOOLEANS and _BOOLEANS[text.lower()] in categories:
        return _BOOLEANS[text.lower()]
    if _is_number(text):
        number = float(text)
        if schema.bins[position] is not None:
            return number
        if (same := [category for category in categories if category == number]) != []:
            return same[0]
    raise schema.unknown_category(position, text)


def _is_number(text: str) -> bool:
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False
