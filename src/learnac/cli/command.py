"""Commands as functions: annotations declare their parameters, and what a person types is read by these.

Why not by a library: docs/decisions/0003-commands-without-a-library.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, auto
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

HELP = ("--help", "-h")
_WORDS = {int: "a whole number", float: "a number"}


class UsageError(Exception):
    """A command cannot be run as it was typed; `option` is the one that is wrong, if it is one."""

    def __init__(self, message: str, option: str | None = None) -> None:
        super().__init__(message if option is None else f"{option}: {message}")


class HelpWanted(Exception):  # noqa: N818
    """What was typed asks for help."""


class Completes(Enum):
    """What a shell may offer for a parameter that is no choice."""

    NOTHING = auto()  # or any file, for a path
    MODEL = auto()
    TABLE = auto()
    PICTURE = auto()
    DATA_SET = auto()
    VARIABLES = auto()  # of the model: names with commas between
    ASSIGNMENTS = auto()  # the same with categories: NAME=CATEGORY,...


@dataclass(frozen=True)
class Argument:
    """Declares a parameter that is told by its place."""

    metavar: str
    about: str
    completes: Completes = Completes.NOTHING


class Option:
    """Declares a parameter that is told by a name: its own, with dashes, unless names are given.

    One without a metavar is a flag, or has choices. `panel` is the part of the help it stands in.
    """

    def __init__(
        self,
        *names: str,
        about: str,
        metavar: str = "",
        panel: str = "Options",
        least: float | None = None,
        completes: Completes = Completes.NOTHING,
    ) -> None:
        self.names = names
        self.about = about
        self.metavar = metavar
        self.panel = panel
        self.least = least
        self.completes = completes


@dataclass(frozen=True)
class Parameter:
    """A parameter of a command, as its function's signature declares it."""

    name: str
    declared: Argument | Option
    kind: type  # bool, int, float, str or Path
    choices: tuple[str, ...]
    is_repeated: bool
    default: Any  # inspect.Parameter.empty if there is none

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def is_flag(self) -> bool:
        return self.kind is bool

    @property
    def names(self) -> tuple[str, ...]:
        """What a person types; for an argument, nothing."""
        if isinstance(self.declared, Argument):
            return ()
        return self.declared.names or (f"--{self.name.replace('_', '-')}",)

    @property
    def negation(self) -> str | None:
        """The name that turns off a flag that is on by default."""
        return f"--no-{self.name.replace('_', '-')}" if self.is_flag and self.default is True else None

    def value(self, text: str) -> Any:
        """What a text stands for. UsageError for one that stands for nothing."""
        where = self.names[0] if self.names else self.declared.metavar
        if self.choices and text not in self.choices:
            raise UsageError(f"expected one of {', '.join(map(repr, self.choices))}, found {text!r}", where)
        try:
            value = self.kind(text)
        except ValueError:
            raise UsageError(f"expected {_WORDS[self.kind]}, found {_cut(text)!r}", where) from None
        least = None if isinstance(self.declared, Argument) else self.declared.least
        if least is not None and not value >= least:
            raise UsageError(f"expected at least {least:g}, found {_cut(text)}", where)
        return value


def _cut(text: str, most: int = 60) -> str:
    """A text that may be a whole file: its beginning is enough to find it again."""
    return text if len(text) <= most else f"{text[:most]}..."


@dataclass(frozen=True)
class Command:
    """A function that is run by what a person types, its name, and an example for its help."""

    name: str
    function: Callable[..., None]
    example: str

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        hints = get_type_hints(self.function, include_extras=True)
        signature = inspect.signature(self.function).parameters.values()
        return tuple(_parameter(found.name, hints[found.name], found.default) for found in signature)

    def run(self, typed: Sequence[str]) -> None:
        """Runs the function. HelpWanted or UsageError instead, if that is what was typed."""
        self.function(**read_values(self.parameters, typed))


@dataclass(frozen=True)
class Group:
    """Commands that share the first word, each found by its own when it is wanted."""

    about: str
    names: tuple[str, ...]
    find: Callable[[str], Command | Group]
    example: str


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    kind, declared = get_args(hint)
    if NoneType in get_args(kind):
        (kind,) = (part for part in get_args(kind) if part is not NoneType)
    is_repeated = get_origin(kind) is list
    if is_repeated:
        (kind,) = get_args(kind)
    is_choice = get_origin(kind) is Literal
    choices = get_args(kind) if is_choice else ()
    return Parameter(name, declared, str if is_choice else kind, choices, is_repeated, default)


def read_values(parameters: Sequence[Parameter], typed: Sequence[str]) -> dict[str, Any]:
    """The function's arguments, from parameters in any order. All that is not typed has its default."""
    values: dict[str, Any] = {}
    texts: list[str] = []
    for parameter, text in _told_apart(parameters, typed):
        if parameter is None:
            texts.append(text)
        elif parameter.is_flag:
            values[parameter.name] = text != parameter.negation
        elif parameter.is_repeated:
            values.setdefault(parameter.name, []).append(parameter.value(text))
        else:
            values[parameter.name] = parameter.value(text)
    by_place = [parameter for parameter in parameters if not parameter.names]
    if len(texts) > len(by_place):
        raise UsageError(f"too many arguments: {' '.join(texts[len(by_place) :])}")
    values |= {parameter.name: parameter.value(text) for parameter, text in zip(by_place, texts, strict=False)}
    for parameter in parameters:
        if parameter.is_required and parameter.name not in values:
            what = f"option {parameter.names[0]!r}" if parameter.names else f"argument {parameter.declared.metavar!r}"
            raise UsageError(f"Missing {what}.")
    return values


def _told_apart(parameters: Sequence[Parameter], typed: Sequence[str]) -> Iterator[tuple[Parameter | None, str]]:
    """Each option with its text, or its name if it is a flag; None with each text that belongs to none."""
    options = {name: parameter for parameter in parameters for name in parameter.names}
    options |= {parameter.negation: parameter for parameter in parameters if parameter.negation is not None}
    words = iter(typed)
    for word in words:
        if word == "--":
            yield from ((None, text) for text in words)
        elif not word.startswith("-") or word == "-":
            yield None, word
        else:
            yield _option(options, word, words)


def _option(options: dict[str, Parameter], word: str, words: Iterator[str]) -> tuple[Parameter, str]:
    """`--name=text`, `--name text`, `-n text` or `-ntext`. The text may be any word, also one with a dash."""
    if word.startswith("--"):
        name, is_joined, joined = word.partition("=")
    else:
        name, joined = word[:2], word[2:]
        is_joined = joined
    if name in HELP:
        raise HelpWanted
    if name not in options:
        near = get_close_matches(name, [*options, *HELP])
        raise UsageError(f"No such option: {name}" + (f" (did you mean {' or '.join(near)}?)" if near else ""))
    parameter = options[name]
    if parameter.is_flag:
        if is_joined:
            raise UsageError(f"Option {name!r} does not take a value.")
        return parameter, name
    text = joined if is_joined else next(words, None)
    if text is None:
        raise UsageError(f"Option {name!r} requires an argument.")
    return parameter, text
