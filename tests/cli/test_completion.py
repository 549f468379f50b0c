"""What a shell offers when somebody presses Tab: commands, options, choices, files, names and categories."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
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


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("learnac marg", ["learnac", "marginals"]),
        ("learnac info peo", ["learnac", "info", "people.learnac"]),
        ("learnac learn people.csv --sched", ["learnac", "learn", "people.csv", "--schedule"]),
        ("learnac learn people.csv --schedule gr", ["learnac", "learn", "people.csv", "--schedule", "greedy"]),
        ("learnac learn people.csv --schedule=gr", ["learnac", "learn", "people.csv", "--schedule=greedy"]),
        ("learnac mpe people.learnac -g chil", ["learnac", "mpe", "people.learnac", "-g", "children="]),
        ("learnac mpe people.learnac -g city=O", ["learnac", "mpe", "people.learnac", "-g", "city=Oslo"]),
        ("learnac mpe people.learnac -g 'city=O", ["learnac", "mpe", "people.learnac", "-g", "city=Oslo"]),
        (
            'learnac mpe people.learnac -g "city=Oslo,ha',
            ["learnac", "mpe", "people.learnac", "-g", "city=Oslo,has car="],
        ),
        ("learnac mpe people.learnac -g ha", ["learnac", "mpe", "people.learnac", "-g", "has car="]),
        ("learnac mpe people.learnac -g has\\ car=T", ["learnac", "mpe", "people.learnac", "-g", "has car=True"]),
        ("learnac score people.learnac with", ["learnac", "score", "people.learnac", "with space/"]),
    ],
)
def test_tab_in_bash(people: LearnAC, answer: Answer, tmp_path: Path, typed: str, expected: list[str]) -> None:
    (tmp_path / "script").write_text(answer("completion", "bash"))
    (tmp_path / "with space").mkdir()
    assert words_after_tab(tmp_path, typed) == expected


def words_after_tab(folder: Path, typed: str) -> list[str]:
    """The words of a line in an interactive bash, after Tab: printed by the shell itself, in place of being run."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PS1": "READY>",
        "TERM": "dumb",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
    }
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment)
    try:
        read_until(terminal, "READY>")
        os.write(terminal, b"source ./script; bind 'set bell-style none'; show() { printf '<%s>' \"$@\"; echo END; }\r")
        read_until(terminal, "READY>")
        quote = "'" if typed.count("'") % 2 else '"' if typed.count('"') % 2 else ""
        # Ctrl-A is the beginning of the line, which is then shown instead of run.
        os.write(terminal, f"{typed}\t\x01show \r".encode())
        shown = read_until(terminal, "END", "> ")
        if "END" not in shown.split("\r\n", 1)[-1]:
            os.write(terminal, f"{quote}\r".encode())
            shown = read_until(terminal, "END")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    return [word.rstrip("\n") for word in re.findall(r"<([^>]*)>", shown.replace("\r\n", "\n"))]


def read_until(terminal: int, *ends: str) -> str:
    seen = ""
    deadline = time.monotonic() + 20
    while not any(end in seen for end in ends) and time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1.0)
        if ready:
            seen += os.read(terminal, 4096).decode(errors="replace")
    return seen
