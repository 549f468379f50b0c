"""Tab in interactive shells, with the scripts that `learnac completion` prints."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from shells import SHELLS, words_after_tab

from learnac import LearnAC

ODD = ("it's", 'say "x"', "$5", "back\\slash", "~home")

TYPED = [
    ("marg", ["marginals"]),
    ("data fet", ["data", "fetch"]),
    ("info peo", ["info", "people.learnac"]),
    ("info ~/peo", ["info", "{home}/people.learnac"]),
    ("info ~/with\\ space/i", ["info", "{home}/with space/inside.learnac"]),
    ("learn people.csv --sched", ["learn", "people.csv", "--schedule"]),
    ("learn people.csv --schedule gr", ["learn", "people.csv", "--schedule", "greedy"]),
    ("learn people.csv --schedule=gr", ["learn", "people.csv", "--schedule=greedy"]),
    ("mpe people.learnac -g chil", ["mpe", "people.learnac", "-g", "children="]),
    ("mpe people.learnac -g city=O", ["mpe", "people.learnac", "-g", "city=Oslo"]),
    ("mpe people.learnac -g 'city=O", ["mpe", "people.learnac", "-g", "city=Oslo"]),
    ("mpe people.learnac -g 'city=Bonn, ", ["mpe", "people.learnac", "-g", "city=Bonn, DE"]),
    ('mpe people.learnac -g "city=Oslo,ha', ["mpe", "people.learnac", "-g", "city=Oslo,has car="]),
    ("mpe people.learnac -g ha", ["mpe", "people.learnac", "-g", "has car="]),
    ("mpe people.learnac -g has\\ car=T", ["mpe", "people.learnac", "-g", "has car=True"]),
    ("mpe people.learnac '--given=has car=T", ["mpe", "people.learnac", "--given=has car=True"]),
    ("score people.learnac with", ["score", "people.learnac", "with space/"]),
    ("score people.learnac 'wi", ["score", "people.learnac", "with space/"]),
]
TYPED_ODD = [
    ("odd=it", "it's"),
    ('"odd=it', "it's"),
    ("odd=sa", 'say "x"'),
    ("'odd=sa", 'say "x"'),
    ("'odd=say \"", 'say "x"'),
    ("odd=\\$", "$5"),
    ("'odd=$", "$5"),
    ('"odd=\\$', "$5"),
    ("odd=b", "back\\slash"),
    ("'odd=b", "back\\slash"),
    ("'odd=~", "~home"),
]


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, answer: Callable[..., str], tmp_path: Path) -> str:
    """A shell that is there, with its script in the folder of the test."""
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    (tmp_path / "script").write_text(answer("completion", name))
    return name


@pytest.mark.parametrize(("typed", "expected"), TYPED)
@pytest.mark.usefixtures("people")
def test_tab_completes_a_line(shell: str, tmp_path: Path, typed: str, expected: list[str]) -> None:
    (tmp_path / "with space").mkdir()
    (tmp_path / "with space" / "inside.learnac").touch()
    words = [word.replace("{home}", str(tmp_path)) for word in expected]
    assert words_after_tab(shell, tmp_path, f"learnac {typed}") == ["learnac", *words]


@pytest.mark.parametrize(("typed", "category"), TYPED_ODD)
def test_categories_with_quotes_and_dollars_arrive_as_they_are(
    shell: str, tmp_path: Path, typed: str, category: str
) -> None:
    LearnAC().fit(pd.DataFrame({"odd": ODD})).save(tmp_path / "odd.learnac")
    words = words_after_tab(shell, tmp_path, f"learnac mpe odd.learnac -g {typed}")
    assert words[-1] == f"odd={category}"
