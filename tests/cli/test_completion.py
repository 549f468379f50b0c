"""What a shell offers when somebody presses Tab: commands, options, choices, files, names and categories."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from learnac import LearnAC
from learnac.cli import complete_values
from learnac.cli.app import LEARNAC
from learnac.cli.command import Command, Completes, Group
from learnac.cli.output import TABLE_SUFFIXES
from learnac.data import catalog, tables
from learnac.drawing import PICTURE_SUFFIXES, TEXT_SUFFIXES
from learnac.io import convert

Answer = Callable[..., str]
Offers = Callable[..., list[str]]

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def offers(answer: Answer) -> Offers:
    """The candidates for the last word, without what is said about them."""
    return lambda *words: [line.split("\t")[0] for line in answer("--complete", "words", *words).splitlines()]


def commands(found: Command | Group = LEARNAC, *words: str) -> Iterator[tuple[tuple[str, ...], Command]]:
    if isinstance(found, Command):
        yield words, found
        return
    for name in found.names:
        yield from commands(found.find(name), *words, name)


def test_commands(offers: Offers) -> None:
    assert offers("") == list(LEARNAC.names)
    assert offers("m") == ["marginals", "mpe"]
    assert offers("data", "") == ["list", "fetch"]
    assert offers("-") == ["--version", "--help"]
    assert offers("nothing", "") == []


@pytest.mark.parametrize(
    ("words", "command"), list(commands()), ids=lambda part: " ".join(part) if isinstance(part, tuple) else ""
)
def test_every_option_of_every_command(offers: Offers, words: tuple[str, ...], command: Command) -> None:
    long_names = {name for parameter in command.parameters for name in parameter.names if name.startswith("--")}
    negations = {parameter.negation for parameter in command.parameters if parameter.negation}
    assert set(offers(*words, "--")) == long_names | negations | {"--help"}


def test_choices_of_options_and_arguments(offers: Offers) -> None:
    assert offers("learn", "t.csv", "--schedule", "") == ["quick", "greedy"]
    assert offers("learn", "t.csv", "--schedule", "g") == ["greedy"]
    assert offers("learn", "t.csv", "--schedule=") == ["--schedule=quick", "--schedule=greedy"]
    assert offers("impute", "m.learnac", "t.csv", "--method", "m") == ["mpe", "marginal"]
    assert offers("completion", "") == list(SHELLS)


def test_an_option_that_was_given_is_not_offered_again_unless_it_may_be(offers: Offers) -> None:
    again = offers("marginals", "m.learnac", "--threads", "2", "-g", "a=1", "--")
    assert "--threads" not in again
    assert {"--given", "--rows"} <= set(again)
    assert offers("marginals", "m.learnac", "")[0] == "--given"


def test_files_have_the_endings_that_a_parameter_is_for(offers: Offers, people: LearnAC, tmp_path: Path) -> None:
    for name in ("other.bif.gz", "rows.tsv", "rows.parquet", "notes.txt", ".hidden.csv", "p.svg"):
        (tmp_path / name).write_text("")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "train.csv.gz").write_text("")
    assert offers("info", "") == ["more/", "other.bif.gz", "people.learnac"]
    assert offers("score", "people.learnac", "") == ["more/", "people.csv", "rows.parquet", "rows.tsv"]
    assert offers("score", "people.learnac", "more/") == ["more/train.csv.gz"]
    assert offers("score", "people.learnac", f"{tmp_path}/more/t") == [f"{tmp_path}/more/train.csv.gz"]
    assert offers("learn", "people.csv", "--valid", "r") == ["rows.parquet", "rows.tsv"]
    assert offers("learn", "people.csv", "--valid=r") == ["--valid=rows.parquet", "--valid=rows.tsv"]
    assert offers("learn", ".h") == [".hidden.csv"]
    assert offers("draw", "people.learnac", "p") == ["p.svg"]
    assert offers("learn", "n") == ["notes.txt"]
    assert offers("learn", "nowhere/x") == []


def test_names_and_categories_are_those_of_the_model(offers: Offers, people: LearnAC) -> None:
    assert offers("query", "people.learnac", "--query", "c") == ["city=", "children="]
    assert offers("query", "people.learnac", "-g", "city=B") == ["city=Bern", "city=Bonn, DE"]
    assert offers("query", "-q", "children=1", "people.learnac", "-g", "city=Oslo,ch") == ["city=Oslo,children="]
    assert offers("query", "people.learnac", "-g", "city=Bonn, ") == ["city=Bonn, DE"]
    assert offers("query", "people.learnac", "-g", "plan=b=x") == ["plan=b=x=1"]
    assert offers("mpe", "people.learnac", "--given=has car=") == ["--given=has car=False", "--given=has car=True"]
    assert offers("marginals", "people.learnac", "--variables", "age,ci") == ["age,city"]
    assert offers("draw", "people.learnac", "p.svg", "--tree", "pl") == ["plan=b"]
    for wrong in ("nowhere.learnac", "people.csv"):
        assert offers("query", wrong, "-g", "c") == []


def test_names_of_data_sets(offers: Offers) -> None:
    assert offers("data", "fetch", "pl") == [entry.name for entry in catalog.sets() if entry.name.startswith("pl")]


def test_the_endings_are_those_of_readers_and_writers() -> None:
    assert complete_values.SUFFIXES[Completes.MODEL] == convert.READ
    assert set(complete_values.SUFFIXES[Completes.TABLE]) == set(tables._FORMATS) | set(TABLE_SUFFIXES)
    assert complete_values.SUFFIXES[Completes.PICTURE] == (*PICTURE_SUFFIXES, *TEXT_SUFFIXES)


def test_what_is_no_question_gets_no_answer(answer: Answer) -> None:
    for words in ([], ["words"], ["bash"], ["bash", ""], ["sorcery", "x"]):
        printed = answer("--complete", *words)
        assert "error" not in printed


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_in_the_language_of_their_shell(answer: Answer, tmp_path: Path, shell: str) -> None:
    (tmp_path / "script").write_text(answer("completion", shell))
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not there")
    done = subprocess.run([shell, "-n", "script"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
