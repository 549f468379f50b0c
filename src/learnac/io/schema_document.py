"""A schema as JSON, for the headers of our files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from learnac.data import Schema
from learnac.errors import ModelFileError


def schema_document(schema: Schema) -> dict[str, Any]:
    return {"names": list(schema.names), "categories": [list(categories) for categories in schema.categories]}


def schema_of(document: Mapping[str, Any]) -> Schema:
    """The schema of such a document. ModelFileError or DataError for another one."""
    names, categories = document.get("names"), document.get("categories")
    if not _is_list_of(names, str) or not _is_list_of(categories, list):
        raise ModelFileError("the schema is not what it should be")
    if not all(_is_list_of(column, str | int | bool) for column in categories or []):
        raise ModelFileError("the schema has categories that are not strings, whole numbers or booleans")
    return Schema(tuple(names or ()), tuple(tuple(column) for column in categories or ()))


def _is_list_of(found: object, kind: Any) -> bool:
    return isinstance(found, list) and all(isinstance(item, kind) for item in found)
