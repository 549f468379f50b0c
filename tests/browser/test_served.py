"""The page of a large model asks a server. It answers what a worker would, and the page bears it if the server ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learnac import LearnAC
from learnac.explore import answer_page, as_page_json

KNOWN: dict[str, list[Any]] = {
    "nothing": [None] * 6,
    "some": [{"is": 1}, None, {"likelihoods": [0.5, 1, 0.25, 0]}, None, {"is": 0}, None],
    "set": [{"is": 0}, {"sets": 2}, None, None, None, {"likelihoods": [2, 1, 1]}],
    "all": [{"is": 0}, {"is": 1}, {"is": 2}, {"is": 1}, {"is": 4}, {"is": 0}],
}
NUMBERS = [{"likelihoods": [0, 0, 1, 1, 1, 0, 0, 0]}, None, {"is": 3}, None]


def python(model: LearnAC, operation: str, given: Any) -> Any:
    """An answer as the page would read it."""
    numbers = {"Infinity": np.inf, "-Infinity": -np.inf, "NaN": np.nan}
    answer = json.loads(as_page_json(answer_page(model.circuit_, operation, given)))["answer"]

    def read(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: read(item) for key, item in value.items()}
        return [read(item) for item in value] if isinstance(value, list) else numbers.get(value, value)

    return read(answer)


def asked(page: Any, operation: str, given: Any) -> Any:
    """An answer of the worker. What playwright has no form for is a list or a dict."""
    return page.evaluate(
        """async ([operation, given]) => {
          const plain = (value) => {
            if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value, plain);
            if (value === null || typeof value !== "object") return value;
            return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
          };
          return plain(await learnacExplorer.asking.ask(operation, given));
        }""",
        [operation, given],
    )


def same(found: Any, wanted: Any, where: str = "") -> None:
    if isinstance(wanted, dict):
        for key in wanted:
            same(found[key], wanted[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for place, (a, b) in enumerate(zip(found, wanted, strict=True)):
            same(a, b, f"{where}[{place}]")
    elif isinstance(wanted, float):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12, err_msg=where)
    else:
        assert found == wanted, where


QUESTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "answer": lambda known: {"situation": known},
    "mpe": lambda known: {"situation": known},
    "explain": lambda known: {"situation": known, "target": 3},
    "nextQuestion": lambda known: {"situation": known, "target": 1},
    "information": lambda known: {"situation": known},
    "scores": lambda known: {"rows": [[(piece or {}).get("is", -1) for piece in known]] * 3},
    "rowDetails": lambda known: {"row": [(piece or {}).get("is", -1) for piece in known]},
}


@pytest.mark.parametrize("operation", QUESTIONS)
def test_server_and_worker_give_the_same_answers(opened: Any, models: dict[str, LearnAC], operation: str) -> None:
    page = opened("circuit")
    for known in KNOWN.values():
        given = QUESTIONS[operation](known)
        same(asked(page, operation, given), python(models["circuit"], operation, given))
    given = QUESTIONS[operation](NUMBERS)
    same(asked(opened("numbers"), operation, given), python(models["numbers"], operation, given))
    if operation not in ("mpe", "rowDetails"):  # Of a mixture, each searches in its own way.
        given = QUESTIONS[operation](KNOWN["some"])
        same(asked(opened("mixture"), operation, given), python(models["mixture"], operation, given))


def test_it_says_where_answers_come_from(opened: Any) -> None:
    for name, said in (
        ("circuit", "Nothing leaves this page"),
        ("served circuit", "the program that serves this page"),
    ):
        page = opened(name)
        page.click("#help")
        assert said in page.inner_text("#helping")


def test_a_server_that_has_ended_is_told(
    browser: Any, pages: dict[str, Path], started_service: Callable[[], tuple[subprocess.Popen[str], str]]
) -> None:
    running, address = started_service()
    page = browser.new_page()
    page.goto(f"{address}/circuit/explorer")
    page.wait_for_selector("html[data-settled=true]")
    running.kill()
    running.wait()
    page.locator("#monitor-1 .value").nth(1).click()
    page.wait_for_selector("#problem:visible")
    assert "does learnac still run?" in page.inner_text("#problem")
    assert page.evaluate("learnacExplorer.situation.known[1]") == {"is": 1}  # Nothing is taken back for that.
    page.close()
