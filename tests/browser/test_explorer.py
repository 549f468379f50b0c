"""The explorer as people use it: with the mouse, the keyboard and the address; its numbers are Python's."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from exploring import act, close, expected, known, posteriors, run_copied, run_copied_python, settled, value

from learnac import LearnAC, infer

GIVEN = {"colour": "<b>some</b>", "age": "all of it"}
SOFT = {"taste, if any": [0.25, 1.0]}
ADDRESS = "#" + urlencode(
    {"is:colour": "<b>some</b>", "is:age": "all of it", "soft:taste, if any": "0.25 1", "target": "size"}
)


@pytest.mark.parametrize("name", ["circuit", "mixture", "served circuit", "served mixture"])
class TestNumbersArePythons:
    """Whoever answers, a worker in the page or the service."""

    @pytest.fixture
    def model(self, models: dict[str, LearnAC], name: str) -> LearnAC:
        return models[name.removeprefix("served ")]

    def test_posteriors_probability_and_conflict(self, opened: Any, model: LearnAC, name: str) -> None:
        page = opened(name)
        close(posteriors(page), expected(model, {}))
        page = opened(name, ADDRESS)
        close(posteriors(page), expected(model, GIVEN, soft=SOFT))
        answer = page.evaluate(
            "(({logProbability, conflict, support}) => ({logProbability, conflict, support}))"
            "(learnacExplorer.shown.answer)"
        )
        evidence = infer.likelihood.as_evidence(model.schema_, GIVEN, SOFT)
        engine = infer.engine.engine_of(model.circuit_)
        close(answer["logProbability"], infer.likelihood.log_values(engine, evidence, 1)[0])
        close(answer["conflict"], model.conflict(GIVEN, soft=SOFT))
        why = model.explain("size", GIVEN, soft=SOFT)
        close([answer["support"][str(model.schema_.index(n))] for n in why.pieces], why.support)

    def test_why_and_what_to_ask(self, opened: Any, model: LearnAC, name: str) -> None:
        page = opened(name, ADDRESS)
        found = page.evaluate("learnacExplorer.target.found")
        why = model.explain("size", GIVEN, soft=SOFT)
        for place, piece in enumerate(why.pieces):
            number = str(model.schema_.index(piece))
            close(found["why"]["alone"][number], why.leave_one_out[place])
            close(found["why"]["shares"][number], why.shapley[place])
        gains = model.next_question("size", GIVEN, soft=SOFT)
        assert [model.schema_.names[q["variable"]] for q in found["next"]] == list(gains)
        close([q["gain"] for q in found["next"]], list(gains.values()))
        first = found["next"][0]
        asked = model.schema_.names[first["variable"]]
        for code, answer in enumerate(first["answers"]):
            given = {**GIVEN, asked: model.schema_.categories[first["variable"]][code]}
            close(answer["posterior"], model.marginals(given, soft=SOFT)["size"])

    def test_interventions(self, opened: Any, model: LearnAC, name: str) -> None:
        address = "#" + urlencode({"do:size": "a lot", "is:age": "none"})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            changed = model.do({"size": "a lot"})
        page = opened(name, address)
        close(posteriors(page), expected(changed, {"age": "none"}))
        assert "Setting is not seeing" in page.inner_text("#summary")

    def test_most_probable_explanation(self, opened: Any, model: LearnAC, name: str) -> None:
        page = opened(name, ADDRESS)
        situation = page.evaluate("learnacExplorer.situation.known")
        found = page.evaluate("(situation) => learnacExplorer.asking.ask('mpe', {situation})", situation)
        world, log = model.mpe(GIVEN, soft=SOFT)
        close(found["best"]["log"], log)
        names = dict(zip(model.schema_.names, found["best"]["world"], strict=True))
        assert {n: model.schema_.categories[model.schema_.index(n)][c] for n, c in names.items()} == world
        assert found["isProven"] == (name != "mixture")
        if name.endswith("circuit"):  # No other world is between the two.
            worlds = np.indices(model.schema_.arities).reshape(6, -1).T
            logs = model.score_samples(worlds)
            row = [model.schema_.code(v, GIVEN[n]) if n in GIVEN else -1 for v, n in enumerate(model.schema_.names)]
            logs = logs[((worlds == row) | (np.array(row) < 0)).all(axis=1)] + np.log(
                np.array([0.25, 1.0])[worlds[((worlds == row) | (np.array(row) < 0)).all(axis=1)][:, 3]]
            )
            close([found["best"]["log"], found["second"]["log"]], np.sort(logs)[:-3:-1])


class TestMouse:
    def test_click_and_click_again(self, opened: Any, models: dict[str, LearnAC]) -> None:
        page, model = opened("circuit"), models["circuit"]
        act(page, lambda: value(page, 1, 2).click())
        assert known(page)[1] == {"is": 2}
        assert value(page, 1, 2).get_attribute("aria-pressed") == "true"
        close(posteriors(page), expected(model, {"size": model.schema_.categories[1][2]}))
        shown = value(page, 0, 0).locator(".number").inner_text()
        assert shown == f"{100 * posteriors(page)[0]:.1f} %"
        act(page, lambda: value(page, 1, 2).click())
        assert known(page) == [None] * 6
        close(posteriors(page), expected(model, {}))

    def test_drag_is_soft_evidence_and_the_bar_follows(self, opened: Any) -> None:
        page = opened("circuit")
        act(page, lambda: value(page, 0, 0).click())
        box = value(page, 2, 1).locator(".track").bounding_box()
        y = box["y"] + box["height"] / 2

        def drag() -> None:
            page.mouse.move(box["x"] + 5, y)
            page.mouse.down()
            page.mouse.move(box["x"] + 0.4 * box["width"], y, steps=4)
            page.mouse.move(box["x"] + 0.8 * box["width"], y, steps=4)
            page.mouse.up()

        act(page, drag)
        page.wait_for_timeout(150)
        settled(page)
        likelihoods = known(page)[2]["likelihoods"]
        assert max(likelihoods) == 1
        assert posteriors(page)[5 + 1] == pytest.approx(0.8, abs=0.02)
        act(page, lambda: page.click("#undo"))  # All of it is one step.
        assert known(page) == [{"is": 0}, None, None, None, None, None]

    def test_shift_click_intervenes(self, opened: Any) -> None:
        page = opened("circuit")
        act(page, lambda: value(page, 1, 0).click(modifiers=["Shift"]))
        assert known(page)[1] == {"sets": 0}
        assert "set size = " in page.inner_text("#chips")
        act(page, lambda: value(page, 1, 0).click(modifiers=["Shift"]))
        assert known(page)[1] is None

    def test_what_is_seen_can_be_set_without_the_keyboard(self, opened: Any) -> None:
        page = opened("circuit", has_touch=True)
        button = page.locator("#monitor-1 [aria-label='Set size']")
        assert not button.is_visible()
        act(page, lambda: value(page, 1, 0).tap())
        act(page, button.tap)
        assert known(page)[1] == {"sets": 0}
        assert button.get_attribute("aria-pressed") == "true"
        act(page, button.tap)
        assert known(page)[1] == {"is": 0}

    def test_undo_and_redo(self, opened: Any) -> None:
        page = opened("circuit")
        states = [known(page)]
        for variable, code in [(0, 1), (1, 2), (0, 0)]:
            act(page, lambda v=variable, c=code: value(page, v, c).click())
            states.append(known(page))
        for state in reversed(states[:-1]):
            act(page, lambda: page.keyboard.press("Control+z"))
            assert known(page) == state
        assert page.is_disabled("#undo")
        for state in states[1:]:
            act(page, lambda: page.click("#redo"))
            assert known(page) == state

    def test_chips_and_clear(self, opened: Any) -> None:
        page = opened("circuit")
        for variable in range(3):
            act(page, lambda v=variable: value(page, v, 0).click())
        act(page, lambda: page.locator("#chips .off").nth(1).click())
        assert [k is None for k in known(page)] == [False, True, False, True, True, True]
        act(page, lambda: page.click("#chips .clear button"))
        assert known(page) == [None] * 6

    def test_pinned_situations_are_the_marks(self, opened: Any, models: dict[str, LearnAC]) -> None:
        page, model = opened("circuit"), models["circuit"]
        act(page, lambda: value(page, 1, 2).click())
        act(page, lambda: page.click("#pin"))
        act(page, lambda: value(page, 1, 0).click())
        before = page.evaluate("Array.from(learnacExplorer.shown.before)")
        close(before, expected(model, {"size": model.schema_.categories[1][2]}))
        again = opened("circuit", f"#{urlsplit(page.url).fragment}")
        close(again.evaluate("Array.from(learnacExplorer.shown.before)"), before)
        act(page, lambda: page.click("#pin"))
        close(page.evaluate("Array.from(learnacExplorer.shown.before)"), expected(model, {}))
        assert not page.is_visible("#compared")

    def test_two_situations_side_by_side(self, opened: Any, models: dict[str, LearnAC]) -> None:
        page, model = opened("circuit", "#is:size=a+lot&pinned=&pinned-is:size=none"), models["circuit"]
        found = model.compare({"size": "a lot"}, {"size": "none"})
        lines = page.locator("#compared .line .text").all_inner_texts()
        differing = [name for name, divergence in found.divergences.items() if divergence > 1e-4]
        assert [line.partition(" = ")[0] for line in lines] == differing
        assert "pinned: size = none" in page.inner_text("#compared .legend")
        name = differing[1]
        change = found.a[name] - found.b[name]
        code = int(np.abs(change).argmax())
        assert lines[1] == f"{name} = {model.schema_.categories[model.schema_.index(name)][code]}"
        shown = page.locator("#compared .line .num").nth(1).inner_text().split("\n")
        assert shown == [f"{100 * found.a[name][code]:.1f} %", f"{100 * found.b[name][code]:.1f} %"]
        pinned = value(page, 1, model.schema_.code(1, "none"))
        bars = pinned.locator(".track").evaluate("(track) => getComputedStyle(track).backgroundSize")
        assert bars == "100% 6px, 0% 7px, auto"  # Two, one below the other.


class TestAddress:
    def test_it_holds_the_situation(self, opened: Any) -> None:
        page = opened("circuit")
        act(page, lambda: value(page, 3, 1).click())
        act(page, lambda: value(page, 1, 1).click(modifiers=["Shift"]))
        act(page, lambda: page.locator("#monitor-4 [aria-label^=Target]").click())
        words = dict(parse_qsl(urlsplit(page.url).fragment))
        assert set(words) == {"is:taste, if any", "do:size", "target"}
        assert words["target"] == "age"
        again = opened("circuit", f"#{urlsplit(page.url).fragment}")
        assert known(again) == known(page)
        assert "Target: age" in again.inner_text("#target")

    def test_what_the_model_does_not_have_is_told(self, opened: Any) -> None:
        page = opened("circuit", "#is:nobody=1&is:size=huge")
        assert "nobody = 1; size = huge" in page.inner_text("#problem")
        assert known(page) == [None] * 6

    def test_copied_code_gives_the_same_answer(
        self, opened: Any, pages: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: Any
    ) -> None:
        address = "#" + urlencode({"is:taste, if any": "none", "do:size": "a lot", "soft:age": "1 0.5 0.5 0.5 0.25"})
        page = opened("circuit", address)
        monkeypatch.chdir(pages["circuit"].parent)
        names = run_copied_python(page)
        close(posteriors(page), np.concatenate(list(names["posteriors"].values())))
        page.keyboard.press("Escape")
        act(page, lambda: page.locator("[aria-label='Forget age']").click())
        page.click("#copy")
        command = page.locator("#copying pre").nth(1).inner_text()
        run_copied(command)
        document = json.loads(capsys.readouterr().out)
        close(posteriors(page), [p for values in document["marginals"].values() for p in values.values()])

    def test_copied_code_has_the_pinned_situation(
        self,
        opened: Any,
        pages: dict[str, Path],
        models: dict[str, LearnAC],
        monkeypatch: pytest.MonkeyPatch,
        capsys: Any,
    ) -> None:
        words = {"is:size": "a lot", "do:colour": "none", "soft:age": "1 0.5 0.5 0.5 0.25"}
        pinned = {"pinned": "", "pinned-is:size": "none", "pinned-do:colour": "none"}
        page = opened("circuit", "#" + urlencode({**words, **pinned}))
        monkeypatch.chdir(pages["circuit"].parent)
        names = run_copied_python(page)
        lines = page.locator("#compared .line .text").all_inner_texts()
        found = [name for name, divergence in names["differences"].divergences.items() if divergence > 1e-4]
        assert [line.partition(" = ")[0] for line in lines] == found
        del words["soft:age"]
        page = opened("circuit", "#" + urlencode({**words, **pinned}))
        page.click("#copy")
        command = page.locator("#copying pre").nth(1).inner_text().splitlines()[1]
        run_copied(command)
        printed = [entry["variable"] for entry in json.loads(capsys.readouterr().out)["variables"]]
        lines = page.locator("#compared .line .text").all_inner_texts()
        assert [line.partition(" = ")[0] for line in lines] == printed[: len(lines)]

    def test_a_pinned_situation_with_other_interventions_is_a_model_of_its_own(
        self, opened: Any, pages: dict[str, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page = opened("circuit", "#" + urlencode({"do:size": "a lot", "pinned": "", "pinned-is:age": "none"}))
        monkeypatch.chdir(pages["circuit"].parent)
        names = run_copied_python(page)
        assert "other interventions needs Python" in page.locator("#copying pre").nth(1).inner_text()
        close(posteriors(page), np.concatenate(list(names["posteriors"].values())))
        before = page.evaluate("Array.from(learnacExplorer.shown.before)")
        close(before, np.concatenate(list(names["pinned_posteriors"].values())))


class TestKeyboard:
    def test_everything_without_a_mouse(self, opened: Any) -> None:
        page = opened("circuit")
        page.keyboard.press("/")
        page.keyboard.type("size")
        assert page.locator(".monitor").count() == 1
        page.keyboard.press("Escape")
        assert page.locator(".monitor").count() == 6
        page.locator("#monitor-0 .value").first.focus()
        page.keyboard.press("ArrowDown")
        act(page, lambda: page.keyboard.press("Enter"))
        assert known(page)[0] == {"is": 1}
        page.keyboard.press("ArrowRight")
        act(page, lambda: page.keyboard.press("Shift+Enter"))
        assert known(page)[1] == {"sets": 0}
        page.keyboard.press("ArrowRight")
        before = posteriors(page)[5]
        act(page, lambda: page.keyboard.press("Alt+ArrowRight"))
        assert posteriors(page)[5] == pytest.approx(before + 0.05, abs=1e-9)
        act(page, lambda: page.keyboard.press("t"))
        assert "Target: shape of it" in page.inner_text("#target")
        act(page, lambda: page.keyboard.press("Delete"))
        assert known(page)[2] is None
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('.monitor').id") == "monitor-3"
        page.keyboard.press("?")
        assert page.is_visible("#helping")

    def test_tabs(self, opened: Any) -> None:
        page = opened("circuit")
        page.focus("#tab-monitors")
        page.keyboard.press("ArrowRight")
        assert page.is_visible("#view-network")
        page.keyboard.press("ArrowRight")
        assert page.is_visible("#view-rows")
        page.keyboard.press("ArrowRight")
        assert page.is_visible("#view-monitors")
