"""The command `learnac`: its subcommands, and how it reports what goes wrong.

Modules that a command needs are imported when it runs: `learnac --help` should not wait for scikit-learn.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from learnac.cli.learn import learn
from learnac.errors import LearnacError

BAD_INPUT = 2
INTERRUPTED = 130  # What a shell reports for a program that Ctrl-C ended.

# Older versions of typer raise click's usage errors, newer ones their own. Both call this one BadParameter.
_UsageError = typer.BadParameter.__bases__[0]

app = typer.Typer(
    add_completion=False, rich_markup_mode="rich", context_settings={"help_option_names": ["-h", "--help"]}
)
app.command(epilog="[bold]Example[/]   learnac learn train.csv --valid valid.csv --edge-penalty 0.01")(learn)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and exits: 0, or 2 after one line on stderr (with `--debug`, a traceback)."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = app(given, prog_name="learnac", standalone_mode=False)
    except typer.Abort:
        code = INTERRUPTED
    except Exception as error:
        if "--debug" in given:
            raise
        code = _report(_in_one_line(error))
    if code == INTERRUPTED:
        _report("interrupted")
    sys.exit(code or 0)


@app.callback(
    invoke_without_command=True,
    epilog="[bold]Example[/]   learnac learn train.csv --valid valid.csv --test test.csv",
)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", metavar="", help="Print the version and exit.")] = False,
) -> None:
    """Learn arithmetic circuits from tables of discrete data."""
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
        return str(error)
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return "the memory does not suffice; --max-edges limits what a circuit needs"
    return f"unexpected {type(error).__name__}: {error} (--debug shows where it happened)"


def _report(message: str) -> int:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT
