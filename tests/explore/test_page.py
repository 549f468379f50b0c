"""The explorer's page without a browser: one file, nothing from elsewhere, and no model too large for it."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import subprocess
import sys
import urllib.request
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learnac import LearnAC, SizeError
from learnac.cli import main
from learnac.explore import document, explorer_page
from learnac.explore.page import PAGE_MODULES, WORKER_MODULES
from learnac.model import Model

ASSETS = Path(document.__file__).parent / "page"


@pytest.fixture(scope="module")
def model() -> LearnAC:
    rows = np.random.default_rng(0).integers((2, 3, 4), size=(60, 3))
    return LearnAC(alpha=1.0, shrinkage=0.0).fit(rows)


def page_of(model: LearnAC, title: str = "a model") -> str:
    return explorer_page(Model(model.circuit_, model.network_), title)


def document_in(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="model">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_it_takes_nothing_from_elsewhere(model: LearnAC) -> None:
    page = page_of(model)
    addresses = set(re.findall(r"https?://[^\s\"'`]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # The name of a language, not a place.
    assert not re.search(r"^(import|export)\b", page, re.MULTILINE)
    assert "default-src 'none'" in page


def test_every_module_is_in_it() -> None:
    assert {path.name for path in ASSETS.glob("*.js")} == {*PAGE_MODULES, *WORKER_MODULES}


@pytest.mark.parametrize("modules", [PAGE_MODULES, WORKER_MODULES])
def test_modules_import_only_what_comes_before_them(modules: tuple[str, ...]) -> None:
    """They become one script in this order, with one name for one thing."""
    names: list[str] = []
    for place, name in enumerate(modules):
        text = (ASSETS / name).read_text()
        for imported in re.findall(r'from "\./([^"]+)"', text):
            assert imported in modules[:place]
        names += re.findall(r"^(?:export )?(?:const|let|function\*?|async function|class) ([\w$]+)", text, re.MULTILINE)
    assert len(names) == len(set(names))


def test_names_cannot_break_out(model: LearnAC) -> None:
    page = page_of(model, "</script><script>alert(1)</script>")
    assert "<script>alert(1)" not in page
    assert document_in(page)["title"] == "</script><script>alert(1)</script>"


def test_the_circuit_is_in_it(model: LearnAC) -> None:
    found = document_in(page_of(model))
    content = gzip.decompress(base64.b64decode(found["packed"]))
    kind, at, size = found["arrays"]["children"]
    assert np.array_equal(np.frombuffer(content, kind, size, at), model.circuit_.children)
    kind, at, size = found["arrays"]["parameters"]
    assert np.array_equal(np.frombuffer(content, kind, size, at), model.circuit_.parameters)
    assert at % 8 == 0


def test_what_is_too_large_is_refused(model: LearnAC, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_EDGES", 5)
    with pytest.raises(SizeError, match="expected a circuit of at most 5 edges, found"):
        page_of(model)


class TestCommand:
    @pytest.fixture
    def stored(self, model: LearnAC, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        model.save("model.learnac")
        return tmp_path

    def run(self, *arguments: str) -> int:
        with pytest.raises(SystemExit) as ended:
            main(["explore", *arguments])
        return int(ended.value.code or 0)

    def test_it_writes_the_page(self, stored: Path, capsys: Any) -> None:
        assert self.run("model.learnac", "--html", "out.html") == 0
        assert "wrote out.html" in capsys.readouterr().out
        assert document_in((stored / "out.html").read_text())["title"] == "model.learnac"

    def test_it_opens_the_page(self, stored: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        opened: list[str] = []
        monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
        assert self.run("model.learnac") == 0
        assert opened[0].startswith("file://")
        assert "opened" in capsys.readouterr().out

    def test_a_large_model_is_served(self, stored: Path) -> None:
        """Until somebody ends it; `true` is a browser that opens everything."""
        pytest.importorskip("fastapi")
        code = (
            "from learnac.explore import document\ndocument.SMOOTH_EDGES = 5\n"
            "from learnac.cli import main\nmain(['explore', 'model.learnac'])"
        )
        environment = {**os.environ, "BROWSER": "true"}
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as run:
            assert run.stdout is not None
            said = run.stdout.readline() + run.stdout.readline()
            try:
                assert "edges are too many for a browser alone, so they are answered from here" in said
                address = re.search(r"opened (http://127.0.0.1:\d+/v1/models/model/explorer); Ctrl-C ends it", said)
                assert address is not None, said
                with urllib.request.urlopen(address[1], timeout=20) as answer:
                    document = document_in(answer.read().decode())
                assert document["isServed"]
                assert "packed" not in document
            finally:
                run.terminate()
        assert run.returncode != 1

    def test_complaints(self, stored: Path, capsys: Any) -> None:
        assert self.run("model.learnac", "--html", "out.txt") == 2
        assert "--html: expected a name that ends in .html, found 'out.txt'" in capsys.readouterr().err
        assert self.run("none.learnac", "--html", "out.html") == 2
        assert not (stored / "out.html").exists()
