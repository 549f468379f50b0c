"""The scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from learnac import defaults, updating
from learnac.circuit import Mixture, Queryable
from learnac.data import Evidence, as_evidence
from learnac.data.binning import BinsStatement
from learnac.data.forms import DatasetForm, TableForm, form_of
from learnac.data.incomplete import (
    check_way,
    gaps_as_category,
)
from learnac.data.weights import checked_weights, weighted_mean
from learnac.errors import SettingTypeError, described
from learnac.estimator.queries import Queries
from learnac.estimator.tables import Tables, check_no_labels
from learnac.estimator.target import Target
from learnac.infer.engine import usable_threads
from learnac.infer.sample import seed_of
from learnac.io import write_model
from learnac.learn import LearnSettings, MixtureSettings, ParentRules, RoundInfo, StepInfo, Stop
from learnac.learn.parents import ParentLists
from learnac.model import Model
from learnac.network import BayesNet
from learnac.progress import shown_progress
from learnac.sizes import memory_size
from learnac.streaming import is_streamed, packed_like
from learnac.training import OnStep, stated_settings, train, train_parts


class LearnAC(Queries, Tables, DensityMixin, BaseEstimator):
    """Learns an arithmetic circuit: a distribution of all columns of a table that answers any query exactly.

    Learning grows a decision tree for each variable. Each split must gain more log-likelihood than `edge_penalty` for
    each edge and `parameter_penalty` for each parameter that it adds. The time of a query is linear in
    `circuit_.n_edges`.

    Parameters
    ----------
    edge_penalty, parameter_penalty
        The penalties k_e and k_p of the paper, in nats over the whole training table. If `edge_penalty` is None, the
        penalty starts high and is halved whenever no split pays, until the circuit has `max_edges` edges (200,000 if
        that is None, too).
    schedule
        "quick" (AC-Quick) or "greedy" (AC-Greedy, which always takes the best split and is slower).
    criterion
        "likelihood", with parameters smoothed by `alpha`, or "bdeu", with `equivalent_sample_size`.
    alpha, shrinkage
        Smoothing: `alpha` is added to every count, and each tree node is pulled towards its parent node as if by
        `shrinkage` rows. If one of them is None, it is chosen after the search, together with the number of splits to
        keep: on the validation table, or else by searching again without a tenth of the rows.
    splits
        "binary" (one value against the rest; of an ordered column, the values up to one of them against those above)
        or "complete" (a branch for each value). No difference for two values.
    n_components, n_averages
        With more than one component, the model is a mixture: one structure, with a vector of parameters for each value
        of a hidden variable. With "auto", the number is chosen within `max_edges` on the validation table, or on
        held-out rows; it may be 1. With `n_averages`, as many mixtures from different seeds are averaged.
    max_edges, max_splits, max_seconds
        Budgets: the search ends when one of them is used up. The edges of a mixture are those of its structure times
        all components; if `max_edges` is None, it may have 1,000,000, for each of its averages.
    halve_edge_penalty
        Halve a given `edge_penalty`, too, whenever no split pays, until `max_edges` is reached.
    patience
        End the search after this many splits without improvement on the validation table. None: do not end early.
    allowed_parents
        A dict from the name of a variable to the names of the variables it may depend on. A variable that is not in the
        dict may depend on any other.
    forbidden_parents, required_parents
        Dicts of the same kind: variables that a variable must not depend on, and those that its tree begins with,
        whatever they cost.
    tiers
        A list of lists of names, from what comes first to what comes last: no variable depends on one of a later tier.
        Variables that are in no tier are free. With an order of causes stated here, `do` answers for interventions.
    callback
        Called after each split with a `StepInfo`, and after each round of learning the parameters of a mixture with a
        `RoundInfo`; learning ends when it returns True.
    target
        The name of the variable to predict, which makes this a classifier: `fit(X, y)` learns from X with y as a column
        of this name, and `score` is accuracy. The model still has all variables and answers all queries.
    bins, kinds, as_category
        How `fit` reads a frame, where the guess is wrong: `bins` says how columns of numbers are divided into
        intervals, `kinds` maps names of columns to "categorical", "ordered", "number", "date", "boolean" or "drop", and
        `as_category` lists columns in which every value is a category, however many there are. See
        `Dataset.from_frame`.
    missing
        What missing values of a training table are. "random": missing at random, so that nothing follows from their
        being missing; the model is learned from what is known. "category": a value of their own, the category
        "missing", which each column that has some gets. In queries, missing values are always unknown.
    min_count
        Strings of a column that fewer rows have are gathered in one category, "(other)", which later stands for any
        string that is no category of the column.
    unknown
        What a category means that the training table does not have, in rows to ask about: "error", or "missing", as if
        it were not known.
    random_state
        A seed or a generator, for mixtures: a single circuit does not depend on it.
    verbose
        Show on stderr what was found in the columns, and then progress: one line that is updated in a terminal, a new
        line every few seconds elsewhere.
    n_threads
        The number of threads for queries, and for the candidates of a mixture. The search for a circuit uses one.
        Neither answers nor models depend on it.

    Attributes
    ----------
    classes_
        With a target: its labels, sorted, with the type they had in `y`.
    circuit_, network_
        The `Circuit`, which answers queries, and the same distribution as a `BayesNet` with decision trees, to read. A
        `Mixture` has no such network, but its structure has one: `circuit_.network`.
    trace_
        One `StepInfo` for each split that the search applied. The model keeps the first `n_splits_` of them: all,
        or the number that scores best on held-out rows.
    alpha_, shrinkage_
        The smoothing of the model, given or chosen.
    stop_
        Why learning ended.

    """

    def __init__(
        self,
        edge_penalty: float | None = None,
        parameter_penalty: float = defaults.PARAMETER_PENALTY,
        schedule: str = defaults.SCHEDULE,
        *,
        criterion: str = defaults.CRITERION,
        alpha: float | None = None,
        equivalent_sample_size: float = defaults.EQUIVALENT_SAMPLE_SIZE,
        shrinkage: float | None = None,
        splits: str = defaults.SPLITS,
        n_components: int | str = 1,
        n_averages: int = 1,
        max_edges: int | None = None,
        halve_edge_penalty: bool = False,
        max_splits: int | None = None,
        max_seconds: float | None = None,
        patience: int | None = None,
        allowed_parents: ParentLists | None = None,
        forbidden_parents: ParentLists | None = None,
        required_parents: ParentLists | None = None,
        tiers: Sequence[Iterable[Any]] | None = None,
        callback: OnStep | None = None,
        target: Any = None,
        bins: BinsStatement | None = None,
        kinds: Mapping[Any, str] | None = None,
        missing: str = "random",
        as_category: Iterable[Any] | None = None,
        min_count: int = 1,
        unknown: str = "error",
        random_state: object = 0,
        verbose: bool = False,
        n_threads: int = 1,
    ) -> None:
        self.edge_penalty = edge_penalty
        self.parameter_penalty = parameter_penalty
        self.schedule = schedule
        self.criterion = criterion
        self.alpha = alpha
        self.equivalent_sample_size = equivalent_sample_size
        self.shrinkage = shrinkage
        self.splits = splits
        self.n_components = n_components
        self.n_averages = n_averages
        self.max_edges = max_edges
        self.halve_edge_penalty = halve_edge_penalty
        self.max_splits = max_splits
        self.max_seconds = max_seconds
        self.patience = patience
        self.allowed_parents = allowed_parents
        self.forbidden_parents = forbidden_parents
        self.required_parents = required_parents
        self.tiers = tiers
        self.callback = callback
        self.target = target
        self.bins = bins
        self.kinds = kinds
        self.missing = missing
        self.as_category = as_category
        self.min_count = min_count
        self.unknown = unknown
        self.random_state = random_state
        self.verbose = verbose
        self.n_threads = n_threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True  # Arrays hold codes, from 0.
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        if self.target is not None:
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags()
            tags.target_tags.required = True
        return tags

    def fit(
        self,
        X: object,
        y: object = None,
        *,
        classes: object = None,
        validation: object = None,
        sample_weight: Any = None,
        checkpoint: str | Path | None = None,
        checkpoint_seconds: float = defaults.CHECKPOINT_SECONDS,
        resume: bool = False,
        memory: str | int = defaults.MEMORY,
        scratch: str | Path | None = None,
    ) -> Self:
        """Learns from a table: an array of codes, a frame, a `Dataset`, or `Evidence`. Values may be missing. Or
        from files that may not fit into memory.

        A path (a file, a folder or a pattern, of Parquet, Arrow or CSV) or an iterator of Arrow batches is read as a
        stream into packed blocks in the folder `scratch` (that of temporary files by default), and learned from there,
        within about as much `memory` and what the circuit needs. The model is the same as from a table in memory.

        A missing value is NaN, None or masked in an array, null or NaN in a frame. With a target, `y` is a list, an
        array or a series with a label for each row; None or NaN for a row without one, which is learned from too. You
        can leave `y` out if `X` has a column with the name of the target. `classes` are labels that `y` may lack.
        Without a target, there must be no `y`.

        With `validation`, a table, the model keeps the number of splits that scores best on this table. With a target,
        this may also be a pair (X, y). `sample_weight` has a number for each row: the row counts as that many rows.
        Ctrl-C raises KeyboardInterrupt after the current step. The model learned so far is kept: you can query and
        save it.

        With `checkpoint`, the state of the search is saved to this file every `checkpoint_seconds`. With `resume`, the
        search continues from the file, if it exists, and the model is the same as without an interruption.
        """
        settings, mixing = self._settings(), self._mixing()
        check_way(self.missing)
        keeping: dict[str, Any] = {
            "checkpoint": None if checkpoint is None else Path(checkpoint),
            "checkpoint_seconds": checkpoint_seconds,
            "resume": resume,
        }
        if is_streamed(X):
            table = self._packed_table(X, y, sample_weight, mixing, scratch)
            target = None if self.target is None else Target.of(table.schema, str(self.target))
            form: TableForm = DatasetForm()
            judging = None if validation is None else packed_like(table.schema, validation, scratch)
            with self._watched() as on_step:
                learned = train_parts(
                    table,
                    settings,
                    form,
                    memory=memory_size(memory),
                    validation=judging,
                    parents=self._parents(),
                    on_step=on_step,
                    **keeping,
                )
        else:
            rows, target = self._training_table(X, y, sample_weight, validation, classes)
            form = DatasetForm() if isinstance(X, Evidence) else form_of(X)
            with self._watched() as on_step:
                learned = train(
                    rows,
                    settings,
                    form,
                    mixing=mixing,
                    validation=None if validation is None else self._validation_table(rows.schema, validation, target),
                    sample_weight=sample_weight,
                    parents=self._parents(),
                    on_step=on_step,
                    n_threads=usable_threads(self.n_threads),
                    **keeping,
                )
        self._take(learned.model.require_circuit(), learned.model.network, form, target)
        self.trace_ = learned.trace
        self.n_splits_ = learned.n_splits
        self.alpha_ = learned.smoothing.prior if settings.criterion == "likelihood" else None
        self.shrinkage_ = learned.smoothing.shrinkage
        self.stop_ = learned.stop
        self.learned_ = learned
        self.provenance_ = dict(learned.model.provenance)
        if learned.stop is Stop.INTERRUPTED:
            kept = f"it has the first {learned.n_splits} splits"
            if isinstance(self.circuit_, Mixture):
                kept = f"it has {self.circuit_.n_components} components"
            raise KeyboardInterrupt(f"the model so far is kept: {kept}")
        return self

    def update(
        self,
        X: object,
        *,
        sample_weight: ArrayLike | None = None,
        half_life: float | None = None,
        grow: bool = False,
    ) -> Self:
        """More rows, in memory or in files: the counts of the trees grow, and parameters follow; the structure stays.

        The model then is what its structure would be with the parameters of all rows at once. With `half_life`, what
        was counted before counts half as much after so many new rows. X has all columns of the model.

        With `grow`, the search then goes on, by the settings of this estimator: splits are added that pay for
        themselves in the new rows alone, since the old ones are not there to be counted again.
        """
        check_is_fitted(self)
        settings = stated_settings(self._settings(), self._mixing(), self._parents())
        model = Model(self.circuit_, self.network_, settings, self.provenance_)
        if grow:
            with self._watched() as on_step:
                updated = updating.grow(model, X, sample_weight=sample_weight, half_life=half_life, on_step=on_step)
        else:
            updated = updating.update(model, X, sample_weight=sample_weight, half_life=half_life)
        self._take(updated.require_circuit(), updated.network, self._form, self._target)
        self.provenance_ = dict(updated.provenance)
        return self

    def partial_fit(
        self, X: object, y: object = None, classes: object = None, *, sample_weight: ArrayLike | None = None
    ) -> Self:
        """`fit` if nothing was learned yet, otherwise `update`: for rows that come in parts.

        The first part decides the structure, so it should be a large one. With a target, `classes` are all its labels,
        also those that come later.
        """
        if not hasattr(self, "circuit_"):
            return self.fit(X, y, classes=classes, sample_weight=sample_weight)
        if y is not None and self._target is not None:
            return self.update(self._target.table(X, y), sample_weight=sample_weight)
        check_no_labels(y)
        return self.update(X, sample_weight=sample_weight)

    def _settings(self) -> LearnSettings:
        return LearnSettings(**{name: getattr(self, name) for name in LearnSettings.__dataclass_fields__})

    def _mixing(self) -> MixtureSettings:
        given = self.random_state
        seed = int(given) if isinstance(given, Integral) else seed_of(given)
        return MixtureSettings(self.n_components, self.n_averages, seed)

    def _parents(self) -> ParentRules:
        return ParentRules(self.allowed_parents, self.forbidden_parents, self.required_parents, self.tiers)

    @contextmanager
    def _watched(self) -> Iterator[OnStep | None]:
        """What is called after each split and each round: the callback, and whatever shows the step."""
        if self.callback is not None and not callable(self.callback):
            raise SettingTypeError("callback", "a function", described(self.callback))
        if not self.verbose:
            yield self.callback
            return
        with shown_progress() as show:

            def on_step(info: StepInfo | RoundInfo) -> object:
                show(info)
                return None if self.callback is None else self.callback(info)

            yield on_step

    def _take(
        self, circuit: Queryable, network: BayesNet | None, form: TableForm, target: Target | None = None
    ) -> None:
        features = circuit.schema if target is None else target.features
        self.schema_ = circuit.schema
        self.circuit_ = circuit
        self.network_ = network
        self.n_features_in_ = features.n_variables
        self.feature_names_in_ = np.array(features.names, dtype=object)
        self._form = form
        self._target = target

    @classmethod
    def from_circuit(cls, circuit: Queryable, network: BayesNet | None = None) -> Self:
        """A model from a circuit or mixture that was not learned here, and from its `network`, if known."""
        model = cls()
        model._take(circuit, network, DatasetForm())
        model.provenance_ = {}
        return model

    def missing_as_category(self, X: object) -> Evidence:
        """Rows to ask about, in which every missing value of a column with the category "missing" is that category.

        For models learned with `missing="category"`: in queries, missing values are unknown otherwise.
        """
        check_is_fitted(self)
        return gaps_as_category(as_evidence(self.schema_, X) if self._target is None else self._target.evidence(X))

    def save(self, path: str | Path) -> None:
        """Saves the model to a file that `learnac.load` reads. If writing fails, no incomplete file is left behind.

        The file has the model, its settings and its target. It does not have `trace_` and `callback`, nor `bins` and
        `as_category`: their effect is in the categories of the model.
        """
        check_is_fitted(self)
        settings = stated_settings(self._settings(), self._mixing(), self._parents())
        if self.target is not None:
            settings["target"] = str(self.target)
        write_model(Model(self.circuit_, self.network_, settings, self.provenance_), path)

    def score(self, X: object, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """The mean log-likelihood per row; with a target, the accuracy.

        The true labels are `y`, or the target's column of X.
        """
        check_is_fitted(self)
        if self._target is not None:
            labels = self._target.labels_in(X) if y is None else y
            return float(accuracy_score(labels, self.predict(X), sample_weight=sample_weight))
        check_no_labels(y)
        log_likelihoods = np.atleast_1d(self.score_samples(X))
        return weighted_mean(log_likelihoods, checked_weights(sample_weight, len(log_likelihoods)))
