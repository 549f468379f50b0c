"""Ways out that only the command line has: its options, for what the library finds wrong."""

from __future__ import annotations

from learnac.errors import LearnacError, Problem


def with_hint(error: LearnacError) -> str:
    """The message of an error, and the options or commands that help."""
    return f"{error}{_hint(error)}"


def _hint(error: LearnacError) -> str:
    name = "" if error.column is None else _quoted(error.column)
    keep = f"--drop {name} leaves it out, --as-category {name} keeps every value"
    hints = {
        Problem.CONTINUOUS: f": --bins {name}=5 makes intervals, {keep}",
        Problem.IDENTIFIER: f": {keep}",
        Problem.NOTHING_TO_LEARN: f": --kind {name}=categorical keeps a column",
        Problem.GAPS_IN_STREAM: ": use --missing category, or learn without --memory",
        Problem.NO_HEADER: "; if the table has no header line, use --no-header",
        Problem.DELIMITER: f": use --delimiter {error.found!r}",
        Problem.CIRCUIT_TOO_LARGE: "; --max-edges of `learnac compile` allows more edges",
        Problem.COMPILING_TOO_LONG: "; --max-seconds of `learnac compile` allows more time",
        Problem.COMPILING_TOO_LARGE: "; --max-gb of `learnac compile` allows more memory",
        Problem.TABLE_TOO_LARGE: "; .bn and .learnac files need no such table",
        Problem.UNKNOWN_SET: "; `learnac data list` shows all",
    }
    return "" if error.problem is None else hints.get(error.problem, "")


def _quoted(name: str) -> str:
    return name if name.isidentifier() else repr(name)
