"""A drawing shows itself and is saved; Graphviz is needed for pictures only; any text can be in one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from learnac.drawing import Drawing, digraph, in_markup, node, quoted, render, shown, shown_number

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="the program `dot` of Graphviz is not installed")

SMALL = digraph([node("a", quoted("one"), shape="box"), "a -> b"])


def texts(svg: str) -> list[str]:
    """What an SVG picture says. Spaces come as no-break spaces."""
    found = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()).replace("\N{NO-BREAK SPACE}", " ") for text in found]


@pytest.fixture
def without_dot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def test_str_is_the_dot_text_and_repr_is_short() -> None:
    assert str(SMALL) == SMALL.source
    assert SMALL.source.startswith("digraph {")
    assert "a -> b" in SMALL.source
    assert "\n" not in repr(SMALL)


@pytest.mark.usefixtures("without_dot")
@pytest.mark.parametrize("name", ["small.dot", "small.gv", "SMALL.DOT"])
def test_text_is_saved_without_graphviz(tmp_path: Path, name: str) -> None:
    SMALL.save(str(tmp_path / name))
    assert (tmp_path / name).read_text(encoding="utf-8") == SMALL.source


@pytest.mark.usefixtures("without_dot")
def test_a_picture_without_graphviz_says_what_to_install_and_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"`dot`, which was not found: install Graphviz"):
        SMALL.save(tmp_path / "small.svg")
    assert os.listdir(tmp_path) == []


@pytest.mark.usefixtures("without_dot")
def test_a_notebook_without_graphviz_shows_what_to_install_and_the_text() -> None:
    shown_there = SMALL._repr_mimebundle_()
    assert list(shown_there) == ["text/plain"]
    assert "install Graphviz" in shown_there["text/plain"]
    assert SMALL.source in shown_there["text/plain"]


@pytest.mark.parametrize("name", ["small.jpeg", "small"])
def test_an_unknown_ending_is_an_error_that_lists_the_known(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"\.svg, \.png, \.pdf, \.dot, \.gv"):
        SMALL.save(tmp_path / name)


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    target = tmp_path / "small.dot"
    target.write_text("old")
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        SMALL.save(target)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["small.dot"]


@needs_dot
@pytest.mark.parametrize(("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_picture_has_the_format_of_its_name(tmp_path: Path, suffix: str, start: bytes) -> None:
    SMALL.save(tmp_path / f"small.{suffix}")
    assert (tmp_path / f"small.{suffix}").read_bytes().startswith(start)


@needs_dot
def test_a_notebook_shows_the_picture() -> None:
    assert texts(SMALL._repr_mimebundle_()["image/svg+xml"]) == ["one", "b"]


@needs_dot
def test_the_complaint_of_dot_is_passed_on() -> None:
    with pytest.raises(RuntimeError, match="syntax error"):
        render("digraph { ->", "svg")
    with pytest.raises(RuntimeError, match="syntax error"):
        Drawing("digraph { ->")._repr_mimebundle_()


@needs_dot
@settings(max_examples=25)
@example('"quoted"')
@example("back\\slash \\N \\l \\")
@example("<b>&amp;lt; &lt; &#65; -->")
@example("two\nlines\ttab\r\0")
@example("żółć Ω 中文 👩‍🔬")
@example("\ud800 \ufffe \u2028")
@example("{a|b}")
@given(st.text(alphabet=st.characters(exclude_categories=["Zs", "Cf", "Mn"]), min_size=1, max_size=20))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    expected = shown(text)
    plain = node("a", quoted(expected), tooltip=expected)
    table = f'<<TABLE BORDER="0"><TR><TD>{in_markup(expected)}</TD></TR></TABLE>>'
    svg = render(digraph([plain, node("b", table, shape="box")]).source, "svg").decode()
    assert "".join(texts(svg)) == expected + expected
    titles = {link.get("{http://www.w3.org/1999/xlink}title") for link in ET.fromstring(svg).iter()}
    assert expected in titles or "\\" in expected


def test_what_is_shown_is_one_line_of_limited_length() -> None:
    assert shown("two\nlines") == "two\\nlines"
    assert shown("") == "''"
    assert shown(True) == "True"
    assert shown("x" * 32) == "x" * 32
    assert shown("x" * 33) == "x" * 31 + "…"


@pytest.mark.parametrize(("value", "expected"), [(0.0, "0.000"), (0.25, "0.250"), (1.0, "1.000"), (0.00012, "1e-04")])
def test_numbers(value: float, expected: str) -> None:
    assert shown_number(value) == expected
