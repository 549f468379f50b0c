"""Probabilities of evidence and of queries, against the sum over all worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac import Dataset, LearnAC, QueryError, infer

FRUIT = pd.DataFrame(
    {
        "colour": ["red", "green", "red", "blue", "green", "red"] * 8,
        "size": [1, 2, 1, 4, 2, 2] * 8,
        "ripe": [True, False, True, True, False, False] * 8,
    }
)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


class TestLogLikelihood:
    @pytest.mark.parametrize("share_known", [0, 0.3, 0.7, 1])
    def test_it_is_the_sum_over_the_worlds_left(self, case: Any, share_known: float) -> None:
        rows = case.rows(1, 60, share_known, possible=False)
        close(case.model.score_samples(rows), case.log_values(rows))
        close(infer.log_likelihood(case.circuit, rows), case.log_values(rows))

    @settings(derandomize=True, max_examples=60)
    @given(
        seed=st.integers(0, 9999),
        splits=st.sampled_from(["complete", "binary"]),
        alpha=st.sampled_from([0.0, 0.5]),
        arities=st.lists(st.integers(1, 4), min_size=1, max_size=5),
        n_rows=st.sampled_from([1, 2, 3, 8, 9, 17]),
        share_known=st.sampled_from([0, 0.5, 1]),
    )
    def test_of_random_models(
        self, learned: Any, seed: int, splits: str, alpha: float, arities: list[int], n_rows: int, share_known: float
    ) -> None:
        case = learned.__wrapped__(seed, splits, alpha, tuple(arities), 50)
        rows = case.rows(seed, n_rows, share_known, possible=False)
        expected = case.log_values(rows)
        close(case.model.score_samples(rows), expected)
        close(infer.log_likelihood(case.circuit, rows), expected)

    def test_every_world_and_their_total(self, case: Any) -> None:
        found = infer.log_likelihood(case.circuit, case.worlds.T)
        close(found, case.log_values(case.worlds.T))
        assert np.exp(found).sum() == pytest.approx(1, rel=1e-12)
        nothing = np.full((1, len(case.names)), -1)
        close(case.model.score_samples(nothing), [0])

    def test_complete_rows_among_others_keep_their_places(self, case: Any) -> None:
        rows = case.rows(3, 40, 0.5)
        rows[::3] = case.rows(4, 14, 1)
        close(case.model.score_samples(rows), case.log_values(rows))

    def test_score_is_the_mean(self, case: Any) -> None:
        rows = case.rows(3, 40, 0.5)
        assert case.model.score(rows) == pytest.approx(case.log_values(rows).mean(), rel=1e-12)


class TestForms:
    """Unknown is written in many ways."""

    def test_arrays_and_lists(self, case: Any) -> None:
        rows = case.rows(5, 30, 0.5)
        expected = case.log_values(rows)
        model = case.model
        close(model.score_samples(rows), expected)
        close(model.score_samples(rows.astype(np.int8)), expected)
        close(model.score_samples(np.asfortranarray(rows)), expected)
        with_nan = np.where(rows < 0, np.nan, rows)
        close(model.score_samples(with_nan), expected)
        close(model.score_samples(with_nan.astype(np.float32)), expected)
        with_none = [[None if code < 0 else int(code) for code in row] for row in rows]
        close(model.score_samples(with_none), expected)
        close(model.score_samples(np.array(with_none, dtype=object)), expected)
        close(model.score_samples(np.ma.masked_less(rows, 0)), expected)
        complete = case.rows(5, 30, 1)
        dataset = Dataset(case.schema, case.schema.encode(complete))
        close(model.score_samples(dataset), case.log_values(complete))

    @pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float64, np.uint8, np.uint64])
    def test_masked_arrays(self, learned: Any, dtype: Any) -> None:
        case = learned()
        rows = case.rows(5, 30, 0.5)
        masked = np.ma.MaskedArray(np.where(rows < 0, 77, rows).astype(dtype), mask=rows < 0)
        close(case.model.score_samples(masked), case.log_values(rows))

    def test_one_dict(self, case: Any) -> None:
        for row in case.rows(6, 20, 0.5):
            found = case.model.score_samples(case.evidence(row))
            assert isinstance(found, float)
            close(found, case.log_values([row])[0])
        assert case.model.score_samples({}) == pytest.approx(0, abs=1e-13)

    @pytest.mark.parametrize(
        "frame_of",
        [pd.DataFrame, lambda columns: pd.DataFrame(columns).convert_dtypes(), pl.DataFrame, pa.table],
        ids=["pandas", "pandas with its own types", "polars", "pyarrow"],
    )
    def test_frames_with_null(self, tools: Any, frame_of: Callable[[dict[str, list[Any]]], Any]) -> None:
        case = tools.case_of(LearnAC(0.01, 0.1).fit(FRUIT))
        assert [len(categories) for categories in case.schema.categories] == [3, 3, 2]
        rows = np.concatenate([case.rows(1, 20, 0.5, possible=False), case.rows(1, 5, 1), -np.ones((2, 3), int)])
        columns: dict[str, list[Any]] = {
            name: [None if code < 0 else categories[code] for code in column]
            for name, categories, column in zip(case.names, case.schema.categories, rows.T, strict=True)
        }
        close(case.model.score_samples(frame_of(columns)), case.log_values(rows))
        reversed_columns = dict(reversed(columns.items()))
        close(case.model.score_samples(frame_of(reversed_columns)), case.log_values(rows))
        single = {name: column[3:4] for name, column in columns.items()}
        close(case.model.score_samples(frame_of(single)), case.log_values(rows[3:4]))

    def test_dicts_say_unknown_with_none_and_nan(self, case: Any) -> None:
        row = case.rows(7, 1, 0.5)[0]
        spelt_out = dict.fromkeys(case.names) | case.evidence(row)
        assert case.model.score_samples(spelt_out) == case.model.score_samples(case.evidence(row))
        spelt_out = dict.fromkeys(case.names, np.nan) | case.evidence(row)
        assert case.model.score_samples(spelt_out) == case.model.score_samples(case.evidence(row))


def conditional(case: Any, query: Any, row: Any) -> float:
    merged = np.where(query >= 0, query, row)
    with np.errstate(divide="ignore"):
        return float(np.log(case.joint(merged).sum() / case.joint(row).sum()))


class TestLogProbability:
    def test_table_of_queries_over_table_of_evidence(self, case: Any) -> None:
        worlds = case.rows(1, 50, 1)
        rng = np.random.default_rng(2)
        evidence = np.where(rng.random(worlds.shape) < 0.4, worlds, -1)
        queries = np.where(rng.random(worlds.shape) < 0.4, worlds, -1)
        expected = [conditional(case, query, row) for query, row in zip(queries, evidence, strict=True)]
        close(case.model.log_probability(queries, evidence), expected)
        close(
            case.model.log_probability(queries), [conditional(case, query, -np.ones_like(query)) for query in queries]
        )

    def test_dicts(self, case: Any) -> None:
        for seed in range(10):
            world = case.rows(seed, 1, 1)[0]
            rng = np.random.default_rng(seed)
            row = np.where(rng.random(world.shape) < 0.4, world, -1)
            query = np.where(rng.random(world.shape) < 0.4, world, -1)
            found = case.model.log_probability(case.evidence(query), case.evidence(row))
            assert isinstance(found, float)
            close(found, conditional(case, query, row))
            close(case.model.log_probability(case.evidence(query)), case.log_values([query])[0])

    def test_one_query_over_many_rows(self, case: Any) -> None:
        rows = case.rows(3, 40, 0.5)
        rows[:, 0] = -1
        for value in range(case.arities[0]):
            query = np.full(len(case.names), -1)
            query[0] = value
            found = case.model.log_probability({case.names[0]: value}, rows)
            assert found.shape == (40,)
            close(found, [conditional(case, query, row) for row in rows])

    def test_many_queries_over_one_dict(self, case: Any) -> None:
        given_row = np.full(len(case.names), -1)
        given_row[-1] = int(np.argmax(case.posterior(given_row, len(case.names) - 1)))
        queries = case.rows(4, 40, 0.5)
        queries[:, -1] = -1
        found = case.model.log_probability(queries, case.evidence(given_row))
        close(found, [conditional(case, query, given_row) for query in queries])

    def test_a_query_that_repeats_the_evidence_is_certain(self, case: Any) -> None:
        rows = case.rows(5, 40, 0.5)
        assert np.array_equal(case.model.log_probability(rows, rows), np.zeros(40))
        row = case.evidence(rows[0])
        assert case.model.log_probability(row, row) == 0
        assert case.model.log_probability({}, row) == 0

    def test_a_query_that_the_evidence_excludes_is_minus_infinity(self, partial_case: Any) -> None:
        case = partial_case
        nothing = np.full(len(case.names), -1)
        for world in case.worlds.T[case.probabilities == 0][::40]:
            for variable in range(len(case.names)):
                row = nothing.copy()
                row[variable] = world[variable]
                if case.joint(row).sum() > 0:
                    query = world.copy()
                    query[variable] = -1
                    assert case.model.log_probability(case.evidence(query), case.evidence(row)) == -np.inf
                    assert case.model.log_probability([query, query], [row, row]).tolist() == [-np.inf] * 2

    def test_more_rows_than_are_answered_at_once(self, learned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        case = learned()
        rows, queries = case.rows(6, 50, 0.4), case.rows(6, 50, 1)
        whole = case.model.log_probability(queries, rows)
        monkeypatch.setattr("learnac.infer.likelihood._BLOCK", 7)
        assert np.array_equal(case.model.log_probability(queries, rows), whole)

    def test_as_many_queries_as_rows(self, case: Any) -> None:
        with pytest.raises(QueryError, match="as many rows in the query as in the evidence, found 4 and 3"):
            case.model.log_probability(case.rows(1, 4, 0), case.rows(1, 3, 0))
