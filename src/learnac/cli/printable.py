"""Text from files and names as a terminal may show it: what would move its cursor or colour it is written out."""

from __future__ import annotations

import re

# Control characters, separators of lines, halves of surrogate pairs, and what turns the direction of writing.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
# Those of them that JSON leaves as they are.
_UNPRINTABLE_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def printable(value: object) -> str:
    r"""A name, a category or a path in one line: an escape character is shown as \x1b."""
    return _UNPRINTABLE.sub(_escaped, str(value))


def printable_lines(text: str) -> str:
    """The same, except for the ends of lines and for tabs."""
    return "".join(part if part in "\n\t" else printable(part) for part in re.split(r"([\n\t])", text))


def printable_json(text: str) -> str:
    """JSON that means the same."""
    return _UNPRINTABLE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode()
