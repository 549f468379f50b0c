"""Fractional weights of rows against none: the same splits, so that the times can be compared."""

from __future__ import annotations

import sys
import time

import numpy as np
from sets import load

from learnac import Dataset, LearnAC

SETS = ("nltcs", "kdd", "plants", "baudio", "accidents", "msweb", "tmovie")
EDGES = 20_000
MOST = 1.5
# Everything that is counted in rows is that many times as large, and so are all gains: the same splits pay.
WEIGHT = 0.5


def weights_table() -> int:
    """Prints CPU seconds of both, by turns, the best of three; 1 if some ratio is too large."""
    worst = 0.0
    print("set        without, s  fractional, s  ratio")
    for name in SETS:
        table = load(name, ("train",))
        times = {1.0: np.inf, WEIGHT: np.inf}
        models = {}
        for _ in range(3):
            for weight, best in times.items():
                seconds, models[weight] = _fit(table, weight)
                times[weight] = min(best, seconds)
        splits = [[(s.leaf, s.variable, s.value) for s in model.trace_] for model in models.values()]
        if splits[0] != splits[1]:
            sys.exit(f"error: {name}: the searches differ, so that their times cannot be compared")
        ratio = times[WEIGHT] / times[1.0]
        worst = max(worst, ratio)
        print(f"{name:10} {times[1.0]:9.2f} {times[WEIGHT]:14.2f} {ratio:6.2f}", flush=True)
    return int(worst > MOST)


def _fit(table: Dataset, weight: float) -> tuple[float, LearnAC]:
    started = time.process_time()
    model = LearnAC(
        edge_penalty=10 * weight,
        parameter_penalty=0.5 * weight,
        alpha=weight,
        shrinkage=0.0,
        max_edges=EDGES,
        halve_edge_penalty=True,
    ).fit(table, sample_weight=None if weight == 1 else np.full(table.n_rows, weight))
    return time.process_time() - started, model
