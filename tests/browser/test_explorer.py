"""The explorer as people use it: with the mouse, the keyboard and the address; its numbers are Python's."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pandas as pd
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


class TestOrder:
    def order(self, page: Any) -> list[int]:
        return [int(v) for v in page.eval_on_selector_all(".monitor", "all => all.map(e => e.dataset.variable)")]

    def test_sorting(self, opened: Any, models: dict[str, LearnAC]) -> None:
        page, model = opened("circuit", "#is:size=a+lot&target=age"), models["circuit"]
        names = list(model.schema_.names)
        page.select_option("#sort", "name")
        assert self.order(page) == sorted(range(6), key=lambda v: names[v].lower())
        page.select_option("#sort", "change")
        changes = model.compare({"size": "a lot"}, {}).divergences
        assert self.order(page) == [names.index(name) for name in changes]
        page.select_option("#sort", "target")
        gains = model.next_question("age", {"size": "a lot"})
        assert self.order(page)[:5] == [names.index("age"), *(names.index(name) for name in list(gains)[:4])]
        page.select_option("#group", "known")
        assert [e.inner_text() for e in page.locator(".group > h2").all()] == ["Known", "Unknown"]


def test_of_many_values_those_that_matter_are_seen(browser: Any, tmp_path: Path) -> None:
    from learnac.explore import explorer_page
    from learnac.model import Model

    rng = np.random.default_rng(0)
    shares = np.r_[np.full(19, 0.01), 0.81]
    letters = rng.choice([f"v{i:02}" for i in range(20)], size=2000, p=shares)
    model = LearnAC(random_state=0).fit(pd.DataFrame({"letter": letters, "other": rng.random(2000) < 0.5}))
    path = tmp_path / "many.html"
    path.write_text(explorer_page(Model(model.circuit_, model.network_, {}, {}), "many.learnac"))
    page = browser.new_page()
    page.goto(path.as_uri())
    settled(page)
    assert value(page, 0, 19).is_visible()
    hidden = next(code for code in range(20) if not value(page, 0, code).is_visible())
    page.goto(f"{path.as_uri()}#is:letter=v{hidden:02}")
    settled(page)
    assert value(page, 0, hidden).is_visible()
    assert page.locator("#monitor-0 .value:visible").count() == 10
    page.click("#monitor-0 .more")
    assert page.locator("#monitor-0 .value:visible").count() == 20
    page.close()


@pytest.mark.parametrize(
    ("likelihoods", "place", "told"),
    [
        ("1 1 0.25 1 1", 2, "4 times less likely"),
        ("0.1 1 0.1 0.1 0.1", 1, "10 times more likely"),
        ("0.1 1 0.2 0.3 0.1", 1, "more likely"),
    ],
)
def test_chips_say_what_soft_evidence_says(
    opened: Any, models: dict[str, LearnAC], likelihoods: str, place: int, told: str
) -> None:
    page = opened("circuit", "#" + urlencode({"soft:age": likelihoods}))
    category = models["circuit"].schema_.categories[4][place]
    assert page.locator("#chips .name").inner_text() == f"age: {category} {told}"
    page.click("#copy")
    assert page.locator("#copying pre").nth(1).inner_text() == "# soft evidence needs Python: age"


class TestNetwork:
    @pytest.mark.parametrize("name", ["circuit", "served circuit"])
    def test_arcs_tree_and_information(self, opened: Any, models: dict[str, LearnAC], name: str) -> None:
        page, model = opened(name, "#is:colour=none"), models["circuit"]
        page.click("#tab-network")
        page.wait_for_selector(".stage .node")
        n_arcs = sum(map(len, model.network_.parents))
        assert page.locator(".stage path.arc").count() == n_arcs
        page.locator(".stage .node[data-node='4']").click()
        page.wait_for_selector("#view-network .card h2:has-text('age')")
        page.select_option("#graph-mode", "information")
        pairs = page.evaluate("(situation) => learnacExplorer.asking.ask('information', {situation})", known(page))
        names = model.schema_.names
        first, second, gain = pairs[0]
        assert gain == pytest.approx(model.next_question(names[first], {"colour": "none"})[names[second]], rel=1e-9)


# Of all lines, how many points lie inside of a box. Lines end at the edges of boxes.
COVERED = """() => {
  const boxes = [...document.querySelectorAll(".stage .node rect")].map((box) => box.getBoundingClientRect());
  const isInside = ({ x, y }) =>
    boxes.some((b) => x > b.left + 6 && x < b.right - 6 && y > b.top + 6 && y < b.bottom - 6);
  return [...document.querySelectorAll(".stage path.arc")].map((arc) => {
    const matrix = arc.getScreenCTM(), step = arc.getTotalLength() / 100;
    const points = Array.from({ length: 101 }, (_, i) => arc.getPointAtLength(i * step).matrixTransform(matrix));
    return points.filter(isInside).length;
  });
}"""


def test_lines_go_around_the_boxes_between_their_ends(browser: Any, tmp_path: Path) -> None:
    """Four variables, each of which depends on all before: one column of boxes."""
    from learnac.explore import explorer_page
    from learnac.model import Model

    rng = np.random.default_rng(0)
    rows = np.zeros((4000, 4), dtype=int)
    for v in range(4):
        weights = rng.choice([-1.5, 1.0], size=v)
        rows[:, v] = rng.random(4000) < 1 / (1 + np.exp(-(2 * rows[:, :v] - 1) @ weights))
    order = {f"x{v}": [f"x{u}" for u in range(v)] for v in range(4)}
    model = LearnAC(edge_penalty=0.01, allowed_parents=order).fit(rows)
    assert sum(map(len, model.network_.parents)) == 6
    (tmp_path / "page.html").write_text(explorer_page(Model(model.circuit_, model.network_), "page"))
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    settled(page)
    page.click("#tab-network")
    page.wait_for_selector(".stage .node")
    assert page.evaluate(COVERED) == [0] * 6
    page.close()


def test_impossible_evidence_is_told(browser: Any, tmp_path: Path) -> None:
    from learnac.explore import explorer_page
    from learnac.model import Model

    rows = np.array([[0, 0], [1, 1]] * 20)
    model = LearnAC(alpha=0.0, shrinkage=0.0, edge_penalty=0.01).fit(rows)
    (tmp_path / "page.html").write_text(explorer_page(Model(model.circuit_, model.network_), "page"))
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri() + "#is:x0=0&is:x1=1")
    settled(page)
    assert "probability zero" in page.inner_text("#status")
    act(page, page.locator("#chips .off").first.click)
    assert "probability zero" not in page.inner_text("#status")
    page.close()


class TestManyVariables:
    def test_five_hundred(self, opened: Any, models: dict[str, LearnAC]) -> None:
        page, model = opened("large"), models["large"]
        assert page.locator(".monitor").count() == 500
        act(page, lambda: value(page, 0, 2).click())
        close(posteriors(page), expected(model, {"x0": 2}))
        page.fill("#search", "x49")
        assert page.locator(".monitor").count() == 11
        act(page, lambda: value(page, 499, 1).click())
        assert known(page)[499] == {"is": 1}
        page.fill("#search", "")
        page.locator("#monitor-499").scroll_into_view_if_needed()
        page.wait_for_timeout(100)
        assert value(page, 499, 1).locator(".number").inner_text() == "100 %"

    def test_only_what_can_be_seen_is_painted(self, opened: Any) -> None:
        page = opened("large")
        page.evaluate(
            """() => {
              const { monitors } = learnacExplorer, { paint } = monitors;
              window.painted = new Set();
              monitors.paint = function (card) { painted.add(card.v); return paint.call(this, card); };
            }"""
        )
        act(page, lambda: value(page, 0, 2).click())
        assert 10 < page.evaluate("painted.size") < 100

    def test_evidence_too_improbable_for_linear_numbers(self, opened: Any, models: dict[str, LearnAC]) -> None:
        model = models["large"]
        row = np.random.default_rng(0).integers(4, size=500)
        given = {f"x{v}": int(row[v]) for v in range(495)}
        page = opened("large", "#" + urlencode({f"is:{name}": code for name, code in given.items()}))
        log = page.evaluate("learnacExplorer.shown.answer.logProbability")
        assert log < -500
        evidence = infer.likelihood.as_evidence(model.schema_, given)
        engine = infer.engine.engine_of(model.circuit_)
        close(log, infer.likelihood.log_values(engine, evidence, 1)[0])
        close(posteriors(page), expected(model, given))


class TestAccess:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("view", ["monitors", "network", "rows"])
    def test_axe_finds_nothing(self, opened: Any, scheme: str, view: str, tmp_path: Path, models: Any) -> None:
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe: make browser")
        address = "#" + urlencode(
            {"is:size": "a lot", "do:colour": "none", "soft:age": "1 .5 .5 .5 .5", "target": "weight"}
        )
        page = opened("circuit", address, color_scheme=scheme)
        page.click(f"#tab-{view}")
        if view == "rows":
            models["circuit"].sample(5, random_state=1).to_csv(tmp_path / "rows.csv", index=False)
            page.set_input_files("#view-rows input", tmp_path / "rows.csv")
            page.locator("#view-rows tbody tr").first.click()
        page.wait_for_timeout(300)
        found = axe.Axe().run(page)
        assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in found.response["violations"]] == []

    def test_a_phone_has_room_for_everything(self, opened: Any) -> None:
        page = opened("circuit", "#is:size=a+lot&target=age")
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not page.is_visible("#side")
        page.click("#tab-answers")
        assert page.is_visible("#side")
        assert "Target: age" in page.inner_text("#side")

    def test_the_network_can_be_read_on_a_phone(self, opened: Any) -> None:
        page = opened("large")
        page.set_viewport_size({"width": 390, "height": 800})
        page.click("#tab-network")
        page.wait_for_selector("#view-network .node")
        height = page.evaluate("document.querySelector('#view-network .node').getBoundingClientRect().height")
        assert height > 20  # A box is 34 high, its letters 12.
        before = page.get_attribute("#view-network svg", "viewBox")
        page.click("[aria-label='Show all of it']")
        seen = page.evaluate(
            "[...document.querySelectorAll('#view-network .node')].map((node) => node.getBoundingClientRect())"
            ".every(({ left, right }) => left >= 0 && right <= 390)"
        )
        assert seen
        assert page.get_attribute("#view-network svg", "viewBox") != before
        assert page.evaluate("document.documentElement.scrollWidth") <= 390

    def test_the_part_of_the_network_that_is_seen_stays(self, opened: Any) -> None:
        page = opened("circuit")
        page.click("#tab-network")
        page.click("[aria-label='Larger']")
        seen = page.get_attribute("#view-network svg", "viewBox")
        page.evaluate("learnacExplorer.situation.set(1, {is: 0})")
        settled(page)
        page.wait_for_selector("#view-network .node.is-known")
        assert page.get_attribute("#view-network svg", "viewBox") == seen

    def test_light_and_dark(self, opened: Any) -> None:
        page = opened("circuit", color_scheme="dark")
        theme = "document.documentElement.dataset.theme"
        assert page.evaluate(theme) == "dark"
        page.click("#theme")
        assert page.evaluate(theme) == "light"
