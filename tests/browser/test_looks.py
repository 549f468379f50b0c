"""What is seen of the explorer: values, the network, many variables, and by those who do not see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pytest
from exploring import act, close, expected, known, posteriors, settled, value

from learnac import LearnAC, infer


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
