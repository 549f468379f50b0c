"""Memory at the extremes: what a search takes beyond its table, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Prints how many MB the peak grew by while a table was learned.
PROGRAM = """
import resource, sys
import numpy as np
from learnac import Dataset
from learnac.learn import LearnSettings, learn_table

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def table(arities, n_rows):
    rng = np.random.default_rng(0)
    hidden = rng.random(n_rows)
    columns = [((hidden + 0.1 * rng.random(n_rows)) % 1 * arity).astype(np.uint32) for arity in arities]
    return Dataset.from_array(np.stack(columns, axis=1), arities=arities)

plain = {{"alpha": 1.0, "shrinkage": 0.0}}
learn_table(table([2, 3], 50), LearnSettings(**plain))
rows = table({arities}, {n_rows})
before = peak()
learned = learn_table(rows, LearnSettings(**plain, **{settings}))
assert len(learned.trace) >= {least_splits}, learned.stop
print(peak() - before)
"""


@pytest.mark.parametrize(
    ("arities", "n_rows", "settings", "least_splits", "most_mb"),
    [
        # 4,000 x 4,000 cells of a column with itself would be 122 MB.
        ([4000, 2, 3], 4000, {"max_splits": 3}, 3, 60),
        # 3,000 x 3,000 cells of two columns would be 69 MB, for each leaf.
        ([3000, 3000, 2], 3000, {"max_splits": 2, "schedule": "greedy", "edge_penalty": 0.01}, 2, 60),
        # 150 branches with 1,500 x 150 cells each would be 257 MB.
        (
            [150] * 10,
            2000,
            {"splits": "complete", "max_splits": 1, "parameter_penalty": 0.0, "edge_penalty": 0.0},
            1,
            90,
        ),
    ],
)
def test_empty_cells_take_no_memory(
    arities: list[int], n_rows: int, settings: dict[str, object], least_splits: int, most_mb: int
) -> None:
    program = PROGRAM.format(arities=arities, n_rows=n_rows, settings=settings, least_splits=least_splits)
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert float(found.stdout) < most_mb
