"""How learning time grows when rows, variables or splits double.

Each circuit is checked before its time is printed: `docs/growth.md` has the same edges.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray
from plain_circuits import PLAIN, UnexpectedCircuitError, unexpected
from sets import load

from learnac import Dataset, LearnAC

# What doubles, and the edges that are expected.
SHARES_OF_ROWS = {0.125: 240_904, 0.25: 237_575, 0.5: 231_756, 1.0: 204_251}
VARIABLES = {36: 84_551, 73: 142_600, 147: 214_085, 294: 222_247}
SPLITS = {250: 99_235, 500: 151_849, 1000: 204_251, 2000: 259_521}


def growth_table() -> None:
    """Prints CPU seconds and node visits for doublings within one run."""
    plants = load("plants", ("train",)).codes_by_row()
    msweb = load("msweb", ("train",)).codes_by_row()
    print("what doubles            size   splits     edges   CPU s      visits  visits/eval.")
    for share, edges in SHARES_OF_ROWS.items():
        rows = int(len(plants) * share)
        # Penalties are prices for the whole table: they halve with it, so that the same splits pay.
        _row("rows (plants)", rows, plants[:rows], _learner(0.02 * share, 0.25 * share, 1000), edges)
    order = np.argsort(-msweb.mean(axis=0), kind="stable")  # the most visited areas first
    for n_variables, edges in VARIABLES.items():
        table = msweb[:, order[:n_variables]]
        _row("variables (msweb)", n_variables, table, _learner(0.01, 0.5, 800), edges)
    for n_splits, edges in SPLITS.items():
        _row("splits (plants)", n_splits, plants, _learner(0.02, 0.25, n_splits), edges)


def _learner(edge_penalty: float, parameter_penalty: float, max_splits: int) -> LearnAC:
    return LearnAC(edge_penalty, parameter_penalty, "quick", max_splits=max_splits, **PLAIN)


def _row(what: str, size: int, table: NDArray[np.unsignedinteger], model: LearnAC, expected_edges: int) -> None:
    dataset = Dataset.from_array(table, arities=2)
    started = time.process_time()
    model.fit(dataset)
    seconds = time.process_time() - started
    learned = model.learned_
    if difference := unexpected(expected_edges, model.circuit_.n_edges):
        raise UnexpectedCircuitError(f"{what}, {size}: not the expected circuit (edges: {difference})")
    print(
        f"{what:18} {size:9} {model.n_splits_:8} {model.circuit_.n_edges:9} {seconds:7.2f} {learned.n_visits:11} "
        f"{learned.n_visits / max(learned.n_evaluations, 1):9.0f}",
        flush=True,
    )
