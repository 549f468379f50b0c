"""Runs the Python blocks of a documentation page; a block of text after one is what it prints.

    python tests/docs/pages.py docs/queries/*.md

writes what the blocks print into the pages. The tests only compare.
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<printed>.*?)```\n)?", re.DOTALL)


def run_page(text: str, name: str) -> list[tuple[str, str]]:
    """What each block is said to print, and what it prints. Blocks of a page see the names of those before them."""
    names: dict[str, Any] = {"__name__": name}
    found = []
    for block in BLOCK.finditer(text):
        output = io.StringIO()
        line = text.count("\n", 0, block.start("code"))
        with redirect_stdout(output):
            exec(compile("\n" * line + block["code"], name, "exec"), names)
        found.append((block["printed"] or "", output.getvalue()))
    return found


def with_outputs(text: str, name: str) -> str:
    """The page with what its blocks print."""
    outputs = iter(run_page(text, name))

    def rewritten(block: re.Match[str]) -> str:
        printed = next(outputs)[1]
        return f"```python\n{block['code']}```\n" + (f"\n```text\n{printed}```\n" if printed else "")

    return BLOCK.sub(rewritten, text)


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(with_outputs(path.read_text(), str(path)))
