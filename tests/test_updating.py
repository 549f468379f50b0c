"""More rows for a learned model: the parameters of all rows at once, by the library, the estimator and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from learning import random_rows
from mixed_tables import mixed_table

import learnac
from learnac import LearnAC
from learnac.cli.app import main
from learnac.data import Dataset
from learnac.model import Model
from learnac.network import TreeCPD
from learnac.updating import grow, update

ARITIES = [2, 3, 2, 4]
OLD, NEW = (
    Dataset.from_array(random_rows(seed, 600, ARITIES), [f"v{i}" for i in range(4)], ARITIES) for seed in (1, 2)
)
ALL = Dataset(OLD.schema, np.concatenate([OLD.codes, NEW.codes], axis=1))

each_settings = pytest.mark.parametrize(
    "settings",
    [
        {"alpha": 0.5, "shrinkage": 3.0},
        {"alpha": 0.0, "shrinkage": 0.0},
        {"splits": "complete", "alpha": 0.2, "shrinkage": 1.0},
        {"criterion": "bdeu", "equivalent_sample_size": 2.0, "shrinkage": 1.0},
    ],
)


def model_of(learned: LearnAC) -> Model:
    return learned.learned_.model


def counts_of(tree: TreeCPD, dataset: Dataset) -> Any:
    """By hand: every row walks down, and is counted at every node."""
    counts = np.zeros_like(tree.counts)
    for row in dataset.codes.T:
        node = 0
        while True:
            counts[node, row[tree.child]] += 1
            variable = tree.variables[node]
            if variable < 0:
                break
            node = tree.routes[tree.route_starts[node] + row[variable]]
    return counts


@each_settings
def test_counts_are_those_of_all_rows_and_parameters_follow(settings: dict[str, Any]) -> None:
    old = LearnAC(max_edges=300, **settings).fit(OLD)
    updated = update(model_of(old), NEW)
    network = updated.require_network()
    assert network.n_leaves > 10
    for tree in network.trees:
        np.testing.assert_array_equal(tree.counts, counts_of(tree, ALL))
    smoothing = old.learned_.smoothing
    for tree in network.trees:
        for node in tree.leaves:
            if smoothing.shrinkage == 0 and smoothing.criterion == "likelihood":
                weights = tree.counts[node] + smoothing.prior
                total = weights.sum()
                expected = weights / total if total else np.full(len(weights), 1 / len(weights))
                np.testing.assert_allclose(tree.parameters[node], expected, rtol=1e-14)
    np.testing.assert_allclose(network.log_likelihood(NEW.codes), np.log(_probabilities(updated, NEW)), rtol=1e-9)


def _probabilities(model: Model, dataset: Dataset) -> Any:
    from learnac.infer import log_likelihood

    return np.exp(log_likelihood(model.require_circuit(), dataset))


@each_settings
def test_parameters_are_read_off_as_learning_does(settings: dict[str, Any]) -> None:
    """Half the rows, learned and then given again: counts twice as large, and what learning makes of such counts."""
    weights = np.full(OLD.n_rows, 2.0)
    chosen = {**settings, "edge_penalty": 1e-9, "max_splits": 12, "parameter_penalty": 0.0}
    once = LearnAC(**chosen).fit(OLD)
    twice = LearnAC(**chosen).fit(OLD, sample_weight=weights)
    splits = [[(info.leaf, info.variable, info.value) for info in each.trace_] for each in (once, twice)]
    assert splits[0] == splits[1]
    updated = update(model_of(once), OLD)
    np.testing.assert_array_equal(updated.require_circuit().parameters, twice.circuit_.parameters)


def test_nothing_but_the_given_smoothing_is_needed() -> None:
    """With no new weight, parameters are what they were, to the last bit."""
    for settings in ({}, {"criterion": "bdeu"}, {"splits": "complete", "shrinkage": 5.0}):
        old = LearnAC(max_edges=300, **settings).fit(OLD)
        updated = update(model_of(old), NEW[:1], sample_weight=[1e-300])
        np.testing.assert_array_equal(updated.require_circuit().parameters, old.circuit_.parameters)


def test_a_half_life_forgets() -> None:
    old = LearnAC(max_edges=300, alpha=1.0, shrinkage=0.0).fit(OLD)
    updated = update(model_of(old), NEW, half_life=300)
    for before, tree in zip(old.network_.trees, updated.require_network().trees, strict=True):
        np.testing.assert_allclose(tree.counts, before.counts / 4 + counts_of(before, NEW), rtol=1e-12)


def branches_by_hand(tree: TreeCPD, node: int) -> dict[int, list[int]]:
    """By branch, the values that lead there."""
    start, arity = tree.route_starts[node], ARITIES[tree.variables[node]]
    routes = tree.routes[start : start + arity].tolist()
    return {branch: [value for value in range(arity) if routes[value] == branch] for branch in set(routes)}


class TestGrowing:
    @each_settings
    @pytest.mark.parametrize("half_life", [None, 200])
    def test_old_nodes_have_the_counts_of_all_rows_and_new_ones_of_new_rows(
        self, settings: dict[str, Any], half_life: float | None
    ) -> None:
        old = LearnAC(max_splits=6, **settings).fit(OLD)
        grown = grow(model_of(old), NEW, half_life=half_life)
        kept = 1.0 if half_life is None else 0.5 ** (NEW.n_rows / half_life)
        network = grown.require_network()
        assert network.n_leaves > old.network_.n_leaves
        for before, tree in zip(old.network_.trees, network.trees, strict=True):
            expected = counts_of(tree, NEW)
            pairs = [(0, 0)]
            for old_node, node in pairs:
                expected[node] += kept * before.counts[old_node]
                if before.variables[old_node] >= 0:
                    assert tree.variables[node] == before.variables[old_node]
                    mine = {tuple(values): branch for branch, values in branches_by_hand(tree, node).items()}
                    theirs = branches_by_hand(before, old_node)
                    pairs += [(branch, mine[tuple(values)]) for branch, values in theirs.items()]
            np.testing.assert_allclose(tree.counts, expected, rtol=1e-12)
        np.testing.assert_allclose(network.log_likelihood(NEW.codes), np.log(_probabilities(grown, NEW)), rtol=1e-9)
        assert grown.provenance["rows"] == 1200

    def test_from_nothing_it_is_learning(self) -> None:
        """A model without splits, that forgets all it knew, grows into what the new rows alone make."""
        settings = {"edge_penalty": 0.5, "alpha": 0.5, "shrinkage": 1.0}
        begun = LearnAC(max_splits=0, **settings).fit(OLD)
        begun.max_splits = None
        expected = LearnAC(**settings).fit(NEW)
        found = begun.update(NEW, half_life=1e-3, grow=True)
        np.testing.assert_array_equal(found.circuit_.children, expected.circuit_.children)
        np.testing.assert_array_equal(found.circuit_.parameters, expected.circuit_.parameters)

    def test_where_nothing_new_pays_it_is_an_update(self) -> None:
        settings = {"edge_penalty": 1e6, "alpha": 0.5, "shrinkage": 1.0}
        old = LearnAC(max_splits=8, alpha=0.5, shrinkage=1.0).fit(OLD)
        old.edge_penalty = settings["edge_penalty"]
        updated, grown = update(model_of(old), NEW), old.update(NEW, grow=True)
        assert grown.network_.n_leaves == updated.require_network().n_leaves
        found, expected = grown.score_samples(NEW), np.log(_probabilities(updated, NEW))
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_numbers_in_files_with_weights(self, tmp_path: Path) -> None:
        first, second = (pa.Table.from_pandas(mixed_table(seed, 1500)) for seed in (1, 2))
        pq.write_table(second, path := tmp_path / "new.parquet", row_group_size=400)
        weights = np.random.default_rng(0).random(1500)
        grown = []
        for rows in (second, path):
            model = LearnAC(max_splits=10, alpha=0.5, shrinkage=1.0).fit(first)
            assert any(model.schema_.ordered)
            n_leaves = model.network_.n_leaves
            grown.append(model.update(rows, sample_weight=weights, grow=True))
            assert grown[-1].network_.n_leaves > n_leaves
        np.testing.assert_array_equal(grown[0].circuit_.parameters, grown[1].circuit_.parameters)

    def test_the_command(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        LearnAC(max_splits=5, alpha=0.5, shrinkage=1.0).fit(OLD).save(model := tmp_path / "model.learnac")
        pa.csv.write_csv(NEW.to_frame("pyarrow"), path := tmp_path / "new.csv")
        assert run("update", model, path, "--grow", "--json") == 0
        assert json.loads(capsys.readouterr().out)["splits"] == 10
        assert learnac.load(model).provenance_["splits"] == 10
        assert run("update", model, path, "--grow") == 0
        assert "Splits before" in capsys.readouterr().out


def test_rows_may_come_in_parts_and_in_any_form(tmp_path: Path) -> None:
    table = NEW.to_frame("pyarrow")
    pq.write_table(table, path := tmp_path / "new.parquet")
    expected = LearnAC(max_edges=300).fit(OLD).update(NEW)
    parts = LearnAC(max_edges=300).partial_fit(OLD).partial_fit(NEW[:100]).partial_fit(NEW[100:])
    streamed = LearnAC(max_edges=300).fit(OLD).update(path)
    batched = LearnAC(max_edges=300).fit(OLD).update(iter(table.to_batches(max_chunksize=50)))
    for found in (parts, streamed, batched):
        np.testing.assert_array_equal(found.circuit_.parameters, expected.circuit_.parameters)
        assert found.provenance_["rows"] == 1200


def test_what_cannot_be_updated() -> None:
    mixture = LearnAC(n_components=2, max_edges=300).fit(OLD)
    with pytest.raises(ValueError, match="expected a single circuit to update, found a mixture"):
        mixture.update(NEW)
    learned = LearnAC(max_edges=300).fit(OLD)
    with pytest.raises(ValueError, match="expected a model that was learned"):
        LearnAC.from_circuit(learned.circuit_, learned.network_).update(NEW)
    with pytest.raises(ValueError, match="half_life: expected a number of rows above 0, found 0"):
        learned.update(NEW, half_life=0)
    with pytest.raises(ValueError, match="sample_weight: expected a number for each row, found 3"):
        learned.update(NEW, sample_weight=[1.0, 1.0, 1.0])


def run(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    LearnAC(max_edges=300).fit(OLD).save(model := tmp_path / "model.learnac")
    pa.csv.write_csv(NEW.to_frame("pyarrow"), path := tmp_path / "new.csv")
    assert run("update", model, path, "--out", tmp_path / "newer.learnac", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows_in_all"] == 1200
    expected = LearnAC(max_edges=300).fit(OLD).update(NEW)
    newer = learnac.load(tmp_path / "newer.learnac")
    np.testing.assert_array_equal(newer.circuit_.parameters, expected.circuit_.parameters)
    assert run("update", model, path, "--half-life", "100") == 0  # in place
    assert learnac.load(model).provenance_["updates"] == 1
    assert run("update", model, path, "--half-life", "-1") == 2
    assert "--half-life: expected a number of rows above 0" in capsys.readouterr().err


def test_classes_that_come_later() -> None:
    rows, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array(["a", "b", "a", "b"])
    model = LearnAC(target="y").partial_fit(rows, y, classes=["a", "b", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    model.partial_fit(rows, np.array(["c"] * 4))
    assert model.predict_proba(rows).sum(axis=1) == pytest.approx([1.0] * 4)
    assert model.predict_proba(rows)[0, 2] > 0.2
