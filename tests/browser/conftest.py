"""Pages of small models in a real Chromium, opened from disk: `make browser` installs what these tests need."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import launched

from learnac import Dataset, LearnAC, load
from learnac.explore import explorer_page
from learnac.model import Model

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: make browser")

NAMES = ("colour", "size", "shape of it", "taste, if any", "age", "weight")
ARITIES = (2, 3, 4, 2, 5, 3)


def rows_of(seed: int, n_rows: int, arities: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(seed)
    prototypes = rng.integers(arities, size=(5, len(arities)))
    noise = rng.integers(arities, size=(n_rows, len(arities)))
    return np.where(rng.random(noise.shape) < 0.7, prototypes[rng.integers(5, size=n_rows)], noise)


def small_model(**chosen: Any) -> LearnAC:
    import pandas as pd

    words = ["none", "<b>some</b>", "a lot", "</script>", "all of it"]
    codes = rows_of(0, 400, ARITIES)
    frame = pd.DataFrame({name: [words[code] for code in column] for name, column in zip(NAMES, codes.T, strict=True)})
    return LearnAC(**{"alpha": 1.0, "shrinkage": 0.0, "edge_penalty": 0.05, **chosen}).fit(frame)


def model_of_numbers() -> LearnAC:
    import pandas as pd

    rng = np.random.default_rng(3)
    ill = rng.random(600) < 0.3
    frame = pd.DataFrame(
        {
            "age": rng.normal(np.where(ill, 60, 40), 9).astype(int),
            "height": rng.normal(170, 8, 600),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, 600) + 60 * ill, "D"),
            "ill": ill,
        }
    )
    return LearnAC(alpha=1.0, shrinkage=0.0, bins=8, edge_penalty=0.05).fit(frame)


def large_model() -> LearnAC:
    arities = (4,) * 500
    chosen: dict[str, Any] = {"alpha": 1.0, "shrinkage": 0.0, "edge_penalty": 0.1, "max_splits": 150}
    return LearnAC(**chosen).fit(Dataset.from_array(rows_of(1, 200, arities), arities=arities))


@pytest.fixture(scope="session")
def models() -> dict[str, LearnAC]:
    mixture = small_model(n_components=4, max_edges=20_000, edge_penalty=None)
    return {"circuit": small_model(), "mixture": mixture, "large": large_model(), "numbers": model_of_numbers()}


@pytest.fixture(scope="session")
def pages(models: dict[str, LearnAC], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, model in models.items():
        model.save(folder / f"{name}.learnac")
        path = folder / f"{name}.html"
        stored = load(folder / f"{name}.learnac")
        path.write_text(explorer_page(Model(stored.circuit_, stored.network_, {}, {"rows": 400}), f"{name}.learnac"))
        found[name] = path
    return found


# A service for which every model is a large one.
_SERVICE = """
import sys
from learnac.explore import document
document.SMOOTH_EDGES = 0
from learnac.cli import main
main(["serve", sys.argv[1], "--port", "0"])
"""


@pytest.fixture(scope="session")
def started_service(pages: dict[str, Path]) -> Iterator[Callable[[], tuple[subprocess.Popen[str], str]]]:
    """Starts a service that answers the pages of all models, and gives it with its address."""
    pytest.importorskip("fastapi")
    all_running = []

    def start() -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-c", _SERVICE, str(pages["circuit"].parent)]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        all_running.append(running)
        assert running.stdout is not None
        line = running.stdout.readline()
        found = re.search(r"http://[\d.:]+/v1/models", line)
        assert found is not None, line
        return running, found[0]

    yield start
    for running in all_running:
        running.kill()
        running.communicate()


@pytest.fixture(scope="session")
def service(started_service: Callable[[], tuple[subprocess.Popen[str], str]]) -> str:
    return started_service()[1]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with ExitStack() as stack:
        try:
            found = stack.enter_context(launched())
        except playwright.Error as error:
            pytest.skip(f"needs Chromium: make browser ({str(error).splitlines()[0]})")
        yield found


@pytest.fixture
def opened(browser: Any, pages: dict[str, Path], request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Opens the page of a model, at an address; errors and requests to anywhere fail the test.

    "served circuit" is the page of "circuit" that asks the service.
    """
    contexts, problems = [], []

    def open_page(name: str, address: str = "", **options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        place = pages[name].as_uri() if name in pages else served(request, name)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda asked: problems.append(asked.url) if not is_here(asked.url, place) else None)
        page.goto(f"{place}{address}")
        settled(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def served(request: pytest.FixtureRequest, name: str) -> str:
    return f"{request.getfixturevalue('service')}/{name.removeprefix('served ')}/explorer"


def is_here(address: str, place: str) -> bool:
    return address.startswith(("file:", "blob:", "data:")) or address.partition("#")[0] == place


def settled(page: Any) -> Any:
    """Waits until everything is shown."""
    page.wait_for_selector("html[data-settled=true]", timeout=20_000)
    return page
