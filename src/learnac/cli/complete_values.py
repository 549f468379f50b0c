"""Values that an argument or an option may have: its choices, files, names of variables and their categories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from learnac.cli.command import Completes, Parameter

if TYPE_CHECKING:
    from learnac.data import Schema

# The endings of files that a parameter is for; the tests compare them with those of the readers and writers.
SUFFIXES = {
    Completes.MODEL: (".learnac", ".bif", ".xmlbif", ".uai", ".bn", ".ac"),
    Completes.TABLE: (".csv", ".tsv", ".tab", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".data"),
    Completes.PICTURE: (".svg", ".png", ".pdf", ".dot", ".gv"),
}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4")


def values_of(parameter: Parameter, text: str, model: Path | None) -> Iterator[str]:
    """Whole values that may become of a text, and some that do not: the caller compares the beginnings."""
    completes = parameter.declared.completes
    if parameter.choices:
        yield from parameter.choices
    elif completes is Completes.DATA_SET:
        from learnac.data.catalog import sets

        yield from (entry.name for entry in sets())
    elif completes in (Completes.VARIABLES, Completes.ASSIGNMENTS):
        schema = _schema_of(model)
        if schema is not None:
            yield from (_lists if completes is Completes.VARIABLES else _assignments)(schema, text)
    elif parameter.kind is Path:
        yield from _files(text, SUFFIXES.get(completes, ()))


def _files(text: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Folders, and files with a right ending; all files, if none has one."""
    head, _, begun = text.rpartition("/")
    head = text[: len(text) - len(begun)]
    try:
        entries = sorted(os.scandir(os.path.expanduser(head) or "."), key=lambda entry: entry.name)
    except OSError:
        return
    shown = [entry for entry in entries if entry.name.startswith(begun) and (begun or not entry.name.startswith("."))]
    files = [entry for entry in shown if not entry.is_dir()]
    fitting = [entry for entry in files if not suffixes or _ending(entry.name) in suffixes]
    for entry in shown:
        if entry.is_dir():
            yield f"{head}{entry.name}/"
        elif entry in (fitting or files):
            yield head + entry.name


def _ending(name: str) -> str:
    stem, suffix = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if suffix in _COMPRESSED else suffix


def _schema_of(model: Path | None) -> Schema | None:
    if model is None:
        return None
    from learnac.io.convert import read_any

    return read_any(model).schema


def _lists(schema: Schema, text: str) -> Iterator[str]:
    """Names with commas between."""
    head = text[: text.rfind(",") + 1]
    yield from (head + name for name in schema.names)


def _assignments(schema: Schema, text: str) -> Iterator[str]:
    """NAME=CATEGORY with commas between. A comma may also be part of a category."""
    starts = [0, *(place + 1 for place, character in enumerate(text) if character == ",")]
    for start in starts:
        head, last = text[:start], text[start:]
        for name, categories in zip(schema.names, schema.categories, strict=True):
            if last.startswith(f"{name}="):
                yield from (f"{head}{name}={category}" for category in categories)
            else:
                yield f"{head}{name}="
