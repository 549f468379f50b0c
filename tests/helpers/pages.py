"""Runs the examples of a documentation page, in a folder of their own, and tells what they print.

A Python block may be followed by a block of text: what it prints. A console block has commands, after a $, each with
what it prints. Times, which differ from run to run, are not compared. A page that begins with

    <!-- needs tables/adult.csv.gz -->

finds this file of the data folder in its own.

    python tests/helpers/pages.py docs/queries/*.md

writes what the examples print into the pages. The tests only compare.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

PYTHON = r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<printed>.*?)```\n)?"
CONSOLE = r"```console\n(?P<session>.*?)```\n"
BLOCK = re.compile(f"{PYTHON}|{CONSOLE}", re.DOTALL)
NEEDS = re.compile(r"<!-- needs (\S+) -->")
TIME = re.compile(r"\d[\d.,]* ?(ms|s|seconds)\b|(?<=seconds )[\d.]+|[\d,]+ bytes|(?<= )\d+\.\d$", re.MULTILINE)


def run_page(text: str, name: str) -> list[tuple[str, str]]:
    """What each block is said to print, and what it prints. Blocks of a page share names and a folder."""
    return [(said, printed) for _, said, printed in _blocks(text, name)]


def with_outputs(text: str, name: str) -> str:
    """The page with what its examples print, where that is something else."""
    for block, said, printed in reversed(list(_blocks(text, name))):
        if _comparable(said) != _comparable(printed):
            text = text[: block.start()] + _rewritten(block, printed) + text[block.end() :]
    return text


def is_as_said(said: str, printed: str) -> bool:
    return _comparable(said) == _comparable(printed)


def needed_file(text: str) -> Path | None:
    """The file of data that the examples of a page need, which may not be there; none if they need none."""
    found = NEEDS.match(text)
    return None if found is None else Path(os.environ.get("LEARNAC_DATA", "nowhere")) / found[1]


def _comparable(text: str) -> str:
    return re.sub(r" +", " ", TIME.sub("TIME", text))


def _blocks(text: str, name: str) -> Iterator[tuple[re.Match[str], str, str]]:
    names: dict[str, Any] = {"__name__": name}
    needed = needed_file(text)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        if needed is not None:
            shutil.copyfile(needed, needed.name)
        for block in BLOCK.finditer(text):
            if block["session"] is not None:
                yield block, block["session"], _run_session(block["session"])
                continue
            output = io.StringIO()
            line = text.count("\n", 0, block.start("code"))
            with redirect_stdout(output):
                exec(compile("\n" * line + block["code"], name, "exec"), names)
            yield block, block["printed"] or "", output.getvalue()


def _run_session(session: str) -> str:
    """The same commands, each with what it prints now."""
    commands = re.findall(r"^\$ (.*(?:\\\n.*)*)$", session, re.MULTILINE)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    printed = ""
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        lines = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
        printed += f"$ {command}\n{lines}"
    return printed


def _rewritten(block: re.Match[str], printed: str) -> str:
    if block["session"] is not None:
        return f"```console\n{printed}```\n"
    return f"```python\n{block['code']}```\n" + (f"\n```text\n{printed}```\n" if printed else "")


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(with_outputs(path.read_text(), str(path)))
