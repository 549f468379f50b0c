"""What cannot be answered: one clear message each, that names the culprit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from learnac import DataError, Dataset, LearnAC, QueryError, infer

COLUMNS: dict[str, list[Any]] = {
    "colour": ["red", "green", "red", "blue", "green", "red"] * 5,
    "size": [0, 1, 0, 2, 1, 1] * 5,
    "ripe": [True, False, True, True, False, False] * 5,
}
MODEL = LearnAC(0.01, 0.1).fit(pd.DataFrame(COLUMNS))
ROWS = np.array([[0, 1, 0], [1, -1, -1], [2, 0, -1]])


class TestNames:
    def test_of_variables(self) -> None:
        expected = "no variable is called 'taste'; there are 'colour', 'size', 'ripe'"
        for ask in (
            lambda: MODEL.score_samples({"taste": 1}),
            lambda: MODEL.marginals({"taste": None}),
            lambda: MODEL.marginals({}, variables=["colour", "taste"]),
            lambda: MODEL.iter_marginals(ROWS, variables=["taste"]),
            lambda: MODEL.marginals(soft={"taste": [1, 2]}),
            lambda: MODEL.log_probability({"taste": 1}),
            lambda: MODEL.log_probability({}, {"taste": 1}),
            lambda: MODEL.mpe({"taste": 1}),
            lambda: MODEL.sample(2, {"taste": 1}),
            lambda: MODEL.predict({}, "taste"),
            lambda: MODEL.expectation({"taste": [1]}),
            lambda: MODEL.entropy(["taste"]),
            lambda: MODEL.mutual_information("colour", "taste"),
        ):
            with pytest.raises(QueryError, match=expected):
                ask()

    def test_of_categories_in_a_dict(self) -> None:
        expected = "variable 'colour': expected one of its categories, 'blue', 'green', 'red'; found 'pink'"
        for ask in (
            lambda: MODEL.score_samples({"colour": "pink"}),
            lambda: MODEL.log_probability({"colour": "pink"}),
            lambda: MODEL.mpe({"size": 1, "colour": "pink"}),
            lambda: MODEL.marginals({"colour": {"red": 1, "pink": 2}}),
            lambda: MODEL.expectation({"colour": {"red": 1, "pink": 2}}),
        ):
            with pytest.raises(QueryError, match=expected):
                ask()
        with pytest.raises(QueryError, match=r"variable 'size'.*found '1'"):
            MODEL.score_samples({"size": "1"})

    @pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame])
    def test_in_a_frame(self, frame_of: Any) -> None:
        strange = frame_of({"colour": ["red", None, "pink"], "size": [1, 1, None]})
        with pytest.raises(DataError, match=r"column 'colour', row 2: expected one of its categories.*found 'pink'"):
            MODEL.marginals(strange)
        with pytest.raises(DataError, match="no variable is called 'taste'"):
            MODEL.marginals(frame_of({"taste": [1, 2]}))
        with pytest.raises(DataError, match="lacks 'ripe'"):
            MODEL.score_samples(frame_of({"colour": ["red"], "size": [1]}))
        with pytest.raises(DataError, match="lacks 'size', 'ripe'"):
            MODEL.impute(frame_of({"colour": ["red"]}))

    def test_a_string_where_a_list_is_wanted(self) -> None:
        for ask in (MODEL.marginals, MODEL.iter_marginals):
            with pytest.raises(TypeError, match="variables: expected a list of names, found the string 'size'"):
                ask(ROWS, variables="size")

    def test_no_variables(self) -> None:
        for ask in (MODEL.marginals, MODEL.iter_marginals):
            with pytest.raises(QueryError, match="variables: expected at least one name, found none"):
                ask(ROWS, variables=[])
        with pytest.raises(QueryError, match="expected at least one variable, found none"):
            MODEL.entropy([])
        with pytest.raises(QueryError, match="expected at least one variable, found none"):
            MODEL.mutual_information([], ["size"])


class TestTables:
    def test_shapes(self) -> None:
        for ask in (MODEL.score_samples, MODEL.marginals, MODEL.mpe, MODEL.impute):
            with pytest.raises(DataError, match=r"expected 3 columns.*found 2|3 .*found.* 2"):
                ask(ROWS[:, :2])
            with pytest.raises(DataError, match=r"expected a 2-D array \(rows x variables\), found shape \(3,\)"):
                ask(ROWS[0])
        with pytest.raises(DataError, match="no rows"):
            MODEL.marginals(np.empty((0, 3)))

    def test_codes(self) -> None:
        with pytest.raises(DataError, match=r"row 1, column 'size': expected a code from 0 to 2 \(arity 3\), found 3"):
            MODEL.marginals([[0, 0, 0], [0, 3, 0]])
        with pytest.raises(DataError, match=r"row 0, column 'ripe': expected a code .*found -2"):
            MODEL.score_samples([[0, 0, -2]])
        with pytest.raises(DataError, match=r"row 1, column 'colour'.*found 0.5"):
            MODEL.mpe([[0, 0, 0], [0.5, 1, 0]])

    def test_codes_that_could_be_taken_for_categories(self) -> None:
        model = LearnAC().fit(pd.DataFrame({"size": [1, 2, 4], "ripe": [True, False, True]}))
        with pytest.raises(DataError, match="codes, and those of column 'size' are not its categories, 1, 2, 4"):
            model.marginals([[1, 0]])

    def test_a_table_that_is_none(self) -> None:
        with pytest.raises(TypeError, match=r"expected rows as a dict.*found 3"):
            MODEL.marginals(3)

    def test_a_query_against_its_evidence(self) -> None:
        with pytest.raises(
            QueryError,
            match=r"^the query contradicts the evidence: variable 'colour' is 'red' in the query and 'blue' in",
        ):
            MODEL.log_probability({"colour": "red"}, {"colour": "blue"})
        with pytest.raises(
            QueryError,
            match=r"^row 0: the query contradicts the evidence: variable 'size' is 2 in the query and 1 in",
        ):
            MODEL.log_probability({"size": 2}, ROWS)
        with pytest.raises(QueryError, match=r"^row 1: .* 'colour' is 'red' in the query and 'green' in the evidence"):
            MODEL.log_probability([[0, -1, -1], [2, -1, -1], [-1, -1, 1]], ROWS)

    def test_a_query_of_likelihoods(self) -> None:
        with pytest.raises(QueryError, match="expected categories in the query, found likelihoods"):
            MODEL.log_probability({"size": [0.1, 0.2, 0.3]})


class TestLikelihoods:
    @pytest.mark.parametrize(
        ("likelihoods", "complaint"),
        [
            ([1, 2], r"expected 3 likelihoods, one per category, found shape \(2,\)"),
            (np.ones((2, 2, 3)), r"expected 3 likelihoods, one per category, found shape \(2, 2, 3\)"),
            ([], r"expected 3 likelihoods, one per category, found shape \(0,\)"),
            ([0.5, -0.1, 1], "expected finite likelihoods from 0, found -0.1"),
            ([0.5, np.nan, 1], "expected finite likelihoods from 0, found nan"),
            ([0.5, np.inf, 1], "expected finite likelihoods from 0, found inf"),
            ([0, 0, 0], "expected a positive likelihood, found only zeros"),
            ({}, "expected a positive likelihood, found only zeros"),
            ([[1, 1, 1], [0, 0, 0], [1, 1, 1]], "expected a positive likelihood, found only zeros"),
            (["a", "b", "c"], "expected 3 likelihoods, found"),
            ([[1], [1, 2]], "expected 3 likelihoods, found"),
            ({"red": "much"}, "variable 'colour'"),
            ({"red": None}, "variable 'colour'"),
        ],
    )
    def test_of_wrong_kinds(self, likelihoods: Any, complaint: str) -> None:
        with pytest.raises(QueryError, match=complaint) as found:
            MODEL.marginals(np.full((3, 3), -1), soft={"colour": likelihoods})
        assert "variable 'colour'" in str(found.value)
        with pytest.raises(QueryError, match=complaint):
            MODEL.score_samples({"colour": likelihoods})

    def test_of_too_few_rows(self) -> None:
        nothing = np.full((3, 3), -1)
        with pytest.raises(QueryError, match="variable 'colour': expected likelihoods for 3 rows, found 2"):
            MODEL.score_samples(nothing, soft={"colour": np.ones((2, 3))})
        with pytest.raises(QueryError, match=r"expected likelihoods for . rows, found"):
            MODEL.score_samples({}, soft={"colour": np.ones((2, 3)), "size": np.ones((4, 3))})

    def test_beside_values(self) -> None:
        with pytest.raises(QueryError, match="variable 'size': row 2 has both a value and likelihoods"):
            MODEL.score_samples([[0, -1, 0], [1, -1, -1], [2, 0, -1]], soft={"size": [1, 1, 1]})
        with pytest.raises(QueryError, match="variable 'size': row 0 has both a value and likelihoods"):
            MODEL.mpe({"size": 1}, soft={"size": [1, 1, 1]})

    def test_given_twice(self) -> None:
        with pytest.raises(QueryError, match="variable 'size': likelihoods are given twice"):
            MODEL.mpe({"size": [1, 1, 2]}, soft={"size": [1, 1, 1]})


class TestNumbers:
    @pytest.mark.parametrize(
        ("numbers", "complaint"),
        [
            ([1, 2], r"values: variable 'colour': expected 3 numbers, one per category, found shape \(2,\)"),
            ([[1, 2, 3]], r"expected 3 numbers, one per category, found shape \(1, 3\)"),
            ([1, np.nan, 2], "values: variable 'colour': expected finite numbers, found nan"),
            ({"red": 1, "blue": 2}, "values: variable 'colour' lacks a number for 'green'"),
            (["a", "b", "c"], "variable 'colour'"),
        ],
    )
    def test_of_expectations(self, numbers: Any, complaint: str) -> None:
        with pytest.raises(QueryError, match=complaint):
            MODEL.expectation({"colour": numbers})

    def test_none_of_expectations(self) -> None:
        with pytest.raises(QueryError, match="values: expected numbers for at least one variable, found none"):
            MODEL.expectation({})

    @pytest.mark.parametrize("n", [-1, 2.0, "3", True, None])
    def test_of_samples(self, n: Any) -> None:
        with pytest.raises(ValueError, match=f"n: expected a number of samples from 0, found .*{n!r}"):
            MODEL.sample(n)

    def test_methods_of_filling(self) -> None:
        with pytest.raises(ValueError, match="method: expected 'mpe' or 'marginal', found 'mode'"):
            MODEL.impute(ROWS, "mode")

    def test_no_samples_of_a_dataset(self) -> None:
        """A `Dataset` has at least a row, and says so; other forms may be empty."""
        with pytest.raises(DataError, match="no rows"):
            infer.sample(MODEL.circuit_, 0)
        assert MODEL.sample(0).shape == (0, 3)


class TestNotFitted:
    def test_every_query_says_so(self) -> None:
        model = LearnAC()
        for ask in (
            lambda: model.score_samples(ROWS),
            lambda: model.score(ROWS),
            model.marginals,
            lambda: model.iter_marginals(ROWS),
            lambda: model.log_probability({}),
            model.mpe,
            model.sample,
            lambda: model.impute(ROWS),
            lambda: model.predict_proba(ROWS, "size"),
            lambda: model.predict(ROWS, "size"),
            lambda: model.expectation({"size": [1]}),
            model.entropy,
            lambda: model.mutual_information("size", "ripe"),
            lambda: model.kl_divergence(MODEL),
            lambda: MODEL.kl_divergence(model),
        ):
            with pytest.raises(NotFittedError):
                ask()

    def test_a_dataset_under_another_schema(self) -> None:
        with pytest.raises(DataError):
            MODEL.score_samples(Dataset.from_array(np.zeros((3, 3), dtype=int)))


ARGUMENTS: dict[str, tuple[Any, type[Exception], str]] = {
    "expectation of a name": (
        lambda: MODEL.expectation("size"),
        TypeError,
        "values: expected a mapping from names of variables to a number for each category, "
        r"such as \{'colour': \{'blue': 0.0, 'green': 1.0, 'red': 2.0\}\}; found the string 'size'",
    ),
    "expectation of names": (lambda: MODEL.expectation(["size"]), TypeError, "values: .*; found list"),
    "expectation of a function": (lambda: MODEL.expectation(len), TypeError, "values: .*; found builtin_function"),
    "a number of variables": (
        lambda: MODEL.marginals(variables=2),
        TypeError,
        "variables: expected a list of names, found 2",
    ),
    "a name as evidence": (
        lambda: MODEL.marginals("size"),
        TypeError,
        "expected rows as a dict from names to categories, .*; found the string 'size'",
    ),
    "a number as a query": (lambda: MODEL.log_probability(5), TypeError, "expected rows as a dict .*; found 5"),
    "no rows to score": (lambda: MODEL.score(None), TypeError, "X: expected rows, found None"),
    "no rows to fill": (lambda: MODEL.impute(None), TypeError, "X: expected rows, found None"),
    "part of a row": (
        lambda: list(MODEL.iter_marginals(ROWS, block_rows=1.5)),
        TypeError,
        "block_rows: expected a number of rows, found 1.5",
    ),
    "a frame of samples": (
        lambda: MODEL.sample(pd.DataFrame(COLUMNS)),
        ValueError,
        "n: expected a number of samples from 0, found DataFrame",
    ),
    "a word as a seed": (
        lambda: MODEL.sample(2, random_state="seed"),
        TypeError,
        "random_state: expected a seed from 0, or a generator of NumPy, found the string 'seed'",
    ),
    "a negative seed": (lambda: MODEL.sample(2, random_state=-1), ValueError, "random_state: .* found -1"),
    "divergence from a network": (
        lambda: MODEL.kl_divergence(MODEL.network_),
        TypeError,
        "other: expected a LearnAC, found BayesNet",
    ),
    "weights of other rows": (
        lambda: MODEL.score(pd.DataFrame(COLUMNS), sample_weight=[1, 2]),
        ValueError,
        r"sample_weight: expected 30 numbers, one per row, found shape \(2,\)",
    ),
    "a callback that cannot be called": (
        lambda: LearnAC(callback=5).fit(pd.DataFrame(COLUMNS)),
        TypeError,
        "callback: expected a function, found '?5",
    ),
}


@pytest.mark.parametrize("what", ARGUMENTS)
def test_arguments_of_the_wrong_kind(what: str) -> None:
    ask, error, message = ARGUMENTS[what]
    with pytest.raises(error, match=f"^{message}") as caught:
        ask()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("n_threads", [0, -1, 1.5, None, True, "2"])
def test_numbers_of_threads_that_make_no_sense(n_threads: Any) -> None:
    frame, expected = pd.DataFrame(COLUMNS), r"n_threads: expected (a whole number|at least 1), found"
    with pytest.raises((TypeError, ValueError), match=expected):
        LearnAC(n_threads=n_threads).fit(frame)
    model = LearnAC().fit(frame).set_params(n_threads=n_threads)
    with pytest.raises((TypeError, ValueError), match=expected):
        model.marginals()
