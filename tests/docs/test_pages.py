from __future__ import annotations

from pathlib import Path

import pytest
from pages import is_as_said, needed_file, run_page, with_outputs

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_print_what_the_page_says(path: Path) -> None:
    needed = needed_file(path.read_text())
    if needed is not None and not needed.exists():
        pytest.skip(f"needs {needed.name}: set LEARNAC_DATA")
    for said, printed in run_page(path.read_text(), str(path)):
        if not is_as_said(said, printed):
            assert printed == said


def test_there_are_pages_with_examples() -> None:
    assert sum("```python" in path.read_text() for path in PAGES) > 5


def test_a_page_that_says_otherwise_is_found() -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    assert run_page(page, "page") == [("3\n", "2\n")]
    assert with_outputs(page, "page") == page.replace("3", "2")


def test_a_session_that_says_otherwise_is_found() -> None:
    page = "```console\n$ echo a   b\na   c\n$ echo 12.5 s\n3 s\n```\n"
    [(said, printed)] = run_page(page, "page")
    assert not is_as_said(said, printed)
    assert with_outputs(page, "page") == "```console\n$ echo a   b\na b\n$ echo 12.5 s\n12.5 s\n```\n"
    times = page.replace("a   c", "a b")
    assert all(is_as_said(*pair) for pair in run_page(times, "page"))
    assert with_outputs(times, "page") == times


def test_a_page_finds_the_data_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "small.csv").write_text("a,b\n")
    monkeypatch.setenv("LEARNAC_DATA", str(tmp_path))
    page = "<!-- needs tables/small.csv -->\n# A page\n\n```console\n$ cat small.csv\na,b\n```\n"
    assert needed_file(page) == tmp_path / "tables" / "small.csv"
    assert [said == printed for said, printed in run_page(page, "page")] == [True]
