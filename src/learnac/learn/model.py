"""What learning gives: the steps it took and the model they led to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from learnac.circuit import Circuit
from learnac.learn.smoothing import Smoothing
from learnac.model import Model
from learnac.network import BayesNet


class Stop(StrEnum):
    """Why learning ended."""

    CONVERGED = "no split pays"
    MAX_EDGES = "no split that pays fits the edge budget"
    MAX_SPLITS = "all splits of the budget are used"
    MAX_SECONDS = "time is up"
    PATIENCE = "the validation table has not improved for a while"
    CALLBACK = "the callback said so"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class StepInfo:
    """One applied split, and where learning stands after it. Log-likelihoods are means over rows, natural log."""

    n_splits: int
    leaf: int
    variable: int
    value: int
    net_gain: float
    edge_cost: int
    edge_penalty: float
    n_edges: int
    n_leaves: int
    log_likelihood: float
    validation_log_likelihood: float | None
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A model, how it came about, and what the search did."""

    model: Model
    trace: tuple[StepInfo, ...]  # of every split applied; the model has the first n_splits of them
    n_splits: int
    smoothing: Smoothing
    stop: Stop
    n_candidates: int
    n_evaluations: int
    n_visits: int
    seconds: float

    @property
    def circuit(self) -> Circuit:
        return self.model.require_circuit()

    @property
    def network(self) -> BayesNet:
        return self.model.require_network()
