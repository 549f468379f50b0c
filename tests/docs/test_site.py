"""The site is whole, and needs nothing from elsewhere: it can be read from disk, without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("material", reason="the site is built with the group `docs` of pyproject.toml")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder]
    built = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_of_the_docs_is_on_it(site: Path) -> None:
    written = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert {path.with_name("index") if path.name == "README" else path for path in written} <= built
    named = (ROOT / "mkdocs.yml").read_text()
    assert [str(path) for path in written if f"{path}.md" not in named] == []


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    fetched = re.compile(
        r"""<(?:script|img|iframe)[^>]*\ssrc="?https?:|<link[^>]*rel="?stylesheet[^>]*href="?https?:"""
    )
    pages = list(site.rglob("*.html"))
    assert [page.name for page in pages if fetched.search(page.read_text())] == []
    assert all("iframe-worker.js" in page.read_text() for page in pages), "search works in pages opened from disk"
    assert (site / "search" / "search_index.js").exists()
