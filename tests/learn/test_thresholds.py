"""Ordered variables: learned at thresholds, kept in files, drawn, compiled and refitted like all others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning import SETTINGS, assert_same_circuit, assert_same_network, each_schedule, steps, with_ordered
from worlds import probabilities, probabilities_under, worlds_of

import learnac
from learnac import Dataset, LearnAC
from learnac.compiler.gains import guesses
from learnac.compiler.replay import Replay
from learnac.data import Bins, Schema
from learnac.data.calendars import Calendar
from learnac.errors import ModelFileError
from learnac.infer import log_likelihood
from learnac.io import read_bif, read_model, read_uai, write_bif, write_uai
from learnac.io.schema_document import schema_document, schema_of
from learnac.learn import LearnSettings, learn_table, learn_table_network
from learnac.learn.splits import Split, SplitKind, SplitSpace
from learnac.network.bits import is_interval

ARITIES = [2, 6, 3, 5]
ORDERED = [1, 3]


def table(seed: int = 0, n_rows: int = 500, ordered: Any = ORDERED) -> Dataset:
    """Numbers that rise and fall together, with noise, and two categories that depend on them."""
    rng = np.random.default_rng(seed)
    level = rng.random(n_rows)
    noisy = [np.clip(level + 0.1 * rng.standard_normal(n_rows), 0, 0.999) for _ in range(3)]
    columns = [noisy[0] > 0.6, noisy[1] * 6, np.where(noisy[0] > 0.3, rng.integers(3, size=n_rows), 1), noisy[2] * 5]
    rows = np.column_stack([np.floor(column).astype(int) for column in columns])
    return with_ordered(Dataset.from_array(rows, arities=ARITIES), ordered)


def learned(**changes: Any) -> LearnAC:
    return LearnAC(**{"edge_penalty": 0.02, "parameter_penalty": 0.1, "shrinkage": 0.0, "alpha": 0.5, **changes})


def questions(model: Any, variable: int) -> list[dict[int, int]]:
    return [
        tree.branches(node) for tree in model.trees for node in range(tree.n_nodes) if tree.variables[node] == variable
    ]


class TestLearning:
    @each_schedule
    def test_ordered_variables_are_asked_at_thresholds_and_others_value_by_value(self, schedule: str) -> None:
        network = learned(schedule=schedule).fit(table()).network_
        asked = [values for variable in ORDERED for values in questions(network, variable)]
        assert all(is_interval(bits) for branches in asked for bits in branches.values())
        assert any(min(bits.bit_count() for bits in branches.values()) > 1 for branches in asked)
        unordered = learned(schedule=schedule).fit(table(ordered=[])).network_
        for branches in (values for variable in ORDERED for values in questions(unordered, variable)):
            assert min(bits.bit_count() for bits in branches.values()) == 1

    @each_schedule
    def test_complete_splits_know_no_order(self, schedule: str) -> None:
        chosen = LearnSettings(schedule=schedule, splits="complete", **SETTINGS)
        ordered, unordered = (learn_table(table(ordered=variables), chosen) for variables in (ORDERED, []))
        assert steps(ordered) == steps(unordered)
        assert_same_circuit(ordered.circuit, unordered.circuit)

    @each_schedule
    def test_the_circuit_equals_the_trees_in_every_world(self, schedule: str) -> None:
        model = learned(schedule=schedule).fit(table())
        worlds = worlds_of(ARITIES)
        found = np.exp(log_likelihood(model.circuit_, worlds.T))
        np.testing.assert_allclose(found, probabilities(model.network_), rtol=1e-12)
        assert found.sum() == pytest.approx(1)

    def test_a_search_for_a_network_alone_has_thresholds_too(self) -> None:
        dataset = table()
        chosen = LearnSettings(**SETTINGS | {"parameter_penalty": 1.0})
        model = learn_table_network(dataset, chosen)
        assert any(questions(model.network, variable) for variable in ORDERED)
        for tree in model.network.trees:
            leaves = tree.leaf_of(dataset.codes)
            for leaf in tree.leaves:
                counts = np.bincount(dataset.codes[tree.child][leaves == leaf], minlength=ARITIES[tree.child])
                np.testing.assert_array_equal(tree.counts[leaf], counts)

    def test_required_parents_tell_all_values_apart(self) -> None:
        model = learned(required_parents={"x0": ["x1"]}, max_splits=5).fit(table())
        tree = model.network_.trees[0]
        codes = np.zeros((4, 6), dtype=np.uint8)
        codes[1] = np.arange(6)
        assert len(set(tree.leaf_of(codes).tolist())) == 6

    def test_an_ordered_variable_of_two_values_changes_nothing(self) -> None:
        chosen = LearnSettings(**SETTINGS)
        plain, ordered = (learn_table(table(ordered=variables), chosen) for variables in (ORDERED, [0, *ORDERED]))
        assert_same_circuit(plain.circuit, ordered.circuit)

    def test_mixtures_have_thresholds(self) -> None:
        model = LearnAC(n_components=2, max_edges=2000, random_state=0).fit(table())
        worlds = worlds_of(ARITIES)
        total = np.exp(model.score_samples(worlds.T)).sum()
        assert total == pytest.approx(1)


class TestOtherPlaces:
    def test_files_keep_the_order(self, tmp_path: Path) -> None:
        model = learned().fit(table())
        model.save(tmp_path / "a.learnac")
        found = read_model(tmp_path / "a.learnac")
        assert found.schema.ordered == (False, True, False, True)
        assert_same_circuit(found.circuit, model.circuit_)
        assert_same_network(found.network, model.network_)

    def test_files_that_say_nothing_of_order_are_read(self) -> None:
        document = schema_document(table().schema)
        assert schema_of(document) == table().schema
        del document["ordered"]
        assert schema_of(document) == table(ordered=[]).schema
        with pytest.raises(ModelFileError, match="the schema is not what it should be"):
            schema_of({**document, "ordered": [1, 0, 1, 0]})

    @pytest.mark.parametrize(("read", "write"), [(read_bif, write_bif), (read_uai, write_uai)])
    def test_other_formats_keep_the_distribution(self, tmp_path: Path, read: Any, write: Any) -> None:
        network = learned().fit(table()).network_
        write(network, tmp_path / "a")
        np.testing.assert_allclose(probabilities(read(tmp_path / "a")), probabilities(network), rtol=1e-6)

    def test_trees_are_drawn_with_thresholds(self) -> None:
        network = learned().fit(table()).network_
        child = next(tree.child for tree in network.trees if 1 in tree.parents)
        source = network.draw_tree(network.schema.names[child]).source
        assert "<= " in source
        assert "> " in source.replace("->", "")

    @pytest.mark.parametrize(
        ("calendar", "edges"),
        [(None, ("20", "30", "40")), (Calendar.DAYS, ("1970-01-21", "1970-01-31", "1970-02-10"))],
    )
    def test_bins_are_drawn_with_their_edges(self, calendar: Calendar | None, edges: tuple[str, ...]) -> None:
        dataset = table()
        bins = (None, Bins((10.0, 20.0, 30.0, 40.0, 50.0), calendar=calendar), None, None)
        names, categories = dataset.schema.names, list(dataset.schema.categories)
        categories[1] = bins[1].labels
        binned = Dataset(Schema(names, tuple(categories), bins), dataset.codes)
        assert binned.schema.ordered == (False, True, False, False)
        network = learned().fit(binned).network_
        child = next(tree.child for tree in network.trees if 1 in tree.parents)
        source = network.draw_tree(names[child]).source
        assert any(f"< {edge} " in source and f">= {edge} " in source for edge in edges)

    def test_the_splits_are_compiled_as_they_were_learned(self) -> None:
        """Replayed, the trees ask at thresholds: in no more edges than the learner took, or nearly so."""
        model = learned().fit(table())
        replay = Replay(model.network_)
        assert replay.run(next(guesses(model.network_, np.random.default_rng(0))), 10**6, lambda: False)
        assert replay.circuit.n_leaves - len(replay.applied) == model.network_.n_leaves
        compiled = learnac.compile(model.network_)
        assert compiled.n_edges <= 1.2 * model.circuit_.n_edges
        worlds = worlds_of(ARITIES)
        found = np.exp(log_likelihood(compiled, worlds.T))
        np.testing.assert_allclose(found, probabilities(model.network_), rtol=1e-10)

    def test_parameters_are_refitted(self) -> None:
        model = learned().fit(table())
        refitted = learnac.refit(model, table(seed=1))
        worlds = worlds_of(ARITIES)
        found = probabilities_under(refitted.network, worlds)
        assert found.sum() == pytest.approx(1)
        np.testing.assert_allclose(np.exp(log_likelihood(refitted.circuit, worlds.T)), found, rtol=1e-9)


class TestSplitSpace:
    def test_branches_of_each_kind(self) -> None:
        space = SplitSpace(np.array([5, 5, 2]), SplitKind.BINARY, ordered=(True, False, True))
        assert space.branch_of(Split(0, 0, 2)).tolist() == [0, 0, 0, 1, 1]
        assert space.branch_of(Split(0, 1, 2)).tolist() == [1, 1, 0, 1, 1]
        assert space.branch_of(Split(0, 2, 0)).tolist() == [0, 1]
        assert space.ordered_bytes.tolist() == [1, 0, 0]
        complete = replace(space, kind=SplitKind.COMPLETE)
        assert complete.branch_of(Split(0, 0)).tolist() == [0, 1, 2, 3, 4]
        assert not complete.ordered_bytes.any()

    def test_without_a_word_nothing_is_ordered(self) -> None:
        space = SplitSpace(np.array([5, 2]), SplitKind.BINARY)
        assert space.branch_of(Split(0, 0, 2)).tolist() == [1, 1, 0, 1, 1]
        assert not space.ordered_bytes.any()
