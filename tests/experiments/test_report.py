"""The committed report says what the committed results say."""

from __future__ import annotations

from pathlib import Path

import pytest
from filled import PAGES, ROOT, filled
from report import render

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


def test_the_report_is_made_of_the_result_files() -> None:
    assert render(EXPERIMENTS / "results") == (EXPERIMENTS / "REPORT.md").read_text()


def test_every_figure_it_shows_is_there() -> None:
    text = (EXPERIMENTS / "REPORT.md").read_text()
    shown = [line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert shown
    for path in shown:
        assert (EXPERIMENTS / path).read_bytes().startswith(b"\x89PNG"), path


@pytest.mark.parametrize("page", PAGES)
def test_tables_of_other_pages_are_made_of_result_files(page: str) -> None:
    assert filled(page) == (ROOT / page).read_text()
