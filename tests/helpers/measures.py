"""Measures for made-up studies: in a module of their own, so that another process can import them."""

from __future__ import annotations

import os
import time
from typing import Any


def doubled(task: dict[str, Any]) -> dict[str, Any]:
    return {"twice": 2 * task["number"]}


def asleep(task: dict[str, Any]) -> dict[str, Any]:
    time.sleep(60)
    return {}


def failing(task: dict[str, Any]) -> dict[str, Any]:
    raise ZeroDivisionError("on purpose")


def dying(task: dict[str, Any]) -> dict[str, Any]:
    os._exit(3)
