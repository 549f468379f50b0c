"""Rows with gaps, completed: with what is known of their columns, or with exact samples given what is known of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, Mixture, Queryable, core_evaluator, mixture_evaluator
from learnac.data import Dataset, Evidence
from learnac.data.schema import UNKNOWN
from learnac.data.weights import weighted_mean
from learnac.learn.tables import Rows
from learnac.network import BayesNet
from learnac.types import PartialCodes

Floats = NDArray[np.float64]

# Where rows with gaps are fewer than this, each is completed several times, and weighs less each time.
_ENOUGH_COMPLETED = 20_000
MOST_COPIES = 5


class Completed(NamedTuple):
    """Rows without gaps, and which row each of them comes from."""

    rows: Rows
    origins: NDArray[np.intp]

    def of(self, some: NDArray[np.intp]) -> Rows:
        """Those that come from some of the rows."""
        return self.rows.some(np.flatnonzero(np.isin(self.origins, some)))


def has_gap(evidence: Evidence) -> NDArray[np.bool_]:
    return np.asarray((evidence.codes < 0).any(axis=0))


def weights_of(evidence: Evidence) -> Floats:
    return np.ones(evidence.n_rows) if evidence.weights is None else np.asarray(evidence.weights)


def enough_copies(evidence: Evidence) -> int:
    """How often to complete each row that has gaps."""
    n_rows = int(np.count_nonzero(has_gap(evidence)))
    return min(MOST_COPIES, max(1, _ENOUGH_COMPLETED // max(1, n_rows)))


def completed_by_columns(evidence: Evidence, like: Evidence, n_copies: int, seed: int) -> Completed:
    """Every gap filled by chance, as often with each value as it is known in this column of other rows."""
    random, weights = np.random.default_rng(seed), weights_of(like)

    def fill(codes: PartialCodes) -> PartialCodes:
        result = codes.copy()
        for variable, (row, arity) in enumerate(zip(result, evidence.schema.arities.tolist(), strict=True)):
            known = like.codes[variable] >= 0
            counts = np.bincount(like.codes[variable, known], weights=weights[known], minlength=arity)
            shares = counts / counts.sum() if counts.sum() > 0 else np.full(arity, 1 / arity)
            gaps = np.flatnonzero(row < 0)
            row[gaps] = random.choice(arity, len(gaps), p=shares)
        return result

    return _with_copies(evidence, n_copies, fill(_gap_codes(evidence, n_copies)))


def completed_by(asked: Queryable, evidence: Evidence, n_copies: int, seed: int, n_threads: int = 1) -> Completed:
    """Every row with gaps completed by samples from a circuit or mixture, exact given all that is known of the row.

    What is impossible by the circuit is completed as if nothing were known. Cost: one upward pass for each such row,
    and a walk down for each sample.
    """
    evaluator = mixture_evaluator(asked) if isinstance(asked, Mixture) else core_evaluator(asked)
    known = np.ascontiguousarray(evidence.codes[:, has_gap(evidence)])
    worlds = np.zeros((len(known), known.shape[1] * n_copies), dtype=known.dtype)
    if known.shape[1]:
        log_values = evaluator.sample(known, *_nothing_soft(known.shape[1]), n_copies, seed, worlds, n_threads)
        if (impossible := np.repeat(np.isneginf(log_values), n_copies)).any():
            nothing = np.full((len(known), 1), UNKNOWN, dtype=known.dtype)
            drawn = np.zeros((len(known), int(impossible.sum())), dtype=known.dtype)
            evaluator.sample(nothing, *_nothing_soft(1), drawn.shape[1], seed, drawn, n_threads)
            kept = np.repeat(known, n_copies, axis=1)[:, impossible]
            worlds[:, impossible] = np.where(kept < 0, drawn, kept)
    return _with_copies(evidence, n_copies, worlds)


def log_known(asked: Queryable, network: BayesNet | None, evidence: Evidence, n_threads: int = 1) -> Floats:
    """The log-likelihood of what is known of each row; of complete ones by the trees of a network, if there is one.

    Numbers weigh their densities, as in all scores.
    """
    evaluator = core_evaluator(asked) if isinstance(asked, Circuit) else mixture_evaluator(asked)
    by_circuit = has_gap(evidence) if network is not None else np.ones(evidence.n_rows, dtype=bool)
    result = np.empty(evidence.n_rows)
    if by_circuit.any():
        codes = np.ascontiguousarray(evidence.codes[:, by_circuit])
        result[by_circuit] = evaluator.log_values(codes, *_nothing_soft(codes.shape[1]), n_threads)
    if network is not None and not by_circuit.all():
        result[~by_circuit] = network.log_likelihood(evidence.codes[:, ~by_circuit])
    return np.asarray(result + evidence.log_scales)


def mean_log_known(asked: Queryable, network: BayesNet | None, evidence: Evidence, n_threads: int = 1) -> float:
    return weighted_mean(log_known(asked, network, evidence, n_threads), evidence.weights)


def _gap_codes(evidence: Evidence, n_copies: int) -> PartialCodes:
    return np.repeat(evidence.codes[:, has_gap(evidence)], n_copies, axis=1)


def _with_copies(evidence: Evidence, n_copies: int, filled: PartialCodes) -> Completed:
    """Rows without gaps as they are, and `filled` in place of the others, in the order of the rows."""
    gaps = has_gap(evidence)
    times = np.where(gaps, n_copies, 1)
    origins = np.repeat(np.arange(evidence.n_rows), times)
    codes = evidence.codes[:, origins].astype(evidence.schema.code_dtype)
    codes[:, gaps[origins]] = filled
    codes.flags.writeable = False
    weights = None
    if evidence.weights is not None or n_copies > 1:
        weights = (weights_of(evidence) / times)[origins]
    return Completed(Rows(Dataset(evidence.schema, codes), weights), origins)


def _nothing_soft(n_rows: int) -> tuple[NDArray[np.uint32], Floats]:
    return np.empty(0, np.uint32), np.empty((n_rows, 0))
