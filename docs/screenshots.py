"""The pictures of the explorer, taken anew: python docs/screenshots.py [FOLDER]. Needs what `make browser` installs."""

import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
from sklearn.datasets import load_breast_cancer

from learnac import LearnAC
from learnac.explore import explorer_page
from learnac.model import Model

HERE = Path(__file__).parent
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
KNOWN = {"is:concavity": "high", "is:texture": "middle", "target": "diagnosis"}
PINNED = {"is:diagnosis": "malignant", "pinned": "", "pinned-is:diagnosis": "benign"}
# By name of the file: what the address says, the view, the size, and whether it is dark.
PICTURES: dict[str, tuple[dict[str, str], str, dict[str, int], str]] = {
    "explorer": (KNOWN, "monitors", WIDE, "light"),
    "explorer-dark": (KNOWN, "monitors", WIDE, "dark"),
    "explorer-compared": (PINNED, "monitors", WIDE, "light"),
    "explorer-network": ({"is:concavity": "high"}, "network", WIDE, "light"),
    "explorer-rows": ({}, "rows", WIDE, "light"),
    "explorer-phone": (KNOWN, "monitors", PHONE, "light"),
}


def cells() -> pd.DataFrame:
    """Of each tumour: some measurements in three steps, its area as a number, and what it was found to be."""
    found = load_breast_cancer(as_frame=True)
    numbers = found.data.filter(like="mean").rename(columns=lambda name: name.removeprefix("mean "))
    frame = numbers.apply(pd.qcut, q=3, labels=["low", "middle", "high"])
    frame["area"] = numbers["area"]
    frame["diagnosis"] = found.target.map({0: "malignant", 1: "benign"})
    return frame


def take(browser: Any, address: str, table: Path, name: str, folder: Path) -> None:
    situation, view, size, scheme = PICTURES[name]
    page = browser.new_page(viewport=size, color_scheme=scheme, device_scale_factor=2)
    page.goto(f"{address}#{urlencode(situation)}")
    page.wait_for_selector("html[data-settled=true]")
    if view != "monitors":
        page.click(f"#tab-{view}")
    if view == "network":
        page.locator(".stage .node").first.click()
    if view == "rows":
        page.set_input_files("#view-rows input", table)
        page.locator("#view-rows tbody tr").first.click()
    page.wait_for_timeout(300)
    page.screenshot(path=folder / f"{name}.png")
    page.close()


def main(folder: Path) -> None:
    sys.path.append(str(HERE.parent / "benchmarks"))
    from chromium import launched

    rows = cells()
    model = LearnAC(random_state=0).fit(rows)
    with tempfile.TemporaryDirectory() as temporary, launched() as browser:
        path = Path(temporary) / "cells.html"
        path.write_text(explorer_page(Model(model.circuit_, model.network_, {}, model.provenance_), "cells.learnac"))
        rows[:60].to_csv(Path(temporary) / "sixty cells.csv", index=False)
        for name in PICTURES:
            take(browser, path.as_uri(), Path(temporary) / "sixty cells.csv", name, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "images")
