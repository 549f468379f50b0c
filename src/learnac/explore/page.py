"""The page itself: modules, style and model put into one file of HTML."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from typing import Any

from learnac.explore.document import circuit_document, model_document
from learnac.model import Model

# In an order in which each needs only those before it. The worker has modules of its own.
WORKER_MODULES = ("engine.js", "answer.js", "numbers.js", "questions.js", "worker.js")
PAGE_MODULES = (
    "text.js",
    "engine.js",
    "answer.js",
    "asking.js",
    "situation.js",
    "numbers.js",
    "code.js",
    "histogram.js",
    "monitors.js",
    "summary.js",
    "compared.js",
    "target.js",
    "layout.js",
    "viewport.js",
    "network.js",
    "csv.js",
    "rows.js",
    "main.js",
)
_IMPORT = re.compile(r"^import\s[^;]*?;\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export\s+", re.MULTILINE)


def explorer_page(model: Model, title: str) -> str:
    """The page for a model, as HTML: opened from disk, it shows and answers everything by itself."""
    document = {**model_document(model, title), **circuit_document(model.require_circuit())}
    return _page(document, connects_to="'none'")


def served_page(model: Model, title: str) -> str:
    """The page for a model of any size, as HTML. It asks the address that it came from: see `answers.py`."""
    return _page({**model_document(model, title), "isServed": True}, connects_to="'self'")


def _page(document: dict[str, Any], connects_to: str) -> str:
    pieces = {
        "TITLE": escape(str(document["title"])),
        "CONNECTS_TO": connects_to,
        "STYLE": _asset("style.css"),
        "WORKER": _bundle(WORKER_MODULES),
        "SCRIPT": _bundle(PAGE_MODULES),
        # A closing tag in a name would end the element that the document is in.
        "MODEL": json.dumps(document, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
    }
    return re.sub(r"%%([A-Z_]+)%%", lambda found: pieces[found[1]], _asset("index.html"))


def _bundle(names: tuple[str, ...]) -> str:
    """Modules as one script. They import only from each other, and no two have the same name for two things."""
    parts = [_EXPORT.sub("", _IMPORT.sub("", _asset(name))) for name in names]
    script = "".join(f"// {name}\n{part}\n" for name, part in zip(names, parts, strict=True))
    assert "</script" not in script
    return f'"use strict";\n(() => {{\n{script}}})();\n'


def _asset(name: str) -> str:
    return (files("learnac.explore") / "page" / name).read_text(encoding="utf-8")
