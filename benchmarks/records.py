"""Result files of the benchmarks, from which `experiments/filled.py` makes the tables of README."""

from __future__ import annotations

import json
import multiprocessing
import platform
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"


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
