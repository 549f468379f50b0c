"""The report on tables as they come, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.metrics import log_loss, root_mean_squared_error
from tables import Studies
from used import used

from learnac import Dataset

others = pytest.importorskip("others", reason="needs pandas")
tabular = pytest.importorskip("tabular", reason="needs pandas and scikit-learn")

OURS = {
    "density": {"score": -1.5, "standard_error": 0.1, "single": 0.78},
    "prediction": {"log_loss": 0.25, "standard_error": 0.01},
    "imputation": {"wrong": 0.1, "wrong_error": 0.02, "wrong_values": 8, "error": None},
    "synthetic": {"auc": 0.6, "detection": 0.8, "detection_error": 0.02},
    "rows": 100,
    "edges": 1200,
    "learning_seconds": 2.0,
}


def test_each_method_stands_in_its_column(tmp_path: Path) -> None:
    records = [
        {"task": {"table": "adult", "method": "circuit"}, "result": OURS},
        {
            "task": {"table": "adult", "method": "linear", "question": "prediction"},
            "result": {"prediction": {"error": 0.5}},
        },
    ]
    (tmp_path / "tabular.json").write_text(json.dumps(records))
    text = used(Studies(tmp_path))
    assert "| adult | circuit | 1200 | 2 s |" in text
    assert "| adult | 78% | -1.500 ± 0.100 |  |  |  |  |  |" in text
    assert "| adult | 0.2500 ± 0.0100 |  |  | 0.5000 |" in text
    assert "| adult | 0.100 ± 0.020 |  |  |  |  |  |" in text
    assert "categories are only 8 values on adult" in text
    assert "| adult | 0.800 ± 0.020 |  | 0.855 |" in text


def test_a_method_that_answers_two_questions_stands_in_both_tables(tmp_path: Path) -> None:
    records = [
        {"task": {"table": "adult", "method": "gradient boosting", "question": question}, "result": {question: answer}}
        for question, answer in (("prediction", {"log_loss": 0.29}), ("imputation", {"wrong": 0.2, "error": 0.7}))
    ]
    (tmp_path / "tabular.json").write_text(json.dumps(records))
    text = used(Studies(tmp_path))
    assert "| adult |  |  | 0.2900 |  |" in text
    assert "| adult |  |  | 0.200, 0.700 |  |  |  |" in text


def test_in_place_of_what_is_no_density_stands_its_integral(tmp_path: Path) -> None:
    records = [
        {
            "task": {"table": name, "method": "SPFlow", "question": "density"},
            "result": {"density": {"score": -22.617, "standard_error": 0.1, "largest_integral": integral}},
        }
        for name, integral in (("adult", 68.07), ("beijing", 1.04), ("wine", None))
    ]
    del records[2]["result"]["density"]["largest_integral"]
    (tmp_path / "tabular.json").write_text(json.dumps(records))
    text = used(Studies(tmp_path))
    assert "| adult |  |  |  |  |  |  | none: integrates to 68 |" in text
    assert "| beijing |  |  |  |  |  |  | -22.617 ± 0.100 |" in text
    assert "| wine |  |  |  |  |  |  | not integrated |" in text


@pytest.mark.parametrize(
    ("single", "said"), [(0.01, "the best is: gaussian mixture on wine (1.0 ± 0.1 nats"), (0.9, "")]
)
def test_who_has_the_best_density_is_told_where_they_are_of_one_kind(single: float, said: str, tmp_path: Path) -> None:
    scores = {"circuit": -20.0, "mixture": -19.0, "gaussian mixture": -18.0, "SPFlow": -1.0}
    records = [
        {
            "task": {"table": "wine", "method": method, "question": "density"},
            "result": {
                "density": {"score": score, "standard_error": 0.1, "single": single, "largest_integral": 12},
                "edges": 10,
                "learning_seconds": 1.0,
            },
        }
        for method, score in scores.items()
    ]
    (tmp_path / "tabular.json").write_text(json.dumps(records))
    text = used(Studies(tmp_path))
    assert said in text
    assert ("the best is" in text) == bool(said)


class TestLargestIntegral:
    @staticmethod
    def log_densities(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the first column 1/2 up to 1 and 1/4 up to 3, which is a density; of the second 1/2 everywhere."""
        first = np.where(rows[:, 0] < 1, 0.5, 0.25)
        return np.log(np.where(np.isnan(rows[:, 0]), 1.0, first) * np.where(np.isnan(rows[:, 1]), 1.0, 0.5))

    @pytest.mark.parametrize(("end", "expected"), [(3.0, 1.5), (2.0, 1.0)])
    def test_each_column_is_integrated_by_itself(self, end: float, expected: float) -> None:
        breaks = ([0.0, 3.0, 1.0, 1.0], [end, 0.0])
        assert others.largest_integral(self.log_densities, breaks) == pytest.approx(expected)


class TestPrediction:
    def test_errors_are_those_of_scikit_learn(self) -> None:
        rng = np.random.default_rng(0)
        wanted = rng.normal(3.0, 2.0, size=1000)
        guesses = wanted + rng.normal(size=1000)
        found = tabular.relative(guesses, wanted)
        assert found["error"] == pytest.approx(root_mean_squared_error(wanted, guesses) / wanted.std())
        # Squares of normal deviates have a standard deviation of the root of 2.
        assert found["standard_error"] == pytest.approx(np.sqrt(2 / 1000) / (2 * found["error"] * 4), rel=0.2)

    def test_frequencies_know_nothing_of_the_other_columns(self) -> None:
        parts = tabular.Parts(datasets.load_wine(as_frame=True).frame, 1, "target")
        shares = parts.train["target"].value_counts(normalize=True)
        found = tabular.prediction(parts, "frequencies")
        assert found["log_loss"] == pytest.approx(-np.log(shares[parts.test["target"]]).mean())
        parts = tabular.Parts(datasets.load_wine(as_frame=True).frame, 1, "alcohol")
        wanted = parts.test["alcohol"].to_numpy()
        squares = (parts.train["alcohol"].mean() - wanted) ** 2
        found = tabular.prediction(parts, "frequencies")
        assert found["error"] == pytest.approx(np.sqrt(squares.mean()) / wanted.std())

    def test_the_log_loss_is_that_of_scikit_learn(self) -> None:
        data = datasets.load_wine(as_frame=True).frame
        parts = tabular.Parts(data, 1, "target")
        found = tabular.prediction(parts, "linear")
        estimator = tabular.baseline("linear", parts.train.drop(columns="target"), is_number=False)
        estimator.fit(parts.train.drop(columns="target"), parts.train["target"])
        shares = estimator.predict_proba(parts.test.drop(columns="target"))
        assert found["log_loss"] == pytest.approx(log_loss(parts.test["target"], shares))
        assert found["standard_error"] > 0


class TestImputation:
    def test_every_way_fills_every_gap_of_its_kind(self) -> None:
        """The third column follows from the second, so that who learns anything is right about it."""
        rng = np.random.default_rng(0)
        letters = rng.choice(list("abc"), 600)
        frame = tabular.pd.DataFrame({"number": rng.normal(size=600), "letter": letters, "same": letters})
        gaps = frame[:100].copy()
        gaps.loc[::2, "same"] = None
        gaps.loc[1::4, "number"] = np.nan
        for method in tabular.OTHERS["imputation"]:
            filled = tabular.IMPUTERS[method](frame, gaps.astype(object), ["number"])
            assert not filled.isna().any(axis=None), method
            right = float((filled["same"][::2] == frame["same"][:100:2]).mean())
            assert right < 0.5 if method == "most frequent" else right == 1.0, method

    def test_losses_are_means_over_columns_of_the_values_that_were_deleted(self) -> None:
        losses = np.array([[4.0, 9.0, 7.0], [0.0, 1.0, 7.0], [5.0, 1.0, 7.0]])
        counted = np.array([[True, False, False], [True, True, False], [False, True, False]])
        found = tabular.resampled("error", losses, counted, np.sqrt)
        assert found["error"] == pytest.approx((np.sqrt(2) + 1) / 2)
        assert found["error_values"] == 4
        assert tabular.resampled("wrong", losses[:, 2:], counted[:, 2:], np.sqrt) == {"wrong": None}

    def test_the_standard_error_is_that_of_a_mean(self) -> None:
        losses = np.random.default_rng(1).random((2000, 1))
        found = tabular.resampled("wrong", losses, np.ones((2000, 1), dtype=bool), lambda shares: shares)
        assert found["wrong_error"] == pytest.approx(losses.std() / np.sqrt(2000), rel=0.2)

    def test_the_share_of_numbers_in_a_piece_of_their_own(self) -> None:
        rng = np.random.default_rng(0)
        frame = tabular.pd.DataFrame({"many": rng.normal(size=3000)})
        frame["half"] = np.where(rng.random(3000) < 0.5, 0.0, rng.normal(size=3000))
        schemas = {name: Dataset.from_frame(frame[[name]], kinds={name: "number"}).schema for name in frame}
        assert tabular.share_of_single(schemas["many"], frame) == 0
        assert tabular.share_of_single(schemas["half"], frame) == pytest.approx(0.5, abs=0.03)


class TestDetected:
    def test_who_cannot_tell_scores_one(self) -> None:
        rng = np.random.default_rng(0)
        is_real = np.repeat([1, 0], 1000)
        found = tabular.detected(is_real, rng.random(2000))
        assert found["detection"] == pytest.approx(1, abs=4 * found["detection_error"])
        # Of an AUC by chance, with n rows of each kind, the variance is (2 n + 1) / (12 n^2).
        assert found["detection_error"] == pytest.approx(2 * np.sqrt(2001 / (12 * 1000**2)), rel=0.2)

    def test_who_can_tell_scores_zero(self) -> None:
        is_real = np.repeat([1, 0], 50)
        assert tabular.detected(is_real, is_real.astype(float))["detection"] == 0
