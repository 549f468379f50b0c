"""What the columns of a table hold, in a few words each, to be shown before learning."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from learnac.data.schema import Schema
from learnac.types import Category


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column: its kind (booleans, integers, strings, intervals, mixed) and its categories, cut short."""

    name: str
    kind: str
    n_categories: int
    categories: str


def column_summaries(schema: Schema, n_shown: int = 5) -> list[ColumnSummary]:
    """A summary of each column, in order, with its first categories."""
    return [
        ColumnSummary(name, "intervals" if bins else _kind(categories), len(categories), _shown(categories, n_shown))
        for name, categories, bins in zip(schema.names, schema.categories, schema.bins, strict=True)
    ]


def _kind(categories: tuple[Category, ...]) -> str:
    types = {type(category) for category in categories}
    if len(types) > 1:
        return "mixed"
    return {bool: "booleans", int: "integers", str: "strings"}[types.pop()]


def _shown(categories: tuple[Category, ...], n_shown: int) -> str:
    texts = [str(category) for category in islice(categories, n_shown)]
    cut = [text if len(text) <= 24 else f"{text[:23]}…" for text in texts]
    return ", ".join(cut + ["…"] * (len(categories) > n_shown))
