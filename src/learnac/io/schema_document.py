"""A schema as JSON, for the headers of our files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from learnac.data import Schema
from learnac.data.bins import Bins
from learnac.errors import ModelFileError


def schema_document(schema: Schema) -> dict[str, Any]:
    """Names, categories, and the edges of the variables whose categories are intervals."""
    return {
        "names": list(schema.names),
        "categories": [list(categories) for categories in schema.categories],
        "bins": [None if bins is None else list(bins.edges) for bins in schema.bins],
    }


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
    try:
        edges_of = tuple(None if edges is None else Bins(tuple(map(float, edges))) for edges in bins or ())
        return Schema(tuple(names or ()), tuple(tuple(column) for column in categories or ()), edges_of)
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"the schema is not what it should be: {error}") from None


def _is_list_of(found: object, kind: Any) -> bool:
    return isinstance(found, list) and all(isinstance(item, kind) for item in found)


def _is_text(item: object) -> bool:
    """Not half of a character, which nothing could print."""
    return not isinstance(item, str) or not any("\ud800" <= character <= "\udfff" for character in item)
