"""The scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from learnac.data import Dataset, as_dataset
from learnac.learn import LearnSettings, StepInfo, Stop, learn


class LearnAC(DensityMixin, BaseEstimator):
    """Learns an arithmetic circuit: a distribution over discrete variables that answers any query exactly.

    Each split of a variable's decision tree must gain more log-likelihood than `edge_penalty` for each edge and
    `parameter_penalty` for each parameter it adds. A query costs time linear in `circuit_.n_edges`.

    Parameters
    ----------
    edge_penalty, parameter_penalty
        The prices k_e and k_p of the paper, in nats over the whole training table.
    schedule
        "quick" (AC-Quick) or "greedy" (AC-Greedy: the best split every time, slower).
    criterion
        "likelihood", with parameters smoothed by `alpha`, or "bdeu", with `equivalent_sample_size`.
    splits
        "complete" (a branch for each value) or "binary" (one value against the rest), for variables of many values.
    max_edges, max_splits, max_seconds
        Budgets. With `halve_edge_penalty`, the edge penalty is halved whenever no split pays, until `max_edges` is
        used.
    patience
        With a validation table: end after this many splits without improvement there. None: search to the end.
    allowed_parents
        From a variable's name to the names it may depend on; a variable left out may depend on any.
    callback
        Called after each split with a `StepInfo`; learning ends when it returns True.
    n_threads
        Threads to search with. The model does not depend on it.

    Attributes
    ----------
    circuit_, network_
        The frozen `Circuit`, and the `BayesNet` of tree CPDs that it equals.
    trace_
        One `StepInfo` for each split applied. With a validation table the model is the best prefix of these,
        `n_splits_` long.
    stop_
        Why learning ended.

    """

    def __init__(
        self,
        edge_penalty: float = 0.02,
        parameter_penalty: float = 0.5,
        schedule: str = "quick",
        *,
        criterion: str = "likelihood",
        alpha: float = 1.0,
        equivalent_sample_size: float = 1.0,
        splits: str = "complete",
        max_edges: int | None = None,
        halve_edge_penalty: bool = False,
        max_splits: int | None = None,
        max_seconds: float | None = None,
        patience: int | None = None,
        allowed_parents: Mapping[Any, Iterable[Any]] | None = None,
        callback: Callable[[StepInfo], object] | None = None,
        n_threads: int = 1,
    ) -> None:
        self.edge_penalty = edge_penalty
        self.parameter_penalty = parameter_penalty
        self.schedule = schedule
        self.criterion = criterion
        self.alpha = alpha
        self.equivalent_sample_size = equivalent_sample_size
        self.splits = splits
        self.max_edges = max_edges
        self.halve_edge_penalty = halve_edge_penalty
        self.max_splits = max_splits
        self.max_seconds = max_seconds
        self.patience = patience
        self.allowed_parents = allowed_parents
        self.callback = callback
        self.n_threads = n_threads

    def fit(
        self,
        X: object,
        y: object = None,
        *,
        validation: object = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learns from a table: an array of codes, a frame, or a `Dataset`.

        With `validation`, the model is the prefix of the splits that is best on that table. `sample_weight` counts
        each row that many times. Interrupted by Ctrl-C, the model so far is kept, with a warning.
        """
        settings = LearnSettings(**{name: getattr(self, name) for name in LearnSettings.__dataclass_fields__})
        dataset = as_dataset(X)
        held_out = None if validation is None else Dataset(dataset.schema, dataset.schema.encode(validation))
        model = learn(
            dataset,
            settings,
            validation=held_out,
            sample_weight=_checked_weights(sample_weight, dataset.n_rows),
            allowed_parents=self.allowed_parents,
            on_step=self.callback,
        )
        if model.stop is Stop.INTERRUPTED:
            warnings.warn(f"interrupted: the model has the first {model.n_splits} splits", stacklevel=2)
        self.schema_ = dataset.schema
        self.circuit_ = model.circuit
        self.network_ = model.network
        self.trace_ = model.trace
        self.n_splits_ = model.n_splits
        self.stop_ = model.stop
        self.learned_ = model
        self.n_features_in_ = dataset.n_variables
        self.feature_names_in_ = np.array(dataset.names, dtype=object)
        return self

    def score_samples(self, X: object) -> NDArray[np.float64]:
        """Log-likelihood of each row, natural log. Complete rows are scored through the tree CPDs."""
        check_is_fitted(self)
        return self.network_.log_likelihood(self.schema_.encode(X))

    def score(self, X: object, y: object = None) -> float:
        """Mean log-likelihood of the rows."""
        return float(self.score_samples(X).mean())


def _checked_weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight: expected {n_rows} numbers, one per row, found shape {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any():
        row = int(np.argmax(~np.isfinite(weights) | (weights < 0)))
        raise ValueError(f"sample_weight: expected finite numbers from 0, found {weights[row]} in row {row}")
    if weights.sum() == 0:
        raise ValueError("sample_weight: expected a positive total, found 0")
    return weights
