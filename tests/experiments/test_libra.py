"""The section on Libra says what its figures say."""

from __future__ import annotations

from pathlib import Path

import libra
import pytest
from tables import Studies


def test_how_many_times_faster_is_made_of_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = {
        "set": "a",
        "schedule": "quick",
        "k_e": 0.1,
        "edges": "1K",
        "our_edges": "1K",
        "test": -1.0,
        "our_test": -0.9,
    }
    ours = {"our_seconds": 2, "our_process_seconds": 10}
    monkeypatch.setattr(libra, "pairs", lambda: [{**pair, "seconds": 30, **ours}, {**pair, "seconds": 8, **ours}])
    monkeypatch.setattr(libra, "CORRECTED", [["-0.8", "2K", 40], []])
    said = " ".join(libra.libra(Studies(tmp_path)).split())
    assert "Libra takes 4 to 15 times as long as our learning, and 0.8 to 3 times as long as our whole process." in said
    assert (
        "better likelihood on 2 of 2 rows; against the corrected Libra on 0 of 1, the worse on 1; 0 are level." in said
    )
    monkeypatch.setattr(libra, "CORRECTED", [["-0.90", "2K", 40], ["-1.1", "2K", 40]])
    assert "corrected Libra on\n1 of 2, the worse on 0; 1 are level." in libra.libra(Studies(tmp_path))
    assert "| a | AC-Quick, 0.1 | -1.0 | 1K | 30 s | -0.8 | 2K | 40 s | -0.9 | 1K | 2 s | 10 s |" in said


def test_every_figure_is_there() -> None:
    assert all(pair["seconds"] > 0 and pair["our_seconds"] > 0 and pair["test"] < 0 for pair in libra.pairs())
