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
    page.evaluate("learnacExplorer.asking.took = 0")  # On a busy machine, the first answer may take too long.
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


# Counts the answers that are asked for, while a button is pressed, and while it is let go.
PRESS = """() => {
  const { asking } = learnacExplorer, ask = asking.ask;
  window.asked = [];
  asking.ask = function (operation, ...rest) {
    if (operation === "answer") window.asked.push(JSON.stringify(rest[0].situation));
    return ask.call(this, operation, ...rest);
  };
}"""


@pytest.mark.parametrize("shift", [False, True])
def test_a_click_is_answered_while_its_button_is_held_down(opened: Any, shift: bool) -> None:
    page = opened("circuit")
    page.evaluate(PRESS)
    value = page.locator("#monitor-0 .value").nth(1)
    if shift:
        page.keyboard.down("Shift")
    value.hover()
    page.mouse.down()
    assert page.evaluate("window.asked.length") == 1
    assert page.evaluate("learnacExplorer.situation.known[0]") is None
    page.mouse.up()
    page.wait_for_selector("html[data-settled=true]")
    assert page.evaluate("window.asked.length") == 1
    assert page.evaluate("learnacExplorer.situation.known[0]") == ({"sets": 1} if shift else {"is": 1})


def test_who_presses_one_bar_and_clicks_another_gets_the_answer_to_the_click(
    opened: Any, models: dict[str, LearnAC]
) -> None:
    page, model = opened("circuit"), models["circuit"]
    page.locator("#monitor-1 .value").first.hover()
    page.mouse.down()
    page.locator("#monitor-0 .value").first.hover()
    page.mouse.up()
    page.locator("#monitor-0 .value").first.evaluate("(value) => value.click()")
    page.wait_for_selector("html[data-settled=true]")
    assert page.evaluate("learnacExplorer.situation.known[1]") is None
    expected = np.concatenate(list(model.marginals({model.schema_.names[0]: model.schema_.categories[0][0]}).values()))
    found = page.evaluate("Array.from(learnacExplorer.shown.answer.posteriors)")
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_click_does_not_wait_for_what_takes_longer(opened: Any) -> None:
    page = opened("circuit")
    page.evaluate("""() => {
      const { asking } = learnacExplorer, ask = asking.ask, never = new Promise(() => {});
      window.heard = new Promise((heard) => {
        asking.ask = function (operation, ...rest) {
          if (operation !== "mpe") return ask.call(this, operation, ...rest);
          heard();
          return never;
        };
      });
    }""")
    page.locator("#monitor-0 .value").first.click()
    page.evaluate("window.heard")
    assert page.evaluate("document.documentElement.dataset.settled") == "false"
    page.evaluate("learnacExplorer.asking.took = 0")
    assert page.locator("#monitor-1 .value").first.evaluate(CLICK)
