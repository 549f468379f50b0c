"""What is no variable: so many values that a circuit of them would be one of identifiers.

Whoever learns is told so, in Python and on the command line alike, rather than given a circuit that fills the memory.
"""

from __future__ import annotations

from learnac.data.found_kinds import MOST_STRINGS
from learnac.errors import DataError, Problem


def too_many_codes(name: str, arity: int) -> DataError | None:
    """What is wrong with a column of codes whose number nobody stated, if anything."""
    if arity <= MOST_STRINGS:
        return None
    expected = f"at most {MOST_STRINGS:,} different codes"
    return DataError(
        f"column {name!r}: expected {expected}, found codes up to {arity - 1:,}",
        column=name,
        expected=expected,
        found=arity,
        problem=Problem.IDENTIFIER,
    )


def with_way_out(error: DataError) -> DataError:
    """The error with what helps in Python: arguments of `Dataset.from_frame` and `LearnAC`."""
    name = error.column
    keep = f"as_category=[{name!r}] keeps every value"
    if error.problem is Problem.IDENTIFIER:
        return error.saying(f"{error}: leave the column out, or {keep}")
    if error.problem is Problem.NOTHING_TO_LEARN:
        return error.saying(f"{error}: kinds={{{name!r}: 'categorical'}} keeps a column")
    return error
