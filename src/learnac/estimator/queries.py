"""The questions that a model answers: methods that call `learnac.infer`, for a circuit that is there."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from learnac import infer
from learnac.circuit import Mixture, Queryable
from learnac.data import Soft
from learnac.data.forms import TableForm
from learnac.errors import CausalityWarning, QueryError, described
from learnac.estimator.target import Target
from learnac.infer.balance import Balance
from learnac.infer.compare import Comparison
from learnac.infer.do import causality_note
from learnac.infer.explain import Explanation
from learnac.infer.marginals import Posteriors
from learnac.infer.mpe import MAX_SECONDS
from learnac.infer.numbers import NumberPosterior
from learnac.infer.sensitivity import Sensitivities
from learnac.network import BayesNet


class Queries:
    """What can be asked of a fitted estimator. Whoever fits sets the attributes."""

    circuit_: Queryable
    network_: BayesNet | None
    n_threads: int
    provenance_: dict[str, Any]
    _form: TableForm  # of the training table
    _target: Target | None

    if TYPE_CHECKING:  # scikit-learn's BaseEstimator has it.

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...

    @property
    def classes_(self) -> NDArray[Any]:
        target: Target | None = getattr(self, "_target", None)
        if target is None:
            raise AttributeError("classes_: expected a fitted LearnAC with a target, found none")
        return target.classes

    def score_samples(self, X: object, *, soft: Soft | None = None) -> NDArray[np.float64]:
        """The log-likelihood of each row (natural log); missing values are summed out.

        A missing value is NaN or -1 in an array, null in a frame. For one dict, the answer is one number. Rows without
        missing values are scored by the decision trees, which is faster. An impossible row has minus infinity. A
        classifier's target may be left out of X.
        """
        check_is_fitted(self)
        rows = X if self._target is None else self._target.evidence_if_there(X)
        return infer.log_likelihood(self.circuit_, rows, soft=soft, network=self.network_, n_threads=self.n_threads)

    def marginals(
        self,
        given: object = None,
        *,
        variables: Iterable[Any] | None = None,
        soft: Soft | None = None,
        balance: Balance | None = None,
    ) -> Posteriors:
        """The probability of each value of every variable (or only of `variables`), given the evidence.

        Returns a dict from the name of a variable to an array (rows x categories), or (categories,) for one dict.
        Without evidence, these are the marginals of the model. With `balance`, those in a population in which one
        variable has other shares, as in `sample`.
        """
        check_is_fitted(self)
        return infer.marginals(
            self.circuit_, given, variables=variables, soft=soft, balance=balance, n_threads=self.n_threads
        )

    def iter_marginals(
        self,
        given: object,
        *,
        variables: Iterable[Any] | None = None,
        soft: Soft | None = None,
        block_rows: int | None = None,
    ) -> Iterator[tuple[slice, Posteriors]]:
        """`marginals` for large tables: yields a slice of rows and their posteriors, block by block, to save memory."""
        check_is_fitted(self)
        return infer.iter_marginals(
            self.circuit_, given, variables=variables, soft=soft, block_rows=block_rows, n_threads=self.n_threads
        )

    def log_probability(self, query: object, given: object = None, *, soft: Soft | None = None) -> Any:
        """Log P(query | given) of each row, natural log.

        Both may be tables with the same number of rows. If one of them is a dict, it applies to all rows.
        """
        check_is_fitted(self)
        return infer.log_probability(self.circuit_, query, given, soft=soft, n_threads=self.n_threads)

    def mpe(
        self, given: object = None, *, soft: Soft | None = None, max_seconds: float = MAX_SECONDS
    ) -> tuple[Any, Any]:
        """The most probable combination of values for everything unknown in each row, and its log-probability.

        Returns the completed rows, with the type of `given`, and an array of log-probabilities. For a mixture, this is
        a search of at most `max_seconds` for all rows: what it could not prove is a `NotProvenWarning`.
        """
        check_is_fitted(self)
        return infer.mpe(self.circuit_, given, soft=soft, max_seconds=max_seconds, n_threads=self.n_threads)

    def joint_mpe(self, given: object = None, *, soft: Soft | None = None) -> tuple[Any, Any, Any]:
        """For a mixture: the most probable combination of a component and of values for everything unknown.

        Returns the completed rows, their log-probabilities together with the component, and the components.
        """
        check_is_fitted(self)
        return infer.joint_mpe(self.circuit_, given, soft=soft, n_threads=self.n_threads)

    def sample(
        self,
        n: int = 1,
        given: object = None,
        *,
        soft: Soft | None = None,
        balance: Balance | None = None,
        random_state: object = None,
    ) -> Any:
        """Draws `n` random rows for each row of evidence.

        They have the type of the evidence if it is a table, otherwise the type of the training table. With `balance`,
        the name of a variable, its categories are equally probable; or, with a dict from the name to a share for each
        category, as probable as that. Everything else is as it is given that variable.
        """
        check_is_fitted(self)
        return infer.sample(
            self.circuit_,
            n,
            given,
            soft=soft,
            balance=balance,
            random_state=random_state,
            form=self._form,
            n_threads=self.n_threads,
        )

    def impute(self, X: object, method: str = "mpe", *, max_seconds: float = MAX_SECONDS) -> Any:
        """X with its missing values filled in, as the same type of table.

        "mpe" fills all missing values of a row with their most probable combination, "marginal" each with its own most
        probable value. For `max_seconds`, see `mpe`.
        """
        check_is_fitted(self)
        return infer.impute(self.circuit_, X, method, max_seconds=max_seconds, n_threads=self.n_threads)

    def predict_proba(self, X: object, target: Any = None, *, soft: Soft | None = None) -> Any:
        """The exact probability of each class of the target for each row (rows x classes). X may have missing values.

        A classifier predicts its own target, in the order of `classes_`; a column of the target in X is ignored. With
        `target`, predict any other variable, which must be unknown in X, in the order of its categories.
        """
        check_is_fitted(self)
        own = self._own_target(target)
        if own is None:
            return infer.predict_proba(self.circuit_, X, target, soft=soft, n_threads=self.n_threads)
        evidence = own.evidence(X, soft)
        return infer.predict_proba(self.circuit_, evidence, own.name, n_threads=self.n_threads)[..., own.codes]

    def predict(self, X: object, target: Any = None, *, soft: Soft | None = None) -> Any:
        """The most probable class of the target for each row: a classifier's own target, or the variable `target`."""
        check_is_fitted(self)
        own = self._own_target(target)
        if own is None:
            return infer.predict(self.circuit_, X, target, soft=soft, n_threads=self.n_threads)
        return own.classes[self.predict_proba(X, soft=soft).argmax(axis=-1)]

    def _own_target(self, asked: Any) -> Target | None:
        """The target of this classifier, if it is the one asked for."""
        own = self._target
        if asked is None and own is None:
            raise TypeError("target: expected the name of the variable to predict, found None")
        return own if own is not None and (asked is None or str(asked) == own.name) else None

    def components(self, given: object = None, *, soft: Soft | None = None) -> NDArray[np.float64]:
        """For a mixture: the probability of each component, given each row (rows x components). A soft clustering."""
        check_is_fitted(self)
        found: NDArray[np.float64] = infer.components(self.circuit_, given, soft=soft, n_threads=self.n_threads)
        return found

    def expectation(
        self,
        values: str | Mapping[Any, ArrayLike | Mapping[Any, float]],
        given: object = None,
        *,
        soft: Soft | None = None,
    ) -> Any:
        """The exact mean of a score for each row, given the evidence.

        `values` gives a number to each category of some variables; the score is the sum of these numbers. Or it is the
        name of a variable that is a number: then this is its mean.
        """
        check_is_fitted(self)
        return infer.expectation(self.circuit_, values, given, soft=soft, n_threads=self.n_threads)

    def distribution(self, variable: Any, given: object = None, *, soft: Soft | None = None) -> NumberPosterior:
        """The exact distribution of a number or a date, given each row: its density, mean, quantiles and intervals."""
        check_is_fitted(self)
        return infer.distribution(self.circuit_, variable, given, soft=soft, n_threads=self.n_threads)

    def entropy(self, variables: Iterable[Any] | None = None) -> float:
        """Entropy in nats of all variables, or of some variables with at most about a million joint states."""
        check_is_fitted(self)
        return infer.entropy(self.circuit_, variables, n_threads=self.n_threads)

    def kl_divergence(self, other: Queries) -> float:
        """KL(self || other) in nats, exact; infinite if a row is possible here and impossible in the other model."""
        check_is_fitted(self)
        if not isinstance(other, Queries):
            raise TypeError(f"other: expected a LearnAC, found {described(other)}")
        check_is_fitted(other)
        if other.network_ is None:
            found = "a mixture" if isinstance(other.circuit_, Mixture) else "a circuit alone"
            raise QueryError(f"kl_divergence: expected a model with a network as the other one, found {found}")
        return infer.kl_divergence(self.circuit_, other.network_, n_threads=self.n_threads)

    def mutual_information(self, a: Any, b: Any) -> float:
        """Mutual information in nats of two variables, or of two lists of variables."""
        check_is_fitted(self)
        return infer.mutual_information(self.circuit_, a, b, n_threads=self.n_threads)

    def explain(self, target: Any, given: object, *, soft: Soft | None = None, shapley: bool = True) -> Explanation:
        """How much each piece of evidence of one row moves the target, in log-odds of its values, and whether the
        evidence hangs together.

        Shapley contributions are exact, and for at most 16 pieces of evidence; leave-one-out for any number.
        """
        check_is_fitted(self)
        return infer.explain(self.circuit_, target, given, soft=soft, shapley=shapley, n_threads=self.n_threads)

    def conflict(self, given: object, *, soft: Soft | None = None) -> Any:
        """Log P(evidence) less the sum of log P(piece), for each row: below 0, the pieces do not go together."""
        check_is_fitted(self)
        return infer.conflict(self.circuit_, given, soft=soft, n_threads=self.n_threads)

    def next_question(
        self,
        target: Any,
        given: object = None,
        candidates: Iterable[Any] | None = None,
        *,
        soft: Soft | None = None,
    ) -> dict[str, float]:
        """The expected information gain in nats about the target of each unknown variable, the best question first."""
        check_is_fitted(self)
        return infer.next_question(self.circuit_, target, given, candidates, soft=soft, n_threads=self.n_threads)

    def compare(
        self, given_a: object, given_b: object, *, soft_a: Soft | None = None, soft_b: Soft | None = None
    ) -> Comparison:
        """The variables whose posteriors differ most between two situations, first the one that differs most."""
        check_is_fitted(self)
        return infer.compare(self.circuit_, given_a, given_b, soft_a=soft_a, soft_b=soft_b, n_threads=self.n_threads)

    def sensitivity(
        self, query: object, given: object = None, *, soft: Soft | None = None, n: int | None = 20
    ) -> Sensitivities:
        """P(query | given), and the parameters of the model that it depends on most, with exact derivatives."""
        check_is_fitted(self)
        return infer.sensitivity(self.circuit_, query, given, soft=soft, network=self.network_, n=n)

    def do(self, interventions: Mapping[str, object]) -> Self:
        """The model after variables have been set from outside: their parents have no say, their children do follow.

        A category for each variable that is set, or probabilities of its categories. Ask the result anything. What
        arcs are causes, no table tells: CausalityWarning if none was stated when the model was learned.
        """
        check_is_fitted(self)
        circuit = infer.do(self.circuit_, interventions)
        if note := causality_note(self.get_params(), self.provenance_):
            warnings.warn(note, CausalityWarning, stacklevel=2)
        model = copy(self)
        model.circuit_ = circuit
        model.network_ = None if self.network_ is None else infer.do_network(self.network_, interventions)
        return model
