"""score, query, marginals, mpe, sample and impute: the answers of the model, asked as a person types."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import LearnAC, load
from learnac.cli.output import probability

COMMA = '"city=Bonn, DE"'
CITIES = ("Bern", "Bonn, DE", "Oslo")
AGES = ("< 37.5", "[37.5, 55.8)", "[55.8, 74.2)", ">= 74.2")

Answer = Callable[..., str]
Complaint = Callable[..., str]


def table(text: str) -> dict[str, list[str]]:
    """The columns of a CSV."""
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [row[column] for row in rows[1:]] for column, name in enumerate(rows[0])}


def numbers(cells: list[str]) -> Any:
    return pytest.approx([float(cell) for cell in cells], rel=1e-12)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        pytest.param([], {}, id="nothing"),
        pytest.param(["children=2"], {"children": 2}, id="integer"),
        pytest.param(["children=2,city=Oslo"], {"children": 2, "city": "Oslo"}, id="two"),
        pytest.param([" children = 2 , city = Oslo "], {"children": 2, "city": "Oslo"}, id="spaces"),
        pytest.param(["children=2", "city=Oslo"], {"children": 2, "city": "Oslo"}, id="repeated option"),
        pytest.param(["children=2", "children=2"], {"children": 2}, id="said twice"),
        pytest.param([COMMA], {"city": "Bonn, DE"}, id="comma in quotes"),
        pytest.param([f"children=1,{COMMA}"], {"children": 1, "city": "Bonn, DE"}, id="comma in quotes, not first"),
        pytest.param(['city="Bonn, DE",children=1'], {"children": 1, "city": "Bonn, DE"}, id="quotes round the value"),
        pytest.param(["plan=b=y"], {"plan=b": "y"}, id="name with ="),
        pytest.param(["plan=b=x=1"], {"plan=b": "x=1"}, id="name and category with ="),
        pytest.param(["age=30"], {"age": "< 37.5"}, id="number for an interval"),
        pytest.param(["age=37.5"], {"age": "[37.5, 55.8)"}, id="number on an edge"),
        pytest.param(["age=-1e3"], {"age": "< 37.5"}, id="number in another spelling"),
        pytest.param(["age=>= 74.1"], {"age": ">= 74.1"}, id="interval"),
        pytest.param(['"age=[37.5, 55.8)"'], {"age": "[37.5, 55.8)"}, id="interval with a comma"),
    ],
)
def test_what_is_given_is_read_as_it_is_meant(
    answer: Answer, people: LearnAC, given: list[str], meant: dict[str, Any]
) -> None:
    options = [word for text in given for word in ("--given", text)]
    document = json.loads(answer("query", "people.learnac", "--query", "has car=True", *options, "--json"))
    expected = people.log_probability({"has car": True}, meant)
    assert document["log_probability"] == pytest.approx(expected, rel=1e-12)
    assert document["probability"] == pytest.approx(math.exp(expected), rel=1e-12)
    assert document["query"] == {"has car": True}
    assert document["given"].keys() == meant.keys()


@pytest.mark.parametrize("text", ["True", "true", "TRUE"])
def test_booleans_in_every_spelling(answer: Answer, people: LearnAC, text: str) -> None:
    shown = answer("query", "people.learnac", "-q", f"has car={text}", "-g", "children=3,age=80")
    expected = math.exp(people.log_probability({"has car": True}, {"children": 3, "age": 80.0}))
    assert shown == f"P(has car = True | children = 3, age = 80.0) = {expected:.6g}\n"


def test_a_query_of_several_variables_is_their_conjunction(answer: Answer, people: LearnAC) -> None:
    shown = answer("query", "people.learnac", "-q", "city=Oslo,has car=true", "-q", "children=0")
    expected = math.exp(people.log_probability({"city": "Oslo", "has car": True, "children": 0}))
    assert shown == f"P(city = Oslo, has car = True, children = 0) = {expected:.6g}\n"


def test_a_name_that_begins_like_another(answer: Answer, tmp_path: Path) -> None:
    """Both a and a=b are variables. Only one of them has a category with which a=b=c can be read."""
    frame = pd.DataFrame({"a": ["x", "y", "x", "y"], "a=b": ["c", "d", "c", "c"]})
    LearnAC().fit(frame).save(tmp_path / "m.learnac")
    document = json.loads(answer("query", "m.learnac", "-q", "a=b=c", "--json"))
    assert document["query"] == {"a=b": "c"}


def test_one_row_of_marginals(answer: Answer, people: LearnAC) -> None:
    expected = people.marginals({"city": "Bern"})
    arguments = ("marginals", "people.learnac", "-g", "city=Bern")
    found = json.loads(answer(*arguments, "--json"))["marginals"]
    assert list(found) == list(people.schema_.names)
    for name, categories in zip(people.schema_.names, people.schema_.categories, strict=True):
        assert list(found[name]) == [str(category) for category in categories]
        assert list(found[name].values()) == pytest.approx(expected[name].tolist(), rel=1e-12)
    lines = answer(*arguments, "--variables", "has car, children").splitlines()
    assert [line.rstrip("█").split()[-2:] for line in lines] == [
        *([str(value), probability(p)] for value, p in zip([False, True], expected["has car"], strict=True)),
        *([str(value), probability(p)] for value, p in zip(range(4), expected["children"], strict=True)),
    ]


def test_one_most_probable_completion(answer: Answer, people: LearnAC) -> None:
    world, log_probability = people.mpe({"city": "Oslo", "age": 80.0})
    arguments = ("mpe", "people.learnac", "-g", "city=Oslo,age=80")
    document = json.loads(answer(*arguments, "--json"))
    assert document["world"] == world
    assert document["log_probability"] == pytest.approx(log_probability, rel=1e-12)
    *lines, last = answer(*arguments).splitlines()
    known = ["city", "age"]
    assert [line.split() for line in lines] == [
        [*name.split(), *str(value).split(), *(["given"] if name in known else [])] for name, value in world.items()
    ]
    assert last == f"log P = {log_probability:.4f}"


def test_rows_with_gaps_and_a_column_too_many(answer: Answer, people: LearnAC, asked: pd.DataFrame) -> None:
    scores = people.score_samples(asked)
    found = table(answer("score", "people.learnac", "asked.csv", "--per-row"))
    assert list(found) == ["log_likelihood"]
    assert scores.tolist() == numbers(found["log_likelihood"])
    assert scores[1] == pytest.approx(0, abs=1e-12)  # Nothing is known of it.

    others = asked.drop(columns="children")
    others.to_csv("others.csv", index=False)
    found = table(answer("query", "people.learnac", "--rows", "others.csv", "-q", "children=0"))
    expected = people.log_probability({"children": 0}, others)
    assert expected.tolist() == numbers(found["log_probability"])
    assert np.exp(expected).tolist() == numbers(found["probability"])

    found = table(answer("marginals", "people.learnac", "--rows", "asked.csv", "--variables", "age,city"))
    assert list(found) == [*(f"age={age}" for age in AGES), *(f"city={city}" for city in CITIES)]
    expected = people.marginals(asked)
    for position, city in enumerate(CITIES):
        assert expected["city"][:, position].tolist() == numbers(found[f"city={city}"])


def test_completed_rows(answer: Answer, people: LearnAC, asked: pd.DataFrame) -> None:
    worlds, log_probabilities = people.mpe(asked)
    found = table(answer("mpe", "people.learnac", "--rows", "asked.csv"))
    assert log_probabilities.tolist() == numbers(found["log_probability"])
    completions = {"mpe": worlds, "marginal": people.impute(asked, "marginal")}
    assert not completions["mpe"].equals(completions["marginal"])
    for name in asked.columns:
        assert as_values(found[name]) == as_values(worlds[name])
    for method, expected in completions.items():
        found = table(answer("impute", "people.learnac", "asked.csv", "--method", method))
        remarks = {"remark": [str(row) for row in range(len(asked))]}  # A column of the table, not of the model.
        assert list(found) == [*asked.columns, "remark"]
        for name, column in {**expected, **remarks}.items():
            assert as_values(found[name]) == as_values(column)


def as_written(column: Any) -> list[str]:
    return [str(value).lower() if isinstance(value, bool) else str(value) for value in column]


def as_values(column: Any) -> list[str]:
    """However numbers and booleans are spelled: a file's own cells stay as they were."""
    return [text.removesuffix(".0").lower() for text in as_written(column)]


def test_whole_numbers_stay_whole(answer: Answer, people: LearnAC, asked: pd.DataFrame) -> None:
    rows = json.loads(answer("impute", "people.learnac", "asked.csv", "--json"))["rows"]
    assert len(rows) == len(asked)
    assert {json.dumps(row["children"]) for row in rows} == {"0", "1", "2", "3"}
    assert {json.dumps(row["has car"]) for row in rows} == {"true", "false"}


def test_the_score_of_a_table(answer: Answer, people: LearnAC, asked: pd.DataFrame) -> None:
    scores = people.score_samples(asked)
    least = np.argsort(scores, kind="stable")[:5].tolist()
    document = json.loads(answer("score", "people.learnac", "asked.csv", "--json"))
    assert document["rows"] == 40
    assert document["log_likelihood"] == pytest.approx(scores.mean(), rel=1e-12)
    assert document["impossible"] == 0
    assert [entry["row"] for entry in document["least_likely"]] == least
    first, _, *lines = answer("score", "people.learnac", "asked.csv").splitlines()
    assert first == f"mean log-likelihood {scores.mean():.4f} of 40 rows"
    assert [line.split() for line in lines] == [["row", str(row), f"{scores[row]:.4f}"] for row in least]


def test_samples_are_those_of_the_seed_and_the_evidence(answer: Answer, people: LearnAC) -> None:
    arguments = ("sample", "people.learnac", "-n", "300", "--given", COMMA)
    first = answer(*arguments, "--seed", "1")
    assert answer(*arguments, "--seed", "1", "--threads", "2") == first
    assert answer(*arguments, "--seed", "2") != first
    assert answer(*arguments) != answer(*arguments)
    found = table(first)
    assert list(found) == list(people.schema_.names)
    assert found["city"] == ["Bonn, DE"] * 300
    share = found["has car"].count("true") / 300
    expected = people.marginals({"city": "Bonn, DE"})["has car"][1]
    assert share == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / 300))
    assert answer("sample", "people.learnac", "-n", "0") == first.splitlines(keepends=True)[0]
    assert len(table(answer("sample", "people.learnac"))["city"]) == 10


def test_a_seed_gives_the_same_samples_in_every_form(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    arguments = ("sample", "people.learnac", "-n", "20", "--seed", "1")
    printed = answer(*arguments)
    assert answer(*arguments, "--out", "s.csv") == ""
    assert (tmp_path / "s.csv").read_text() == printed
    rows = json.loads(answer(*arguments, "--json"))["rows"]
    written = {name: as_values(column) for name, column in table(printed).items()}
    assert {name: as_values([row[name] for row in rows]) for name in people.schema_.names} == written


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-q", "city=Rome"], "variable 'city': expected one of its categories, 'Bern', 'Bonn, DE', 'Oslo'; found 'R"),
        (["-q", "town=Bern"], "no variable is called 'town'; there are 'city', 'has car'"),
        (["-q", "city=Bern", "-g", "city=Oslo"], "contradicts the evidence: variable 'city' is 'Bern' in the query"),
        (["-q", "city=Bern", "-g", "children=9"], "variable 'children': expected one of its categories, 0, 1, 2, 3"),
        (["-q", "city=Bern", "-g", "children=1", "-g", "children=2"], "'children' is given twice, as 1 and as 2"),
        (["-q", "city=Bern", "-g", "children=1", "--rows", "asked.csv"], "--rows: use --given or --rows, not both"),
        (["-q", "city"], "expected NAME=CATEGORY, found 'city'"),
        (["-q", "city=Bern,"], "expected NAME=CATEGORY, found ''"),
        (["-q", "city=Bern", "-g", "age=young"], "variable 'age': expected one of its categories, '< 37.5'"),
        (["-q", "city=Bern", "-g", "age=nan"], "variable 'age': expected one of its categories, '< 37.5'"),
        (["-q", "city=Bern", "-g", "children=1\nage=3"], "--given"),
        (["-q", "city=Bern", "--out", "x.csv"], "--out: needs --rows: without it there is no table to write"),
        ([], "Missing option '--query'"),
    ],
)
def test_a_question_that_cannot_be_answered(
    complaint: Complaint, people: LearnAC, asked: pd.DataFrame, arguments: list[str], said: str
) -> None:
    assert said in complaint("query", "people.learnac", *arguments)


@pytest.mark.parametrize("command", ["marginals", "mpe", "sample"])
def test_evidence_that_cannot_be(complaint: Complaint, answer: Answer, tmp_path: Path, command: str) -> None:
    frame = pd.DataFrame({"a": [0, 1, 1, 1] * 20, "b": [0, 1, 1, 1] * 20})
    LearnAC(parameter_penalty=0, alpha=0, shrinkage=0).fit(frame).save(tmp_path / "m.learnac")
    assert load(tmp_path / "m.learnac").score_samples({"a": 0, "b": 1}) == -math.inf
    assert "the evidence has probability zero" in complaint(command, "m.learnac", "-g", "a=0,b=1")
    document = json.loads(answer("query", "m.learnac", "-q", "b=1", "-g", "a=0", "--json"))
    assert document["probability"] == 0
    assert document["log_probability"] is None


def test_impossible_rows_are_named_by_their_place_in_the_file(complaint: Complaint, tmp_path: Path) -> None:
    """Rows are answered block by block: the numbers go on from block to block."""
    frame = pd.DataFrame({"a": [0, 1, 1, 1] * 20, "b": [0, 1, 1, 1] * 20, "c": [0, 1] * 40})
    LearnAC(parameter_penalty=0, alpha=0, shrinkage=0).fit(frame).save(tmp_path / "m.learnac")
    rows = pd.DataFrame({"a": [1] * 20_010, "b": [1] * 20_010})
    rows.loc[20_005, "b"] = 0
    rows.to_csv(tmp_path / "rows.csv", index=False)
    said = complaint("mpe", "m.learnac", "--rows", "rows.csv", "--out", "worlds.csv")
    assert "rows.csv" in said
    assert "row 20005: the evidence has probability zero" in said.replace(",", "")


def test_contradictions_are_named_by_their_place_in_the_file(
    complaint: Complaint, people: LearnAC, tmp_path: Path
) -> None:
    rows = pd.DataFrame({"children": [1] * 20_010})
    rows.loc[20_005, "children"] = 2
    rows.to_csv(tmp_path / "rows.csv", index=False)
    said = complaint("query", "people.learnac", "-q", "children=1", "--rows", "rows.csv", "--out", "answers.csv")
    assert "rows.csv" in said
    assert "row 20005: the query contradicts the evidence" in said


def test_without_a_terminal(person: Callable[..., Any], people: LearnAC, asked: pd.DataFrame) -> None:
    """Each command in a process of its own: text on stdout, nothing on stderr, 0."""
    for arguments, said in (
        (["score", "people.learnac", "asked.csv"], "mean log-likelihood"),
        (["query", "people.learnac", "-q", "children=1", "-g", COMMA], "P(children = 1 | city = Bonn, DE) = 0."),
        (["marginals", "people.learnac"], "Bonn, DE"),
        (["mpe", "people.learnac"], "log P = -"),
        (["sample", "people.learnac", "-n", "3", "--seed", "1"], "city,has car,plan=b,children,age\n"),
        (["impute", "people.learnac", "asked.csv"], '"Bonn, DE",'),
    ):
        code, out, err = person(*arguments)
        assert (code, err) == (0, "")
        assert said in out


def test_intervals_and_numbers_are_understood(answer: Answer, people: LearnAC) -> None:
    interval = next(label for label in people.schema_.categories[-1] if label.startswith("["))
    for given in (f"age={interval}", f'"age={interval}"', f'age="{interval}"'):
        found = json.loads(answer("query", "people.learnac", "-q", "children=2.0,has car=1", "-g", given, "--json"))
        assert found["given"] == {"age": interval}
        assert found["query"] == {"children": 2, "has car": True}
