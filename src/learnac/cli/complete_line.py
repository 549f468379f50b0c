"""Completion as shells ask for it: `learnac --complete words WORD...`, or `learnac --complete bash LINE`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from learnac.cli.complete import Candidate

Complete = Callable[[Sequence[str]], list[Candidate]]

_SPECIAL = re.compile(r"""([\s"'\\$`&|;<>()*?\[\]{}!#~])""")
_SPECIAL_IN_QUOTES = re.compile(r'(["\\$`])')


def print_completions(typed: Sequence[str], complete: Complete) -> None:
    """One candidate a line. To bash, first whether a space follows, for it cannot know; to others, what each is."""
    match typed:
        case ["bash", line]:
            last = _last_word(line)
            found = complete([*last.earlier, last.text])
            print("nospace" if len(found) != 1 or found[0].is_begun else "space")
            for candidate in _one_line(found):
                print(last.replacement(candidate.text))
        case ["words", *words]:
            current = words[-1] if words else ""
            for candidate in _one_line(complete([*filter(None, words[:-1]), current])):
                print(f"{candidate.text}\t{candidate.about}" if candidate.about else candidate.text)


def _one_line(found: list[Candidate]) -> list[Candidate]:
    return [candidate for candidate in found if candidate.text.isprintable()]


@dataclass(slots=True)
class _LastWord:
    """Of a line for bash: the words before the last, the last without quotes, and the part that bash will replace."""

    earlier: list[str]
    text: str
    kept: int  # how much of the text stays: bash breaks words at = and :, and at a quote
    quote: str  # that is open, if any
    is_home: bool  # begins with ~ as the shell reads it: a folder of somebody, not a character

    def replacement(self, whole: str) -> str:
        if self.quote == "'":
            return whole[self.kept :]
        kept = max(self.kept, int(self.is_home))
        escaped = (_SPECIAL_IN_QUOTES if self.quote else _SPECIAL).sub(r"\\\1", whole[kept:])
        return whole[self.kept : kept] + escaped


def _last_word(line: str) -> _LastWord:
    words: list[str] = []
    word, quote, kept, is_word, is_home = "", "", 0, False, False
    characters = iter(line)
    for character in characters:
        if quote:
            if character == quote:
                quote = ""
            elif character == "\\" and quote == '"':
                word += next(characters, "")
            else:
                word += character
        elif character in "\"'":
            quote, kept, is_word = character, len(word), True
        elif character == "\\":
            word, is_word = word + next(characters, ""), True
        elif character.isspace():
            if is_word:
                words.append(word)
            word, kept, is_word, is_home = "", 0, False, False
        else:
            is_home = is_home or (character == "~" and not is_word)
            word, is_word = word + character, True
            if character in "=:":
                kept = len(word)
    return _LastWord(words[1:], word, kept, quote, is_home)
