"""Learning from files that may not fit into memory, by the estimator and the command: the model of the same rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from learning import assert_same_circuit, assert_same_model, random_rows
from mixed_tables import mixed_table

import learnac
from learnac import LearnAC
from learnac.cli.app import main
from learnac.sizes import memory_size

ARITIES = [2, 3, 2, 2, 4]
TABLE = pa.table({f"v{i}": column for i, column in enumerate(random_rows(1, 3000, ARITIES).T)})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pq.write_table(TABLE, tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def run(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)


def test_fit_takes_a_path_or_batches(path: Path) -> None:
    expected = LearnAC(max_edges=400).fit(TABLE)
    for given in (str(path), path, iter(TABLE.to_batches(max_chunksize=500)), TABLE.to_reader()):
        found = LearnAC(max_edges=400).fit(given, memory="100MB")
        assert_same_circuit(found.circuit_, expected.circuit_)
        assert found.learned_.n_passes > 0


MIXED = pa.Table.from_pandas(mixed_table(n_rows=3000))
GAPPY = pa.Table.from_pandas(mixed_table(n_rows=3000).mask(np.random.default_rng(3).random((3000, 5)) < 0.1))


@pytest.mark.parametrize("schedule", ["quick", "greedy"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_numbers_and_dates_are_learned_as_in_memory(tmp_path: Path, schedule: str, is_weighted: bool) -> None:
    pq.write_table(MIXED, path := tmp_path / "t.parquet", row_group_size=700)
    weights = np.random.default_rng(0).random(3000) if is_weighted else None
    settings = {"max_edges": 1000, "schedule": schedule}
    expected = LearnAC(**settings).fit(MIXED, sample_weight=weights)
    found = LearnAC(**settings).fit(path, sample_weight=weights)
    assert len(found.schema_.numbers) == 3
    assert found.schema_ == expected.schema_
    assert_same_model(found.learned_, expected.learned_)
    np.testing.assert_array_equal(found.score_samples(MIXED), expected.score_samples(MIXED))


def test_gaps_are_a_category_as_in_memory(tmp_path: Path) -> None:
    pq.write_table(GAPPY, path := tmp_path / "t.parquet", row_group_size=700)
    expected = LearnAC(max_edges=1000, missing="category").fit(GAPPY, validation=GAPPY[:500])
    found = LearnAC(max_edges=1000, missing="category").fit(path, validation=GAPPY[:500])
    assert found.schema_ == expected.schema_
    assert_same_model(found.learned_, expected.learned_)
    found.update(path)
    assert found.provenance_["rows"] == 6000


def test_gaps_are_refused_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(GAPPY, path := tmp_path / "t.parquet", row_group_size=700)
    with pytest.raises(ValueError, match=r"column 'height', row .*: expected a value, found none"):
        LearnAC().fit(path)
    assert run("learn", path, "--memory", "1GB") == 2
    assert "use --missing category, or learn without --memory" in capsys.readouterr().err
    assert run("learn", path, "--memory", "1GB", "--missing", "category") == 0


def test_with_weights_a_validation_table_and_a_target(path: Path) -> None:
    weights = np.random.default_rng(0).random(3000)
    other = pa.table({f"v{i}": column for i, column in enumerate(random_rows(2, 300, ARITIES).T)})
    settings = {"max_edges": 400, "target": "v0"}
    expected = LearnAC(**settings).fit(TABLE, validation=other, sample_weight=weights)
    found = LearnAC(**settings).fit(path, validation=other, sample_weight=weights)
    assert_same_circuit(found.circuit_, expected.circuit_)
    np.testing.assert_array_equal(found.predict(other), expected.predict(other))


def test_a_search_is_resumed(path: Path, tmp_path: Path) -> None:
    kept = tmp_path / "search"
    LearnAC(max_edges=400, max_splits=5).fit(path, checkpoint=kept)
    found = LearnAC(max_edges=400).fit(path, checkpoint=kept, resume=True)
    assert_same_circuit(found.circuit_, LearnAC(max_edges=400).fit(TABLE).circuit_)


def test_what_cannot_be_learned_from_files(path: Path) -> None:
    with pytest.raises(ValueError, match="n_components: expected 1 for a table in files"):
        LearnAC(n_components=4).fit(path)
    with pytest.raises(ValueError, match="y: expected None for a table in files"):
        LearnAC(target="y").fit(path, [1, 2])
    with pytest.raises(FileNotFoundError, match="missing"):
        LearnAC().fit(path.parent / "missing.parquet")


@pytest.mark.parametrize(
    ("given", "size"), [("1GB", 10**9), ("64 MiB", 2**26), (10**8, 10**8), ("1.5g", 1_500_000_000)]
)
def test_sizes_are_read(given: str | int, size: int) -> None:
    assert memory_size(given) == size


@pytest.mark.parametrize("given", ["much", "1KB", 5, True, "-1GB"])
def test_other_sizes_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="memory: expected an amount of memory"):
        memory_size(given)


class TestTheCommand:
    def test_learns_the_same_model(self, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        documents = []
        for name, more in (("a", []), ("b", ["--memory", "100MB", "--scratch", tmp_path])):
            arguments = ["learn", path, "--valid", path, "--test", path, "--max-edges", 400, "--json"]
            assert run(*arguments, "--out", tmp_path / name, *more) == 0
            documents.append(json.loads(capsys.readouterr().out))
        models = [learnac.load(tmp_path / name) for name in ("a", "b")]
        assert_same_circuit(models[0].circuit_, models[1].circuit_)
        assert documents[0]["n_passes"] == 0 < documents[1]["n_passes"]
        for role in ("train", "validation", "test"):
            scores = [document["scores"][role]["log_likelihood"] for document in documents]
            assert scores[0] == pytest.approx(scores[1], abs=1e-9)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b", "t.parquet"]

    def test_scores_numbers_as_in_memory(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        pq.write_table(MIXED, path := tmp_path / "t.parquet", row_group_size=700)
        scores = []
        for more in ([], ["--memory", "100MB"]):
            assert run("learn", path, "--test", path, "--max-edges", 400, "--json", *more) == 0
            scores.append(json.loads(capsys.readouterr().out)["scores"])
        for role in ("train", "test"):
            assert scores[0][role]["log_likelihood"] == pytest.approx(scores[1][role]["log_likelihood"], abs=1e-9)

    def test_learns_from_a_folder(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for i in range(3):
            pq.write_table(TABLE.slice(i * 1000, 1000), tmp_path / f"{i}.parquet")
        assert run("learn", tmp_path, "--max-edges", 400) == 0
        assert "Passes" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            (["--memory", "little"], "--memory: expected an amount of memory"),
            (["--memory", "1GB", "--components", "4"], "--components: expected 1 with tables in files"),
            (["--memory", "1GB", "--arity", "4"], "--arity: expected none with tables in files"),
            (["--memory", "1GB", "--scratch", "nowhere"], "nowhere: No such file or directory"),
        ],
    )
    def test_says_what_is_wrong(
        self, path: Path, more: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run("learn", path, *more) == 2
        assert message in capsys.readouterr().err
