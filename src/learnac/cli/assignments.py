"""Evidence and queries as people type them: "smoker=yes,age=60+"."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import typer

from learnac.data import Schema
from learnac.errors import QueryError, listed
from learnac.types import Category

_BOOLEANS = {"true": True, "false": False}


def read_assignments(texts: Sequence[str], schema: Schema, option: str) -> dict[str, Category | float]:
    """From names to categories. Commas part assignments, except between double quotes.

    A name or category may hold an equals sign, as long as only one reading is right.
    """
    found: dict[str, Category | float] = {}
    for text in texts:
        for part in next(csv.reader([text], skipinitialspace=True), []):
            name, value = _read_one(part.strip(), schema, option)
            if name in found and found[name] != value:
                raise QueryError(f"{option}: variable {name!r} is given as {found[name]!r} and as {value!r}")
            found[name] = value
    return found


def _read_one(part: str, schema: Schema, option: str) -> tuple[str, Category | float]:
    if "=" not in part:
        raise typer.BadParameter(f"expected NAME=CATEGORY, found {part!r}", param_hint=option)
    pieces = part.split("=")
    readings = [("=".join(pieces[:at]).strip(), "=".join(pieces[at:]).strip()) for at in range(1, len(pieces))]
    known = [(name, value) for name, value in readings if name in schema.names]
    if not known:
        raise QueryError(f"no variable is called {readings[0][0]!r}; there are {listed(schema.names)}")
    name, value = known[0]
    return name, category_of(schema, name, value)


def category_of(schema: Schema, name: str, text: str) -> Category | float:
    """The category that is written like this, or a number for a variable with bins."""
    position = schema.index(name)
    categories = schema.categories[position]
    written = {str(category): category for category in categories}
    if text in written:
        return written[text]
    if text.lower() in _BOOLEANS and _BOOLEANS[text.lower()] in categories:
        return _BOOLEANS[text.lower()]
    if schema.bins[position] is not None and _is_number(text):
        return float(text)
    raise QueryError(f"variable {name!r}: expected one of its categories, {listed(categories)}; found {text!r}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
