"""The command `learnac`: its subcommands, and how it reports what goes wrong.

Modules that a command needs are imported when it runs: `learnac --help` should not wait for scikit-learn.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from learnac.cli import convert, draw, impute, info, learn, marginals, mpe, query, sample, score, tune
from learnac.cli.data import data
from learnac.cli.hints import with_hint
from learnac.errors import LearnacError

BAD_INPUT = 2
INTERRUPTED = 130  # What a shell reports for a program that Ctrl-C ended.

# Older versions of typer raise click's usage errors, newer ones their own. Both call this one BadParameter.
_UsageError = typer.BadParameter.__bases__[0]

app = typer.Typer(
    add_completion=False, rich_markup_mode="rich", context_settings={"help_option_names": ["-h", "--help"]}
)


def _add(command: Callable[..., None], example: str) -> None:
    app.command(epilog=f"[bold]Example[/]   {example}")(command)


_add(learn.learn, learn.EXAMPLE)
_add(tune.tune, tune.EXAMPLE)
_add(score.score, score.EXAMPLE)
_add(query.query, query.EXAMPLE)
_add(marginals.marginals, marginals.EXAMPLE)
_add(mpe.mpe, mpe.EXAMPLE)
_add(sample.sample, sample.EXAMPLE)
_add(impute.impute, impute.EXAMPLE)
_add(info.info, info.EXAMPLE)
_add(convert.convert, convert.EXAMPLE)
_add(draw.draw, draw.EXAMPLE)
app.add_typer(data, name="data")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and exits: 0, or 2 after one line on stderr (with `--debug`, a traceback)."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = app(given, prog_name="learnac", standalone_mode=False)
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


@app.callback(
    invoke_without_command=True,
    epilog="[bold]Example[/]   learnac learn train.csv --valid valid.csv --test test.csv",
)
def about(
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
