"""The committed report says what the committed results say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import report
from beyond import candidate_losses, chosen_default
from figures import FIGURES, digest
from filled import PAGES, PICTURES, ROOT, filled
from questions import questions
from report import render
from tables import Studies, thousands
from verdicts import behind_the_best

from learnac.defaults import MAX_EDGES

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


def test_the_report_is_made_of_the_result_files() -> None:
    assert render(Studies(EXPERIMENTS / "results")) == (EXPERIMENTS / "REPORT.md").read_text()


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_studies_that_are_not_done_yet_are_no_hindrance(share: float, tmp_path: Path) -> None:
    for path in (EXPERIMENTS / "results").glob("*.json"):
        records = json.loads(path.read_text())
        (tmp_path / path.name).write_text(json.dumps(records[: max(1, round(share * len(records)))]))
    assert "## Table 3" in render(Studies(tmp_path))
    assert questions(Studies(tmp_path)).startswith("# What a hostile reviewer would ask")


@pytest.mark.parametrize(
    ("file", "text", "said"), [(None, "", "expected a folder with results"), ("table3.json", "[{", "in JSON, found")]
)
def test_without_results_nothing_is_written(
    file: str | None, text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if file is not None:
        (tmp_path / file).write_text(text)
    out = tmp_path / "out"
    monkeypatch.setattr("sys.argv", ["report.py", "--results", str(tmp_path), "--out", str(out)])
    with pytest.raises(SystemExit, match=said):
        report.main()
    assert not out.exists()


def test_every_figure_it_shows_is_there() -> None:
    text = (EXPERIMENTS / "REPORT.md").read_text()
    shown = [line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert shown
    for path in shown:
        assert (EXPERIMENTS / path).read_bytes().startswith(b"\x89PNG"), path


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_of_the_result_files(name: str) -> None:
    points_of, _ = FIGURES[name]
    points, path = points_of(Studies(EXPERIMENTS / "results")), EXPERIMENTS / "figures" / f"{name}.png"
    assert path.exists() == bool(points)
    if points:
        assert digest(points).encode() in path.read_bytes()


@pytest.mark.parametrize(("drawn", "shown"), PICTURES.items())
def test_the_docs_show_the_figures_of_the_report(drawn: str, shown: str) -> None:
    assert (ROOT / drawn).read_bytes() == (ROOT / shown).read_bytes()


@pytest.mark.parametrize("page", PAGES)
def test_tables_of_other_pages_are_made_of_result_files(page: str) -> None:
    assert filled(page) == (ROOT / page).read_text()


@pytest.mark.parametrize("page", PAGES)
def test_the_command_stands_beside_each_table(page: str) -> None:
    rest = (ROOT / page).read_text()
    for make in PAGES[page]:
        before, rest = rest.split(f"<!-- {make.__name__} -->")
        beside = before.split("<!-- end of ")[-1][-800:]
        assert "`make bench`" in beside or "`make paper`" in beside, make.__name__


def test_the_default_is_the_best_of_the_candidates_that_are_no_larger() -> None:
    studies = Studies(EXPERIMENTS / "results")
    _, losses = candidate_losses(studies)
    largest = {
        candidate: max(record["result"]["edges"] for record in studies.records("defaults", candidate=candidate))
        for candidate in losses
    }
    small_enough = [candidate for candidate in losses if largest[candidate] <= MAX_EDGES]
    assert chosen_default(studies) == min(small_enough, key=lambda candidate: losses[candidate].mean())


def test_the_default_loses_little_against_the_best_of_its_grid() -> None:
    studies = Studies(EXPERIMENTS / "results")
    results = {
        record["task"]["set"]: record["result"]
        for record in studies.records("defaults", candidate=chosen_default(studies))
    }
    assert len(results) == 22
    for name, result in results.items():
        assert behind_the_best(result, "best_smoothing").share <= 0.01, name
        both = behind_the_best(result, "best_of_grid")
        assert both.nats - 2 * both.error <= 0.01 * abs(result["best_of_grid"]), name


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (914, "914"),
        (9_999, "9999"),
        (10_000, "10K"),
        (999_499, "999K"),
        (999_600, "1.00M"),
        (9_990_000, "9.99M"),
        (69_760_000, "69.8M"),
        (100_000_000, "100M"),
    ],
)
def test_large_numbers_are_told_shortly(number: int, told: str) -> None:
    assert thousands(number) == told
