"""How the text of the report is laid out."""

from __future__ import annotations

from layout import WIDTH, laid_out

LONG = "word " * 60


def test_paragraphs_are_filled_and_stay_apart() -> None:
    lines = laid_out(f"one\ntwo\n\n{LONG}").splitlines()
    assert lines[:2] == ["one two", ""]
    assert all(len(line) <= WIDTH for line in lines)
    assert " ".join(lines[2:]).split() == LONG.split()


def test_items_are_filled_below_their_text() -> None:
    lines = laid_out(f"- {LONG}\n- last\n").splitlines()
    assert lines[0].startswith("- word")
    assert lines[1].startswith("  word")
    assert lines[-1] == "- last"
    assert laid_out(f"12. {LONG}").splitlines()[1].startswith("    word")


def test_items_of_items_stay_below_them() -> None:
    lines = laid_out(f"1. first\n   - {LONG}\n   - second\n2. last\n").splitlines()
    assert lines[0] == "1. first"
    assert lines[1].startswith("   - word")
    assert lines[2].startswith("     word")
    assert lines[-2:] == ["   - second", "2. last"]


def test_a_number_that_ends_a_sentence_begins_no_list() -> None:
    assert laid_out("at most\n3. Then more\n") == "at most 3. Then more\n"
    assert laid_out("- at most\n3. Then more\n- last\n") == "- at most 3. Then more\n- last\n"


def test_a_number_and_its_percent_sign_stay_in_one_line() -> None:
    assert laid_out(f"{'x' * 117} 30 % and more").splitlines()[1].startswith("30 % and")


def test_tables_headings_and_pictures_stay_as_they_are() -> None:
    text = f"## Title\n\n| {LONG} |\n| --- |\n| 1 |\n\n![{LONG}](a.png)\n"
    assert laid_out(text) == text


def test_links_are_not_broken() -> None:
    assert laid_out(f"{'x' * 110} [a](b-c-d-{'e' * 130})").splitlines()[1] == f"[a](b-c-d-{'e' * 130})"
