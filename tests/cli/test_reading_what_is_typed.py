"""How what a person types becomes the arguments of a command's function."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from learnac.cli.command import Argument, Command, HelpWanted, Option, UsageError, read_values


def command(
    source: Annotated[Path, Argument("FROM", "Where it comes from.")],
    target: Annotated[str, Argument("TO", "Where it goes.")] = "here",
    *,
    given: Annotated[list[str] | None, Option("--given", "-g", metavar="TEXT", about="What is known.")] = None,
    share: Annotated[float, Option(metavar="SHARE", about="How much of it.", least=0)] = 0.5,
    max_edges: Annotated[int | None, Option(metavar="N", about="How many.", least=1)] = None,
    how: Annotated[Literal["quick", "greedy"], Option(about="In which way.")] = "quick",
    retrain: Annotated[bool, Option(about="Learn again.")] = True,
    as_json: Annotated[bool, Option("--json", about="As JSON.")] = False,
) -> None:
    """Do it."""


def read(*typed: str) -> dict[str, Any]:
    """What the function would be called with, its defaults left out."""
    return read_values(Command("command", command, "").parameters, typed)


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        (["a"], {}),
        (["a", "b"], {"target": "b"}),
        (["--json", "a", "--share", "1", "b"], {"target": "b", "as_json": True, "share": 1.0}),
        (["a", "--max-edges=7"], {"max_edges": 7}),
        (["a", "-gx", "-g", "y", "--given=z"], {"given": ["x", "y", "z"]}),
        (["a", "--given", "--json"], {"given": ["--json"]}),  # An option takes whatever comes next.
        (["a", "-g", "-1=2", "--given="], {"given": ["-1=2", ""]}),
        (["a", "--given=b=c"], {"given": ["b=c"]}),
        (["a", "--share", "1", "--share", "2e-3"], {"share": 0.002}),
        (["a", "--how", "greedy", "--no-retrain"], {"how": "greedy", "retrain": False}),
        (["a", "--no-retrain", "--retrain"], {"retrain": True}),
        (["a", "--", "--json"], {"target": "--json"}),
        (["a", "-"], {"target": "-"}),
    ],
)
def test_every_way_to_type(typed: list[str], values: dict[str, Any]) -> None:
    assert read(*typed) == {"source": Path("a"), **values}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ([], "Missing argument 'FROM'."),
        (["a", "b", "c", "d"], "too many arguments: c d"),
        (["a", "--frob"], "No such option: --frob"),
        (["a", "--max-edge=3"], "No such option: --max-edge (did you mean --max-edges?)"),
        (["a", "-x"], "No such option: -x"),
        (["a", "--share"], "Option '--share' requires an argument."),
        (["a", "-g"], "Option '-g' requires an argument."),
        (["a", "--json=yes"], "Option '--json' does not take a value."),
        (["a", "--share", "x"], "--share: expected a number, found 'x'"),
        (["a", "--share", "-1"], "--share: expected at least 0, found -1"),
        (["a", "--share", "nan"], "--share: expected at least 0, found nan"),
        (["a", "--max-edges", "1.5"], "--max-edges: expected a whole number, found '1.5'"),
        (["a", "--max-edges", "0"], "--max-edges: expected at least 1, found 0"),
        (["a", "--how", "slow"], "--how: expected one of 'quick', 'greedy', found 'slow'"),
    ],
)
def test_what_cannot_be_read(typed: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(*typed)
    assert str(caught.value) == message


@pytest.mark.parametrize("typed", [["--help"], ["-h"], ["a", "--json", "-h"], ["a", "b", "c", "--help", "--frob"]])
def test_help_is_wanted_wherever_it_is_asked_for(typed: list[str]) -> None:
    with pytest.raises(HelpWanted):
        read(*typed)


def test_a_required_option() -> None:
    def needs(*, valid: Annotated[Path, Option(metavar="FILE", about="A table.")]) -> None: ...

    with pytest.raises(UsageError, match="Missing option '--valid'"):
        Command("needs", needs, "").run([])
