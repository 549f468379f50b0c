"""Tables on a Dask cluster, with workers that are processes: the model of the same rows in memory, to the last bit."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from learning import assert_same_circuit, assert_same_model, random_rows
from mixed_tables import mixed_table

from learnac import LearnAC
from learnac.data import Dataset
from learnac.learn import LearnSettings, learn_table

pytest.importorskip("distributed", reason="the extra learnac[dask] is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of what Dask itself does when workers come and go

ARITIES = [2, 3, 2, 4, 2]
ROWS = random_rows(1, 2000, ARITIES)
FRAME = pd.DataFrame(ROWS, columns=[f"v{i}" for i in range(5)])
FRAME["v1"] = FRAME["v1"].map({0: "red", 1: "green", 2: "blue"})
WEIGHTS = pd.Series(np.random.default_rng(0).random(2000) * (np.arange(2000) % 7 > 0))


two_workers = pytest.mark.parametrize("client", [2], indirect=True)


@pytest.fixture(scope="module")
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=request.param, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("client", [1, 2, 3], indirect=True)
@pytest.mark.parametrize("schedule", ["quick", "greedy"])
def test_the_model_is_that_of_the_table_in_memory(client: Any, schedule: str) -> None:
    import dask.dataframe as dd

    settings = {"max_edges": 250, "schedule": schedule, "alpha": 1.0, "shrinkage": 0.0}
    expected = LearnAC(**settings).fit(FRAME)
    for n_parts in (1, 4):
        found = LearnAC(**settings).fit(dd.from_pandas(FRAME, npartitions=n_parts, sort=False))
        assert_same_model(found.learned_, expected.learned_)
        assert found.learned_.n_passes > 0


@two_workers
def test_with_weights_and_a_validation_table(client: Any) -> None:
    import dask.dataframe as dd

    other = FRAME[:300]
    expected = LearnAC(max_edges=150).fit(FRAME, sample_weight=WEIGHTS, validation=other)
    frame, weights = (dd.from_pandas(each, npartitions=4, sort=False) for each in (FRAME, WEIGHTS))
    found = LearnAC(max_edges=150).fit(
        frame, sample_weight=weights, validation=dd.from_pandas(other, npartitions=2, sort=False)
    )
    assert_same_model(found.learned_, expected.learned_)


@pytest.mark.parametrize("client", [1, 2, 3], indirect=True)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_numbers_and_dates_are_learned_as_in_memory(client: Any, is_weighted: bool) -> None:
    import dask.dataframe as dd

    mixed = mixed_table(n_rows=2000)
    weights = WEIGHTS if is_weighted else None
    settings = {"max_edges": 600, "schedule": "greedy" if is_weighted else "quick"}
    expected = LearnAC(**settings).fit(mixed, sample_weight=weights)
    for n_parts in (1, 5):
        table, own = (
            None if each is None else dd.from_pandas(each, npartitions=n_parts, sort=False) for each in (mixed, weights)
        )
        found = LearnAC(**settings).fit(table, sample_weight=own)
        assert found.schema_ == expected.schema_
        assert_same_model(found.learned_, expected.learned_)


@two_workers
def test_partitions_may_be_empty(client: Any) -> None:
    import dask.dataframe as dd

    mixed = mixed_table(n_rows=2000)
    kept = mixed[mixed.index >= 900]
    table = dd.from_pandas(mixed, npartitions=5, sort=False)
    found = LearnAC(max_edges=600).fit(table.map_partitions(lambda part: part[part.index >= 900]))
    assert_same_model(found.learned_, LearnAC(max_edges=600).fit(kept).learned_)


@two_workers
def test_gaps_are_a_category_as_in_memory(client: Any) -> None:
    import dask.dataframe as dd

    mixed = mixed_table(n_rows=2000)
    mixed["kind"] = mixed["kind"].where(mixed.index % 9 > 0)
    mixed["height"] = mixed["height"].where(mixed.index % 7 > 0)
    expected = LearnAC(max_edges=600, missing="category").fit(mixed)
    found = LearnAC(max_edges=600, missing="category").fit(dd.from_pandas(mixed, npartitions=4, sort=False))
    assert found.schema_ == expected.schema_
    assert_same_model(found.learned_, expected.learned_)


@two_workers
def test_a_worker_that_dies_is_survived(client: Any) -> None:
    import dask.dataframe as dd

    expected = LearnAC(max_edges=150).fit(FRAME)
    killed: list[int] = []

    def kill(info: Any) -> None:
        if info.n_splits == 5 and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    found = LearnAC(max_edges=150, callback=kill).fit(dd.from_pandas(FRAME, npartitions=6, sort=False))
    assert killed
    assert_same_circuit(found.circuit_, expected.circuit_)


@two_workers
def test_files_are_read_by_the_workers(client: Any, tmp_path: Path) -> None:
    from learnac.cluster import distribute
    from learnac.learn.blocks import learn_parts

    FRAME.to_parquet(tmp_path / "t.parquet", row_group_size=300)
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    dataset = Dataset.from_frame(FRAME)
    expected = learn_table(dataset, LearnSettings(max_edges=150, alpha=1.0, shrinkage=0.0))
    for name in ("t.parquet", "t.csv"):
        table = distribute(client, tmp_path / name)
        assert table.schema == dataset.schema
        assert_same_model(learn_parts(table, LearnSettings(max_edges=150, alpha=1.0, shrinkage=0.0)), expected)


@two_workers
def test_the_command_counts_on_the_cluster(client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from learnac import load
    from learnac.cli.app import main

    FRAME.to_parquet(path := tmp_path / "t.parquet", row_group_size=700)
    words = ["learn", str(path), "--max-edges", "150", "--alpha", "1", "--shrinkage", "0"]
    for name, more in (("a", []), ("b", ["--scheduler", client.scheduler.address])):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--out", str(tmp_path / name), *more])
        assert not ended.value.code, capsys.readouterr().err
    assert_same_circuit(load(tmp_path / "a").circuit_, load(tmp_path / "b").circuit_)


@two_workers
def test_models_score_partitions_where_they_are(client: Any) -> None:
    import dask.dataframe as dd

    model = LearnAC(max_edges=150, alpha=1.0, shrinkage=0.0).fit(FRAME)
    table = dd.from_pandas(FRAME, npartitions=3, sort=False)
    scores = table.map_partitions(
        lambda part: pd.Series(model.score_samples(part), index=part.index), meta=("score", "f8")
    )
    np.testing.assert_array_equal(scores.compute().to_numpy(), model.score_samples(FRAME))


@two_workers
def test_models_fill_gaps_of_numbers_where_partitions_are(client: Any) -> None:
    import dask.dataframe as dd

    mixed = mixed_table(n_rows=1000)
    model = LearnAC(max_edges=400, alpha=1.0, shrinkage=0.0).fit(mixed)
    mixed["height"] = mixed["height"].where(mixed.index % 5 > 0)
    table = dd.from_pandas(mixed, npartitions=3, sort=False)
    filled = table.map_partitions(model.impute, meta=mixed).compute()
    pd.testing.assert_frame_equal(filled, model.impute(mixed), check_dtype=False)  # Dask has strings of its own.
    assert not filled["height"].isna().any()


@two_workers
def test_gaps_are_said_with_their_column(client: Any) -> None:
    import dask.dataframe as dd

    with_gap = FRAME.assign(v0=FRAME["v0"].where(FRAME.index != 7))
    with pytest.raises(ValueError, match="column 'v0', row 7: expected a value, found none"):
        LearnAC().fit(dd.from_pandas(with_gap, npartitions=1, sort=False))
