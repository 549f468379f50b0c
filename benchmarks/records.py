"""Running a benchmark, and its result file, from which `experiments/filled.py` makes the tables of README and docs."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"


def run(
    description: str | None,
    names: Sequence[str],
    file: str,
    measure: Callable[[str], Iterable[dict[str, Any]]],
    show: Callable[[dict[str, Any]], None],
    complaints: Callable[[dict[str, Any]], list[str]] = lambda _: [],
) -> None:
    """A benchmark as a command: measures all names, or those of `--only`, and exits with 1 if there are complaints.

    All of them together write the result file; a choice writes nothing, unless --out says where.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names)
    parser.add_argument("--out", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    path = arguments.out or (None if arguments.only else RESULTS / file)
    results = []
    for name in arguments.only or names:
        for result in measure(name):
            show(result)
            results.append(result)
    if path is not None:
        write(path, results)
    found = [complaint for result in results for complaint in complaints(result)]
    for complaint in found:
        print(complaint, file=sys.stderr)
    sys.exit(1 if found else 0)


def alone(measure: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Measured in a process of its own: its memory is that of this measurement. It may have processes itself."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, *arguments).result()


def show_rounded(result: dict[str, Any]) -> None:
    print({name: round(value, 4) if isinstance(value, float) else value for name, value in result.items()}, flush=True)


def write(path: Path, results: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine(), "results": results}, indent=1) + "\n")


def machine() -> dict[str, object]:
    """What was measured, and on what; with a mark if the code has been changed since its commit."""
    commit = _git("rev-parse", "HEAD")
    commit += "+changes" if _git("status", "--porcelain", "--", "../core", "../src", "*.py") else ""
    model = next((line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), "unknown")
    return {"commit": commit, "cpu": model, "n_cpus": multiprocessing.cpu_count(), "python": platform.python_version()}


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", HERE, *arguments], capture_output=True, text=True, check=False).stdout.strip()


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []
