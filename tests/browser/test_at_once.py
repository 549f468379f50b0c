"""A click is answered in the page itself, before the next frame; or by the worker, as long as that takes too long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from learnac import LearnAC

# What is shown when the click has been handled and no other task has run.
CLICK = """(value) => {
  const before = learnacExplorer.shown;
  value.click();
  return Promise.resolve().then(() => {}).then(() => {}).then(() => {}).then(() => {}).then(() => {})
    .then(() => learnacExplorer.shown !== before);
}"""


@pytest.mark.parametrize("name", ["circuit", "mixture"])
def test_before_any_other_task(opened: Any, name: str) -> None:
    page = opened(name)
    assert page.locator("#monitor-0 .value").first.evaluate(CLICK)


def test_what_takes_too_long_here_is_the_workers(opened: Any, models: dict[str, LearnAC]) -> None:
    page = opened("circuit")
    page.evaluate("learnacExplorer.asking.took = 100")
    model = models["circuit"]
    assert not page.locator("#monitor-0 .value").first.evaluate(CLICK)
    page.wait_for_selector("html[data-settled=true]")
    assert page.evaluate("learnacExplorer.asking.took") == 50
    expected = np.concatenate(list(model.marginals({model.schema_.names[0]: model.schema_.categories[0][0]}).values()))
    found = page.evaluate("Array.from(learnacExplorer.shown.answer.posteriors)")
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    page.evaluate("learnacExplorer.asking.took = 0")
    assert page.locator("#monitor-1 .value").first.evaluate(CLICK)
