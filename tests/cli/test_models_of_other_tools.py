"""Commands that ask a model take the files of other tools as they are."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from learnac import LearnAC

Answer = Callable[..., str]
Complaint = Callable[..., str]

RAIN = """network weather { }
variable rain { type discrete [ 2 ] { no, yes }; }
variable wet { type discrete [ 3 ] { 0, 1, 2 }; }
probability ( rain ) { table 0.75, 0.25; }
probability ( wet | rain ) { (no) 0.5, 0.25, 0.25; (yes) 0, 0.5, 0.5; }
"""


HALF = math.log(0.5)


def nested(tests: list[tuple[str, str]], last: str) -> str:
    """A tree of Libra's format: tests, each with what follows if it holds, and what follows if none does."""
    return "".join(f"(v{test} {yes} " for test, yes in tests) + last + ")" * len(tests)


def libra_network(arities: list[int], trees: list[str]) -> str:
    written = "\n".join(f"v{child} {{ tree {{ {tree} }} }}" for child, tree in enumerate(trees))
    return f"{','.join(map(str, arities))}\nBN {{\n{written}\n}}\n"


@pytest.fixture
def formats(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    for suffix in ("bif", "bn", "ac"):
        answer("convert", "people.learnac", f"people.{suffix}")
        answer("convert", f"people.{suffix}", f"{suffix}.learnac")
    (tmp_path / "people.bif.gz").write_bytes(gzip.compress((tmp_path / "people.bif").read_bytes()))


@pytest.mark.usefixtures("formats")
@pytest.mark.parametrize("suffix", ["bif", "bn", "ac"])
def test_answers_are_those_of_the_converted_model(answer: Answer, tmp_path: Path, suffix: str) -> None:
    names = ["city", "has car", "plan=b", "children", "age"] if suffix == "bif" else [f"x{v}" for v in range(5)]
    codes = pd.DataFrame([[0, 1, 1, 2, 3], [1, None, 0, 3, None]], columns=names, dtype="Int64")
    rows = codes if suffix != "bif" else pd.DataFrame([["Bern", True, "y", 2, "< 36.7"]], columns=names).iloc[:, :4]
    rows.assign(**({"age": [None]} if suffix == "bif" else {})).to_csv(tmp_path / "rows.csv", index=False)
    for command in (
        ["score", "MODEL", "rows.csv"],
        ["query", "MODEL", "-q", f"{names[3]}=1"],
        ["query", "MODEL", "-q", f"{names[3]}=1", "-g", f"{names[1]}={'true' if suffix == 'bif' else 1}"],
        ["marginals", "MODEL"],
        ["marginals", "MODEL", "--rows", "rows.csv"],
        ["mpe", "MODEL"],
        ["sample", "MODEL", "-n", "5", "--seed", "1"],
        ["impute", "MODEL", "rows.csv"],
    ):
        asked, converted = ([name if word == "MODEL" else word for word in command] for name in files_of(suffix))
        assert answer(*asked) == answer(*converted) != ""


def files_of(suffix: str) -> tuple[str, str]:
    return f"people.{suffix}", f"{suffix}.learnac"


@pytest.mark.usefixtures("formats")
@pytest.mark.parametrize("name", ["people.bif", "people.bif.gz", "people.bn", "people.ac"])
def test_info_has_the_sizes_of_the_file(answer: Answer, tmp_path: Path, name: str) -> None:
    document = json.loads(answer("info", name, "--json"))
    assert document["bytes"] == (tmp_path / name).stat().st_size
    assert document["variables"] == 5
    assert document["provenance"] == {"source": name}
    assert (document["network"] is None) == name.endswith("ac")
    assert document["properties"]["is_deterministic"]


@pytest.mark.usefixtures("formats")
def test_pictures_of_other_formats(answer: Answer, complaint: Complaint, tmp_path: Path) -> None:
    answer("draw", "people.bif", "p.dot", "--around", "age")
    assert "children" in (tmp_path / "p.dot").read_text()
    (tmp_path / "rain.bif").write_text(RAIN)
    for name, options in (("rain.bif", []), ("rain.ac", ["--what", "circuit"]), ("rain.bif", ["--what", "circuit"])):
        if name == "rain.ac":
            answer("convert", "rain.bif", name)
        answer("draw", name, "p.dot", *options)
        assert "digraph" in (tmp_path / "p.dot").read_text()
    assert "--what circuit" in complaint("draw", "rain.ac", "q.dot")


def test_answers_are_right(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "rain.bif").write_text(RAIN)
    joint = {
        ("no", 0): 0.375,
        ("no", 1): 0.1875,
        ("no", 2): 0.1875,
        ("yes", 0): 0,
        ("yes", 1): 0.125,
        ("yes", 2): 0.125,
    }
    for (rain, wet), expected in joint.items():
        document = json.loads(answer("query", "rain.bif", "-q", f"rain={rain},wet={wet}", "--json"))
        assert document["probability"] == pytest.approx(expected)
    (tmp_path / "rows.csv").write_text("rain,wet\nno,0\nno,1\nno,2\n")
    document = json.loads(answer("score", "rain.bif", "rows.csv", "--json"))
    assert document["log_likelihood"] == pytest.approx(math.log(0.375 * 0.1875 * 0.1875) / 3)


def test_a_model_of_our_own_may_have_any_name(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    (tmp_path / "people.learnac").rename(tmp_path / "people")
    assert "P(children = 1) = " in answer("query", "people", "-q", "children=1")


@pytest.mark.parametrize("command", ["info", "mpe", "marginals", "sample", "draw", "score", "impute", "query"])
def test_a_file_of_no_known_format(complaint: Complaint, people: LearnAC, command: str) -> None:
    more = {"draw": ["p.dot"], "score": ["people.csv"], "impute": ["people.csv"], "query": ["-q", "children=1"]}
    said = complaint(command, "people.csv", *more.get(command, []))
    assert "people.csv: expected a name that ends in .learnac, .bif, .xmlbif, .uai, .bn, .ac" in said


def test_a_network_too_large_for_a_circuit(complaint: Complaint, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    scopes = [[parent for parent in (child - 9, child - 5, child - 1) if parent >= 0] + [child] for child in range(20)]
    lines = ["BAYES", "20", " ".join(["6"] * 20), "20", *(" ".join(map(str, [len(s), *s])) for s in scopes)]
    for scope in scopes:
        rows = rng.dirichlet(np.ones(6), size=6 ** (len(scope) - 1)).ravel()
        lines += [str(len(rows)), " ".join(map(str, rows))]
    (tmp_path / "large.uai").write_text("\n".join(lines))
    said = complaint("query", "large.uai", "-q", "x0=1")
    assert "large.uai: the circuit of this network would need more than 1,000,000 edges" in said
    assert "--max-edges of `learnac compile` allows more edges" in said


def test_a_table_too_large_for_bif(complaint: Complaint, answer: Answer, tmp_path: Path) -> None:
    """A short tree that asks 21 parents is a table of 4 million entries."""
    coin = f"(v{{}}_0 {HALF} {HALF})"
    leaves = [f"(v21_0 {math.log(p / 30)} {math.log(1 - p / 30)})" for p in range(1, 23)]
    tree = nested([(f"{parent}_0", leaves[parent]) for parent in range(21)], leaves[21])
    trees = [*(coin.format(parent) for parent in range(21)), tree]
    (tmp_path / "wide.bn").write_text(libra_network([2] * 22, trees))
    said = complaint("convert", "wide.bn", "wide.bif")
    assert "wide.bif: the table of 'x21' given 'x0', 'x1'" in said
    assert "would have 4,194,304 entries, more than 1,000,000" in said
    assert ".bn and .learnac files need no such table" in said
    assert not (tmp_path / "wide.bif").exists()
    answer("convert", "wide.bn", "wide.learnac")
