"""Whoever makes a circuit ends at one place: its arrays are checked once, and nobody can write to them again."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning import TRAINING, assert_same_circuit, dataset_of, random_rows

import learnac
from learnac import _core, infer
from learnac.circuit import Circuit, CircuitBuilder, check_distribution, properties
from learnac.circuit.core_evaluator import _evaluators
from learnac.compiler import compile_network
from learnac.data import Schema
from learnac.io import read_ac, read_bif, read_bn, write_ac, write_bif, write_bn
from learnac.learn import LearnSettings, learn_table

ARRAYS = ("kinds", "labels", "child_offsets", "children", "parameters", "parameter_origins")
SETTINGS = LearnSettings(0.01, 0.05, max_splits=10)
LEARNED = learn_table(TRAINING, SETTINGS).circuit
NETWORK = learn_table(TRAINING, SETTINGS).network


def by_hand() -> Circuit:
    """0.3 [a = 0] + 0.7 [a = 1], times the only value of b."""
    builder = CircuitBuilder(Schema(("a", "b"), ((0, 1), ("grey",))))
    terms = [builder.product([value, builder.parameter(p, (0, 0, value))]) for value, p in enumerate((0.3, 0.7))]
    builder.product([builder.sum(terms, decides=0), 2])
    return builder.build()


def through_file(path: Path, write: Callable[[Any, Path], None], what: Any, read: Callable[[Path], Any]) -> Any:
    write(what, path)
    return read(path)


def stored(path: Path) -> Path:
    learnac.LearnAC.from_circuit(LEARNED, NETWORK).save(path)
    return path


WAYS: dict[str, Callable[[Path], Circuit]] = {
    "learner": lambda path: learn_table(TRAINING, SETTINGS).circuit,
    "learner, complete splits": lambda path: learn_table(TRAINING, replace(SETTINGS, splits="complete")).circuit,
    "compiler": lambda path: compile_network(NETWORK),
    "model file": lambda path: learnac.load(stored(path)).circuit_,
    ".ac": lambda path: through_file(path, write_ac, LEARNED, read_ac),
    ".bn": lambda path: compile_network(through_file(path, write_bn, NETWORK, read_bn)),
    ".bif": lambda path: compile_network(through_file(path, write_bif, NETWORK, read_bif)),
    "by hand": lambda path: by_hand(),
    "pickle": lambda path: pickle.loads(pickle.dumps(LEARNED)),
    "copy": lambda path: copy(LEARNED),
    "deep copy": lambda path: deepcopy(LEARNED),
    "replace": lambda path: replace(LEARNED, parameters=LEARNED.parameters.copy()),
}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
Way = Callable[[Path], Circuit]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each of the core's functions for frozen circuits is called, by whichever module."""
    calls = dict.fromkeys(("check_circuit", "circuit_properties", "Evaluator"), 0)

    def counting(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            calls[name] += 1
            return original(*arguments)

        return call

    ours = [module for name, module in sys.modules.items() if name.startswith("learnac.") and module is not _core]
    for name in calls:
        original = getattr(_core, name)
        users = [module for module in ours if getattr(module, name, None) is original]
        assert users, f"nobody calls {name}"
        for module in users:
            monkeypatch.setattr(module, name, counting(name, original))
    return calls


class TestEveryWay:
    @each_way
    def test_nobody_can_write(self, way: Way, tmp_path: Path) -> None:
        circuit = way(tmp_path / "file")
        for name in ARRAYS:
            array = getattr(circuit, name)
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                array.flags.writeable = True
            owner: Any = array
            while isinstance(owner, np.ndarray):
                assert not owner.flags.writeable
                owner = owner.base
            assert isinstance(owner, bytes), "there may be another way to this memory"

    @each_way
    def test_all_have_the_same_types(self, way: Way, tmp_path: Path) -> None:
        circuit = way(tmp_path / "file")
        found = [getattr(circuit, name).dtype for name in ARRAYS]
        assert found == [np.uint8, np.uint32, np.uint64, np.uint32, np.float64, np.int32]
        assert circuit.parameter_origins.shape == (circuit.n_parameters, 3)

    @each_way
    def test_it_is_a_distribution(self, way: Way, tmp_path: Path) -> None:
        circuit = way(tmp_path / "file")
        check_distribution(circuit)
        assert all(properties(circuit))

    @each_way
    def test_arrays_are_checked_once(self, way: Way, tmp_path: Path, counted: dict[str, int]) -> None:
        way(tmp_path / "file")
        assert counted["check_circuit"] == 1

    @pytest.mark.parametrize("way", ["learner", "compiler", ".bif", "by hand", "pickle"])
    def test_what_we_make_pays_for_no_more(self, way: str, tmp_path: Path, counted: dict[str, int]) -> None:
        WAYS[way](tmp_path / "file")
        assert (counted["circuit_properties"], counted["Evaluator"]) == (0, 0)

    @pytest.mark.parametrize("way", ["model file", ".ac"])
    def test_what_strangers_make_must_be_a_distribution(
        self, way: str, tmp_path: Path, counted: dict[str, int]
    ) -> None:
        WAYS[way](tmp_path / "file")
        assert (counted["circuit_properties"], counted["Evaluator"]) == (1, 1)

    @pytest.mark.parametrize("way", ["model file", "pickle", "copy", "deep copy", "replace"])
    def test_some_give_the_same_circuit(self, way: str, tmp_path: Path) -> None:
        assert_same_circuit(WAYS[way](tmp_path / "file"), LEARNED)

    def test_what_it_was_made_of_may_change(self) -> None:
        given = {name: getattr(LEARNED, name).copy() for name in ARRAYS}
        circuit = Circuit(LEARNED.schema, **given)
        for array in given.values():
            array[...] = 1
        assert_same_circuit(circuit, LEARNED)


class TestOneProgram:
    def test_the_first_query_after_load_compiles_nothing_again(self, tmp_path: Path, counted: dict[str, int]) -> None:
        model = learnac.load(stored(tmp_path / "m.learnac"))
        assert counted["Evaluator"] == 1
        model.marginals({"x0": 1})
        model.mpe()
        model.entropy()
        assert counted["Evaluator"] == 1

    def test_a_learned_circuit_is_compiled_by_its_first_query(self, counted: dict[str, int]) -> None:
        model = learnac.LearnAC(0.01, 0.05, max_splits=3).fit(TRAINING)
        assert counted["Evaluator"] == 0
        model.marginals()
        model.marginals({"x0": 1})
        assert counted["Evaluator"] == 1

    def test_it_goes_when_its_circuit_goes(self) -> None:
        before = len(_evaluators)
        circuit = replace(LEARNED)
        infer.marginals(circuit)
        assert len(_evaluators) == before + 1
        del circuit
        assert len(_evaluators) == before


# The circuit by hand: 0-2 indicators, 3-4 parameters, 5-6 products, 7 the sum, 8 the root.
HAND = by_hand()


def changed(name: str, at: Any, value: Any) -> dict[str, Any]:
    array = getattr(HAND, name).copy()
    array[at] = value
    return {name: array}


class TestRefusals:
    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            (changed("children", 0, 5), "node 5: expected children before their parents"),
            (changed("children", -1, 2**32 - 1), "node 8: expected children before their parents"),
            (changed("kinds", 7, 9), "node 7: no such kind"),
            (changed("labels", 7, 2), "node 7: decides no such variable"),
            (changed("parameters", 1, np.nan), "node 4: expected a finite parameter from 0"),
            (changed("parameters", 0, -0.1), "node 3: expected a finite parameter from 0"),
            (changed("parameters", 0, np.inf), "node 3: expected a finite parameter from 0"),
            (changed("child_offsets", -1, 7), "expected child offsets from 0 to the number of children"),
            (changed("child_offsets", 6, 9), "expected child offsets that never fall"),
            (changed("kinds", [1, 3], [1, 0]), "expected one indicator for each category, then one node for each"),
            (changed("labels", [0, 1], [1, 0]), "expected indicators and parameters in the order of their numbers"),
            (changed("labels", [3, 4], [1, 0]), "expected indicators and parameters in the order of their numbers"),
            ({"parameters": np.array([0.3, 0.7, 0.5])}, "expected one indicator for each category, then one node"),
            ({"labels": HAND.labels[1:]}, "expected one label for each node"),
            ({"kinds": HAND.kinds.reshape(1, -1)}, "kinds: expected 1 dimensions, found 2"),
            (changed("parameter_origins", 0, [2, 0, 0]), "expected origins of parameters that fit the schema"),
            (changed("parameter_origins", 0, [0, 0, 2]), "expected origins of parameters that fit the schema"),
            (changed("parameter_origins", 0, [0, -2, 0]), "expected origins of parameters that fit the schema"),
            (
                {"parameter_origins": HAND.parameter_origins[:, :2]},
                "expected three numbers for each parameter's origin",
            ),
            ({"schema": Schema(("a",), ((0, 1),))}, "no such indicator"),
        ],
    )
    def test_arrays_that_are_no_circuit(self, change: dict[str, Any], complaint: str) -> None:
        with pytest.raises(ValueError, match=f"^not a circuit: .*{complaint}"):
            replace(HAND, **change)

    @pytest.mark.parametrize("name", ARRAYS)
    def test_types_that_do_not_fit(self, name: str) -> None:
        wrong = getattr(HAND, name).astype(np.complex128)
        with pytest.raises(TypeError, match=f"not a circuit: {name}: expected an array of .*, found one of complex128"):
            replace(HAND, **{name: wrong})

    def test_origins_may_be_unknown(self) -> None:
        replace(HAND, parameter_origins=np.full((2, 3), -1, dtype=np.int32))


class TestStrangers:
    """Arrays that are a circuit, but no distribution that sums out exactly."""

    def built(self, make: Callable[[CircuitBuilder, list[int]], object]) -> Circuit:
        """Over a and b, with indicators 0 and 1, 2 and 3, and four parameters of 0.5."""
        builder = CircuitBuilder(Schema(("a", "b"), ((0, 1), (0, 1))))
        make(builder, [builder.parameter(0.5) for _ in range(4)])
        return builder.build()

    def refuse(self, circuit: Circuit, complaint: str) -> None:
        with pytest.raises(ValueError, match=complaint):
            check_distribution(circuit)

    def test_sums_to_another_number(self) -> None:
        self.refuse(replace(HAND, parameters=np.array([0.3, 0.71])), "do not sum to 1")
        self.refuse(replace(HAND, parameters=np.zeros(2)), "do not sum to 1")

    def test_has_no_root(self) -> None:
        with pytest.raises(ValueError, match="expected a sum or a product as its root"):
            self.built(lambda builder, parameters: None)

    def test_not_smooth(self) -> None:
        def make(builder: CircuitBuilder, p: list[int]) -> None:
            with_b = builder.product([0, p[0], 2])
            builder.sum([with_b, builder.product([1, p[1]])])

        self.refuse(self.built(make), "not smooth and decomposable")

    def test_not_decomposable(self) -> None:
        def make(builder: CircuitBuilder, p: list[int]) -> None:
            a, again = (builder.sum([builder.product([0, p[i]]), builder.product([1, p[i]])]) for i in (0, 1))
            builder.product([a, again, builder.sum([builder.product([2, p[2]]), builder.product([3, p[3]])])])

        self.refuse(self.built(make), "not smooth and decomposable")

    def test_lacks_a_variable(self) -> None:
        def make(builder: CircuitBuilder, p: list[int]) -> None:
            builder.sum([builder.product([0, p[0]]), builder.product([1, p[1]])], decides=0)

        self.refuse(self.built(make), "over all variables")

    def test_decides_what_it_does_not(self) -> None:
        def make(builder: CircuitBuilder, p: list[int]) -> None:
            b = builder.sum([builder.product([2, p[0]]), builder.product([3, p[1]])], decides=1)
            builder.sum([builder.product([i, p[2], b]) for i in (0, 1)], decides=1)

        self.refuse(self.built(make), "not deterministic, although its sums decide variables")


def test_checks_cost_little_beside_the_first_query() -> None:
    """A learned circuit's copies and checks take about a tenth of what compiling it takes."""
    rows = random_rows(seed=1, n_rows=2000, arities=[2] * 40)
    circuit = learn_table(dataset_of(rows, [2] * 40), LearnSettings(0.0001, 0.0, max_edges=100_000)).circuit
    assert circuit.n_edges > 50_000

    def seconds(call: Callable[[], object]) -> float:
        best = np.inf
        for _ in range(5):
            started = time.process_time()
            call()
            best = min(best, time.process_time() - started)
        return best

    assert seconds(lambda: replace(circuit)) < 0.5 * seconds(lambda: _core.Evaluator(*circuit.arrays))


def test_the_network_is_read_only_too() -> None:
    for network in (NETWORK, deepcopy(NETWORK), pickle.loads(pickle.dumps(NETWORK)), replace(NETWORK)):
        for tree in network.trees:
            for name in ("variables", "route_starts", "routes", "counts", "parameters"):
                with pytest.raises(ValueError, match="read-only"):
                    getattr(tree, name)[...] = 0
