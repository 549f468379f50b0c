"""How learning time grows when rows, variables or splits double."""

from __future__ import annotations

import time

import numpy as np
from sets import load

from learnac import Dataset, LearnAC


def growth_table() -> None:
    """Prints CPU seconds and node visits for doublings within one run."""
    plants = load("plants", ("train",)).codes_by_row()
    msweb = load("msweb", ("train",)).codes_by_row()
    print("what doubles            size   splits     edges   CPU s      visits  visits/eval.")
    for share in (0.125, 0.25, 0.5, 1.0):
        rows = int(len(plants) * share)
        # Penalties are prices for the whole table: they halve with it, so that the same splits pay.
        _row("rows (plants)", rows, plants[:rows], LearnAC(0.02 * share, 0.25 * share, max_splits=1000))
    order = np.argsort(-msweb.mean(axis=0), kind="stable")  # the most visited areas first
    for n_variables in (36, 73, 147, 294):
        _row("variables (msweb)", n_variables, msweb[:, order[:n_variables]], LearnAC(0.01, 0.5, max_splits=800))
    for n_splits in (250, 500, 1000, 2000):
        _row("splits (plants)", n_splits, plants, LearnAC(0.02, 0.25, max_splits=n_splits))


def _row(what: str, size: int, table: np.ndarray, model: LearnAC) -> None:
    dataset = Dataset.from_array(table, arities=2)
    started = time.process_time()
    model.fit(dataset)
    seconds = time.process_time() - started
    learned = model.learned_
    print(
        f"{what:18} {size:9} {model.n_splits_:8} {model.circuit_.n_edges:9} {seconds:7.2f} {learned.n_visits:11} "
        f"{learned.n_visits / max(learned.n_evaluations, 1):9.0f}",
        flush=True,
    )
