"""What may come next on a command line, from the descriptions of the commands and the files that are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from learnac.cli.command import HELP, Command, Completes, Group, Option, Parameter
from learnac.cli.complete_values import values_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """A whole word that may stand in the place of the last one, and a line about it. More follows if it is begun."""

    text: str
    about: str = ""

    @property
    def is_begun(self) -> bool:
        return self.text.endswith(("=", "/", ","))


def candidates(root: Group, words: Sequence[str], *further: Parameter) -> list[Candidate]:
    """For the last of the words, which may be empty. `further` are options of the first group."""
    found: Command | Group = root
    *earlier, current = words
    for number, word in enumerate(earlier):
        if isinstance(found, Command):
            typed = _Typed(found.parameters, earlier[number:])
            return [candidate for candidate in _of_command(typed, current) if candidate.text.startswith(current)]
        if word not in found.names:
            return []
        found = found.find(word)
    if isinstance(found, Command):
        return [each for each in _of_command(_Typed(found.parameters, []), current) if each.text.startswith(current)]
    return [
        each for each in _of_group(found, further if found is root else (), current) if each.text.startswith(current)
    ]


def _of_group(group: Group, options: Sequence[Parameter], current: str) -> Iterator[Candidate]:
    if current.startswith("-"):
        yield from (Candidate(name, option.declared.about) for option in options for name in option.names)
        yield Candidate(HELP[0], "Show this help.")
    else:
        yield from (Candidate(name, _about(group.find(name))) for name in group.names)


def _about(found: Command | Group) -> str:
    return found.about if isinstance(found, Group) else (found.function.__doc__ or "").strip().split("\n")[0]


@dataclass(slots=True)
class _Typed:
    """What earlier words say: which option waits for its value, how many arguments there are, which is the model."""

    parameters: Sequence[Parameter]
    words: Sequence[str]
    waiting: Parameter | None = None
    is_plain: bool = False  # after "--", words with dashes are arguments too
    arguments: list[str] = field(default_factory=list)
    options: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for word in self.words:
            self._take(word)

    def _take(self, word: str) -> None:
        if self.waiting is not None:
            self.waiting = None
        elif self.is_plain or not word.startswith("-") or word == "-":
            self.arguments.append(word)
        elif word == "--":
            self.is_plain = True
        else:
            name, _, joined = word.partition("=") if word.startswith("--") else (word[:2], "", word[2:])
            parameter = self.called(name)
            if parameter is not None:
                self.options.add(parameter.name)
                self.waiting = None if parameter.is_flag or joined or "=" in word else parameter

    def called(self, name: str) -> Parameter | None:
        for parameter in self.parameters:
            if name in (*parameter.names, parameter.negation):
                return parameter
        return None

    @property
    def places(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if not parameter.names]

    @property
    def model(self) -> Path | None:
        for parameter, text in zip(self.places, self.arguments, strict=False):
            if parameter.declared.completes is Completes.MODEL:
                return Path(text).expanduser()
        return None


def _of_command(typed: _Typed, current: str) -> Iterator[Candidate]:
    name, joined, text = current.partition("=")
    if typed.waiting is not None:
        yield from map(Candidate, values_of(typed.waiting, current, typed.model))
    elif joined and name.startswith("--") and (parameter := typed.called(name)) is not None:
        yield from (Candidate(f"{name}={value}") for value in values_of(parameter, text, typed.model))
    elif current.startswith("-") and not typed.is_plain:
        yield from _options(typed)
    elif len(typed.arguments) < len(typed.places):
        parameter = typed.places[len(typed.arguments)]
        yield from map(Candidate, values_of(parameter, current, typed.model))
    else:
        yield from _options(typed)


def _options(typed: _Typed) -> Iterator[Candidate]:
    """Those that may still come, in the order of the help."""
    for parameter in typed.parameters:
        if isinstance(parameter.declared, Option) and (parameter.is_repeated or parameter.name not in typed.options):
            names = [*(name for name in parameter.names if name.startswith("--")), parameter.negation]
            yield from (Candidate(name, parameter.declared.about) for name in names if name is not None)
    yield Candidate(HELP[0], "Show this help.")
