"""Markdown with its prose in lines of one width; what makes the text need not care."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

WIDTH = 120
_ITEM = re.compile(r"( *)(-|\d+\.) ")
_AS_IT_IS = re.compile(r"\||#|!\[|$")  # tables, headings, pictures, empty lines


def laid_out(text: str) -> str:
    """Paragraphs and items of lists are filled; tables, headings and pictures stay as they are."""
    return "".join(f"{line}\n" for paragraph in _paragraphs(text) for line in _lines(paragraph))


def _paragraphs(text: str) -> Iterator[str]:
    """Each in one line."""
    gathered: list[str] = []
    for line in text.splitlines():
        is_item = _is_item(line, after=gathered[0] if gathered else None)
        if gathered and (is_item or _AS_IT_IS.match(line)):
            yield " ".join(gathered)
            gathered = []
        if _AS_IT_IS.match(line):
            yield line
        else:
            gathered.append(line.rstrip() if is_item else line.strip())
    if gathered:
        yield " ".join(gathered)


def _is_item(line: str, after: str | None) -> bool:
    """Within a paragraph, and within an item with a dash, a line that begins with a number ends a sentence."""
    item = _ITEM.match(line)
    first = item if after is None else _ITEM.match(after)
    if item is None or first is None:
        return False
    is_outside = len(item[1]) < len(first[1])
    return is_outside or item[2] == "-" or first[2] != "-"


def _lines(paragraph: str) -> list[str]:
    if _AS_IT_IS.match(paragraph):
        return [paragraph]
    item = _ITEM.match(paragraph)
    indent = " " * len(item.group()) if item else ""
    kept_together = paragraph.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(
        kept_together, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
