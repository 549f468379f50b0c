"""A schema as JSON, for the headers of our files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from learnac.data import Schema
from learnac.data.bins import Bins
from learnac.data.calendars import Calendar
from learnac.data.spread import Spread
from learnac.errors import ModelFileError


def schema_document(schema: Schema) -> dict[str, Any]:
    """Names and categories, and of variables that are numbers the edges of intervals and the pieces within them."""
    return {
        "names": list(schema.names),
        "categories": [list(categories) for categories in schema.categories],
        "bins": [None if bins is None else list(bins.edges) for bins in schema.bins],
        "spreads": [None if bins is None or bins.spread is None else _spread_document(bins) for bins in schema.bins],
        "ordered": list(schema.ordered),
        "ignored": sorted(schema.ignored),
        "takes_unknown": schema.takes_unknown,
    }


def _spread_document(bins: Bins) -> dict[str, Any]:
    assert bins.spread is not None
    document = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(bins.spread).items()}
    return document if bins.calendar is None else {**document, "calendar": str(bins.calendar)}


def schema_of(document: Mapping[str, Any]) -> Schema:
    """The schema of such a document. ModelFileError or DataError for another one."""
    names, categories, bins = document.get("names"), document.get("categories"), document.get("bins")
    if not _is_list_of(names, str) or not _is_list_of(categories, list) or not _is_list_of(bins, list | None):
        raise ModelFileError("the schema is not what it should be")
    if not all(_is_list_of(column, str | int | bool) for column in categories or []):
        raise ModelFileError("the schema has categories that are not strings, whole numbers or booleans")
    if any(not _is_text(item) for items in [names or [], *(categories or [])] for item in items):
        raise ModelFileError("the schema has names or categories that are no text")
    if not all(edges is None or _is_list_of(edges, int | float) for edges in bins or []):
        raise ModelFileError("the schema has edges that are not numbers")
    # Files from before there were kinds of columns say nothing of them.
    spreads = document.get("spreads", [None] * len(bins or []))
    ordered, ignored = document.get("ordered", []), document.get("ignored", [])
    takes_unknown = document.get("takes_unknown", False)
    if (
        not isinstance(takes_unknown, bool)
        or not _is_list_of(spreads, dict | None)
        or not _is_list_of(ordered, bool)
        or not _is_list_of(ignored, str)
    ):
        raise ModelFileError("the schema is not what it should be")
    try:
        all_bins = tuple(_bins_of(edges, spread) for edges, spread in zip(bins or (), spreads, strict=True))
        columns = tuple(tuple(column) for column in categories or ())
        return Schema(tuple(names or ()), columns, all_bins, tuple(ordered), frozenset(ignored), takes_unknown)
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"the schema is not what it should be: {error}") from None


def _bins_of(edges: list[float] | None, document: Mapping[str, Any] | None) -> Bins | None:
    if edges is None:
        return None
    numbers = tuple(map(float, edges))
    if document is None:
        return Bins(numbers)
    starts, shares = document.get("starts"), document.get("shares")
    if not _is_list_of(starts, int | float) or not _is_list_of(shares, int | float):
        raise ModelFileError("the schema has pieces that are not numbers")
    decay, step, calendar = document.get("decay"), document.get("step"), document.get("calendar")
    if not isinstance(decay, int | float) or not isinstance(step, int | float):
        raise ModelFileError("the schema has pieces that are not numbers")
    spread = Spread(tuple(map(float, starts or ())), tuple(map(float, shares or ())), float(decay), float(step))
    return Bins(numbers, spread, None if calendar is None else Calendar(calendar))


def _is_list_of(found: object, kind: Any) -> bool:
    return isinstance(found, list) and all(isinstance(item, kind) for item in found)


def _is_text(item: object) -> bool:
    """Not half of a character, which nothing could print."""
    return not isinstance(item, str) or not any("\ud800" <= character <= "\udfff" for character in item)
