"""Log-densities of rows of numbers by pyAgrum and SPFlow, for `tabular.py`.

Each method gives those of test rows, and the largest integral of its density of one column alone: 1, if it is one.
SPFlow is installed without what it says it needs, TensorFlow, PyTorch and Qt among it: its learner uses none of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from multiprocessing.pool import ThreadPool
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_Logs = NDArray[np.float64]
_BINS = (5, 10, 20)


def agrum_log_densities(train: pd.DataFrame, valid: pd.DataFrame, test: pd.DataFrame) -> tuple[_Logs, float]:
    """A Bayesian network over the bins of pyAgrum's discretizer, found by its greedy search; within a bin, the density
    is the same everywhere. Bins have equally many rows or, where most rows have the same number, equal widths. Their
    number is chosen on `valid`. Numbers beyond the training rows are taken to be in the outermost bins.
    """
    fitted = [_agrum(train.astype(float), n_bins) for n_bins in _BINS]
    best = max(fitted, key=lambda log_densities: log_densities(valid).mean())
    return best(test), 1.0  # A bin's density is its probability over its width.


def _agrum(train: pd.DataFrame, n_bins: int) -> Callable[[pd.DataFrame], _Logs]:
    import pyagrum as gum
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor

    # Whatever has more than two values is a number.
    processor = DiscreteTypeProcessor("quantile", n_bins, 2)
    for name in train:
        # It refuses quantiles that are all the same number but one.
        if len(np.unique(train[name].quantile(np.linspace(0, 1, n_bins + 1)))) < 4:
            processor.setDiscretizationParameters(name, "uniform", n_bins)
    template = processor.discretizedTemplate(train)
    learner = gum.BNLearner(train, template)
    learner.useScoreBIC()
    learner.useSmoothingPrior(1.0)
    learner.useGreedyHillClimbing()
    network = learner.learnBN()
    edges = {name: np.array(template.variableFromName(name).ticks(), dtype=float) for name in train}
    for name, own in edges.items():
        own[0], own[-1] = train[name].min(), train[name].max()

    def log_densities(rows: pd.DataFrame) -> _Logs:
        codes = {
            name: np.clip(np.searchsorted(own, rows[name].to_numpy(float), side="right") - 1, 0, len(own) - 2)
            for name, own in edges.items()
        }
        found = np.zeros(len(rows))
        for name, own in edges.items():
            table = network.cpt(name)
            # Axes are in the order of the names, backwards.
            places = tuple(codes[axis] for axis in reversed(table.names))
            found += np.log(table.toarray()[places]) - np.log(np.diff(own))[codes[name]]
        return found

    return log_densities


def spflow_log_densities(train: pd.DataFrame, valid: pd.DataFrame, test: pd.DataFrame) -> tuple[_Logs, float]:
    """SPFlow's learner for mixed tables, with its default settings: independence by its RDC test, histograms."""
    # Once imported, it has a pool of processes, which the process of a task may not have.
    with patch("multiprocessing.Pool", ThreadPool):
        from spn.algorithms.Inference import log_likelihood
        from spn.algorithms.LearningWrappers import learn_mspn
    from spn.structure.Base import Context, Leaf, get_nodes_by_type
    from spn.structure.StatisticalTypes import MetaType

    rows = train.to_numpy(float)
    context = Context(meta_types=[MetaType.REAL] * rows.shape[1]).add_domains(rows)
    network = learn_mspn(rows, context)

    def log_densities(asked: NDArray[np.float64]) -> _Logs:
        found: _Logs = log_likelihood(network, asked).ravel()
        return found

    breaks = [[column.min(), column.max()] for column in rows.T]
    for leaf in get_nodes_by_type(network, Leaf):
        breaks[leaf.scope[0]] += list(leaf.breaks)
    return log_densities(test.to_numpy(float)), largest_integral(log_densities, breaks)


def largest_integral(log_densities: Callable[[NDArray[np.float64]], _Logs], breaks: Sequence[Sequence[float]]) -> float:
    """Of the densities of single columns, constant between their breaks. What is not known of a row is NaN."""
    integrals = []
    for column, own in enumerate(breaks):
        ends = np.unique(own)
        rows = np.full((len(ends) - 1, len(breaks)), np.nan)
        rows[:, column] = (ends[1:] + ends[:-1]) / 2
        integrals.append(float(np.exp(log_densities(rows)) @ np.diff(ends)))
    return max(integrals)


DENSITIES: dict[str, Callable[[pd.DataFrame, pd.DataFrame, pd.DataFrame], tuple[_Logs, float]]] = {
    "pyAgrum": agrum_log_densities,
}
if find_spec("spn") is not None:
    DENSITIES["SPFlow"] = spflow_log_densities
