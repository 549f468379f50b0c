"""What learning gives: the steps it took and the model they led to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from learnac.circuit import Circuit, Mixture
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
    HELD_OUT = "held-out rows gain no more"
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
    structure: int | None = None  # which one it is, where several are learned one after the other, as of rows with gaps

    def __str__(self) -> str:
        which = "" if self.structure is None else f"structure {self.structure}: "
        return f"{which}{self.n_splits:,} splits   {self.n_edges:,} edges"


@dataclass(frozen=True, slots=True)
class RoundInfo:
    """One round of learning the vectors of a mixture, or parameters from rows with gaps.

    Log-likelihoods are means over rows, natural log.
    """

    way: str  # how they are learned
    n_rounds: int
    n_components: int
    n_edges: int  # of the structure, times components
    log_likelihood: float
    validation_log_likelihood: float | None  # of rows that are held out, if any are
    seconds: float

    def __str__(self) -> str:
        components = "" if self.n_components == 1 else f"{self.n_components:,} components, "
        return f"round {self.n_rounds:,} ({self.way})   {components}{self.n_edges:,} edges in all"


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate for a mixture, and the mean log-likelihood of the rows that judged it."""

    way: str
    n_components: int
    n_edges: int  # of the structure, times components
    n_rounds: int
    validation_log_likelihood: float


@dataclass(frozen=True, slots=True)
class Mixing:
    """How the vectors of a mixture were learned."""

    way: str
    n_components: int  # of each seed
    n_averages: int
    n_rounds: int
    tried: tuple[Tried, ...]


@dataclass(frozen=True, slots=True)
class Gaps:
    """How a model was learned from rows with gaps."""

    n_missing: int
    n_values: int  # missing or not
    structures: tuple[float, ...]  # of each that was tried, how likely what is known of held-out rows was, per row
    n_rounds: int  # of EM, that its parameters are from


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A model, how it came about, and what the search did. Of a mixture, the search is that of its structure."""

    model: Model
    trace: tuple[StepInfo, ...]  # of every split applied; the model has the first n_splits of them
    n_splits: int
    smoothing: Smoothing
    stop: Stop
    n_candidates: int
    n_evaluations: int
    n_visits: int
    seconds: float
    mixing: Mixing | None = None
    gaps: Gaps | None = None
    n_passes: int = 0  # over all rows, where they are not in memory

    @property
    def circuit(self) -> Circuit:
        """ValueError for a mixture, of which it would be one part."""
        asked = self.model.require_circuit()
        if isinstance(asked, Mixture):
            raise ValueError(f"expected a single circuit, found {asked!r}")
        return asked

    @property
    def network(self) -> BayesNet:
        return self.model.require_network()
