"""What the tests of the explorer do with its page."""

from __future__ import annotations

import shlex
import warnings
from typing import Any

import numpy as np
import pytest

from learnac import LearnAC
from learnac.cli import main

MINUS = "\N{MINUS SIGN}"


def run_copied_python(page: Any) -> dict[str, Any]:
    """The names that the Python code has which the page gives."""
    page.click("#copy")
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(page.locator("#copying pre").first.inner_text(), names)
    return names


def run_copied(command: str) -> None:
    """A command that the page gave, with its answer as JSON."""
    with pytest.raises(SystemExit) as ended:
        main([*shlex.split(command)[1:], "--json"])
    assert ended.value.code == 0


def settled(page: Any) -> Any:
    page.wait_for_selector("html[data-settled=true]", timeout=20_000)
    return page


def act(page: Any, what: Any) -> None:
    """Does something, and waits until its answer is shown."""
    before = page.evaluate("learnacExplorer.shown && (window.shownBefore = learnacExplorer.shown, 1)")
    assert before == 1
    what()
    for _ in range(400):
        if page.evaluate("window.shownBefore !== learnacExplorer.shown"):
            break
        page.wait_for_timeout(10)
    settled(page)


def value(page: Any, variable: int, code: int) -> Any:
    return page.locator(f"#monitor-{variable} .value").nth(code)


def known(page: Any) -> Any:
    return page.evaluate("learnacExplorer.situation.known")


def posteriors(page: Any) -> Any:
    return np.array(page.evaluate("Array.from(learnacExplorer.shown.answer.posteriors)"))


def expected(model: LearnAC, given: dict[str, Any], **more: Any) -> Any:
    return np.concatenate(list(model.marginals(given, **more).values()))


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
