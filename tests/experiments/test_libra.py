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
    times = [{**pair, "seconds": 30, "our_seconds": 2}, {**pair, "seconds": 8, "our_seconds": 2}]
    monkeypatch.setattr(libra, "pairs", lambda: times)
    said = libra.libra(Studies(tmp_path))
    assert "Ours is 4 to 15 times faster" in said
    assert "| a | AC-Quick | 0.1 | -1.0 | 1K | 30 s | -0.9 | 1K | 2 s | 15 |" in said


def test_every_figure_is_there() -> None:
    assert all(pair["seconds"] > 0 and pair["our_seconds"] > 0 and pair["test"] < 0 for pair in libra.pairs())
