"""Learned networks compiled: how many edges, for each of the circuit that they were learned with.

    python benchmarks/compiling_learned.py [--only NAME ...] [--out FILE]

A circuit of 100,000 edges is learned from the training rows of each set. Its network is written to a `.bn` file, as we
write it, with counts, and as other tools do, with nothing but parameters. What is read back is compiled, each within
the limits that `learnac.compile` has if it is told no others. Rows of the test have to be as likely as they were. Times
are CPU seconds; the limit is 60 seconds by the clock, so on a busy machine the search ends sooner. Needs LEARNAC_DATA.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import records
from sets import load

from learnac import LearnAC
from learnac.compiler import compile_network
from learnac.errors import SizeError
from learnac.infer import log_likelihood
from learnac.io import read_bn, write_bn
from learnac.network import BayesNet

SETS = (
    *("nltcs", "msnbc", "kdd", "plants", "baudio", "bnetflix", "accidents"),
    *("pumsb_star", "dna", "kosarek", "msweb", "tmovie", "cr52", "bbc"),
)
MAX_EDGES = 100_000
MOST_TIMES = 1.5  # edges compiled for each one learned
N_CHECKED = 200  # rows of the test


def through_bn(network: BayesNet, *, counts: bool) -> BayesNet:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.bn"
        write_bn(network, path, counts=counts)
        return read_bn(path)


def compiled(network: BayesNet, rows: np.ndarray, expected: np.ndarray) -> tuple[int | None, float]:
    """The edges of its circuit, if there is one within the limits, and CPU seconds."""
    started = time.process_time()
    try:
        circuit = compile_network(network)
    except SizeError:
        return None, time.process_time() - started
    seconds = time.process_time() - started
    np.testing.assert_allclose(log_likelihood(circuit, rows), expected, rtol=1e-9)
    return circuit.n_edges, seconds


def measured(name: str) -> list[dict[str, Any]]:
    train, test = (load(name, (part,)).codes.T.astype(np.int64) for part in ("train", "test"))
    model = LearnAC(max_edges=MAX_EDGES).fit(train)
    rows = test[:N_CHECKED]
    expected = log_likelihood(model.circuit_, rows)
    result: dict[str, Any] = {"set": name, "learned_edges": model.circuit_.n_edges}
    for way, counts in (("with_counts", True), ("without_counts", False)):
        edges, seconds = compiled(through_bn(model.network_, counts=counts), rows, expected)
        times = None if edges is None else edges / model.circuit_.n_edges
        result |= {way: edges, f"{way}_times": times, f"{way}_seconds": seconds}
    return [result]


def complaints(result: dict[str, Any]) -> list[str]:
    found = []
    for way in ("with_counts", "without_counts"):
        times = result[f"{way}_times"]
        if times is None or times > MOST_TIMES:
            what = "no circuit" if times is None else f"{times:.2f} times the edges"
            found.append(f"{result['set']}, {way}: {what}, expected at most {MOST_TIMES} times")
    return found


if __name__ == "__main__":
    records.run(__doc__, SETS, "compiling_learned.json", measured, records.show_rounded, complaints)
