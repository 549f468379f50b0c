"""scikit-learn's own checks of an estimator: all pass, but for those that are listed here with the reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import check_estimator

from learnac import LearnAC

WORDING = "refused with a DataError, in other words than scikit-learn's"
REAL_NUMBERS = "the check fits an array of real numbers; an array holds codes"
ARRAY_LIKE = "a table is an array, a list, a frame or a Dataset, not anything that NumPy can convert"
NO_TARGET = "without a target, `predict` must be told which variable to predict"
NO_LABELS = "without a target, `fit` refuses y rather than ignore it"

ALWAYS = {
    "check_n_features_in_after_fitting": WORDING,
    "check_estimators_empty_data_messages": WORDING,
    "check_positive_only_tag_during_fit": WORDING,
    "check_estimators_nan_inf": "a query may have gaps: NaN in an array stands for what is unknown",
    "check_sample_weight_equivalence_on_dense_data": REAL_NUMBERS,
    "check_sample_weights_not_an_array": ARRAY_LIKE,
}
CLASSIFIER = {
    **ALWAYS,
    "check_classifier_data_not_an_array": ARRAY_LIKE,
    "check_classifiers_one_label_sample_weights": REAL_NUMBERS,
}
ASK_WITHOUT_TARGET = dict.fromkeys(
    [
        "check_dict_unchanged",
        "check_dtype_object",
        "check_estimators_dtypes",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_predict1d",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
    ],
    NO_TARGET,
)
FIT_WITH_LABELS = dict.fromkeys(
    [
        "check_all_zero_sample_weights_error",
        "check_complex_data",
        "check_dont_overwrite_parameters",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimator_sparse_tag",
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit_check_is_fitted",
        "check_fit_score_takes_y",
        "check_n_features_in",
        "check_pipeline_consistency",
        "check_readonly_memmap_input",
        "check_sample_weights_list",
        "check_sample_weights_not_overwritten",
        "check_sample_weights_pandas_series",
        "check_sample_weights_shape",
    ],
    NO_LABELS,
)


class WithoutLabels(LearnAC):
    """A density estimator that is not given the y of the checks, so that they come to what else they check."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        return super().fit(X, sample_weight=sample_weight)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, *, sample_weight: Any = None) -> Any:
        return super().partial_fit(X, sample_weight=sample_weight)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        return super().score(X, sample_weight=sample_weight)


@pytest.mark.parametrize(
    ("estimator", "expected_to_fail"),
    [
        (LearnAC(target="y"), CLASSIFIER),
        (WithoutLabels(), {**ALWAYS, **ASK_WITHOUT_TARGET}),
        (LearnAC(), {**ALWAYS, **ASK_WITHOUT_TARGET, **FIT_WITH_LABELS}),
    ],
    ids=["classifier", "density without y", "density"],
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_every_check_passes_or_is_known_to_fail(estimator: Any, expected_to_fail: dict[str, str]) -> None:
    results = check_estimator(estimator, expected_failed_checks=expected_to_fail, on_fail=None, on_skip=None)
    failed = {result["check_name"]: str(result["exception"]) for result in results if result["status"] == "failed"}
    assert failed == {}
    # Nobody should excuse what works.
    passed = {result["check_name"] for result in results if result["status"] == "passed"}
    assert passed & set(expected_to_fail) == set()
    assert len(passed) >= 10
