"""The command `learnac`: its subcommands, and how it reports what goes wrong.

A subcommand's module is imported when it is asked for, and what it needs when it runs: a command should not wait for
the options of others, and help not for NumPy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from learnac.cli.hints import with_hint
from learnac.cli.startup import spare_work
from learnac.errors import LearnacError

BAD_INPUT = 2
INTERRUPTED = 130  # What a shell reports for a program that Ctrl-C ended.

# Each has a module of its name, with a function of its name.
COMMANDS = (
    *("learn", "tune", "score", "query", "marginals", "mpe", "sample", "impute"),
    *("info", "convert", "draw", "data"),
)

# Older versions of typer raise click's usage errors, newer ones their own. Both call this one BadParameter.
_UsageError = typer.BadParameter.__bases__[0]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and exits: 0, or 2 after one line on stderr (with `--debug`, a traceback)."""
    if arguments is None:
        spare_work()
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = _app_for(given)(given, prog_name="learnac", standalone_mode=False)
        sys.stdout.flush()  # Here, or a full disk would be noticed only after all handlers are gone.
    except typer.Abort:
        code = INTERRUPTED
    except Exception as error:
        if "--debug" in given:
            raise
        code = _report(_in_one_line(error))
        _drop_unprinted()
    if code == INTERRUPTED:
        _report("interrupted")
    sys.exit(code or 0)


def _app_for(given: Sequence[str]) -> typer.Typer:
    """The command with the subcommand that is asked for; with all of them, if it is none."""
    app = typer.Typer(
        add_completion=False, rich_markup_mode="rich", context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.callback(
        invoke_without_command=True,
        epilog="[bold]Example[/]   learnac learn train.csv --valid valid.csv --test test.csv",
    )(_about)
    for name in given[:1] if given and given[0] in COMMANDS else COMMANDS:
        module = import_module(f"learnac.cli.{name}")
        command = getattr(module, name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(epilog=f"[bold]Example[/]   {module.EXAMPLE}")(command)
    return app


def _about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", metavar="", help="Print the version and exit.")] = False,
) -> None:
    """Learn arithmetic circuits from tables of discrete data, and ask them anything, exactly."""
    if version:
        from importlib.metadata import version as installed_version

        print(f"learnac {installed_version('learnac')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def _in_one_line(error: Exception) -> str:
    if isinstance(error, _UsageError):
        return str(getattr(error, "format_message", error.__str__)())
    if isinstance(error, LearnacError):
        return with_hint(error)
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return "the memory does not suffice; --max-edges limits what a circuit needs"
    return f"unexpected {type(error).__name__}: {error} (--debug shows where it happened)"


def _drop_unprinted() -> None:
    """What could not be printed is not tried again when the interpreter ends, which would report it once more."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(message: str) -> int:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT
