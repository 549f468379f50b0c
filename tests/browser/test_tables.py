"""The explorer's rows of tables, and columns of numbers and dates."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pytest
from exploring import MINUS, act, close, expected, known, posteriors, settled, value

from learnac import LearnAC


class TestRows:
    @pytest.mark.parametrize("name", ["circuit", "served circuit"])
    def test_a_table_of_rows(self, opened: Any, models: dict[str, LearnAC], tmp_path: Path, name: str) -> None:
        page, model = opened(name), models["circuit"]
        frame = model.sample(30, random_state=1).astype(object)
        frame.loc[4, "size"] = None
        frame.to_csv(tmp_path / "rows.csv", index=False)
        page.click("#tab-rows")
        page.set_input_files("#view-rows input", tmp_path / "rows.csv")
        page.wait_for_selector("#view-rows tbody tr")
        logs = model.score_samples(frame)
        cells = page.locator("#view-rows tbody tr").all_inner_texts()
        assert len(cells) == 30
        assert int(cells[0].split()[0]) - 1 == int(np.argmin(logs))
        assert float(cells[0].split()[1].replace(MINUS, "-")) == pytest.approx(logs.min(), abs=5e-4)
        page.locator("#view-rows tr[data-row='4']").click()
        page.wait_for_selector("text=Row 5")
        filled = model.impute(frame)["size"][4]
        assert f"size = {filled}" in page.inner_text("#view-rows .card")
        act(page, lambda: page.click("text=Take it as evidence"))
        assert known(page)[1] is None
        assert sum(k is not None for k in known(page)) == 5

    def test_a_table_that_does_not_fit_is_told(self, opened: Any, tmp_path: Path) -> None:
        page = opened("circuit")
        page.click("#tab-rows")
        (tmp_path / "rows.csv").write_text("tone,bulk\nnone,gigantic\n")
        page.set_input_files("#view-rows input", tmp_path / "rows.csv")
        page.wait_for_selector("#problem:visible")
        assert "rows.csv: expected columns of the model, such as colour, size" in page.inner_text("#problem")
        assert "found tone, bulk" in page.inner_text("#problem")

    def test_values_never_seen_are_the_strangest(self, opened: Any, models: dict[str, LearnAC], tmp_path: Path) -> None:
        page, model = opened("circuit"), models["circuit"]
        page.click("#tab-rows")
        (tmp_path / "rows.csv").write_text("colour,size,note\nnone,none,a\nnone,gigantic,b\nnone,a lot,c\n")
        page.set_input_files("#view-rows input", tmp_path / "rows.csv")
        page.wait_for_selector("#view-rows tbody tr")
        assert page.locator("#view-rows tbody tr").first.get_attribute("data-row") == "1"
        told = page.inner_text("#view-rows")
        assert "Never seen, and taken as unknown: row 2, size = gigantic." in told
        assert "Not in the model, and left out: note." in told
        score = page.locator("#view-rows tbody tr").first.locator("td").nth(1).inner_text()
        assert float(score.replace(MINUS, "-")) == pytest.approx(model.log_probability({"colour": "none"}), abs=6e-4)
        page.locator("#view-rows tbody tr").first.click()
        page.wait_for_selector("text=size = gigantic was never seen.")

    def test_the_list_can_be_sorted_and_its_scores_kept(
        self, opened: Any, models: dict[str, LearnAC], tmp_path: Path
    ) -> None:
        page, model = opened("circuit"), models["circuit"]
        frame = model.sample(300, random_state=1).astype(object)
        frame.loc[::3, "size"] = None
        frame.to_csv(tmp_path / "rows.csv", index=False)
        page.click("#tab-rows")
        page.set_input_files("#view-rows input", tmp_path / "rows.csv")
        page.wait_for_selector("#view-rows tbody tr")
        assert "The first 200 of 300 rows" in page.inner_text("#view-rows")
        logs = model.score_samples(frame)
        page.click("text=per known value")
        order = np.lexsort((np.arange(300), (logs / frame.notna().sum(axis=1)).to_numpy().round(12)))
        rows = page.locator("#view-rows tbody tr").evaluate_all("(rows) => rows.map((row) => Number(row.dataset.row))")
        np.testing.assert_allclose(logs[rows[:20]], logs[order[:20]], rtol=1e-9)
        with page.expect_download() as started:
            page.click("text=Download scores")
        found = pd.read_csv(started.value.path())
        np.testing.assert_allclose(found["log_likelihood"], logs, rtol=1e-9)
        assert found["known_values"].tolist() == frame.notna().sum(axis=1).tolist()


class TestNumbers:
    """Columns of numbers and dates are histograms; a drag over one is an interval."""

    def test_rows_are_as_likely_as_in_python(self, opened: Any, models: dict[str, LearnAC], tmp_path: Path) -> None:
        """Numbers within and beyond those that were learned from, integers, dates, and gaps."""
        rows = pd.DataFrame(
            {
                "age": [41, 17, 96, None, 60],
                "height": [170.25, 120.5, 230.0, 165.0, 181.3],
                "day": ["2024-01-15", "2023-12-01", "2024-07-01", "2024-03-03", None],
                "ill": [False, True, None, False, True],
            }
        )
        (tmp_path / "rows.csv").write_text(rows.to_csv(index=False, na_rep="NA"))
        page, frame = opened("numbers"), rows.assign(day=pd.to_datetime(rows["day"]))
        page.click("#tab-rows")
        page.set_input_files("#view-rows input", tmp_path / "rows.csv")
        page.wait_for_selector("#view-rows tbody tr")
        lines = page.locator("#view-rows .sheet tbody tr").evaluate_all(
            "(rows) => rows.map((row) => [...row.cells].map((cell) => Number(cell.textContent.replace('\u2212', '-'))))"
        )
        shown = {int(line[0]): line[1] for line in lines}
        expected = models["numbers"].score_samples(frame)
        assert [shown[row + 1] for row in range(5)] == pytest.approx(expected.tolist(), abs=6e-4)
        assert list(shown) == (np.argsort(expected) + 1).tolist()

    def test_a_drag_is_an_interval(self, opened: Any, models: dict[str, LearnAC], pages: dict[str, Path]) -> None:
        page, model = opened("numbers"), models["numbers"]
        bars = [value(page, 0, code).bounding_box() for code in range(8)]

        def drag() -> None:
            page.mouse.move(bars[5]["x"] + 2, bars[5]["y"] + 30)
            page.mouse.down()
            page.mouse.move(bars[2]["x"] + 2, bars[2]["y"] + 30, steps=6)
            page.mouse.up()

        act(page, drag)
        page.wait_for_timeout(150)
        settled(page)
        likelihoods = [0, 0, 1, 1, 1, 1, 0, 0]
        assert known(page)[0] == {"likelihoods": likelihoods}
        close(posteriors(page), expected(model, {}, soft={"age": likelihoods}))
        bins = model.schema_.bins[0]
        assert bins is not None
        first, last = int(bins.edges[1]), int(bins.edges[5]) - 1
        assert page.locator("#chips .name").inner_text() == f"age: {first} to {last}"
        assert page.locator("#monitor-0 .tag").inner_text() == "range"
        page.click("#copy")
        python, command, _ = page.locator("#copying pre").all_inner_texts()
        assert f'given = {{"age": "{first}..{last}"}}' in python
        assert f"--given age={first}..{last}" in command
        close(posteriors(page), expected(model, {"age": f"{first}..{last}"}))
        page.keyboard.press("Escape")
        act(page, lambda: page.click("#undo"))
        assert known(page) == [None] * 4

    @pytest.mark.parametrize("name", ["numbers", "served numbers"])
    def test_explanations_are_numbers_of_the_highest_density(
        self, opened: Any, models: dict[str, LearnAC], name: str
    ) -> None:
        model = models["numbers"]
        bins = model.schema_.bins[0]
        assert bins is not None
        text = str(model.schema_.categories[0][3])
        for address, given in (("", {}), ("#" + urlencode({"is:age": text, "is:ill": "True"}), {"ill": True})):
            page = opened(name, address)
            if given:
                given |= {"age": f"{bins.edges[2]:g}..{bins.edges[3] - 1:g}"}
            world, log = model.mpe(given)
            found = page.evaluate(
                "learnacExplorer.asking.ask('mpe', {situation: learnacExplorer.situation.known}).then(({best}) => best)"
            )
            close(found["log"], log)
            page.click("#summary summary")
            page.wait_for_selector("#summary tbody tr")
            cells = page.locator("#summary tbody tr").evaluate_all(
                "(rows) => rows.map((row) => [row.cells[0].textContent, row.cells[1].textContent])"
            )
            shown = dict(cells)
            assert float(shown["height"]) == pytest.approx(world["height"], rel=1e-3)
            assert shown["day"] == world["day"]
            assert "age" not in shown if given else float(shown["age"]) == world["age"]

    def test_gaps_are_filled_with_numbers(self, opened: Any, models: dict[str, LearnAC], tmp_path: Path) -> None:
        rows = pd.DataFrame(
            {"age": [52, None], "height": [None, 171.5], "day": ["2024-02-01", None], "ill": ["True", ""]}
        )
        (tmp_path / "rows.csv").write_text(rows.to_csv(index=False))
        page, model = opened("numbers"), models["numbers"]
        page.click("#tab-rows")
        page.set_input_files("#view-rows input", tmp_path / "rows.csv")
        page.locator("#view-rows tbody tr[data-row='1']").click()
        page.wait_for_selector("#view-rows h3:has-text('Gaps')")
        world, _ = model.mpe({"height": 171.5})
        told = page.locator("#view-rows .card p").last.inner_text()
        assert told == f"age = {world['age']:g}, day = {world['day']}, ill = {world['ill']}"
        page.locator("#view-rows tbody tr[data-row='0']").click()
        page.wait_for_selector("#view-rows td:has-text('day = 2024-02-01')")

    def test_the_area_of_a_bar_is_its_probability(self, opened: Any) -> None:
        page = opened("numbers", "#is:ill=True")
        for variable in range(3):
            bars = [value(page, variable, code).locator(".track") for code in range(8)]
            heights = [float(bar.evaluate("(bar) => bar.style.getPropertyValue('--now')")) for bar in bars]
            assert not any("cut" in (bar.get_attribute("class") or "") for bar in bars)
            widths = [value(page, variable, code).bounding_box()["width"] for code in range(8)]
            areas = np.multiply(heights, widths)
            start = page.evaluate(f"learnacExplorer.starts[{variable}]")
            np.testing.assert_allclose(areas / areas.sum(), posteriors(page)[start : start + 8], rtol=0.03, atol=1e-3)
            assert max(widths) > 1.5 * min(widths)  # To scale.

    def test_an_interval_of_any_numbers_is_copied_without_its_last_end(
        self, opened: Any, models: dict[str, LearnAC], pages: dict[str, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page, model = opened("numbers"), models["numbers"]
        page.evaluate("learnacExplorer.situation.set(1, {likelihoods: [0, 0, 1, 1, 0, 0, 0, 0]})")
        settled(page)
        bins = model.schema_.bins[1]
        assert bins is not None
        text = f"[{bins.text(bins.edges[1])}, {bins.text(bins.edges[3])})"
        assert page.locator("#chips .name").inner_text() == f"height: {text}"
        page.click("#copy")
        python, command, _ = page.locator("#copying pre").all_inner_texts()
        assert f"""--given '"height={text}"'""" in command
        monkeypatch.chdir(pages["numbers"].parent)
        names: dict[str, Any] = {}
        exec(python, names)
        found = np.concatenate(list(names["posteriors"].values()))
        np.testing.assert_allclose(posteriors(page), found, atol=1e-6)  # Ends are written with six digits.

    def test_densities_are_no_percentages(self, opened: Any, models: dict[str, LearnAC]) -> None:
        _, log = models["numbers"].mpe({})
        assert f"Log-density\n{MINUS}{-log:.2f}" in opened("numbers").inner_text("#summary")

    def test_the_keyboard_widens_an_interval(self, opened: Any) -> None:
        page = opened("numbers")
        value(page, 0, 0).focus()
        page.keyboard.press("ArrowDown")
        act(page, lambda: page.keyboard.press("Shift+ArrowDown"))
        assert known(page)[0] == {"likelihoods": [0, 1, 1, 0, 0, 0, 0, 0]}
        act(page, lambda: page.keyboard.press("Shift+ArrowUp"))
        assert known(page)[0] == {"likelihoods": [0, 1, 0, 0, 0, 0, 0, 0]}

    def test_means_and_dates_are_told(self, opened: Any, models: dict[str, LearnAC]) -> None:
        page, model = opened("numbers", "#is:ill=True"), models["numbers"]
        told = page.locator("#monitor-0 .told").inner_text()
        assert told.startswith(f"mean {model.expectation('age', {'ill': True}):.4g}"[:9])
        assert page.locator("#monitor-2 .told").inner_text().startswith("mean 2024-0")
        assert page.locator("#monitor-2 .ends span").first.inner_text() == "2024-01-01"
