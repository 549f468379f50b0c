"""Evidence of probability zero: minus infinity where that is the answer, and an error that names the row elsewhere."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from learnac import ImpossibleEvidenceError, LearnAC, QueryError

ASKED: dict[str, Callable[[LearnAC, Any], Any]] = {
    "marginals": lambda model, rows: model.marginals(rows),
    "some marginals": lambda model, rows: model.marginals(rows, variables=["x2"]),
    "blocks of marginals": lambda model, rows: list(model.iter_marginals(rows)),
    "log_probability": lambda model, rows: model.log_probability({"x2": 0}, rows),
    "mpe": lambda model, rows: model.mpe(rows),
    "sample": lambda model, rows: model.sample(3, rows),
    "no samples": lambda model, rows: model.sample(0, rows),
    "many samples": lambda model, rows: model.sample(1500, rows),
    "impute": lambda model, rows: model.impute(rows),
    "impute by marginals": lambda model, rows: model.impute(rows, "marginal"),
    "predict_proba": lambda model, rows: model.predict_proba(rows, "x2"),
    "predict": lambda model, rows: model.predict(rows, "x2"),
    "expectation": lambda model, rows: model.expectation({"x0": [1, 2]}, rows),
}
each_query = pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED.keys())


def impossible_rows(case: Any, n_rows: int) -> Any:
    """Evidence that excludes every world, with x2 (of one value) and maybe more unknown."""
    rows = case.rows(1, 400, 0.6, possible=False)
    rows[:, 2] = -1
    return rows[case.log_values(rows) == -np.inf][:n_rows]


class TestWhereItIsRefused:
    @each_query
    def test_the_rows_are_named(self, partial_case: Any, ask: Any) -> None:
        rows = partial_case.rows(2, 30, 0.5)
        rows[:, 2] = -1
        rows[[7, 20]] = impossible_rows(partial_case, 2)
        with pytest.raises(ImpossibleEvidenceError, match=r"^row 7: .* zero \(the first of 2 such rows\)$") as found:
            ask(partial_case.model, rows)
        assert isinstance(found.value, QueryError)
        assert found.value.rows == [7, 20]

    @each_query
    @pytest.mark.parametrize("n_rows", [1, 2])
    def test_a_row_or_two(self, partial_case: Any, ask: Any, n_rows: int) -> None:
        rows = partial_case.rows(2, n_rows, 0.5)
        rows[:, 2] = -1
        rows[-1:] = impossible_rows(partial_case, 1)
        with pytest.raises(
            ImpossibleEvidenceError, match=f"^row {n_rows - 1}: the evidence has probability zero$"
        ) as found:
            ask(partial_case.model, rows)
        assert found.value.rows == [n_rows - 1]

    @each_query
    def test_a_dict(self, partial_case: Any, ask: Any) -> None:
        for row in impossible_rows(partial_case, 5):
            with pytest.raises(ImpossibleEvidenceError, match=r"^the evidence has probability zero$") as found:
                ask(partial_case.model, partial_case.evidence(row))
            assert found.value.rows == [0]

    def test_likelihoods(self, partial_case: Any) -> None:
        row = impossible_rows(partial_case, 1)[0]
        evidence = {
            name: (np.arange(arity) == code) * 0.5
            for name, arity, code in zip(partial_case.names, partial_case.arities, row, strict=True)
            if code >= 0
        }
        assert partial_case.model.score_samples(evidence) == -np.inf
        with pytest.raises(ImpossibleEvidenceError):
            partial_case.model.marginals(evidence)
        with pytest.raises(ImpossibleEvidenceError):
            partial_case.model.mpe(evidence)
        with pytest.raises(ImpossibleEvidenceError):
            partial_case.model.log_probability({}, evidence)

    def test_later_blocks_name_rows_of_the_whole_table(
        self, partial_case: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = partial_case.rows(2, 30, 0.5)
        rows[20] = impossible_rows(partial_case, 1)[0]
        monkeypatch.setattr("learnac.infer.likelihood._BLOCK", 8)
        with pytest.raises(ImpossibleEvidenceError, match=r"^row 20:"):
            partial_case.model.log_probability({}, rows)
        with pytest.raises(ImpossibleEvidenceError, match=r"^row 20:"):
            list(partial_case.model.iter_marginals(rows, block_rows=8))

    def test_filling_names_rows_of_the_whole_table(self, partial_case: Any) -> None:
        rows = partial_case.rows(2, 30, 1)
        rows[25] = impossible_rows(partial_case, 1)[0]
        for method in ("mpe", "marginal"):
            with pytest.raises(ImpossibleEvidenceError, match=r"^row 25: ") as found:
                partial_case.model.impute(rows, method)
            assert found.value.rows == [25]

    def test_the_error_survives_pickling(self) -> None:
        error = pickle.loads(pickle.dumps(ImpossibleEvidenceError("row 3: no", [3, 4])))
        assert isinstance(error, QueryError)
        assert isinstance(error, ValueError)
        assert (str(error), error.rows) == ("row 3: no", [3, 4])


class TestWhereItIsTheAnswer:
    def test_likelihoods_are_minus_infinity(self, partial_case: Any) -> None:
        model = partial_case.model
        rows = partial_case.worlds.T
        is_impossible = partial_case.probabilities == 0
        assert np.array_equal(model.score_samples(rows) == -np.inf, is_impossible)
        rows = np.where(np.arange(7) == 2, -1, rows)
        assert np.array_equal(model.score_samples(rows) == -np.inf, is_impossible)
        row = rows[is_impossible][0]
        assert model.score_samples(row[None]).tolist() == [-np.inf]
        assert model.score_samples(row[None].repeat(2, axis=0)).tolist() == [-np.inf] * 2
        assert model.score_samples(partial_case.evidence(row)) == -np.inf

    def test_a_value_that_never_occurs(self) -> None:
        model = LearnAC(alpha=0, shrinkage=0).fit(np.ma.getdata([[0, 1, 2], [0, 2, 1], [1, 1, 0]]))
        assert model.score_samples({"x1": 0}) == -np.inf
        assert model.marginals()["x1"].tolist() == [0, pytest.approx(2 / 3), pytest.approx(1 / 3)]
        with pytest.raises(ImpossibleEvidenceError):
            model.marginals({"x1": 0})

    def test_nothing_is_nan(self, partial_case: Any) -> None:
        rows = partial_case.rows(3, 300, 0.6, possible=False)
        log_values = partial_case.model.score_samples(rows)
        assert not np.isnan(log_values).any()
        possible = rows[np.isfinite(log_values)]
        assert 20 < len(possible) < 280
        for table in partial_case.model.marginals(possible).values():
            assert not np.isnan(table).any()
        assert not np.isnan(partial_case.model.entropy())
        queries = np.where(np.arange(7) < 3, partial_case.worlds.T[:: -len(rows)][0], -1)
        agrees = ((possible == queries) | (possible < 0) | (queries < 0)).all(axis=1)
        found = partial_case.model.log_probability(np.tile(queries, (agrees.sum(), 1)), possible[agrees])
        assert agrees.any()
        assert not np.isnan(found).any()
