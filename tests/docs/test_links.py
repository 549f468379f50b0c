"""Links of README lead somewhere: the site, which checks its own, does not have this page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
LINKS = [link for link in re.findall(r"\]\(([^)\s]+)\)", README.read_text()) if not link.startswith("http")]


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_a_link_of_readme_leads_to_a_file_and_a_heading(link: str) -> None:
    path, _, anchor = link.partition("#")
    page = ROOT / path if path else README
    assert page.exists()
    assert not anchor or anchor in anchors(page)
