"""Ways out that only the command line has: its options, for what the library finds wrong."""

from __future__ import annotations

from learnac.errors import LearnacError, Problem


def with_hint(error: LearnacError) -> str:
    """The message of an error, and the options or commands that help."""
    name = "" if error.column is None else _quoted(error.column)
    keep = f"--drop {name} leaves it out, --as-category {name} keeps every value"
    match error.problem:
        case Problem.CONTINUOUS:
            return f"{error}: --bins {name}=5 makes intervals, {keep}"
        case Problem.IDENTIFIER:
            return f"{error}: {keep}"
        case Problem.NO_HEADER:
            return f"{error}; --no-header reads a table without names"
        case Problem.DELIMITER:
            return f"{error}: say --delimiter {error.found!r}"
        case Problem.CIRCUIT_TOO_LARGE:
            return f"{error}; `learnac convert` allows more with --max-edges"
        case Problem.TABLE_TOO_LARGE:
            return f"{error}: convert to .bn or .learnac instead, which hold the tree as it is"
        case Problem.UNKNOWN_SET:
            return f"{error}; `learnac data list` shows all"
        case _:
            return str(error)


def _quoted(name: str) -> str:
    return name if name.isidentifier() else repr(name)
