"""What a served page is answered: bad messages get one clear line. The numbers are compared in tests/browser."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from learnac import LearnAC, QueryError
from learnac.explore import answer_page, as_page_json


@pytest.fixture(scope="module")
def model() -> LearnAC:
    return LearnAC(alpha=0.0, shrinkage=0.0, edge_penalty=0.01).fit(np.array([[0, 0], [1, 1]] * 20))


NOTHING = [None, None]


@pytest.mark.parametrize(
    ("operation", "given", "message"),
    [
        ("guess", {}, "operation: expected one of load, answer, mpe"),
        ("answer", {}, "situation: expected a list of 2 entries, found None"),
        ("answer", {"situation": [None]}, "situation: expected a list of 2 entries"),
        ("answer", {"situation": [{"is": 2}, None]}, "variable 'x0': expected the number of a value, below 2, found 2"),
        ("answer", {"situation": [{"is": True}, None]}, "variable 'x0': expected the number of a value"),
        ("answer", {"situation": [{"is": "a"}, None]}, "variable 'x0': expected the number of a value"),
        ("answer", {"situation": [{"was": 1}, None]}, "variable 'x0': expected null, or an object with one of"),
        (
            "answer",
            {"situation": [{"likelihoods": [1]}, None]},
            "variable 'x0': expected null, or an object with one of",
        ),
        ("answer", {"situation": [{"likelihoods": [-1, 1]}, None]}, "likelihoods"),
        ("answer", {"situation": [{"likelihoods": [0, 0]}, None]}, "expected a positive likelihood, found only zeros"),
        ("explain", {"situation": NOTHING}, "target: expected the number of a variable, below 2, found None"),
        ("explain", {"situation": NOTHING, "target": 2}, "target: expected the number of a variable, below 2, found 2"),
        ("scores", {"rows": []}, "rows: expected a list of rows of codes"),
        ("scores", {"rows": [[0]]}, "rows: expected 2 codes in each"),
        ("scores", {"rows": [[0, 5]]}, "variable 'x1': expected the number of a value, below 2, found 5"),
        ("rowDetails", {}, "rows: expected 2 codes in each"),
    ],
)
def test_bad_messages_get_one_line(model: LearnAC, operation: str, given: Any, message: str) -> None:
    with pytest.raises(QueryError) as raised:
        answer_page(model.circuit_, operation, given)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_impossible_is_told_in_json(model: LearnAC) -> None:
    impossible = {"situation": [{"is": 0}, {"is": 1}]}
    text = as_page_json(answer_page(model.circuit_, "answer", impossible))
    assert json.loads(text) == {"answer": {"logProbability": "-Infinity", "posteriors": None, "others": None}}
    assert answer_page(model.circuit_, "mpe", impossible) is None
    assert json.loads(as_page_json(answer_page(model.circuit_, "scores", {"rows": [[0, 1], [0, 0]]}))) == {
        "answer": ["-Infinity", pytest.approx(np.log(0.5))]
    }
