"""`learnac info`, `draw` and `convert`: figures, pictures, and models in the formats of others."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import LearnAC, load
from learnac.circuit import properties
from learnac.io import read_bif, read_bn, read_model

Answer = Callable[..., str]
Complaint = Callable[..., str]


def rows_of(model: LearnAC) -> Any:
    """Rows with gaps, as codes: what a model answers about them does not depend on the names in a file."""
    rng = np.random.default_rng(0)
    codes = rng.integers(model.schema_.arities, size=(30, model.n_features_in_))
    codes[rng.random(codes.shape) < 0.3] = -1
    return codes


def test_info_has_the_figures_of_the_model(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    document = json.loads(answer("info", "people.learnac", "--json"))
    circuit, network = people.circuit_, people.network_
    assert network is not None
    n_parents = dict(zip(network.schema.names, map(len, network.parents), strict=True))
    assert document["file"] == "people.learnac"
    assert document["bytes"] == (tmp_path / "people.learnac").stat().st_size
    assert document["variables"] == 5
    assert document["categories"] == {"smallest": 2, "largest": 4}
    assert (document["edges"], document["nodes"]) == (circuit.n_edges, circuit.n_nodes)
    assert document["parameters"] == circuit.n_parameters
    assert document["properties"] == properties(circuit)._asdict()
    assert document["network"]["arcs"] == sum(n_parents.values())
    assert document["network"]["leaves"] == network.n_leaves
    assert document["network"]["mean_parents"] == pytest.approx(sum(n_parents.values()) / 5)
    assert document["network"]["most_parents"] == n_parents
    assert list(document["network"]["most_parents"].values()) == sorted(n_parents.values(), reverse=True)
    assert max(n_parents.values()) <= document["network"]["treewidth_at_most"] < 5
    assert document["settings"]["edge_penalty"] == 0.1
    assert document["provenance"]["files"] == {"train": "people.csv"}
    assert document["provenance"]["rows"] == 600
    assert all(0 < time < 1000 for time in document["milliseconds_per_query"].values())


def test_info_for_people(person: Callable[..., Any], people: LearnAC, tmp_path: Path) -> None:
    code, out, err = person("info", "people.learnac")
    assert (code, err) == (0, "")
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    circuit, network = people.circuit_, people.network_
    assert network is not None
    assert lines["Variables"] == "5, of 2 to 4 categories"
    sizes = f"{circuit.n_edges:,} edges, {circuit.n_nodes:,} nodes, {circuit.n_parameters:,} parameters"
    assert lines["Circuit"] == sizes
    assert lines["Properties"] == "smooth, decomposable, deterministic (checked)"
    assert lines["Network"] == f"{sum(map(len, network.parents))} arcs, {network.n_leaves} leaves"
    assert lines["File"] == f"{(tmp_path / 'people.learnac').stat().st_size:,} bytes"
    assert "people.csv" in lines["Provenance"]


@pytest.mark.parametrize("middle", ["m.bif", "m.bn", "m.ac", "m.learnac"])
def test_every_format_and_back_is_the_same_model(answer: Answer, people: LearnAC, tmp_path: Path, middle: str) -> None:
    assert answer("convert", "people.learnac", middle) == ""
    assert answer("convert", middle, "back.learnac") == ""
    back = load(tmp_path / "back.learnac")
    codes = rows_of(people)
    assert np.allclose(back.score_samples(codes), people.score_samples(codes), rtol=1e-9)
    assert (back.network_ is None) == (middle == "m.ac")
    document = json.loads(answer("info", "back.learnac", "--json"))
    assert document["properties"]["is_deterministic"]
    assert document["provenance"].get("source") == (None if middle == "m.learnac" else middle)


def test_from_one_foreign_format_to_another(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    answer("convert", "people.learnac", "m.bif")
    (tmp_path / "m.bif.gz").write_bytes(gzip.compress((tmp_path / "m.bif").read_bytes()))
    document = json.loads(answer("convert", "m.bif.gz", "m.bn", "--json"))
    assert document == {"from": "m.bif.gz", "to": "m.bn", "variables": 5}
    codes = np.abs(rows_of(people)).T.astype(np.int32)
    expected = people.network_.log_likelihood(codes)
    for network in (read_bif(tmp_path / "m.bif"), read_bn(tmp_path / "m.bn")):
        assert np.allclose(network.log_likelihood(codes), expected, rtol=1e-9)
    answer("convert", "m.bn", "m.ac")
    answer("convert", "m.ac", "m.learnac")
    assert np.allclose(load(tmp_path / "m.learnac").score_samples(codes.T), expected, rtol=1e-9)


def test_pictures_by_conversion(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    answer("convert", "people.learnac", "network.dot")
    assert (tmp_path / "network.dot").read_text() == people.network_.draw().source
    answer("convert", "people.learnac", "m.ac")
    answer("convert", "m.ac", "circuit.dot")
    assert (tmp_path / "circuit.dot").read_text().count("->") >= people.circuit_.n_edges / 2


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("people.learnac", "m.xml", "m.xml: expected a name that ends in .learnac, .bif, .uai, .bn, .ac, .dot"),
        ("people.csv", "m.bif", "people.csv: expected a name that ends in .learnac, .bif, .xmlbif, .uai, .bn, .ac"),
        ("people.learnac", "nowhere/m.bif", "nowhere/m.bif: No such file or directory"),
        ("nowhere.bif", "m.learnac", "nowhere.bif: No such file or directory"),
        ("circuit.ac", "m.bif", "m.bif: this format holds a network, but the model is only a circuit"),
        ("text.bif", "m.learnac", "text.bif"),
        ("text.bn", "m.learnac", "text.bn"),
        ("text.ac", "m.learnac", "text.ac"),
        ("text.learnac", "m.bif", "text.learnac: not a file of learnac"),
        ("empty.bif", "m.learnac", "empty.bif"),
    ],
)
def test_what_cannot_be_converted(
    complaint: Complaint, answer: Answer, people: LearnAC, tmp_path: Path, source: str, target: str, said: str
) -> None:
    answer("convert", "people.learnac", "circuit.ac")
    for suffix in ("bif", "bn", "ac", "learnac"):
        (tmp_path / f"text.{suffix}").write_text("To be, or not to be\n")
    (tmp_path / "empty.bif").write_text("")
    assert said in complaint("convert", source, target)


def test_a_network_that_makes_too_large_a_circuit(
    complaint: Complaint, answer: Answer, people: LearnAC, tmp_path: Path
) -> None:
    answer("convert", "people.learnac", "m.bif")
    for target in ("m.learnac", "m.ac"):
        assert "20" in complaint("convert", "m.bif", target, "--max-edges", "20")
    answer("convert", "m.bif", "m.learnac", "--max-edges", "2000")
    assert read_model(tmp_path / "m.learnac").circuit.n_edges <= 2000


def test_pictures_as_text(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    network = people.network_
    assert network is not None
    (parent,) = network.parents[network.schema.names.index("age")]
    for options, expected in (
        ([], network.draw()),
        (["--around", "age"], network.draw(["age"])),
        (["--around", "age, plan=b"], network.draw(["age", "plan=b"])),
        (["--max-arcs", "2"], network.draw(max_arcs=2)),
        (["--tree", "age"], network.draw_tree("age")),
        (["--tree", "age", "--max-depth", "0"], network.draw_tree("age", max_depth=0)),
        (["--what", "circuit"], people.circuit_.draw()),
    ):
        assert answer("draw", "people.learnac", "p.dot", *options) == ""
        assert (tmp_path / "p.dot").read_text() == expected.source
    near = network.draw(["age"]).source
    assert network.schema.names[parent] in near
    assert near != network.draw().source
    assert json.loads(answer("draw", "people.learnac", "p.dot", "--json")) == {"out": "p.dot"}


@pytest.mark.skipif(shutil.which("dot") is None, reason="the program `dot` of Graphviz is not there")
@pytest.mark.parametrize(("name", "start"), [("p.svg", b"<?xml"), ("p.png", b"\x89PNG"), ("p.pdf", b"%PDF")])
def test_pictures_by_graphviz(answer: Answer, people: LearnAC, tmp_path: Path, name: str, start: bytes) -> None:
    assert answer("draw", "people.learnac", name) == ""
    content = (tmp_path / name).read_bytes()
    assert content.startswith(start)
    if name.endswith(".svg"):
        assert all(part in content for part in (b"</svg>", b"children", b"has car"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["p.xls"], "p.xls: expected a name that ends in one of .svg, .png, .pdf, .dot"),
        (["p"], "p: expected a name that ends in one of .svg, .png, .pdf, .dot"),
        (["nowhere/p.dot"], "nowhere/p.dot: No such file or directory"),
        (["p.dot", "--tree", "town"], "no variable is called 'town'; there are 'city'"),
        (["p.dot", "--around", "age,town"], "no variable is called 'town'; there are 'city'"),
        (["p.dot", "--max-depth", "-1"], "--max-depth"),
    ],
)
def test_what_cannot_be_drawn(complaint: Complaint, people: LearnAC, arguments: list[str], said: str) -> None:
    assert said in complaint("draw", "people.learnac", *arguments)


def test_a_picture_without_graphviz(complaint: Complaint, people: LearnAC, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "a picture needs the program `dot`" in complaint("draw", "people.learnac", "p.svg")


def test_a_picture_that_nobody_could_read(complaint: Complaint, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    codes = (rng.random((400, 4)) @ rng.random((4, 16)) + rng.random((400, 16)) > 1.5).astype(int)
    frame = pd.DataFrame(codes).add_prefix("v")
    LearnAC(edge_penalty=0.001, parameter_penalty=0).fit(frame).save(tmp_path / "m.learnac")
    assert "too many to draw" in complaint("draw", "m.learnac", "p.dot", "--what", "circuit")


def test_a_circuit_alone_has_no_network_to_draw(complaint: Complaint, answer: Answer, people: LearnAC) -> None:
    answer("convert", "people.learnac", "m.ac")
    answer("convert", "m.ac", "m.learnac")
    assert "m.learnac: expected a model with a network" in complaint("draw", "m.learnac", "p.dot")
    assert answer("draw", "m.learnac", "p.dot", "--what", "circuit") == ""


@pytest.mark.parametrize("command", ["info", "mpe", "marginals", "sample", "draw", "convert"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.learnac", "nowhere.learnac: No such file or directory"),
        ("text.learnac", "text.learnac: not a file of learnac"),
        ("empty.learnac", "empty.learnac: not a file of learnac"),
        ("short.learnac", "short.learnac: the file is cut short"),
        ("cut.learnac", "cut.learnac: the file is damaged or cut short"),
        ("newer.learnac", "newer.learnac: written by a newer learnac: its format is 200"),
        ("search.learnac", "search.learnac: expected a model, found a checkpoint"),
    ],
)
def test_a_file_that_is_no_model(
    complaint: Complaint, people: LearnAC, tmp_path: Path, command: str, name: str, said: str
) -> None:
    content = (tmp_path / "people.learnac").read_bytes()
    (tmp_path / "text.learnac").write_text("To be, or not to be\n")
    (tmp_path / "empty.learnac").write_bytes(b"")
    (tmp_path / "short.learnac").write_bytes(content[:20])
    (tmp_path / "cut.learnac").write_bytes(content[:-100])
    (tmp_path / "newer.learnac").write_bytes(content[:8] + bytes([200]) + content[9:])
    if name.startswith("search"):
        people.fit(pd.DataFrame({"a": [0, 1]}), checkpoint=tmp_path / name)
    target = {"draw": ["p.dot"], "convert": ["m.bif"]}.get(command, [])
    assert said in complaint(command, name, *target)


def test_in_processes_of_their_own(person: Callable[..., Any], people: LearnAC, tmp_path: Path) -> None:
    assert person("convert", "people.learnac", "m.bif") == (0, "", "")
    assert read_bif(tmp_path / "m.bif").schema.n_variables == 5
    assert person("draw", "people.learnac", "p.dot", "--around", "age") == (0, "", "")
    assert (tmp_path / "p.dot").read_text() == people.network_.draw(["age"]).source
    code, out, err = person("convert", "m.bif", "m.xml", "--debug")
    assert (code, out) == (1, "")
    assert "Traceback (most recent call last)" in err
