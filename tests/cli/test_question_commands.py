"""explain, next-question, compare, sensitivity, --do and --balance: the answers of the model, as people ask."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from mixed_tables import learned as learned_from_numbers

from learnac import LearnAC, load

Answer = Callable[..., str]
Complaint = Callable[..., str]
GIVEN = ["--given", "children=2,city=Oslo"]
KNOWN = {"children": 2, "city": "Oslo"}


def asked(answer: Answer, command: str, *arguments: str) -> Any:
    return json.loads(answer(command, "people.learnac", *arguments, "--json"))


def after_do(model: LearnAC) -> LearnAC:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.do({"children": 3})


class TestExplain:
    @pytest.mark.parametrize("category", ["True", "False"])
    def test_it_is_the_models(self, answer: Answer, people: LearnAC, category: str) -> None:
        found = asked(answer, "explain", "--target", "has car", *GIVEN, "--category", category)
        expected = people.explain("has car", KNOWN)
        contributions = expected.of(category == "True")
        assert found["category"] is (category == "True")
        for piece in found["pieces"]:
            assert (piece["leave_one_out"], piece["shapley"]) == pytest.approx(contributions[piece["variable"]])
        assert [piece["support"] for piece in found["pieces"]] == pytest.approx(expected.support.tolist())
        assert found["conflict"] == pytest.approx(expected.conflict)

    def test_people_see_the_most_probable_category(self, answer: Answer, people: LearnAC) -> None:
        best = people.predict(KNOWN, "has car")
        text = answer("explain", "people.learnac", "--target", "has car", *GIVEN)
        assert text.startswith(f"P(has car = {best}) = ")
        assert "children = 2" in text
        assert "conflict" in text
        assert "share" in answer("explain", "people.learnac", "--target", "has car", *GIVEN, "--no-shapley")

    def test_an_interval_by_a_number_in_it(self, answer: Answer, people: LearnAC) -> None:
        assert asked(answer, "explain", "--target", "age", *GIVEN, "--category", "30")["category"] == "< 37.5"

    def test_complaints(self, complaint: Complaint, people: LearnAC) -> None:
        assert "unknown, found evidence about it" in complaint("explain", "people.learnac", "--target", "city", *GIVEN)
        assert "'nobody'" in complaint("explain", "people.learnac", "--target", "nobody", *GIVEN)
        assert "'green'" in complaint("explain", "people.learnac", "--target", "has car", "--category", "green", *GIVEN)


def test_next_question(answer: Answer, people: LearnAC) -> None:
    found = asked(answer, "next-question", "--target", "city", "--given", "children=2")
    assert found["gains"] == pytest.approx(people.next_question("city", {"children": 2}))
    found = asked(answer, "next-question", "--target", "city", "--candidates", "age, has car", "-n", "1")
    assert list(found["gains"]) == list(people.next_question("city", {}, ["age", "has car"]))[:1]
    text = answer("next-question", "people.learnac", "--target", "city")
    assert text.splitlines()[0].startswith(next(iter(people.next_question("city"))))


def test_compare(answer: Answer, people: LearnAC) -> None:
    found = asked(answer, "compare", "--given", "children=2", "--with", "children=0")
    expected = people.compare({"children": 2}, {"children": 0})
    assert [v["variable"] for v in found["variables"]] == list(expected.divergences)
    for variable in found["variables"]:
        assert variable["a"] == pytest.approx(expected.a[variable["variable"]].tolist())
        assert variable["b"] == pytest.approx(expected.b[variable["variable"]].tolist())
    text = answer("compare", "people.learnac", "--given", "children=2", "-n", "2")
    assert text.splitlines()[1].startswith("children")


def test_sensitivity(answer: Answer, people: LearnAC) -> None:
    found = asked(answer, "sensitivity", "-q", "city=Oslo", "--given", "children=2", "-n", "3")
    expected = people.sensitivity({"city": "Oslo"}, {"children": 2}, n=3)
    assert found["probability"] == pytest.approx(expected.probability)
    assert [p["derivative"] for p in found["parameters"]] == pytest.approx([p.derivative for p in expected.parameters])
    assert [p["text"] for p in found["parameters"]] == [p.text for p in expected.parameters]
    text = answer("sensitivity", "people.learnac", "-q", "city=Oslo")
    assert expected.parameters[0].text in answer("sensitivity", "people.learnac", "-q", "city=Oslo", "-g", "children=2")
    assert "P(" in text


def test_intervals_are_written_as_people_do(answer: Answer, people: LearnAC) -> None:
    """With no equals sign before another sign, and no brackets of two kinds."""
    texts = [
        answer("sensitivity", "people.learnac", "-q", "children=2", "-g", "age=30", "-n", "50"),
        answer("explain", "people.learnac", "--target", "has car", "-g", "age<37.5,children=2"),
        answer("explain", "people.learnac", "--target", "age", "-g", "children=2"),
        answer("query", "people.learnac", "-q", "age>=60", "-g", "children=2"),
    ]
    assert "age < 37.5" in texts[0]
    assert "age < 37.5" in texts[1]
    assert texts[3].startswith("P(age >= 60 | children = 2) = ")
    for text in texts:
        assert re.search(r"= [<>]|\[", text) is None, text


class TestDensities:
    """A number that may lie anywhere has a density: nobody shall take it for a probability."""

    @pytest.fixture(autouse=True)
    def mixed_people(self, tmp_path: Path) -> None:
        learned_from_numbers().save(tmp_path / "mixed.learnac")

    @pytest.mark.parametrize("command", ["query", "sensitivity"])
    @pytest.mark.parametrize(
        ("query", "given", "is_density"),
        [
            ("height=2.5", "kind=a", True),
            ("height=2.5,kind=a", "spent=0", True),
            ("height=1.5", "kind=a", False),  # which many rows share
            ("spent=12", "kind=a", False),  # an integer
            ("day=2020-01-05", "kind=a", False),
            ("kind=a", "height=2.5", False),  # known, not asked for
            ("kind=a,height=2.5", "height=2.5", False),
        ],
    )
    def test_text_and_json_say_so(self, answer: Answer, command: str, query: str, given: str, is_density: bool) -> None:
        asked_for = [command, "mixed.learnac", "-q", query, "-g", given]
        first, second = [*answer(*asked_for).splitlines(), ""][:2]
        assert first.startswith("density" if is_density else "P")
        assert second.startswith("This is a density, per unit of height, not a probability") == is_density
        document = json.loads(answer(*asked_for, "--json"))
        assert document["is_density"] is is_density
        assert ("note" in document) == is_density
        assert f"{document['probability']:.6g}" in first

    def test_an_interval_has_a_probability(self, answer: Answer) -> None:
        text = answer("query", "mixed.learnac", "-q", "height=2..3", "-g", "kind=a")
        assert text.startswith("P(height = 2..3 | kind = a) = ")
        assert len(text.splitlines()) == 1

    def test_of_rows_a_note_says_it(self, run: Any, tmp_path: Path) -> None:
        (tmp_path / "known.csv").write_text("kind\na\nb\n")
        found = run("query", "mixed.learnac", "-q", "height=2.5", "--rows", "known.csv")
        assert found.out.splitlines()[0] == "probability,log_probability"
        assert found.err.startswith("note: This is a density, per unit of height")
        assert run("query", "mixed.learnac", "-q", "height=2..3", "--rows", "known.csv").err == ""


class TestDo:
    @pytest.mark.parametrize("command", [["marginals"], ["query", "-q", "city=Oslo"], ["mpe"], ["sample", "-n", "0"]])
    def test_commands_ask_the_model_after_it(self, run: Any, people: LearnAC, command: list[str]) -> None:
        found = run(command[0], "people.learnac", *command[1:], "--do", "children=3", "--json")
        assert found.code == 0, found.err
        assert "note: --do: the arcs of this model were learned from data" in found.err
        document, changed = json.loads(found.out), after_do(people)
        match command[0]:
            case "marginals":
                assert document["marginals"]["children"] == {"0": 0, "1": 0, "2": 0, "3": 1}
                expected = changed.marginals()["city"].tolist()
                assert list(document["marginals"]["city"].values()) == pytest.approx(expected)
            case "query":
                expected = changed.log_probability({"city": "Oslo"})
                assert document["log_probability"] == pytest.approx(expected)
            case "mpe":
                assert document["world"] == changed.mpe()[0]

    def test_samples(self, run: Any, people: LearnAC) -> None:
        found = run("sample", "people.learnac", "-n", "50", "--do", "children=3", "--json")
        assert {row["children"] for row in json.loads(found.out)["rows"]} == {3}


def test_balance(answer: Answer, people: LearnAC) -> None:
    found = asked(answer, "marginals", "--balance", "city")["marginals"]
    assert list(found["city"].values()) == pytest.approx([1 / 3] * 3)
    assert list(found["has car"].values()) == pytest.approx(people.marginals(balance="city")["has car"].tolist())
    rows = asked(answer, "sample", "--balance", "city", "-n", "3000", "--seed", "1")["rows"]
    shares = pd.Series([row["city"] for row in rows]).value_counts(normalize=True)
    assert np.abs(shares - 1 / 3).max() < 0.04


SHARES: list[tuple[str, dict[str, dict[Any, float]]]] = [
    ("city=Bern:0.3,Bonn, DE:0.5,Oslo:0.2", {"city": {"Bern": 0.3, "Bonn, DE": 0.5, "Oslo": 0.2}}),
    ('city=Bern:3, "Bonn, DE": 5, Oslo:2', {"city": {"Bern": 0.3, "Bonn, DE": 0.5, "Oslo": 0.2}}),
    ("plan=b=x=1:0.3,y:0.7", {"plan=b": {"x=1": 0.3, "y": 0.7}}),
    ('"plan=b"="x=1":0.3,"y":0.7', {"plan=b": {"x=1": 0.3, "y": 0.7}}),
    ("has car=true:1,False:3", {"has car": {True: 0.25, False: 0.75}}),
    ("children=0:1,1:0,2:1e0,3:0", {"children": {0: 0.5, 1: 0.0, 2: 0.5, 3: 0.0}}),
]


@pytest.mark.parametrize(("typed", "shares"), SHARES)
def test_balance_by_shares(answer: Answer, people: LearnAC, typed: str, shares: dict[str, dict[Any, float]]) -> None:
    found = asked(answer, "marginals", "--balance", typed)["marginals"]
    ((name, wanted),) = shares.items()
    assert found[name] == pytest.approx({str(category): share for category, share in wanted.items()})
    for other, posterior in people.marginals(balance=shares).items():
        assert list(found[other].values()) == pytest.approx(posterior.tolist())


def test_samples_and_rows_have_shares(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    drawn = asked(answer, "sample", "--balance", "plan=b=x=1:0.8,y:0.2", "-n", "3000", "--seed", "1")["rows"]
    assert np.mean([row["plan=b"] == "x=1" for row in drawn]) == pytest.approx(0.8, abs=0.03)
    (tmp_path / "known.csv").write_text("children\n0\n2\n")
    answer("marginals", "people.learnac", "--rows", "known.csv", "--balance", "plan=b=x=1:8,y:2", "--out", "found.csv")
    assert pd.read_csv(tmp_path / "found.csv")["plan=b=x=1"].tolist() == pytest.approx([0.8, 0.8])


def test_intervals_of_numbers_have_shares(answer: Answer, people: LearnAC) -> None:
    """They are written with commas, colons and signs that compare."""
    intervals = [str(category) for category in people.schema_.categories[people.schema_.index("age")]]
    assert len(intervals) == 4
    typed = ",".join(f"{interval}:{share}" for interval, share in zip(intervals, (1, 2, 3, 4), strict=True))
    found = asked(answer, "marginals", "--balance", f"age={typed}")["marginals"]["age"]
    assert found == pytest.approx(dict(zip(intervals, (0.1, 0.2, 0.3, 0.4), strict=True)))


def test_categories_with_colons_and_commas_have_shares(answer: Answer, tmp_path: Path) -> None:
    values = ["10:30", "a:1,b", "b", 'say "no"']
    LearnAC(alpha=1.0).fit(pd.DataFrame({"when": values * 9, "x": [0, 1] * 18})).save(tmp_path / "odd.learnac")
    typed = 'when=10:30:0.1,"a:1,b":0.2,b:0.3,"say ""no""":0.4'
    found = json.loads(answer("marginals", "odd.learnac", "--balance", typed, "--json"))["marginals"]["when"]
    assert found == pytest.approx(dict(zip(values, (0.1, 0.2, 0.3, 0.4), strict=True)))


NO_SHARES = [
    ("town=Bern:1", "--balance: no variable is called 'town'; there are 'city'"),
    ("town", "--balance: no variable is called 'town'; there are 'city'"),
    ("plan=b=x=1:1,z:2", "--balance: variable 'plan=b': expected one of its categories, 'x=1', 'y'; found 'z'"),
    ("age=30:0.5,60:0.5", "--balance: variable 'age': expected one of its categories"),
    ("plan=b=x=1:0.4,y", "--balance: variable 'plan=b': expected CATEGORY:SHARE, such as yes:0.3, found 'y'"),
    ("plan=b=", "variable 'plan=b': expected a share from 0 for each category, and some above 0; found none"),
    ("plan=b=y:0.4,y:0.3", "--balance: variable 'plan=b': 'y' has two shares"),
    (
        "plan=b=x=1:0.3",
        "variable 'plan=b': expected a share from 0 for each category, and some above 0; found none for 'y'",
    ),
    ("plan=b=x=1:-1,y:2", "expected a share from 0 for each category, and some above 0; found -1.0 for 'x=1'"),
    ("plan=b=x=1:inf,y:2", "expected a share from 0 for each category, and some above 0; found inf for 'x=1'"),
    ("plan=b=x=1:0,y:0", "expected a share from 0 for each category, and some above 0; found only zeros"),
]


@pytest.mark.parametrize("command", [["marginals"], ["sample", "-n", "0"], ["sample"]])
@pytest.mark.parametrize(("typed", "message"), NO_SHARES)
def test_what_is_wrong_with_shares(
    complaint: Complaint, people: LearnAC, command: list[str], typed: str, message: str
) -> None:
    assert message in complaint(command[0], "people.learnac", *command[1:], "--balance", typed)


class TestParents:
    def test_they_reach_the_search(self, answer: Answer, people: LearnAC, tmp_path: Path) -> None:
        answer(
            *("learn", "people.csv", "--bins", "age=4", "--out", "tiered.learnac", "--json"),
            *("--tiers", "age", "--tiers", "children,has car", "--required-parents", "city=age"),
            *("--forbidden-parents", "plan=b=city", "--allowed-parents", "has car=children"),
        )
        found = load(tmp_path / "tiered.learnac").get_params()
        assert found["tiers"] == [["age"], ["children", "has car"]]
        assert found["required_parents"] == {"city": ["age"]}
        assert found["forbidden_parents"] == {"plan=b": ["city"]}
        assert found["allowed_parents"] == {"has car": ["children"]}

    def test_complaints_name_the_option(self, complaint: Complaint, people: LearnAC) -> None:
        assert "--tiers: 'age' is in two tiers" in complaint(
            "learn", "people.csv", "--bins", "4", "--tiers", "age", "--tiers", "age"
        )
        assert "--required-parents: expected NAME=PARENT,..., found 'age'" in complaint(
            "learn", "people.csv", "--required-parents", "age"
        )
