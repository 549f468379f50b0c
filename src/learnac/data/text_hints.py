"""What to say of texts that would be numbers or dates if they were written in another way."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from learnac.data.calendars import seconds_of_texts

_MOST_MARKS = 3
"""Different texts among numbers that may stand for "not known"."""

_THOUSANDS = re.compile(r"[^\d,]*\d{1,3}(,\d{3})+(\.\d*)?[^\d,]*")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+(\.\d{3})*,\d+")
_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}([ T].*)?")
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2})?")
_SIGNS = re.compile(r"[%$€£¥ ]")


def text_hint(texts: Sequence[str]) -> str:
    """How texts must be written to be taken for numbers or dates; "" if they are neither."""
    others = [text for text in texts if not _is_number(text) and seconds_of_texts([text]) is None]
    if not others:
        return ""
    if len(others) <= _MOST_MARKS and len(others) < len(texts) / 2:
        kind = "numbers" if any(_is_number(text) for text in texts) else "dates"
        return f"{kind} but for {', '.join(map(repr, others))}: leave these cells empty"
    written = _written(texts)
    return f"{others[0]!r} would be {written}" if written else ""


def _written(texts: Sequence[str]) -> str:
    """What all texts would be if they were written in another way."""
    ways: list[tuple[Callable[[str], object], str]] = [
        (lambda text: _is_number(_bare(text)), f"a number without {_signs(texts)}"),
        (lambda text: _DECIMAL_COMMA.fullmatch(text) or _is_number(text), "a number with '.' for ','"),
        (_DATE.fullmatch, "a date if it were written as 2024-05-17"),
        (_TIME_OF_DAY.fullmatch, "a number in minutes or hours"),
    ]
    return next((written for is_so, written in ways if all(map(is_so, texts))), "")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _bare(text: str) -> str:
    """A number without its unit, and without commas between thousands."""
    bare = _SIGNS.sub("", text)
    return bare.replace(",", "") if _THOUSANDS.fullmatch(text) else bare


def _signs(texts: Sequence[str]) -> str:
    found = {sign for text in texts for sign in [*_SIGNS.findall(text), *re.findall(",", text)]}
    return " and ".join(repr(sign) for sign in sorted(found))
