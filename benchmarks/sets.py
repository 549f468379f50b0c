"""The data sets of the benchmarks, and what is expected of them."""

from __future__ import annotations

import gzip
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from learnac import Dataset


@dataclass(frozen=True, slots=True)
class Run:
    """One learning run.

    Expected figures are those of the experiment the project began with, on a quiet machine; where it had none, those of
    the first results.
    """

    name: str
    edge_penalty: float
    parameter_penalty: float
    schedule: str
    parts: tuple[str, ...]
    expected_leaves: int | None = None
    expected_edges: float | None = None  # thousands
    expected_log_likelihood: float | None = None
    cpu_seconds: float | None = None  # at most


TRAIN = ("train",)
BOTH = ("train", "valid")

QUICK = (
    Run("nltcs", 0.02, 0.25, "quick", TRAIN, 528, 17.8, -6.033, None),
    Run("kdd", 0.01, 0.0, "quick", BOTH, 4922, 356, -2.160, 12.2),
    Run("msweb", 0.01, 0.5, "quick", BOTH, 1832, 237, -9.853, 3.3),
    Run("tmovie", 0.02, 0.5, "quick", BOTH, 8278, 413, -55.09, 22.4),
    Run("plants", 0.02, 0.25, "quick", TRAIN, 3761, 306, -13.05, 8.4),
    Run("accidents", 0.02, 0.25, "quick", TRAIN, 2178, 212, -26.94, 2.5),
    Run("pumsb_star", 0.02, 0.25, "quick", TRAIN, 1941, 518, -23.88, 7.4),
    Run("baudio", 0.02, 0.25, "quick", TRAIN, 9180, 334, -41.56, 11.6),
    Run("bbc", 0.02, 0.25, "quick", TRAIN, 9785, 266, -260.41),
)
GREEDY = (
    Run("msweb", 0.02, 1.0, "greedy", BOTH, 1314, 101, -9.843, 9),
    Run("accidents", 0.1, 0.5, "greedy", TRAIN, 1215, 54.2, -27.045),
    Run("plants", 0.1, 0.0, "greedy", TRAIN, 3366, 91.7, -13.253),
    Run("kdd", 0.01, 0.0, "greedy", BOTH, 5097, 372, -2.160, 600),
    Run("tmovie", 0.02, 1.0, "greedy", BOTH, 5353, 336, -54.861, 1800),
)
# By the file of results that holds them; README shows the files in this order.
RUNS = {"1-quick": QUICK, "2-greedy": GREEDY[:-1], "3-greedy-long": GREEDY[-1:]}


def load(name: str, parts: tuple[str, ...]) -> Dataset:
    """The rows of the parts of a binary set, one after another, from under LEARNAC_DATA."""
    folder = os.environ.get("LEARNAC_DATA")
    if folder is None:
        sys.exit("error: set LEARNAC_DATA to the folder that holds debd/NAME/NAME.train.data.gz")
    tables = []
    for part in parts:
        path = Path(folder, "debd", name, f"{name}.{part}.data.gz")
        if not path.exists():
            sys.exit(f"error: no such file: {path}")
        with gzip.open(path, "rb") as file:
            text = np.frombuffer(file.read(), dtype=np.uint8)
        digits = text[(text == ord("0")) | (text == ord("1"))] - ord("0")
        tables.append(digits.reshape(np.count_nonzero(text == ord("\n")), -1))
    return Dataset.from_array(np.concatenate(tables), arities=2)
