from __future__ import annotations

import pandas as pd
import pytest

from learnac import DataError, LearnAC
from learnac.data.prepare import prepare
from learnac.data.text_hints import text_hint
from learnac.errors import LeftOutWarning


@pytest.mark.parametrize(
    ("texts", "hint"),
    [
        (["1.5%", "2%", "30%"], "'1.5%' would be a number without '%'"),
        (["$1,200.50", "$3"], "'$1,200.50' would be a number without '$' and ','"),
        (["1,200", "3", "12,345,678.9"], "'1,200' would be a number without ','"),
        (["12,5", "0,25", "3"], "'12,5' would be a number with '.' for ','"),
        (["1.200,5", "0,25"], "'1.200,5' would be a number with '.' for ','"),
        (["1.5", "2", "-7e3", "?"], "numbers but for '?': leave these cells empty"),
        (["2024-01-01", "2024-02-01", "soon"], "dates but for 'soon': leave these cells empty"),
        (["05/17/2024", "01/02/2024"], "'05/17/2024' would be a date if it were written as 2024-05-17"),
        (["13:45", "00:05"], "'13:45' would be a number in minutes or hours"),
        (["Rome", "Oslo", "Bern"], ""),
        (["a1", "b2", "1"], ""),
    ],
)
def test_texts_that_would_be_numbers_or_dates(texts: list[str], hint: str) -> None:
    assert text_hint(texts) == hint


def test_a_column_that_is_left_out_says_how_it_would_be_kept() -> None:
    frame = pd.DataFrame({"share": [f"{i}.5%" for i in range(100)], "x": [0, 1] * 50})
    [share, _] = prepare(frame).dataset.reports
    assert share.done == "left out: 100 different strings; '0.5%' would be a number without '%'"


def test_all_problems_of_a_table_are_told_at_once() -> None:
    frame = pd.DataFrame({"a": [1.5, float("inf")] * 20, "b": ["x", "y"] * 20, "c": [float("-inf"), 2.5] * 20})
    with pytest.raises(DataError) as told:
        LearnAC().fit(frame)
    limit = "expected numbers up to 1e+300, found"
    way = "make it a missing value"
    assert str(told.value) == f"column 'a', row 1: {limit} inf: {way}; column 'c', row 0: {limit} -inf: {way}"
    assert (told.value.column, told.value.row) == ("a", 1)


def test_all_problems_of_a_table_with_gaps_are_told_at_once() -> None:
    frame = pd.DataFrame({"a": [1.5, float("inf"), None] * 20, "b": [{}, {}, None] * 20, "c": [1, 2, None] * 20})
    with pytest.raises(DataError, match=r"column 'a', row 1: expected numbers.*; column 'b' has type object"):
        LearnAC().fit(frame)


def test_all_values_of_later_rows_that_do_not_fit_are_told_at_once() -> None:
    model = LearnAC().fit(pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20, "c": [0, 1] * 20}))
    with pytest.raises(DataError, match=r"column 'a', row 1: .*found 'z'; column 'b', row 0: .*found 'w'"):
        model.score(pd.DataFrame({"a": ["x", "z"], "b": ["w", "u"], "c": [0, 1]}))


def test_many_problems_are_cut() -> None:
    frame = pd.DataFrame({f"x{i}": [1.5, float("inf")] * 20 for i in range(11)})
    with pytest.raises(DataError, match=r"column 'x7', row 1: [^;]*; and 3 more columns$"):
        LearnAC().fit(frame)


def test_verbose_shows_what_was_found_in_each_column(capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame({"a": ["x", "y", None] * 20, "number": [i * 0.5 for i in range(60)], "same": [1] * 60})
    with pytest.warns(LeftOutWarning):
        LearnAC(verbose=True, bins=4, max_splits=1).fit(frame)
    assert capsys.readouterr().err.splitlines()[:4] == [
        "column  kind         values  missing  done",
        "a       categorical       2       20  2 categories                           x, y",
        "number  number           60           4 bins                                 0 to 29.5",
        "same    categorical       1           left out: the same value in every row",
    ]
