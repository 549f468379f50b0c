"""What the columns of a table hold, in a few words each, to be shown before learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from learnac.data.bins import Bins
from learnac.data.kinds import Kind
from learnac.data.schema import Schema
from learnac.types import Category

if TYPE_CHECKING:
    from learnac.data.settling import ColumnReport

REPORT_HEADER = ("column", "kind", "values", "missing", "done", "")
REPORT_NUMBERS = (2, 3)
"""The columns of a report that are numbers."""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column: its kind, and its categories or the range of its numbers, cut short."""

    name: str
    kind: str
    n_categories: int
    categories: str


def column_summaries(schema: Schema, n_shown: int = 5) -> list[ColumnSummary]:
    """A summary of each column, in order, with its first categories."""
    columns = zip(schema.names, schema.categories, schema.bins, schema.ordered, strict=True)
    return [
        ColumnSummary(name, kind_in(categories, bins, is_ordered), len(categories), _shown(categories, bins, n_shown))
        for name, categories, bins, is_ordered in columns
    ]


def report_rows(schema: Schema, reports: Sequence[ColumnReport]) -> list[tuple[str, ...]]:
    """What was found out about each column, and done with it, under `REPORT_HEADER`."""
    summaries = {summary.name: summary for summary in column_summaries(schema)}
    return [
        (
            report.name,
            str(report.kind),
            f"{report.n_values:,}{'+' if report.has_more else ''}",
            f"{report.n_missing:,}" if report.n_missing else "",
            report.done,
            "" if report.is_left_out else summaries[report.name].categories,
        )
        for report in reports
    ]


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Lines of text with aligned columns; those in `right` to the right."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            gap = " " * (width - _width(cell))
            padded.append(gap + cell if column in right else cell + gap)
        lines.append("  ".join(padded).rstrip())
    return lines


def _width(text: str) -> int:
    """Columns of a terminal that a text takes: two for a character of East Asia, none for an accent."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def kind_in(categories: tuple[Category, ...], bins: Bins | None, is_ordered: bool) -> str:
    """The kind of a variable: that of a column, or "intervals" of numbers without a density."""
    if bins is not None:
        return "intervals" if bins.spread is None else str(Kind.NUMBER if bins.calendar is None else Kind.DATE)
    if is_ordered:
        return str(Kind.ORDERED)
    are_booleans = all(isinstance(category, bool) for category in categories)
    return str(Kind.BOOLEAN if are_booleans else Kind.CATEGORICAL)


def _shown(categories: tuple[Category, ...], bins: Bins | None, n_shown: int) -> str:
    if bins is not None and bins.spread is not None:
        starts = bins.spread.starts
        return f"{bins.text(starts[0])} to {bins.text(bins.spread.largest)}"
    texts = [str(category) for category in islice(categories, n_shown)]
    cut = [text if len(text) <= 24 else f"{text[:23]}…" for text in texts]
    return ", ".join(cut + ["…"] * (len(categories) > n_shown))
