"""New parameters from rows with gaps: expected counts against dropping rows, and against the complete rows.

    python benchmarks/refitting.py [--only NAME ...] [--out FILE]

A structure is learned from the first 4,000 training rows. Then a share of their values is deleted at random, and the
parameters are estimated anew: from all that is left (`learnac.refit`), from the rows without gaps alone, and from the
complete rows. Mean log-likelihood of the test rows, natural log. house-votes-84 has gaps of its own, and no complete
rows to compare with: its last third is the test. Needs LEARNAC_DATA.
"""

from __future__ import annotations

import gzip
import time
from typing import Any

import numpy as np
import records
from sets import load

from learnac import LearnAC, refit
from learnac.data import Dataset
from learnac.data.catalog import find
from learnac.infer import log_likelihood
from learnac.network import BayesNet

SETS = ("house-votes-84", "nltcs", "plants")
SHARES = (0.1, 0.2, 0.3, 0.5)
ALPHA = 0.5
MAX_EDGES = 5_000
N_ROWS = 4_000


def held_out(network_or_model: Any, rows: np.ndarray, test: np.ndarray) -> tuple[float, float, int]:
    """The test rows' log-likelihood with parameters from these rows, CPU seconds, and rounds."""
    started = time.process_time()
    found = refit(network_or_model, rows, alpha=ALPHA)
    seconds = time.process_time() - started
    rises = np.diff(found.objectives)
    assert (rises >= -1e-12).all(), "the likelihood fell"
    return float(np.mean(log_likelihood(found.circuit, test))), seconds, found.n_rounds


def without_gaps(rows: np.ndarray) -> np.ndarray:
    return rows[(rows >= 0).all(axis=1)]


def compared(model: Any, rows: np.ndarray, test: np.ndarray) -> dict[str, Any]:
    expected, seconds, rounds = held_out(model, rows, test)
    result = {"expected_counts": expected, "seconds": seconds, "rounds": rounds}
    whole = without_gaps(rows)
    result |= {"rows": len(rows), "rows_without_gaps": len(whole)}
    result["rows_dropped"] = held_out(model, whole, test)[0] if len(whole) else None
    return result


def measured(name: str) -> list[dict[str, Any]]:
    if name == "house-votes-84":
        return [{"set": name, "deleted": None, "complete": None, **votes(name)}]
    train, test = (load(name, (part,)).codes.T.astype(np.int64) for part in ("train", "test"))
    train = train[:N_ROWS]
    model = LearnAC(max_edges=MAX_EDGES, shrinkage=0).fit(Dataset.from_array(train, arities=2))
    complete = held_out(model, train, test)[0]
    results = []
    for share in SHARES:
        is_deleted = np.random.default_rng(int(100 * share)).random(train.shape) < share
        found = compared(model, np.where(is_deleted, -1, train), test)
        results.append({"set": name, "deleted": share, "complete": complete, **found})
    return results


def votes(name: str) -> dict[str, Any]:
    """Gaps are those of the table. The structure is that of its rows without gaps."""
    rows = votes_with_gaps(name)
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    cut = 2 * len(rows) // 3
    whole = Dataset.from_array(without_gaps(rows[:cut]), arities=rows.max(axis=0) + 1)
    network: BayesNet = LearnAC(max_edges=MAX_EDGES, shrinkage=0).fit(whole).network_
    return compared(network, rows[:cut], rows[cut:])


def votes_with_gaps(name: str) -> np.ndarray:
    """Codes of (rows x variables), -1 where a vote is missing: the file has 0 there, and the party last."""
    parts = []
    for part in ("train", "valid", "test"):
        with gzip.open(find(name, part), "rt") as file:
            parts.append(np.array([line.split(",") for line in file.read().split()], dtype=np.int64))
    codes = np.concatenate(parts)
    codes[:, :-1] -= 1
    return codes


if __name__ == "__main__":
    records.run(__doc__, SETS, "refitting.json", measured, records.show_rounded)
