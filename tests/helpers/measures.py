"""Measures for made-up studies: in a module of their own, so that another process can import them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from learnac.file_locks import lock


def doubled(task: dict[str, Any]) -> dict[str, Any]:
    return {"twice": 2 * task["number"]}


def asleep(task: dict[str, Any]) -> dict[str, Any]:
    time.sleep(60)
    return {}


def begetting(task: dict[str, Any]) -> dict[str, Any]:
    """Begins another process, which holds a lock for a minute."""
    with Path(task["lock"]).open("w") as file:
        if os.fork() == 0:
            lock(file.fileno())
            Path(task["lock"]).with_suffix(".begun").touch()
            time.sleep(60)
            os._exit(0)
    time.sleep(60)
    return {}


def failing(task: dict[str, Any]) -> dict[str, Any]:
    raise ZeroDivisionError("on purpose")


def dying(task: dict[str, Any]) -> dict[str, Any]:
    os._exit(3)
