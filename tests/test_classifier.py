"""`LearnAC(target=...)` as a classifier: Bayes' rule on the joint distribution, and scikit-learn's conventions."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OrdinalEncoder

from learnac import DataError, Dataset, LearnAC, ModelFileError, load

FRUITS = np.array(["apple", "banana", "cherry"])


def random_rows(seed: int, n_rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Three columns of 3, 2 and 4 values, and a label of three that follows the first and the last."""
    rng = np.random.default_rng(seed)
    features = np.column_stack([rng.integers(arity, size=n_rows) for arity in (3, 2, 4)])
    label = np.where(rng.random(n_rows) < 0.8, (features[:, 0] + features[:, 2]) % 3, rng.integers(3, size=n_rows))
    return features, label


X, CODES = random_rows(0, 400)
TEST, TEST_CODES = random_rows(1, 100)
Y = FRUITS[CODES]
WORLDS = np.indices([3, 2, 4]).reshape(3, -1).T


def frame_of(features: NDArray[np.int64]) -> pd.DataFrame:
    return pd.DataFrame(
        {"colour": np.array(["blue", "green", "red"])[features[:, 0]], "ripe": features[:, 1] == 1}
    ).assign(size=features[:, 2])


FRAME = frame_of(X)


def by_bayes_rule(model: LearnAC, rows: NDArray[Any]) -> NDArray[np.float64]:
    """P(label | row) from the joint probabilities of all worlds; NaN is summed out."""
    n_classes = len(model.classes_)
    worlds = np.repeat(WORLDS, n_classes, axis=0)
    codes = np.column_stack([worlds, np.tile(np.arange(n_classes), len(WORLDS))])
    joint = np.exp(model.network_.log_likelihood(codes.T.astype(np.uint8))).reshape(-1, n_classes)
    result = []
    for row in rows:
        agrees = (np.isnan(row) | (row == WORLDS)).all(axis=1)
        weights = joint[agrees].sum(axis=0)
        result.append(weights / weights.sum())
    return np.array(result)


class TestProbabilities:
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("share_missing", [0.0, 0.4, 1.0])
    def test_they_are_those_of_bayes_rule(self, n_classes: int, share_missing: float) -> None:
        model = LearnAC(target="fruit").fit(X, FRUITS[CODES % n_classes])
        assert model.n_splits_ > 3
        gaps = np.random.default_rng(2).random(TEST.shape) < share_missing
        rows = np.where(gaps, np.nan, TEST)
        expected = by_bayes_rule(model, rows)
        np.testing.assert_allclose(model.predict_proba(rows), expected, rtol=1e-12)
        np.testing.assert_array_equal(model.predict(rows), FRUITS[expected.argmax(axis=1)])

    def test_they_come_in_the_order_of_the_sorted_classes(self) -> None:
        """So that scikit-learn's metrics are right, whatever order a categorical column declares."""
        declared = pd.Series(pd.Categorical(Y, categories=["cherry", "apple", "banana"]))
        model, plain = LearnAC(target="fruit").fit(FRAME, declared), LearnAC(target="fruit").fit(FRAME, Y)
        assert model.schema_.categories[-1] == ("cherry", "apple", "banana")
        assert model.classes_.tolist() == FRUITS.tolist()
        np.testing.assert_allclose(model.predict_proba(FRAME), plain.predict_proba(FRAME), rtol=1e-9)
        assert log_loss(Y, model.predict_proba(FRAME)) < 0.8
        np.testing.assert_array_equal(model.predict(FRAME), plain.predict(FRAME))

    def test_a_declared_label_that_no_row_has_gets_some_probability(self) -> None:
        declared = pd.Series(pd.Categorical(Y, categories=[*FRUITS, "date"]))
        model = LearnAC(target="fruit").fit(FRAME, declared)
        assert model.classes_.tolist() == [*FRUITS, "date"]
        probabilities = model.predict_proba(FRAME)
        assert (probabilities[:, 3] > 0).all()
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)

    def test_likelihoods_are_evidence_too(self) -> None:
        model = LearnAC(target="fruit").fit(FRAME, Y)
        soft = model.predict_proba({"ripe": True}, soft={"size": [1, 0, 0, 0]})
        np.testing.assert_allclose(soft, model.predict_proba({"ripe": True, "size": 0}), rtol=1e-12)


LABELS: dict[str, Any] = {
    "list of strings": Y.tolist(),
    "array of strings": Y,
    "array of objects": Y.astype(object),
    "pandas": pd.Series(Y, index=np.arange(400) + 7),
    "pandas, categorical": pd.Series(Y, name="anything", dtype="category"),
    "polars": pl.Series(Y),
    "pyarrow": pa.chunked_array([Y.tolist()]),
    "numbers": CODES * 5 - 3,
    "small numbers": CODES.astype(np.int8),
    "whole floats": CODES + 1.0,
    "pandas numbers": pd.Series(CODES, dtype="int16"),
    "truths": CODES == 1,
    "list of truths": (CODES == 1).tolist(),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_as_they_were_given(kind: str) -> None:
    y = LABELS[kind]
    given = np.asarray(y)
    model = LearnAC(target="fruit").fit(FRAME, y)
    predicted = model.predict(FRAME)
    assert predicted.dtype == model.classes_.dtype == given.dtype
    assert model.classes_.tolist() == sorted(set(given.tolist()))
    assert (predicted == given).mean() > 0.7
    assert model.score(FRAME, y) == (predicted == given).mean()


TABLES: dict[str, Any] = {
    "array": X,
    "floats": X.astype(float),
    "list": X.tolist(),
    "dataset": Dataset.from_array(X),
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "pyarrow": pa.Table.from_pandas(FRAME),
}


@pytest.mark.parametrize("kind", TABLES)
def test_all_kinds_of_tables_give_the_same_answers(kind: str) -> None:
    # Integers of a frame have an order, codes of an array have not: complete splits make no difference of it.
    expected = LearnAC(target="fruit", splits="complete").fit(X, Y)
    model = LearnAC(target="fruit", splits="complete").fit(TABLES[kind], Y)
    assert model.n_features_in_ == 3
    assert "fruit" not in model.feature_names_in_
    np.testing.assert_array_equal(model.predict_proba(TABLES[kind]), expected.predict_proba(X))
    assert model.score(TABLES[kind], Y) == expected.score(X, Y)
    np.testing.assert_array_equal(model.score_samples(TABLES[kind]), expected.score_samples(X))


class TestTheTargetAsAColumn:
    """X may have the target as one of its columns, anywhere among them."""

    WITH = FRAME.assign(fruit=Y)[["colour", "fruit", "ripe", "size"]]

    @pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas, Dataset.from_frame])
    def test_of_any_table(self, make: Any) -> None:
        table = make(self.WITH)
        model = LearnAC(target="fruit").fit(table)
        expected = LearnAC(target="fruit").fit(FRAME, Y)
        assert model.feature_names_in_.tolist() == ["colour", "ripe", "size"]
        np.testing.assert_allclose(model.predict_proba(table), expected.predict_proba(FRAME), rtol=1e-9)
        np.testing.assert_array_equal(model.predict_proba(FRAME), model.predict_proba(table))
        assert model.score(table) == model.score(FRAME, Y) == model.score(table, Y)

    def test_a_row_without_its_label_is_scored_by_what_it_has(self) -> None:
        model = LearnAC(target="fruit").fit(self.WITH)
        joint = [model.score_samples(self.WITH.assign(fruit=label)) for label in FRUITS]
        np.testing.assert_allclose(model.score_samples(FRAME), np.logaddexp.reduce(joint), rtol=1e-12)

    def test_of_an_array(self) -> None:
        table = np.insert(X, 1, CODES, axis=1)
        model = LearnAC(target="x1").fit(table)
        assert model.classes_.tolist() == [0, 1, 2]
        np.testing.assert_array_equal(model.predict_proba(table), model.predict_proba(X))
        assert model.score(table) == model.score(X, CODES) > 0.7
        assert LearnAC(target="x1").fit(table, CODES).score(table) == model.score(table)

    def test_its_values_are_ignored_when_predicting(self) -> None:
        model = LearnAC(target="fruit").fit(self.WITH)
        expected = model.predict_proba(FRAME)
        for nonsense in ("durian", None, 3.5):
            np.testing.assert_array_equal(model.predict_proba(FRAME.assign(fruit=nonsense)), expected)
        rows = [{**row, "fruit": "durian"} for row in FRAME.to_dict("records")]
        np.testing.assert_array_equal(model.predict_proba(rows), expected)
        np.testing.assert_array_equal(model.predict_proba(rows[0]), expected[0])
        assert model.predict(rows[0]) == model.predict(FRAME)[0]
        np.testing.assert_array_equal(model.predict_proba(self.WITH, target="fruit"), expected)

    def test_other_variables_can_be_predicted_as_ever(self) -> None:
        model = LearnAC(target="fruit").fit(self.WITH)
        known = self.WITH.drop(columns="ripe")
        plain = LearnAC().fit(self.WITH)
        np.testing.assert_array_equal(model.predict_proba(known, "ripe"), plain.predict_proba(known, "ripe"))

    def test_it_may_be_a_column_of_numbers_in_bins(self) -> None:
        frame = FRAME.assign(weight=CODES * 100 + np.arange(400) / 7)
        model = LearnAC(target="weight", bins=3).fit(frame)
        intervals = model.schema_.categories[-1]
        assert len(intervals) == 3
        assert model.classes_.tolist() == sorted(intervals)
        truth = [intervals[code] for code in Dataset.from_frame(frame, bins=3).codes[-1]]
        assert model.score(frame) == (model.predict(frame) == truth).mean() > 0.5

    def test_frames_may_lack_other_columns_too(self) -> None:
        model = LearnAC(target="fruit").fit(self.WITH)
        gaps = FRAME.assign(size=None)
        np.testing.assert_array_equal(
            model.predict_proba(FRAME.drop(columns="size")), model.predict_proba(gaps.astype({"size": "Int64"}))
        )


class TestScikitLearn:
    def test_what_it_is_depends_on_the_target(self) -> None:
        assert is_classifier(LearnAC(target="y"))
        assert not is_classifier(LearnAC())

    def test_there_are_classes_only_with_a_target_that_is_fitted(self) -> None:
        assert not hasattr(LearnAC(target="y"), "classes_")
        assert not hasattr(LearnAC().fit(X), "classes_")
        with pytest.raises(NotFittedError):
            LearnAC(target="y").predict(X)

    @pytest.mark.parametrize("table", [X, FRAME, Dataset.from_frame(FRAME)], ids=["array", "frame", "dataset"])
    def test_cross_validation(self, table: Any) -> None:
        scores = cross_val_score(LearnAC(target="y"), table, Y, cv=3)
        assert (scores > 0.65).all()
        assert (cross_val_score(LearnAC(target="y"), table, Y, cv=3, scoring="neg_log_loss") > -0.9).all()

    def test_cross_validation_of_a_table_with_its_target(self) -> None:
        assert (cross_val_score(LearnAC(target="fruit"), FRAME.assign(fruit=Y), cv=3) > 0.65).all()

    def test_grid_search(self) -> None:
        grid = {"edge_penalty": [0.02, 1000.0]}
        search = GridSearchCV(LearnAC(target="y"), grid, cv=3, scoring="accuracy").fit(FRAME, Y)
        assert search.best_params_ == {"edge_penalty": 0.02}
        assert search.predict(frame_of(TEST)).shape == (100,)

    def test_calibration(self) -> None:
        calibrated = CalibratedClassifierCV(LearnAC(target="y"), cv=3).fit(FRAME, Y)
        assert calibrated.classes_.tolist() == FRUITS.tolist()
        assert calibrated.score(frame_of(TEST), FRUITS[TEST_CODES]) > 0.65

    def test_a_pipeline(self) -> None:
        pipeline = Pipeline([("codes", OrdinalEncoder()), ("model", LearnAC(target="y"))]).fit(FRAME, Y)
        assert pipeline.classes_.tolist() == FRUITS.tolist()
        np.testing.assert_array_equal(pipeline.predict(FRAME), LearnAC(target="y").fit(X, Y).predict(X))
        assert (cross_val_predict(pipeline, FRAME, Y, cv=3) == Y).mean() > 0.65

    def test_pickles(self) -> None:
        model = LearnAC(target="y").fit(FRAME, Y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(FRAME), model.predict(FRAME))

    def test_weights_of_rows_and_of_scores(self) -> None:
        weights = np.where(Y == "apple", 0.0, 1.0)
        model = LearnAC(target="y").fit(FRAME, pd.Series(Y, dtype="category"), sample_weight=weights)
        assert (model.predict(FRAME) != "apple").all()
        assert model.score(FRAME, Y, sample_weight=weights) == (model.predict(FRAME) == Y)[weights > 0].mean()


def test_the_target_is_in_the_file(tmp_path: Path) -> None:
    model = LearnAC(target="fruit").fit(FRAME, Y)
    model.save(tmp_path / "fruit.learnac")
    again = load(tmp_path / "fruit.learnac")
    assert again.target == "fruit"
    np.testing.assert_array_equal(again.predict(FRAME), model.predict(FRAME))
    np.testing.assert_array_equal(again.classes_, model.classes_)
    model.set_params(target="vegetable").save(tmp_path / "wrong.learnac")
    with pytest.raises(ModelFileError, match="expected the name of a variable as the target, found 'vegetable'"):
        load(tmp_path / "wrong.learnac")


@pytest.mark.parametrize("table", [X, FRAME], ids=["array", "frame"])
def test_a_validation_table_is_a_pair_or_has_the_target(table: Any) -> None:
    pair = LearnAC(0.001, 0, target="fruit").fit(table, Y, validation=(table[:100], Y[:100]))
    assert pair.trace_[-1].validation_log_likelihood is not None
    if table is FRAME:
        whole = LearnAC(0.001, 0, target="fruit").fit(table, Y, validation=FRAME.assign(fruit=Y)[:100])
        assert [step.validation_log_likelihood for step in whole.trace_] == [
            step.validation_log_likelihood for step in pair.trace_
        ]
    with pytest.raises(DataError, match="validation: column 'fruit', row 0: expected one of its categories"):
        LearnAC(target="fruit").fit(table, Y, validation=(table[:2], ["durian", "apple"]))


BAD: list[tuple[Any, Any, str]] = [
    (FRAME, None, "requires y to be passed, but the target y is None, and no column of X is called 'fruit'; there are"),
    (FRAME, Y[:10], "y: expected 400 labels, one for each row of X, found 10"),
    (FRAME, np.linspace(0, 1, 400), "Unknown label type: continuous"),
    (FRAME, [None] * 400, "y: expected a label for some rows, found none"),
    (FRAME, np.full(400, np.nan), "y: expected a label for some rows, found none"),
    (FRAME, pl.Series([None] * 400), "y: expected a label for some rows, found none"),
    (FRAME.assign(fruit=Y), np.roll(Y, 1), "row 1: expected y to be the column 'fruit' of the table"),
    (pd.DataFrame({"fruit": Y}), None, "expected columns beside the target 'fruit', found none"),
]


@pytest.mark.parametrize(("table", "y", "message"), BAD)
def test_labels_that_cannot_be_learned(table: Any, y: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        LearnAC(target="fruit").fit(table, y)


def test_arrays_of_another_width_are_refused() -> None:
    model = LearnAC(target="y").fit(X, Y)
    for table in (X[:, :2], np.hstack([X, X])):
        with pytest.raises(DataError, match=f"expected 3 columns, as the schema has, found {table.shape[1]}"):
            model.predict(table)


def test_without_a_target_it_must_be_named() -> None:
    with pytest.raises(TypeError, match="target: expected the name of the variable to predict, found None"):
        LearnAC().fit(X).predict(X)
