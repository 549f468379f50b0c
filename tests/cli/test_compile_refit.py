"""The commands `learnac compile` and `learnac refit`: files in, files out, one line for what goes wrong."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from learnac import infer
from learnac.cli.app import main
from learnac.cli.progress import Attempts
from learnac.compiler import Attempt, compile_network
from learnac.io import read_ac, read_bif, read_model

NETWORK = """
variable rain { type discrete [ 2 ] { yes, no }; }
variable grass { type discrete [ 3 ] { wet, damp, dry }; }
variable mood { type discrete [ 2 ] { good, bad }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( grass | rain ) { (yes) 0.9, 0.1, 0; (no) 0.1, 0.2, 0.7; }
probability ( mood | rain, grass ) { default 0.5, 0.5; (no, dry) 0.8, 0.2; (yes, wet) 0.1, 0.9; }
"""


@pytest.fixture
def network(tmp_path: Path) -> Path:
    (tmp_path / "a.bif").write_text(NETWORK)
    return tmp_path / "a.bif"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


class TestProgress:
    def test_it_tells_attempts_the_best_so_far_and_the_time_left(self) -> None:
        attempts = Attempts("compiling a.bif", time.monotonic() + 30.2)
        assert str(attempts) == "compiling a.bif: 0 attempts, no circuit yet, at most 30 s left"
        attempts.take_note(Attempt("min-fill", 2_400, 2_400))
        assert str(attempts) == "compiling a.bif: 1 attempt, best 2,400 edges, at most 30 s left"

    def test_the_line_is_drawn_while_it_lasts(self) -> None:
        shown = Console(file=io.StringIO(), force_terminal=True, width=100)
        with shown.status(Attempts("compiling a.bif", time.monotonic() - 1)):
            pass
        assert "compiling a.bif: 0 attempts, no circuit yet, at most 0 s left" in shown.file.getvalue()


class TestCompile:
    def test_a_network_becomes_a_model_that_answers(
        self, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, out, err = run(capsys, "compile", network, "--out", tmp_path / "a.learnac")
        assert (code, err) == (0, "")
        assert "additions and multiplications" in out
        model = read_model(tmp_path / "a.learnac")
        assert model.network is not None
        expected = infer.marginals(compile_network(read_bif(network)), {"mood": "bad"})
        for name, table in infer.marginals(model.require_circuit(), {"mood": "bad"}).items():
            np.testing.assert_allclose(table, expected[name])

    def test_what_is_given_is_known_for_good(
        self, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ("--given", "grass=dry", "--out", tmp_path / "a.ac", "--json")
        code, out, err = run(capsys, "compile", network, *words)
        assert (code, err) == (0, "")
        document = json.loads(out)
        circuit = read_ac(tmp_path / "a.ac")
        assert document["edges"] == circuit.n_edges
        np.testing.assert_allclose(infer.marginals(circuit)["x0"], [0, 1])
        np.testing.assert_allclose(infer.marginals(circuit)["x2"], [0.8, 0.2])
        code, _, _ = run(capsys, "compile", network, "-g", "grass=dry", "--out", tmp_path / "a.learnac")
        assert code == 0
        assert read_model(tmp_path / "a.learnac").network is None

    def test_impossible_values(self, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        words = ("--given", "grass=dry,rain=yes", "--out", tmp_path / "a.learnac")
        code, _, err = run(capsys, "compile", network, *words)
        assert code == 2
        assert err == f"error: {network}: the evidence has probability zero in this network\n"

    def test_a_limit_that_is_reached(self, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, _, err = run(capsys, "compile", network, "--max-edges", 5, "--out", tmp_path / "a.learnac")
        assert code == 2
        assert "would need more than 5 edges (max_edges)" in err
        assert "--max-edges" in err
        assert not (tmp_path / "a.learnac").exists()

    def test_a_circuit_is_no_network(self, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        run(capsys, "compile", network, "--out", tmp_path / "a.ac")
        code, _, err = run(capsys, "compile", tmp_path / "a.ac", "--out", tmp_path / "b.learnac")
        assert code == 2
        assert "expected a model with a network, found a circuit alone" in err


class TestRefit:
    def test_gaps_are_filled_by_what_is_expected(
        self, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "t.csv").write_text("rain,grass,mood\nyes,wet,bad\nno,,good\nno,dry,\n,dry,good\n")
        words = ("refit", network, tmp_path / "t.csv", "--alpha", "0.5", "--out", tmp_path / "b.learnac", "--json")
        code, out, err = run(capsys, *words)
        assert (code, err) == (0, "")
        document = json.loads(out)
        assert document["rows"] == 4
        assert document["converged"]
        model = read_model(tmp_path / "b.learnac")
        assert model.require_network().trees[0].counts[0].sum() == pytest.approx(4)
        assert infer.marginals(model.require_circuit())["rain"][0] < 0.5

    def test_the_result_may_be_a_network_file(
        self, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "t.csv").write_text("rain,grass,mood\nyes,wet,bad\nno,dry,good\n")
        code, _, _ = run(capsys, "refit", network, tmp_path / "t.csv", "--alpha", "0", "--out", tmp_path / "b.bif")
        assert code == 0
        np.testing.assert_allclose(read_bif(tmp_path / "b.bif").trees[0].parameters, [[0.5, 0.5]])

    def test_an_unknown_category(self, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "t.csv").write_text("rain,grass,mood\nyes,purple,bad\n")
        code, _, err = run(capsys, "refit", network, tmp_path / "t.csv", "--out", tmp_path / "b.learnac")
        assert code == 2
        assert "purple" in err
        assert err.count("\n") == 1
