"""Evidence, queries and shares as people type them: "smoker=yes,age=60+", "smoker=yes:0.3,no:0.7"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from learnac.cli.command import UsageError
from learnac.data import Schema
from learnac.data.intervals import interval_of
from learnac.errors import QueryError, listed, placed
from learnac.types import Category

if TYPE_CHECKING:
    from learnac.infer.balance import Balance

_BOOLEANS = {"true": True, "false": False}
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_COMPARED = re.compile(r"(?P<name>[^<>=]+)(?P<rest>(<=|>=|<|>)\s*[^<>=]+)")
_SHARE = re.compile(r"(?P<category>.*):\s*(?P<share>[^:]*)", re.DOTALL)
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
        if pieces and piece.strip() and not any(sign in piece for sign in "=<>"):
            pieces[-1] += f",{piece}"
        else:
            pieces.append(piece)
    return [_unquoted(piece) for piece in pieces]


def _unquoted(text: str) -> str:
    return _QUOTED.sub(lambda quoted: quoted[1].replace('""', '"'), text.strip()).strip()


def _read_one(part: str, schema: Schema, option: str) -> tuple[str, Category | float]:
    if (compared := _COMPARED.fullmatch(part)) and compared["name"].strip() in schema.names:
        return _interval(schema, compared["name"].strip(), compared["rest"].strip(), part)
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


def _interval(schema: Schema, name: str, text: str, part: str) -> tuple[str, Category]:
    """What `age<30` says: the text of an interval, if the variable has bins."""
    bins = schema.bins[schema.index(name)]
    interval = interval_of(text)
    if bins is None or interval is None or interval.limits(bins) is None:
        expected = "a number to compare with" if bins is not None else "NAME=CATEGORY: it is no number"
        raise QueryError(f"variable {name!r}: expected {expected}, found {part!r}", column=name, found=part)
    return name, text


def category_of(schema: Schema, name: str, text: str) -> Category | float:
    """The category that is written like this; for a variable with bins, a number, a date or an interval of them."""
    position = schema.index(name)
    categories = schema.categories[position]
    written = {str(category): category for category in categories}
    if text in written:
        return written[text]
    if text.lower() in _BOOLEANS and _BOOLEANS[text.lower()] in categories:
        return _BOOLEANS[text.lower()]
    if (bins := schema.bins[position]) is not None:
        interval = interval_of(text)
        if interval is not None and interval.limits(bins) is not None:
            return text
        if bins.number(text) is not None:
            return text if bins.calendar is not None else float(text)
    if _is_number(text):
        number = float(text)
        if (same := [category for category in categories if category == number]) != []:
            return same[0]
    raise schema.unknown_category(position, text)


def read_balance(text: str | None, schema: Schema, option: str) -> Balance | None:
    """A variable to balance evenly, or its shares: "smoker", or "smoker=yes:0.3,no:0.7".

    What follows the last colon is the share, so a category may hold colons. A comma parts categories if a share stands
    before it, unless it is between double quotes.
    """
    if text is None or (name := _unquoted(text)) in schema.names:
        return None if text is None else name
    try:
        return _read_shares(text, schema)
    except QueryError as error:
        raise placed(error, option) from None


def _read_shares(text: str, schema: Schema) -> dict[str, dict[Category | float, float]]:
    """The one reading that is right: a name may hold an equals sign, and so may a category."""
    places = [place for place, character in enumerate(text) if character == "="]
    readings = [(_unquoted(text[:place]), text[place + 1 :]) for place in places]
    known = [(name, rest) for name, rest in readings if name in schema.names]
    if not known:
        schema.position(readings[0][0] if readings else _unquoted(text))  # Raises QueryError.
    right = []
    for name, rest in known:
        with suppress(QueryError):
            right.append((name, _shares_of(rest, schema, name)))
    if len(right) > 1:
        raise QueryError(f"{text!r} is ambiguous: it could be about {' or '.join(repr(name) for name, _ in right)}")
    return dict(right or [(known[0][0], _shares_of(known[0][1], schema, known[0][0]))])


def _shares_of(text: str, schema: Schema, name: str) -> dict[Category | float, float]:
    shares: dict[Category | float, float] = {}
    for category, share in _with_shares(text, name):
        value = category_of(schema, name, category)
        position = schema.index(name)
        if value not in schema.categories[position]:  # A number, or an interval of the user's own.
            raise schema.unknown_category(position, category)
        if value in shares:
            raise QueryError(f"variable {name!r}: {value!r} has two shares", column=name, found=value)
        shares[value] = share
    return shares


def _with_shares(text: str, name: str) -> Iterator[tuple[str, float]]:
    begun = ""
    for piece in _COMMA.split(text):
        begun = f"{begun},{piece}" if begun else piece
        found = _SHARE.fullmatch(begun)
        if found is not None and _is_number(found["share"]):
            yield _unquoted(found["category"]), float(found["share"])
            begun = ""
    if begun:
        expected = "CATEGORY:SHARE, such as yes:0.3"
        raise QueryError(f"variable {name!r}: expected {expected}, found {begun.strip()!r}", column=name, found=begun)


def _is_number(text: str) -> bool:
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False
