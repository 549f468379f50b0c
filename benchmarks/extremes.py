"""Learning at the extremes: thousands of columns, thousands of categories. Memory, CPU time, and the time budget kept.

    python benchmarks/extremes.py [--only NAME ...]

Tables are made up, always the same; every case is a process of its own. Prints the peak of memory beyond that of the
table, CPU time, and how far the search went past its time budget, each beside what is expected at most; what exceeds
that is an error. The model's total probability is checked before anything is printed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnac import Dataset, LearnAC
from learnac.infer import log_likelihood


def binary(n_columns: int, n_rows: int) -> Dataset:
    """Rows of 20 hidden classes."""
    rng = np.random.default_rng(0)
    shares = rng.beta(0.5, 0.5, size=(20, n_columns)).astype(np.float32)
    classes = rng.integers(20, size=n_rows)
    rows = np.stack([rng.random(n_columns, dtype=np.float32) < shares[each] for each in classes])
    return Dataset.from_array(rows.astype(np.uint8), arities=2)


def categorical(*arities: int, n_rows: int) -> Dataset:
    """Columns that follow one hidden number, each cut into as many intervals as it has categories."""
    rng = np.random.default_rng(0)
    hidden = rng.random(n_rows)
    columns = [((hidden + 0.1 * rng.random(n_rows)) % 1 * arity).astype(np.uint32) for arity in arities]
    return Dataset.from_array(np.stack(columns, axis=1), arities=list(arities))


@dataclass(frozen=True)
class Case:
    """A table, how it is learned, and what that may take."""

    table: Callable[[], Dataset]
    memory_mb: int
    cpu_seconds: int
    settings: dict[str, Any] = field(default_factory=dict)


# The first splits, whatever they take; and as many as the time budget allows.
SOME: dict[str, Any] = {"max_splits": 20, "alpha": 1.0, "shrinkage": 1.0}
SECONDS = 10
IN_TIME: dict[str, Any] = {"max_seconds": SECONDS}
COMPLETE: dict[str, Any] = {"splits": "complete"}
GREEDY: dict[str, Any] = {"schedule": "greedy"}

CASES = {
    "columns-2000": Case(lambda: binary(2000, 2000), 800, 25, IN_TIME),
    "columns-5000": Case(lambda: binary(5000, 3000), 800, 40, SOME),
    "columns-5000-greedy": Case(lambda: binary(5000, 3000), 1500, 60, SOME | GREEDY),
    "columns-5000-in-time": Case(lambda: binary(5000, 3000), 1000, 25, IN_TIME),
    "categories-20000": Case(lambda: categorical(20_000, n_rows=20_000), 300, 10, IN_TIME),
    "categories-10000": Case(lambda: categorical(10_000, *[2] * 5, *[5] * 5, n_rows=20_000), 300, 25, IN_TIME),
    "categories-10000-twice": Case(lambda: categorical(10_000, 10_000, 3, 2, n_rows=20_000), 500, 25, IN_TIME),
    "categories-10000-greedy": Case(lambda: categorical(10_000, 5, 5, 2, n_rows=5000), 500, 25, IN_TIME | GREEDY),
    "complete-400": Case(lambda: categorical(*[400] * 8, 3, 2, n_rows=20_000), 300, 25, IN_TIME | COMPLETE),
    "complete-400-free": Case(
        lambda: categorical(*[400] * 10, n_rows=5000),
        1500,
        40,
        IN_TIME | COMPLETE | {"edge_penalty": 0.0, "parameter_penalty": 0.0, "max_splits": 3},
    ),
}


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str) -> dict[str, Any]:
    """Learns one case; figures of what it took."""
    case = CASES[name]
    table = case.table()
    LearnAC(max_splits=0).fit(categorical(2, 3, n_rows=100))  # Imported and paged in beforehand.
    memory, cpu = peak_mb(), time.process_time()
    learned = LearnAC(**case.settings).fit(table).learned_
    cpu, memory = time.process_time() - cpu, peak_mb() - memory
    if abs(float(log_likelihood(learned.circuit, {}))) > 1e-9:
        raise AssertionError(f"{name}: the probabilities of the model do not sum to 1")
    return {
        "name": name,
        "splits": len(learned.trace),
        "edges": learned.circuit.n_edges,
        "memory": memory,
        "cpu": cpu,
        "past_budget": max(0.0, learned.seconds - case.settings.get("max_seconds", float("inf"))),
    }


def measured(name: str) -> dict[str, Any]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (name,))


def complaints(name: str, found: dict[str, Any]) -> list[str]:
    """What takes more than it should."""
    case = CASES[name]
    bounds = {"memory": (case.memory_mb, "MB"), "cpu": (case.cpu_seconds, "s"), "past_budget": (2, "s")}
    return [
        f"{name}: {what.replace('_', ' ')}: expected at most {most} {unit}, found {found[what]:.1f} {unit}"
        for what, (most, unit) in bounds.items()
        if found[what] > most
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    wrong = []
    print("case                    splits    edges    MB  at most   CPU s  at most  s past budget  at most")
    for name in arguments.only:
        found, case = measured(name), CASES[name]
        print(
            "{name:23} {splits:6} {edges:8} {memory:5.0f}".format(**found),
            f"{case.memory_mb:8} {found['cpu']:7.1f} {case.cpu_seconds:8} {found['past_budget']:14.1f} {2:8}",
            flush=True,
        )
        wrong += complaints(name, found)
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
