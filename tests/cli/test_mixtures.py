"""The commands with a mixture: learned, asked, shown, converted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import learnac
from learnac.circuit import Mixture

Answer = Callable[..., str]
LEARN = ("learn", "train.csv", "--valid", "valid.csv", "--max-edges", "3000", "--out", "model.learnac")


@pytest.fixture
def model(answer: Answer, files: dict[str, pd.DataFrame]) -> str:
    answer(*LEARN, "--components", "4")
    return "model.learnac"


def test_a_summary_says_how_large_it_is(answer: Answer, files: dict[str, pd.DataFrame]) -> None:
    document = json.loads(answer(*LEARN, "--components", "4", "--averages", "2", "--json"))
    assert document["n_components"] == 8
    assert document["n_edges"] <= 3000
    assert document["mixing"]["n_averages"] == 2
    assert document["settings"]["n_components"] == 4
    assert document["stop"] == "held_out"
    printed = answer(*LEARN[:-2], "--components", "4", "--averages", "2")
    assert f"Components {8:25}" in printed
    assert "2 averaged" in printed
    assert f"{document['n_edges'] // 8:,} of each component" in printed


def test_with_auto_a_number_is_chosen(answer: Answer, files: dict[str, pd.DataFrame]) -> None:
    document = json.loads(answer(*LEARN, "--components", "auto", "--threads", "2", "--json"))
    assert document["mixing"] is not None
    assert document["settings"]["n_components"] == "auto"


def test_python_learns_the_same(answer: Answer, files: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    answer(*LEARN, "--components", "3", "--seed", "5")
    loaded = learnac.load(tmp_path / "model.learnac")
    again = learnac.LearnAC(n_components=3, max_edges=3000, random_state=5)
    again.fit(files["train"], validation=files["valid"])
    assert isinstance(loaded.circuit_, Mixture)
    assert loaded.score(files["test"]) == pytest.approx(again.score(files["test"]), abs=1e-12)
    assert (loaded.n_components, loaded.random_state) == (3, 5)


def test_every_question(answer: Answer, model: str, files: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    loaded = learnac.load(tmp_path / model)
    name, value = next(iter(files["test"].items()))
    expected = loaded.score(files["test"])
    assert f"mean log-likelihood {expected:.4f}" in answer("score", model, "test.csv")
    posterior = json.loads(answer("marginals", model, "--json"))
    assert posterior
    given = f"{name}={value.iloc[0]}"
    assert answer("mpe", model, "--given", given)
    assert answer("query", model, "--query", given)
    assert answer("sample", model, "-n", "3", "--seed", "1").count("\n") == 4
    files["test"].assign(**{name: None}).to_csv(tmp_path / "gaps.csv", index=False)
    assert answer("impute", model, "gaps.csv")


def test_info(answer: Answer, model: str) -> None:
    document = json.loads(answer("info", model, "--json"))
    assert document["components"] == 4
    assert document["edges"] <= 3000
    printed = answer("info", model)
    assert "4 components" in printed
    assert "for each component" in printed
    assert "n_components 4" in printed


def test_pictures_and_formats(run: Callable[..., Any], answer: Answer, model: str, tmp_path: Path) -> None:
    answer("draw", model, "network.dot")
    assert "digraph" in (tmp_path / "network.dot").read_text()
    answer("convert", model, "model.ac")
    assert (tmp_path / "model.ac").exists()
    answer("convert", model, "again.learnac")
    assert json.loads(answer("info", "again.learnac", "--json"))["components"] == 4
    outcome = run("convert", model, "model.bif")
    assert outcome.code == 2
    assert "this format holds a network, but the model is a mixture" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--components", "some"], "--components: expected a whole number or \"auto\", found 'some'"),
        (["--components", "0"], '--components: expected at least 1 or "auto", found 0'),
        (["--averages", "3"], "--averages: expected 1, as a single circuit has no seed, or --components too, found 3"),
        (["--components", "9", "--max-edges", "20"], "--max-edges: expected at least"),
        (["--components", "2", "--seed", "-1"], "--seed: expected at least 0, found -1"),
    ],
)
def test_wrong_options(
    run: Callable[..., Any], files: dict[str, pd.DataFrame], arguments: list[str], complaint: str
) -> None:
    outcome = run("learn", "train.csv", *arguments)
    assert outcome.code == 2
    assert complaint in outcome.err


def test_a_checkpoint_is_resumed(answer: Answer, files: dict[str, pd.DataFrame]) -> None:
    options = ("learn", "train.csv", "--components", "3", "--checkpoint", "kept", "--checkpoint-every", "0", "--json")
    first = json.loads(answer(*options))
    again = json.loads(answer(*options, "--resume"))
    assert first["scores"] == again["scores"]
