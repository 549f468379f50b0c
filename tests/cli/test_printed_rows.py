"""Aligned columns, where a program reads them: one line for each row."""

from __future__ import annotations

import pytest

from learnac.cli.output import print_rows


def printed(capsys: pytest.CaptureFixture[str], *arguments: object, **options: object) -> list[str]:
    print_rows(*arguments, **options)  # type: ignore[arg-type]
    return capsys.readouterr().out.splitlines()


def test_columns_are_aligned_to_either_side(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("a", "1", "x"), ("longer", "20", ""), ("", "300", "y")]
    assert printed(capsys, rows, header=("name", "", "note"), right=(1,)) == [
        "name         note",
        "a         1  x",
        "longer   20",
        "        300  y",
    ]


def test_wide_characters_and_accents(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("東京", "a"), ("Zu\u0308rich", "b"), ("Bonn", "c")]
    assert printed(capsys, rows) == ["東京    a", "Zu\u0308rich  b", "Bonn    c"]


def test_a_row_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, [("two\nlines", "a\tb"), ("x" * 200, "c")])[0].split() == ["two", "lines", "a", "b"]
    assert printed(capsys, [], header=("name", "value")) == ["name  value"]
    assert printed(capsys, []) == []
