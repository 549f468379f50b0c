"""Inference benchmarks of mixtures: how many edges a second, and how long all posteriors of a row take.

    python benchmarks/mixtures.py [--only NAME ...] [--out FILE]

All sets together write the file in `benchmarks/results` that the docs' table is made of; `make bench` does that. The
structures are learned, and their components have random parameters: the time does not depend on these. Answers are
compared with a circuit of copies. Rates are as in `inference.py`, with the edges of all components; CPU time, one
thread, one row at a time. Needs LEARNAC_DATA.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from inference import best_of, with_evidence
from numpy.typing import NDArray
from records import run
from sets import TRAIN, load

from learnac import infer
from learnac.circuit import Circuit, Mixture, as_circuit
from learnac.learn import LearnSettings, learn_table

SETS = ("plants", "msweb", "tmovie")
N_EDGES = 1_000_000  # of all components
COMPONENTS = (16, 64, 256)
SHARES = (0.0, 0.3)  # of the variables, known
N_ROWS = 40
LEAST_RATE = 3e9  # edges a second, with 64 components
MOST_MS = 2.0  # for all posteriors


def mixture_of(structure: Circuit, n_components: int) -> Mixture:
    """Random components: of each leaf, numbers that sum to 1."""
    rng = np.random.default_rng(0)
    leaves = np.unique(structure.parameter_origins[:, :2], axis=0, return_inverse=True)[1].ravel()
    drawn = rng.gamma(1.0, size=(n_components, structure.n_parameters)) + 1e-3
    totals = np.array([np.bincount(leaves, row)[leaves] for row in drawn])
    return Mixture(structure, np.minimum(drawn / totals, 1.0), rng.dirichlet(np.ones(n_components)))


def check_answers(mixture: Mixture, rows: NDArray[np.int8]) -> None:
    copies = as_circuit(mixture)
    for name, expected in infer.marginals(copies, rows).items():
        np.testing.assert_allclose(infer.marginals(mixture, rows)[name], expected, rtol=1e-9, atol=1e-12)


def measure(name: str) -> list[dict[str, Any]]:
    table = load(name, TRAIN)
    rows = table.codes[:, :N_ROWS].T.astype(np.int8)
    rng = np.random.default_rng(0)
    found = []
    for n_components in COMPONENTS:
        settings = LearnSettings(max_edges=N_EDGES // n_components, alpha=0.5, shrinkage=1.0)
        mixture = mixture_of(learn_table(table, settings).circuit, n_components)
        check_answers(mixture, with_evidence(rows[:2], 0.3, rng))
        for share in SHARES:
            given = with_evidence(rows, share, rng)
            asked = [given[i : i + 1] for i in range(len(given))]
            upward = [best_of(partial(infer.log_likelihood, mixture, row), 5, time.process_time) for row in asked]
            both = [best_of(partial(infer.marginals, mixture, row), 5, time.process_time) for row in asked]
            found.append(
                {
                    "name": name,
                    "components": n_components,
                    "edges": mixture.n_edges,
                    "known": share,
                    "upward_edges_per_second": mixture.n_edges / float(np.median(upward)),
                    "both_edges_per_second": 2 * mixture.n_edges / float(np.median(both)),
                    "all_posteriors_ms": 1000 * float(np.median(both)),
                }
            )
    return found


def show(result: dict[str, Any]) -> None:
    up, both = (result[f"{passes}_edges_per_second"] / 1e9 for passes in ("upward", "both"))
    size = f"{result['components']:4} components, {result['edges']:9,} edges"
    rates = f"upwards {up:.2f} G edges/s, both passes {both:.2f} G edges/s"
    posteriors = f"all posteriors {result['all_posteriors_ms']:.3f} ms"
    print(f"{result['name']}: {size}, {result['known']:4.0%} known: {rates}, {posteriors}", flush=True)


def complaints(result: dict[str, Any]) -> list[str]:
    """What is not as required."""
    found = []
    rate, milliseconds = result["upward_edges_per_second"], result["all_posteriors_ms"]
    if result["components"] == 64 and rate < LEAST_RATE:
        found.append(f"{result['name']}: expected 3 G edges a second upwards, found {rate / 1e9:.2f}")
    if milliseconds > MOST_MS:
        found.append(f"{result['name']}: expected at most 2 ms for all posteriors, found {milliseconds:.2f}")
    return found


if __name__ == "__main__":
    run(__doc__, SETS, "mixtures.json", measure, show, complaints)
