"""The command `learnac`: its subcommands, and how it reports what goes wrong.

A subcommand's module is imported when it is asked for, and what it needs when it runs: a command should not wait for
what another one needs, and help not for NumPy.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from learnac.cli.command import HELP, Command, Group, HelpWanted, Option, Parameter, UsageError
from learnac.cli.hints import with_hint
from learnac.cli.memory import TOO_LITTLE, OutOfMemory
from learnac.cli.printable import printable
from learnac.cli.standard_input import kept_input, shown
from learnac.cli.startup import start
from learnac.errors import LearnacError

COMPLETE = "--complete"  # for the scripts of `learnac completion`
BAD_INPUT = 2
PIPE_CLOSED = 141  # What a shell reports for a program whose reader went away.
_NO_THREAD = ("Failed to launch worker thread", "can't start new thread")  # in the words of pyarrow and of Python
INTERRUPTED = 130  # What a shell reports for a program that Ctrl-C ended.

_VERSION = Parameter("version", Option("--version", about="Print the version and exit."), bool, (), False, False)


def _find(name: str) -> Command | Group:
    """Each has a module of its name, with a function of its name, or a group."""
    spelled = name.replace("-", "_")
    module = import_module(f"learnac.cli.{spelled}")
    return getattr(module, "GROUP", None) or Command(name, getattr(module, spelled), module.EXAMPLE)


LEARNAC = Group(
    "Learn arithmetic circuits from tables, and answer queries with them exactly.",
    (
        *("learn", "tune", "score", "query", "marginals", "mpe", "sample", "impute"),
        *("explain", "next-question", "compare", "sensitivity"),
        *("explore", "serve", "compile", "refit", "update", "info", "convert", "draw", "data", "completion"),
    ),
    _find,
    "learnac learn train.csv --valid valid.csv --test test.csv --out model.learnac",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and exits: 0, or 2 after one line on stderr (with `--debug`, a traceback)."""
    if arguments is None:
        start()
        warnings.showwarning = _show_warning
    typed = sys.argv[1:] if arguments is None else list(arguments)
    with kept_input():
        code = _exit_code(typed)
    sys.exit(code)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """In one line, as errors are; not with a line of our own code."""
    print(f"warning: {printable(str(message))}", file=sys.stderr)


def _exit_code(typed: Sequence[str]) -> int:
    code = 0
    try:
        _run(typed)
        sys.stdout.flush()  # Here, or a full disk would be noticed only after all handlers are gone.
    except BrokenPipeError:  # As with `| head`: who reads has seen enough.
        _drop_unprinted()
        code = PIPE_CLOSED
    except KeyboardInterrupt:
        _report("interrupted")
        code = INTERRUPTED
    except Exception as error:
        if "--debug" in typed:
            raise
        _report(_in_one_line(error))
        _drop_unprinted()
        code = BAD_INPUT
    return code


def _run(typed: Sequence[str]) -> None:
    if list(typed[:1]) == ["--version"]:
        from learnac.version import __version__

        print(f"learnac {__version__}")
        return
    if list(typed[:1]) == [COMPLETE]:
        _complete(typed[1:])
        return
    found: Command | Group = LEARNAC
    words = ["learnac"]
    while isinstance(found, Group):
        if not typed or typed[0] in HELP:
            from learnac.cli.help import print_group_help

            print_group_help(found, " ".join(words), *([_VERSION] if found is LEARNAC else []))
            return
        word, *typed = typed
        if word not in found.names:
            raise UsageError(f"No such option: {word}" if word.startswith("-") else f"No such command {word!r}.")
        words.append(word)
        found = found.find(word)
    try:
        found.run(typed)
    except HelpWanted:
        from learnac.cli.help import print_command_help

        print_command_help(found, " ".join(words))


def _complete(typed: Sequence[str]) -> None:
    """What a shell asks for when somebody presses Tab: an answer, or none, but no complaint."""
    from learnac.cli.complete import candidates
    from learnac.cli.complete_line import print_completions

    with suppress(Exception):
        print_completions(typed, lambda words: candidates(LEARNAC, words, _VERSION))


def _in_one_line(error: Exception) -> str:
    if isinstance(error, UsageError):
        return str(error)
    if isinstance(error, LearnacError):
        return with_hint(error)
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return str(error) if isinstance(error, OutOfMemory) else TOO_LITTLE
    if any(words in str(error) for words in _NO_THREAD):
        return "the system starts no more threads for this user; `ulimit -u` shows how many there may be"
    return f"unexpected {type(error).__name__}: {error} (--debug shows where it happened)"


def _drop_unprinted() -> None:
    """What could not be printed is not tried again when the interpreter ends, which would report it once more."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(message: str) -> None:
    print(f"error: {printable(' '.join(shown(message).split()))}", file=sys.stderr)
