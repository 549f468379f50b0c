"""`learnac tune`: the table of trials, the best of them, and the model that comes of it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import LearnAC, load
from learnac.circuit import Circuit

Answer = Callable[..., str]
Complaint = Callable[..., str]

GRID = [(k_e, k_p) for k_e in (0.05, 1.0) for k_p in (0.0, 3.0)]
PENALTIES = ["--edge-penalties", "0.05,1", "--parameter-penalties", "0,3"]
TUNE = ["tune", "train.csv", "--valid", "valid.csv", *PENALTIES, "--shrinkage", "0"]


def chain(n_rows: int, seed: int, length: int = 8) -> pd.DataFrame:
    """Each variable is like the one before, most of the time: a small penalty learns noise from few rows."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(2, size=n_rows)]
    while len(columns) < length:
        columns.append(np.where(rng.random(n_rows) < 0.8, columns[-1], rng.integers(2, size=n_rows)))
    return pd.DataFrame({f"v{position}": column for position, column in enumerate(columns)})


@pytest.fixture
def frames(tmp_path: Path) -> dict[str, pd.DataFrame]:
    """What train.csv, valid.csv and test.csv hold."""
    found = {"train": chain(150, 0), "valid": chain(100, 1), "test": chain(80, 2)}
    for name, frame in found.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return found


def same(one: Circuit, other: Circuit) -> bool:
    return one.n_edges == other.n_edges and np.array_equal(one.parameters, other.parameters)


def test_every_pair_is_tried_and_judged(answer: Answer, frames: dict[str, pd.DataFrame]) -> None:
    document = json.loads(answer(*TUNE, "--json"))
    trials = document["trials"]
    assert [(trial["edge_penalty"], trial["parameter_penalty"]) for trial in trials] == GRID
    for trial, penalties in zip(trials, GRID, strict=True):
        model = LearnAC(*penalties, shrinkage=0).fit(frames["train"])
        assert trial["validation"] == pytest.approx(model.score(frames["valid"]))
        assert trial["train"] == pytest.approx(model.score(frames["train"]))
        assert trial["edges"] == model.circuit_.n_edges
        assert trial["leaves"] == model.network_.n_leaves
    scores = [trial["validation"] for trial in trials]
    assert document["best"] == trials[scores.index(max(scores))]
    # Not simply the one that fits best, nor the first or the last.
    assert document["best"] not in (trials[0], trials[-1], max(trials, key=lambda trial: trial["train"]))


def test_the_best_is_learned_again_from_both_tables(
    answer: Answer, frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    document = json.loads(answer(*TUNE, "--test", "test.csv", "--out", "best.learnac", "--json"))
    best = document["best"]["edge_penalty"], document["best"]["parameter_penalty"]
    both = pd.concat([frames["train"], frames["valid"]])
    model, found = LearnAC(*best, shrinkage=0).fit(both), load(tmp_path / "best.learnac")
    assert same(found.circuit_, model.circuit_)
    assert (found.edge_penalty, found.parameter_penalty) == best
    assert document["model"] == {
        "rows": 250,
        "edges": model.circuit_.n_edges,
        "test": pytest.approx(model.score(frames["test"])),
        "out": "best.learnac",
    }
    kept = json.loads(answer(*TUNE, "--test", "test.csv", "--out", "kept.learnac", "--no-retrain", "--json"))
    first = LearnAC(*best, shrinkage=0).fit(frames["train"])
    assert same(load(tmp_path / "kept.learnac").circuit_, first.circuit_)
    assert not same(first.circuit_, model.circuit_)
    assert kept["model"]["rows"] == 150
    assert kept["model"]["test"] == pytest.approx(first.score(frames["test"]))
    assert kept["best"]["validation"] == document["best"]["validation"]


def test_the_table_for_people(person: Callable[..., Any], answer: Answer, frames: dict[str, pd.DataFrame]) -> None:
    code, out, err = person(*TUNE, "--test", "test.csv")
    assert (code, err) == (0, "")
    document = json.loads(answer(*TUNE, "--test", "test.csv", "--json"))
    header, *lines, best, model = out.splitlines()
    assert header.split() == ["k_e", "k_p", "validation", "train", "edges", "leaves", "seconds"]
    assert [line.split()[:-1] for line in lines] == [
        [
            f"{trial['edge_penalty']:g}",
            f"{trial['parameter_penalty']:g}",
            f"{trial['validation']:.4f}",
            f"{trial['train']:.4f}",
            f"{trial['edges']:,}",
            f"{trial['leaves']:,}",
        ]
        for trial in document["trials"]
    ]
    assert best == f"best: k_e {document['best']['edge_penalty']:g}, k_p {document['best']['parameter_penalty']:g}"
    figures = document["model"]
    assert model == (
        f"learned again from all 250 rows: {figures['edges']:,} edges, test log-likelihood {figures['test']:.4f}"
    )
    assert "kept as it was" in answer(*TUNE, "--no-retrain")


def test_options_reach_every_trial(answer: Answer, people: LearnAC, tmp_path: Path) -> None:
    columns = ["--bins", "age=3", "--drop", "city", "--as-category", "children"]
    search = ["--schedule", "greedy", "--splits", "binary", "--alpha", "0.5", "--max-edges", "120"]
    grid = ["--edge-penalties", "0.05", "--parameter-penalties", "0.1"]
    files = ["people.csv", "--valid", "people.csv", "--out", "best.learnac"]
    document = json.loads(answer("tune", *files, *columns, *search, *grid, "--no-retrain", "--json"))
    model = load(tmp_path / "best.learnac")
    assert model.schema_.names == ("has car", "plan=b", "children", "age")
    assert len(model.schema_.categories[-1]) == 3
    assert (model.schedule, model.splits, model.alpha, model.max_edges) == ("greedy", "binary", 0.5, 120)
    assert document["trials"][0]["edges"] == model.circuit_.n_edges <= 120


def test_weights_count(answer: Answer, tmp_path: Path) -> None:
    """A row with the weight 3 is three rows, where a model is learned and where it is judged."""
    codes = chain(90, 3, length=4).to_numpy()
    weights = np.random.default_rng(4).integers(1, 4, size=90)
    for name, part in (("train", slice(0, 60)), ("valid", slice(60, 90))):
        rows = [",".join(map(str, row)) for row in codes[part].tolist()]
        weighted = [f"{weight}|{row}" for weight, row in zip(weights[part], rows, strict=True)]
        repeated = [row for weight, row in zip(weights[part], rows, strict=True) for _ in range(weight)]
        (tmp_path / f"w.{name}.data").write_text("\n".join(weighted))
        (tmp_path / f"r.{name}.data").write_text("\n".join(repeated))
    grid = ["--edge-penalties", "0.02,0.5", "--parameter-penalties", "0.2", "--alpha", "1", "--shrinkage", "0"]
    found = {}
    for kind in "wr":
        files = [f"{kind}.train.data", "--valid", f"{kind}.valid.data", "--out", f"{kind}.learnac"]
        found[kind] = json.loads(answer("tune", *files, *grid, "--json"))
    for mine, other in zip(found["w"]["trials"], found["r"]["trials"], strict=True):
        for name in ("validation", "train", "edges", "leaves"):
            assert mine[name] == pytest.approx(other[name]), name
    parameters = [load(tmp_path / f"{kind}.learnac").circuit_.parameters for kind in "wr"]
    assert np.allclose(*parameters, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--edge-penalties", "0.1,x"], "--edge-penalties: expected numbers separated by commas, found '0.1,x'"),
        (["--edge-penalties", "0.1,-1"], "--edge-penalties: expected a finite number at least 0, found -1"),
        (["--parameter-penalties", ""], "--parameter-penalties: expected numbers separated by commas, found ''"),
        (["--parameter-penalties", "nan"], "--parameter-penalties: expected a finite number"),
        (["--out", "nowhere/m.learnac"], "nowhere/m.learnac: No such file or directory"),
        (["--valid", "nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["--max-edges", "3"], "--max-edges: expected at least"),
        (["--alpha", "-1"], "--alpha: expected a finite number at least 0"),
    ],
)
def test_what_cannot_be_tuned(
    complaint: Complaint, frames: dict[str, pd.DataFrame], options: list[str], said: str
) -> None:
    assert said in complaint(*TUNE, *options)


def test_without_a_table_to_judge_by(complaint: Complaint, frames: dict[str, pd.DataFrame]) -> None:
    assert "Missing option '--valid'" in complaint("tune", "train.csv")


def test_ctrl_c_ends_the_whole_grid(tmp_path: Path) -> None:
    """Trials that were cut short must not be compared with others, let alone be the best."""
    rng = np.random.default_rng(0)
    mixed = (rng.random((3000, 8)) @ rng.random((8, 40)) + rng.random((3000, 40)) > 2.5).astype(int)
    pd.DataFrame(mixed).add_prefix("v").to_csv(tmp_path / "long.csv", index=False)
    grid = ["--schedule", "greedy", "--edge-penalties", "0.1,0.2", "--parameter-penalties", "0,0.1"]
    command = [sys.executable, "-m", "learnac", "tune", "long.csv", "--valid", "long.csv", *grid]
    with subprocess.Popen(
        [*command, "--out", "m.learnac"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().split()[0] == "k_e"  # The first trial begins.
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    trials = [line for line in out.splitlines() if len(line.split()) == 7]
    assert len(trials) <= 1, out
    assert "interrupted" in out + err
