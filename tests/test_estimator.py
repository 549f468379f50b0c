"""The scikit-learn estimator: its conventions, the tables it takes, and a clear word about those it cannot take."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

from learnac import DataError, Dataset, LearnAC
from learnac.learn import LearnSettings, MixtureSettings, Stop
from learnac.learn.validation import ValidationTracker

NAMES = ["colour", "size", "shape", "ripe"]
COLOURS = np.array(["blue", "green", "red"])


def random_codes(seed: int = 0, n_rows: int = 300) -> NDArray[np.int64]:
    """Size follows colour, shape follows size, ripe is their xor, each mostly."""
    rng = np.random.default_rng(seed)
    colour = rng.integers(3, size=n_rows)
    size = np.where(rng.random(n_rows) < 0.8, colour % 2, rng.integers(2, size=n_rows))
    shape = np.where(rng.random(n_rows) < 0.7, size * 2, rng.integers(4, size=n_rows))
    ripe = np.where(rng.random(n_rows) < 0.9, (colour + shape) % 2, rng.integers(2, size=n_rows))
    return np.column_stack([colour, size, shape, ripe])


CODES = random_codes()
HELD_OUT = random_codes(seed=1, n_rows=100)


def pandas_frame(codes: NDArray[np.int64]) -> pd.DataFrame:
    colour, size, shape, ripe = codes.T
    return pd.DataFrame({"colour": COLOURS[colour], "size": size, "shape": shape, "ripe": ripe == 1})


def polars_frame(codes: NDArray[np.int64]) -> pl.DataFrame:
    colour, size, shape, ripe = codes.T
    return pl.DataFrame({"colour": COLOURS[colour], "size": size, "shape": shape, "ripe": ripe == 1})


class TestConventions:
    def test_parameters_come_back_as_they_were_given(self) -> None:
        model = LearnAC(0.3, schedule="greedy", max_splits=7)
        parameters = model.get_params()
        assert parameters["edge_penalty"] == 0.3
        assert parameters["schedule"] == "greedy"
        assert parameters["max_splits"] == 7
        assert LearnAC().set_params(**parameters).get_params() == parameters

    def test_every_setting_is_a_parameter_with_the_same_default(self) -> None:
        parameters = LearnAC().get_params()
        for settings in (LearnSettings, MixtureSettings):
            for name, field in settings.__dataclass_fields__.items():
                assert parameters.pop(name) == field.default
        assert parameters == {
            "allowed_parents": None,
            "forbidden_parents": None,
            "required_parents": None,
            "tiers": None,
            "callback": None,
            "target": None,
            "bins": None,
            "missing": "random",
            "as_category": None,
            "kinds": None,
            "min_count": 1,
            "unknown": "error",
            "verbose": False,
            "n_threads": 1,
        }

    def test_clones_are_unfitted_and_equal(self) -> None:
        model = LearnAC(edge_penalty=0.1, allowed_parents={"x0": ["x1"]}).fit(CODES)
        twin = clone(model)
        assert twin.get_params() == model.get_params()
        assert not hasattr(twin, "circuit_")

    def test_nothing_is_checked_before_fit(self) -> None:
        model = LearnAC(schedule="slow")
        with pytest.raises(ValueError, match="schedule"):
            model.fit(CODES)

    def test_fit_returns_itself_and_leaves_parameters_alone(self) -> None:
        model = LearnAC()
        before = model.get_params()
        assert model.fit(CODES) is model
        assert model.get_params() == before

    @pytest.mark.parametrize("ask", [LearnAC.fit, LearnAC.score])
    def test_without_a_target_there_is_no_y(self, ask: Any) -> None:
        with pytest.raises(
            ValueError, match=r"y: expected None without a target, found list; for a .*, use LearnAC\(target='y'\)"
        ):
            ask(LearnAC().fit(CODES), CODES, [0, 1])

    def test_what_is_learned(self) -> None:
        model = LearnAC(alpha=0.5, shrinkage=10.0).fit(CODES)
        assert (model.alpha_, model.shrinkage_) == (0.5, 10.0)
        assert model.n_splits_ == len(model.trace_) > 3
        assert model.stop_ is Stop.CONVERGED
        assert model.circuit_.n_edges == model.trace_[-1].n_edges
        assert model.n_features_in_ == 4
        assert model.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
        assert model.network_.schema is model.circuit_.schema is model.schema_

    def test_fitting_again_forgets_the_first_table(self) -> None:
        model = LearnAC().fit(CODES)
        model.fit(CODES[:, :2])
        assert model.n_features_in_ == model.circuit_.schema.n_variables == 2
        assert model.score(CODES[:, :2]) == LearnAC().fit(CODES[:, :2]).score(CODES[:, :2])

    @pytest.mark.parametrize("ask", [LearnAC.score, LearnAC.score_samples])
    def test_an_unfitted_model_says_so(self, ask: Any) -> None:
        with pytest.raises(NotFittedError, match="LearnAC instance is not fitted yet"):
            ask(LearnAC(), CODES)

    def test_score_is_the_mean_of_the_rows(self) -> None:
        model = LearnAC(alpha=0.5, shrinkage=10.0).fit(CODES)
        log_likelihoods = model.score_samples(HELD_OUT)
        assert log_likelihoods.shape == (100,)
        assert (log_likelihoods < 0).all()
        assert model.score(HELD_OUT) == pytest.approx(log_likelihoods.mean(), rel=1e-15)
        assert model.score(CODES) == pytest.approx(model.trace_[-1].log_likelihood, rel=1e-12)

    def test_probabilities_of_all_worlds_add_up(self) -> None:
        model = LearnAC().fit(CODES)
        worlds = np.indices([3, 2, 4, 2]).reshape(4, -1).T
        assert np.exp(model.score_samples(worlds)).sum() == pytest.approx(1, rel=1e-12)

    def test_pickles(self) -> None:
        model = LearnAC().fit(CODES)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.score_samples(HELD_OUT), model.score_samples(HELD_OUT))

    def test_in_a_pipeline(self) -> None:
        frame = pandas_frame(CODES)
        pipeline = Pipeline([("encode", OrdinalEncoder()), ("model", LearnAC(edge_penalty=0.05))]).fit(frame)
        assert pipeline.score(frame) == LearnAC(edge_penalty=0.05).fit(CODES).score(CODES)
        assert pipeline.set_params(model__schedule="greedy").fit(frame).score(frame) > -10

    def test_in_a_pipeline_of_frames(self) -> None:
        select = FunctionTransformer(lambda frame: frame[["colour", "ripe"]])
        pipeline = Pipeline([("select", select), ("model", LearnAC())]).fit(pandas_frame(CODES))
        assert pipeline["model"].feature_names_in_.tolist() == ["colour", "ripe"]

    def test_grid_search_over_the_edge_penalty(self) -> None:
        # Frames, so that a fold which lacks a value of a column still knows of it.
        frame = pandas_frame(CODES).astype("category")
        search = GridSearchCV(LearnAC(), {"edge_penalty": [0.01, 0.1, 1.0, 100.0]}, cv=3).fit(frame)
        scores = search.cv_results_["mean_test_score"]
        assert np.isfinite(scores).all()
        assert search.best_params_ != {"edge_penalty": 100.0}
        assert search.best_estimator_.circuit_.n_edges > LearnAC(100.0).fit(frame).circuit_.n_edges
        assert search.score(frame) == search.best_estimator_.score(frame)

    def test_cross_validation_passes_a_validation_table_on(self) -> None:
        held_out = Dataset.from_array(HELD_OUT, arities=[3, 2, 4, 2])
        scores = cross_val_score(LearnAC(), CODES, cv=3, params={"validation": held_out})
        assert np.isfinite(scores).all()


class TestTables:
    def test_all_kinds_of_tables_give_the_same_model(self) -> None:
        models = [
            LearnAC().fit(table) for table in (CODES, CODES.astype(float), CODES.tolist(), Dataset.from_array(CODES))
        ]
        models += [LearnAC().fit(make(CODES)) for make in (pandas_frame, polars_frame)]
        for model in models:
            assert [info.edge_cost for info in model.trace_] == [info.edge_cost for info in models[0].trace_]
            np.testing.assert_array_equal(model.circuit_.parameters, models[0].circuit_.parameters)
            np.testing.assert_array_equal(model.score_samples(HELD_OUT), models[0].score_samples(HELD_OUT))

    @pytest.mark.parametrize("make", [pandas_frame, polars_frame])
    def test_frames_give_names_and_categories(self, make: Any) -> None:
        model = LearnAC().fit(make(CODES))
        assert model.feature_names_in_.tolist() == NAMES
        assert model.schema_.categories == (("blue", "green", "red"), (0, 1), (0, 1, 2, 3), (False, True))
        np.testing.assert_array_equal(model.score_samples(make(HELD_OUT)), model.score_samples(HELD_OUT))

    def test_columns_of_frames_are_found_by_name(self) -> None:
        model = LearnAC().fit(pandas_frame(CODES))
        shuffled = pandas_frame(HELD_OUT)[["ripe", "shape", "colour", "size"]]
        np.testing.assert_array_equal(model.score_samples(shuffled), model.score_samples(HELD_OUT))
        np.testing.assert_array_equal(model.score_samples(polars_frame(HELD_OUT)), model.score_samples(shuffled))

    def test_categories_that_no_row_has_get_some_probability(self) -> None:
        frame = pandas_frame(CODES[CODES[:, 0] < 2])
        frame["colour"] = pd.Categorical(frame["colour"], categories=["blue", "green", "red"])
        model = LearnAC().fit(frame)
        assert np.isfinite(model.score_samples(pandas_frame(HELD_OUT))).all()

    def test_one_column(self) -> None:
        model = LearnAC().fit([[0], [0], [1]])
        assert model.n_splits_ == 0
        np.testing.assert_allclose(np.exp(model.score_samples([[0], [1]])), [5 / 8, 3 / 8], rtol=1e-15)

    def test_a_constant_column(self) -> None:
        constant = np.column_stack([CODES, np.zeros(300, dtype=int)])
        model = LearnAC().fit(constant)
        assert [info.net_gain for info in model.trace_] == [info.net_gain for info in LearnAC().fit(CODES).trace_]
        np.testing.assert_allclose(model.score_samples(constant), LearnAC().fit(CODES).score_samples(CODES), rtol=1e-12)

    def test_all_columns_constant(self) -> None:
        model = LearnAC().fit(np.zeros((5, 3), dtype=int))
        assert model.score(np.zeros((1, 3), dtype=int)) == 0

    def test_one_row(self) -> None:
        assert np.isfinite(LearnAC().fit([[1, 0, 2]]).score([[0, 0, 1]]))


BAD_TABLES: list[tuple[Any, type[Exception], str]] = [
    (np.empty((0, 3), dtype=int), DataError, "the table has no rows"),
    (pd.DataFrame({"a": []}), DataError, "the table has no rows"),
    ([], DataError, "the table has no rows"),
    (np.empty((3, 0), dtype=int), DataError, "the table has no columns"),
    (pd.DataFrame(index=[0, 1]), DataError, "the table has no columns"),
    (pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), DataError, "column names must be unique"),
    (np.array([[0, np.nan], [1, np.nan]]), DataError, "column 'x1': expected values to learn from, found only missing"),
    (pl.DataFrame({"a": [None, None]}), DataError, "found none: 'a' has no value in any row"),
    (np.array([[0, 1.5], [np.nan, 0]]), DataError, r"row 0, column 'x1': expected a code .* found 1\.5"),
    (np.array([[0.0, 0.5]]), DataError, r"row 0, column 'x1': expected a code .* found 0\.5"),
    (pd.DataFrame({"a": [0.5, np.inf]}), DataError, r"column 'a', row 1: expected numbers up to 1e\+300, found inf"),
    (pd.DataFrame({"a": [3, 3]}), DataError, "expected columns to learn from, found none: 'a' has the same value in"),
    (np.array([[0, -1]]), DataError, r"row 0, column 'x1': expected a code .* found -1"),
    (np.array([["a", "b"]]), DataError, "expected an array of integer codes"),
    (np.array([0, 1, 1]), DataError, r"expected a 2-D array \(rows x variables\), found shape \(3,\)"),
    ("table.csv", FileNotFoundError, "table.csv"),
    (None, TypeError, "expected a data frame"),
]


@pytest.mark.parametrize(("table", "error", "message"), BAD_TABLES)
def test_tables_that_cannot_be_learned_from(table: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        LearnAC().fit(table)


BAD_SETTINGS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"edge_penalty": -0.1}, ValueError, r"edge_penalty: expected a finite number at least 0, found -0\.1"),
    ({"parameter_penalty": -1}, ValueError, "parameter_penalty: expected .* found -1"),
    ({"edge_penalty": float("nan")}, ValueError, "edge_penalty: expected .* found nan"),
    ({"parameter_penalty": float("nan")}, ValueError, "parameter_penalty: expected .* found nan"),
    ({"edge_penalty": float("inf")}, ValueError, "edge_penalty: expected .* found inf"),
    ({"edge_penalty": "cheap"}, TypeError, "edge_penalty: expected a number, found 'cheap'"),
    ({"parameter_penalty": None}, TypeError, "parameter_penalty: expected a number, found None"),
    ({"alpha": -1.0}, ValueError, "alpha: expected .* found -1"),
    ({"equivalent_sample_size": 0}, ValueError, "equivalent_sample_size: expected .* above 0, found 0"),
    ({"schedule": "slow"}, ValueError, "schedule: expected one of 'quick', 'greedy', found 'slow'"),
    ({"criterion": "bic"}, ValueError, "criterion: expected one of 'likelihood', 'bdeu', found 'bic'"),
    ({"splits": "ternary"}, ValueError, "splits: expected one of 'complete', 'binary', found 'ternary'"),
    ({"max_edges": 36}, ValueError, "max_edges: expected at least 37, the edges of the initial circuit, found 36"),
    ({"max_edges": 1e3}, TypeError, r"max_edges: expected a whole number, found 1000\.0"),
    ({"max_splits": -1}, ValueError, "max_splits: expected at least 0, found -1"),
    ({"max_seconds": -1}, ValueError, "max_seconds: expected .* found -1"),
    ({"patience": 0}, ValueError, "patience: expected at least 1, found 0"),
    (
        {"halve_edge_penalty": True, "edge_penalty": 1.0},
        ValueError,
        "halve_edge_penalty: expected max_edges to be set too",
    ),
    (
        {"halve_edge_penalty": True, "max_edges": 99, "edge_penalty": 0},
        ValueError,
        "halve_edge_penalty: expected an edge_penalty above 0",
    ),
    ({"allowed_parents": {"x0": ["x9"]}}, ValueError, "expected names of variables, found 'x9'; there are 'x0'"),
    ({"allowed_parents": {"x9": ["x0"]}}, ValueError, "expected names of variables, found 'x9'; there are 'x0'"),
    ({"allowed_parents": {"x0": ["x0"]}}, ValueError, r"allowed_parents\['x0'\]: a variable cannot be its own"),
    ({"allowed_parents": {"x0": "x1"}}, TypeError, r"allowed_parents\['x0'\]: expected a list of names"),
    ({"allowed_parents": [("x0", "x1")]}, TypeError, "allowed_parents: expected a mapping, found list"),
]


@pytest.mark.parametrize(("chosen", "error", "message"), BAD_SETTINGS)
def test_settings_that_make_no_sense(chosen: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        LearnAC(**chosen).fit(CODES)


class TestAllowedParents:
    def test_an_empty_list_is_no_parents(self) -> None:
        model = LearnAC(allowed_parents={name: [] for name in NAMES}).fit(pandas_frame(CODES))
        assert model.n_splits_ == 0

    def test_names_are_those_of_the_frame(self) -> None:
        model = LearnAC(allowed_parents={"ripe": ["shape"], "shape": []}).fit(pandas_frame(CODES))
        parents = dict(zip(NAMES, model.network_.parents, strict=True))
        assert parents["shape"] == ()
        assert parents["ripe"] == (2,)


class TestValidation:
    def test_the_model_is_the_best_prefix(self) -> None:
        model = LearnAC(0.001, 0, alpha=1, shrinkage=0).fit(CODES[:60], validation=HELD_OUT)
        scores = [info.validation_log_likelihood for info in model.trace_]
        assert model.n_splits_ == 1 + int(np.argmax(scores)) < len(model.trace_)
        assert model.score(HELD_OUT) == pytest.approx(max(scores), rel=1e-12)

    def test_frames_are_encoded_as_the_training_table(self) -> None:
        shuffled = pandas_frame(HELD_OUT)[["ripe", "shape", "colour", "size"]]
        by_name = LearnAC().fit(pandas_frame(CODES), validation=shuffled)
        by_place = LearnAC().fit(CODES, validation=HELD_OUT)
        assert by_name.n_splits_ == by_place.n_splits_
        assert by_name.trace_[-1].validation_log_likelihood == by_place.trace_[-1].validation_log_likelihood

    @pytest.mark.parametrize(
        ("validation", "message"),
        [
            (pandas_frame(HELD_OUT).drop(columns="ripe"), "the table lacks 'ripe'"),
            (pandas_frame(HELD_OUT).assign(extra=0), "the table has 'extra' in excess"),
            (pandas_frame(HELD_OUT).assign(size=0.5), "column 'size', row 0: expected one of its categories, 0, 1"),
            (HELD_OUT[:, :3], "expected 4 columns, as the schema has, found 3"),
            (HELD_OUT + 1, r"row \d+, column 'colour': expected a code from 0 to 2"),
            (HELD_OUT[:0], "the table has no rows"),
            (np.where(HELD_OUT == 2, np.nan, HELD_OUT + 0.5), r"row \d+, column '\w+': expected a code"),
        ],
    )
    def test_tables_that_do_not_fit_the_training_table(self, validation: Any, message: str) -> None:
        with pytest.raises(DataError, match=message):
            LearnAC().fit(pandas_frame(CODES), validation=validation)

    @pytest.mark.parametrize("ask", [LearnAC.score, LearnAC.score_samples])
    def test_so_it_is_with_tables_to_score(self, ask: Any) -> None:
        model = LearnAC().fit(pandas_frame(CODES))
        with pytest.raises(DataError, match="the table lacks 'ripe'"):
            ask(model, pandas_frame(HELD_OUT).drop(columns="ripe"))
        with pytest.raises(DataError, match="row 0, column 'size': expected a code from 0 to 1"):
            ask(model, [[0, 5, 0, 0]])


class TestSampleWeight:
    def test_weights_count_rows_several_times(self) -> None:
        weights = np.random.default_rng(2).integers(0, 3, size=300)
        # Stated arities: a value may be only in rows of weight 0.
        table = Dataset.from_array(CODES, arities=[3, 2, 4, 2])
        repeated = Dataset.from_array(np.repeat(CODES, weights, axis=0), arities=[3, 2, 4, 2])
        weighted = LearnAC(alpha=0.5, shrinkage=10.0).fit(table, sample_weight=weights)
        np.testing.assert_array_equal(
            weighted.circuit_.parameters, LearnAC(alpha=0.5, shrinkage=10.0).fit(repeated).circuit_.parameters
        )

    def test_lists_are_taken(self) -> None:
        weighted = LearnAC().fit([[0, 1], [1, 0], [1, 1]], sample_weight=[1, 2.5, 0])
        assert weighted.network_.trees[0].counts[0].tolist() == [1, 2.5]

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            (np.ones(299), r"expected 300 numbers, one per row, found shape \(299,\)"),
            (np.ones((300, 1)), r"expected 300 numbers, one per row, found shape \(300, 1\)"),
            (2.0, r"expected 300 numbers, one per row, found shape \(\)"),
            (np.r_[np.ones(299), -1], r"expected finite numbers from 0, found -1\.0 in row 299"),
            (np.r_[np.nan, np.ones(299)], "expected finite numbers from 0, found nan in row 0"),
            (np.r_[1.0, np.inf, np.ones(298)], "expected finite numbers from 0, found inf in row 1"),
            (np.zeros(300), "expected a positive total, found zero"),
        ],
    )
    def test_weights_that_make_no_sense(self, weights: Any, message: str) -> None:
        with pytest.raises(ValueError, match=f"sample_weight: {message}"):
            LearnAC().fit(CODES, sample_weight=weights)


def test_callbacks_see_each_split_and_can_end_learning() -> None:
    seen: list[int] = []

    def watch(info: Any) -> bool:
        seen.append(info.n_splits)
        return info.n_splits == 2

    model = LearnAC(callback=watch).fit(CODES)
    assert seen == [1, 2]
    assert (model.stop_, model.n_splits_) == (Stop.CALLBACK, 2)


class TestInterrupt:
    """Ctrl-C while `fit` works."""

    @staticmethod
    def at_split(n_splits: int) -> Any:
        def interrupt(info: Any) -> None:
            if info.n_splits == n_splits:
                raise KeyboardInterrupt

        return interrupt

    def test_fit_raises_and_keeps_the_model_so_far(self) -> None:
        model = LearnAC(callback=self.at_split(2))
        with pytest.raises(KeyboardInterrupt, match="the model so far is kept: it has the first 2 splits"):
            model.fit(CODES)
        assert (model.stop_, model.n_splits_) == (Stop.INTERRUPTED, 2)
        assert np.isfinite(model.score(HELD_OUT))
        assert model.marginals()["x0"].sum() == pytest.approx(1)

    def test_the_model_of_an_earlier_fit_is_replaced(self) -> None:
        model = LearnAC().fit(CODES[:, :2])
        with pytest.raises(KeyboardInterrupt):
            model.set_params(callback=self.at_split(1)).fit(CODES)
        assert model.n_features_in_ == 4

    def test_cross_validation_stops(self) -> None:
        n_fits = 0

        def interrupt(info: Any) -> None:
            nonlocal n_fits
            n_fits += 1
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            cross_val_score(LearnAC(callback=interrupt), CODES, cv=3)
        assert n_fits == 1

    def test_while_smoothing_is_chosen_fit_raises_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        model = LearnAC(callback=lambda info: monkeypatch.setattr(ValidationTracker, "split", interrupted))
        with pytest.raises(KeyboardInterrupt, match="the model so far is kept"):
            model.fit(CODES)
        assert model.stop_ is Stop.INTERRUPTED
        assert model.n_splits_ == len(model.trace_) > 3
        assert np.isfinite(model.score(HELD_OUT))


def test_an_impossible_row_without_weight_has_no_say_in_the_score() -> None:
    rows, weights = pd.DataFrame({"x0": [0, 1]}), [1.0, 0.0]
    zeros = Dataset.from_frame(pd.DataFrame({"x0": pd.Categorical([0, 0], [0, 1])}))
    certain = LearnAC(alpha=0, shrinkage=0, max_splits=0).fit(zeros)
    assert certain.score(rows, sample_weight=weights) == pytest.approx(0.0)
    assert certain.score(rows) == -np.inf
