"""A row's answer does not depend on its neighbours, nor on the number of threads: not in a single bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from learnac import infer
from learnac.circuit import Circuit

N_ROWS = 401  # Three units of 128 rows and a bit: some for each thread, and a block that is not full.

Query = Callable[[Circuit, Any, Any, int], list[Any]]


def likelihoods(circuit: Circuit, rows: Any, soft: Any, n_threads: int) -> list[Any]:
    return [infer.log_likelihood(circuit, rows, soft=soft, n_threads=n_threads)]


def posteriors(circuit: Circuit, rows: Any, soft: Any, n_threads: int) -> list[Any]:
    found = infer.marginals(circuit, rows, soft=soft, n_threads=n_threads)
    some = infer.marginals(circuit, rows, soft=soft, variables=[circuit.schema.names[-1]], n_threads=n_threads)
    return [*found.values(), *some.values()]


def completions(circuit: Circuit, rows: Any, soft: Any, n_threads: int) -> list[Any]:
    return list(infer.mpe(circuit, rows, soft=soft, n_threads=n_threads))


def conditionals(circuit: Circuit, rows: Any, soft: Any, n_threads: int) -> list[Any]:
    name = circuit.schema.names[1]
    query = {name: 1}
    open_rows = np.where(np.arange(rows.shape[1]) == 1, -1, rows)
    return [infer.log_probability(circuit, query, open_rows, soft=soft, n_threads=n_threads)]


def predictions(circuit: Circuit, rows: Any, soft: Any, n_threads: int) -> list[Any]:
    open_rows = np.where(np.arange(rows.shape[1]) == 1, -1, rows)
    name = circuit.schema.names[1]
    return [
        infer.predict_proba(circuit, open_rows, name, soft=soft, n_threads=n_threads),
        infer.predict(circuit, open_rows, name, soft=soft, n_threads=n_threads),
    ]


def imputations(circuit: Circuit, rows: Any, soft: Any, n_threads: int) -> list[Any]:
    return [infer.impute(circuit, rows, method, n_threads=n_threads) for method in ("mpe", "marginal")]


def means(circuit: Circuit, rows: Any, soft: Any, n_threads: int) -> list[Any]:
    rng = np.random.default_rng(1)
    values = {
        name: rng.normal(size=arity) for name, arity in zip(circuit.schema.names, circuit.schema.arities, strict=True)
    }
    return [infer.expectation(circuit, values, rows, soft=soft, n_threads=n_threads)]


QUERIES = [likelihoods, posteriors, completions, conditionals, predictions, imputations, means]
each_query = pytest.mark.parametrize("query", QUERIES, ids=[query.__name__ for query in QUERIES])


@pytest.fixture(scope="module", params=["complete", "binary", "impossible worlds", "underflow", "near the threshold"])
def setting(request: pytest.FixtureRequest, learned: Any, tools: Any) -> tuple[Circuit, Any, Any]:
    """A circuit, rows of evidence, and likelihoods of its first variable."""
    rng = np.random.default_rng(2)
    if request.param in ("complete", "binary"):
        case = learned(splits=request.param)
        circuit, rows = case.circuit, case.rows(1, N_ROWS, 0.5)
    elif request.param == "impossible worlds":
        case = learned(seed=1, alpha=0.0, n_rows=60)
        circuit, rows = case.circuit, case.rows(1, N_ROWS, 0.4)
    else:
        case = learned(seed=3, arities=(2, 3, 1, 4), splits="binary", n_rows=80)
        n_copies = 330 if request.param == "underflow" else 234
        circuit = tools.tiled(case.circuit, n_copies)
        rows = case.rows(1, N_ROWS * n_copies, 0.9).reshape(N_ROWS, -1)
    rows[:, 0] = -1
    return circuit, rows, {circuit.schema.names[0]: rng.random((N_ROWS, 2)) + 0.1}


def test_settings_have_rows_on_both_sides_of_the_threshold(setting: Any, request: pytest.FixtureRequest) -> None:
    circuit, rows, _ = setting
    log_values = infer.log_likelihood(circuit, rows)
    threshold = np.log(infer.engine.engine_of(circuit).evaluator.smallest_linear_root)
    share = (log_values < threshold).mean()
    expected = {"underflow": (1, 1), "near the threshold": (0.1, 0.9)}
    low, high = next((limits for name, limits in expected.items() if name in request.node.name), (0, 0))
    assert low <= share <= high


@each_query
@pytest.mark.parametrize("is_soft", [False, True])
def test_one_thread_and_two(setting: Any, query: Query, is_soft: bool) -> None:
    circuit, rows, soft = setting
    soft = soft if is_soft else None
    for one, two in zip(query(circuit, rows, soft, 1), query(circuit, rows, soft, 2), strict=True):
        assert np.array_equal(one, two)


@each_query
@pytest.mark.parametrize("is_soft", [False, True])
def test_alone_in_pairs_and_in_a_batch(setting: Any, query: Query, is_soft: bool) -> None:
    circuit, rows, soft = setting
    name = next(iter(soft))
    batch = query(circuit, rows, soft if is_soft else None, 1)
    assert all(len(answer) == N_ROWS for answer in batch)
    for at in [0, 3, 7, 127, 128, 255, 384, 399, 400]:
        for n_rows in (1, 2, 3, 8):
            chosen = slice(at, min(at + n_rows, N_ROWS))
            few = query(circuit, rows[chosen], {name: soft[name][chosen]} if is_soft else None, 1)
            for alone, among in zip(few, batch, strict=True):
                assert np.array_equal(alone, among[chosen])


def test_samples_are_the_same_with_any_number_of_threads(setting: Any) -> None:
    circuit, rows, soft = setting
    for n, chosen in [(1, slice(None)), (3, slice(None)), (1500, slice(0, 4)), (2049, slice(0, 1))]:
        own = {name: table[chosen] for name, table in soft.items()}
        few = rows[chosen]
        if few.shape[1] > 100 and n > 1:
            continue
        one, two = (infer.sample(circuit, n, few, soft=own, random_state=5, n_threads=k) for k in (1, 2))
        assert np.array_equal(one, two)


def test_samples_of_a_row_do_not_depend_on_the_rows_after_it(setting: Any) -> None:
    circuit, rows, _ = setting
    batch = infer.sample(circuit, 4, rows[:9], random_state=6)
    assert np.array_equal(infer.sample(circuit, 4, rows[:1], random_state=6), batch[:4])
    assert np.array_equal(infer.sample(circuit, 4, rows[:2], random_state=6), batch[:8])


def test_entropy_information_and_divergence_with_two_threads(learned: Any) -> None:
    case, other = learned(), learned(seed=5, splits="binary")
    assert infer.entropy(case.circuit, n_threads=2) == infer.entropy(case.circuit)
    names = ["x0", "x1", "x3", "x4"]
    assert infer.entropy(case.circuit, names, n_threads=2) == infer.entropy(case.circuit, names)
    assert infer.mutual_information(case.circuit, "x1", ["x3", "x4"], n_threads=2) == infer.mutual_information(
        case.circuit, "x1", ["x3", "x4"]
    )
    assert infer.kl_divergence(case.circuit, other.network, n_threads=2) == infer.kl_divergence(
        case.circuit, other.network
    )


def test_the_estimator_uses_its_threads(learned: Any) -> None:
    case = learned()
    rows = case.rows(1, N_ROWS, 0.5)
    alone = case.model.score_samples(rows)
    case.model.n_threads = 2
    try:
        assert np.array_equal(case.model.score_samples(rows), alone)
    finally:
        case.model.n_threads = 1


def test_no_threads_are_too_few(learned: Any) -> None:
    case = learned()
    with pytest.raises(ValueError, match="n_threads: expected at least 1, found 0"):
        infer.marginals(case.circuit, case.rows(1, 3), n_threads=0)
