"""A study: tasks that are measured one by one, each in a process of its own, and kept in a file as they are done.

A script defines `tasks(settings, results)` and `measure(task)`, and calls `main`. A task is a dict of JSON's types. A
study that is begun again leaves out what is in its file, so it may be interrupted at any time. `tasks` is a generator,
and is asked for the next one when all before are done: what comes later may depend on what was found.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import signal
import subprocess
import sys
import time
import tomllib
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from learnac import __version__, _core
from learnac.errors import LearnacError, listed
from learnac.file_locks import lock
from learnac.files import replace_file

HERE = Path(__file__).parent
COMPARED = ("pyagrum", "scikit-learn", "scipy", "spflow")
Task: TypeAlias = dict[str, Any]
Result: TypeAlias = dict[str, Any]
Tasks: TypeAlias = Callable[[Mapping[str, Any], "Results"], Iterator[Task]]


class Results:
    """The results of one study, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.records: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
        except json.JSONDecodeError as error:
            raise LearnacError(f"{path}: expected the results of a study in JSON, found {error}") from None

    def get(self, task: Task) -> Result | None:
        """What was found; none if the task has not been measured."""
        return next((record["result"] for record in self.records if record["task"] == task), None)

    def add(self, record: dict[str, Any]) -> None:
        self.records.append(record)
        self.write()

    def keep_only(self, tasks: list[Task]) -> None:
        """Drops what no task asks for any more, and puts the rest in the order of the tasks."""
        self.records = [record for task in tasks for record in self.records if record["task"] == task]
        self.write()

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = ",\n".join(json.dumps(record) for record in self.records)
        replace_file(self.path, f"[\n{text}\n]\n".encode())


def main(name: str, tasks: Tasks, measure: Callable[[Task], Result]) -> None:
    """Runs the study called `name` with the settings of its table in the settings file."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--settings", type=Path, default=HERE / "paper.toml", help="a TOML file")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="the folder of the result files")
    arguments = parser.parse_args()
    # Ended from outside, it ends the process of its task too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        settings = tomllib.loads(arguments.settings.read_text())
        if name not in settings:
            raise LearnacError(f"{arguments.settings}: expected a table [{name}], found {listed(settings)}")
        path = arguments.results / f"{name}.json"
        with alone(path):
            run(Results(path), tasks, measure, {**settings.get("common", {}), **settings[name]})
    except (LearnacError, OSError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"error: {error}")


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keeps other processes from measuring the study whose results are in `path`, as long as this one does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as file:
        if not lock(file.fileno()):
            raise LearnacError(f"{path}: another process is measuring this study; wait for it, or end it")
        yield


def run(results: Results, tasks: Tasks, measure: Callable[[Task], Result], settings: Mapping[str, Any]) -> None:
    done: list[Task] = []
    for task in tasks(settings, results):
        if results.get(task) is None:
            print(f"{results.path.stem}: {_told(task)}", end=" ", flush=True)
            record = measured(task, measure)
            results.add(record)
            print(f"({record['wall_seconds']:.1f} s)", flush=True)
        done.append(task)
    results.keep_only(done)


def measured(task: Task, measure: Callable[[Task], Result]) -> dict[str, Any]:
    """The record of a task. With `most_seconds` in it, it is given up after that time."""
    started, commit = time.perf_counter(), _commit()
    spawn = multiprocessing.get_context("spawn")
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_measure, args=(measure, task, sender), daemon=True)
    process.start()
    sender.close()  # So that its end is seen when the process dies.
    try:
        found = receiver.recv() if receiver.poll(task.get("most_seconds")) else _GAVE_UP
    except EOFError:
        process.join()
        raise RuntimeError(f"{_told(task)}: the process of the task ended with {process.exitcode}") from None
    finally:
        _end(process)
    if isinstance(found, BaseException):
        raise found
    return {
        "task": task,
        **found,
        "wall_seconds": round(time.perf_counter() - started, 2),
        "commit": commit,
        "machine": _machine(),
    }


_GAVE_UP = {"result": {"gave_up": True}, "cpu_seconds": None, "memory_mb": None, "packages": {}}


def _end(process: BaseProcess) -> None:
    """Ends the process of a task, and those that it began."""
    assert process.pid is not None
    process.kill()
    with suppress(ProcessLookupError, PermissionError):  # It has ended, or not begun.
        os.killpg(process.pid, signal.SIGKILL)


def _measure(measure: Callable[[Task], Result], task: Task, sender: Connection) -> None:
    os.setpgid(0, 0)  # A group of its own, so that it can be ended with all that it begins.
    try:
        found: Any = {"result": measure(task), "cpu_seconds": round(cpu_seconds(), 2)}
        found["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        found["packages"] = _packages()
    except BaseException as error:
        if not isinstance(error, LearnacError | OSError):
            traceback.print_exc()
        found = error
    sender.send(found)


def cpu_seconds() -> float:
    """Of this process and of those that it began."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _packages() -> dict[str, str]:
    """The versions of what others wrote and is compared with, or used to compare."""
    installed = {}
    for name in COMPARED:
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    return installed


def _told(task: Task) -> str:
    plain = {key: value for key, value in task.items() if not isinstance(value, dict)}
    return ", ".join(f"{value}" if isinstance(value, str) else f"{key} {value}" for key, value in plain.items())


@cache
def code_version() -> str:
    """Of what is measured: changes with every change of the package."""
    return _git("rev-parse", "HEAD:core", "HEAD:src") + _git("diff", "HEAD", "--", "core", "src")


def _commit() -> str:
    """Of the checkout as it is now, with a mark if the code that is measured, or that measures, has been changed."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--", "core", "src", "experiments/*.py", "experiments/*.toml")
    return commit + ("+changes" if changed else "")


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", HERE.parent, *arguments], capture_output=True, text=True, check=False
    ).stdout.strip()


@cache
def _machine() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    size = f"{multiprocessing.cpu_count()} CPUs, {gigabytes:.0f} GB"
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, {_core.COMPILER}"
    return f"{cpu}, {size}, learnac {__version__}, {versions}"
