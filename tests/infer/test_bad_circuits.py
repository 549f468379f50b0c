"""Arrays that are no circuit are refused, and whatever is accepted is answered without a crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learnac._core import Evaluator, TreeScores

# Two variables of two values: x0 is a sum of two products, x1 another, the root their product.
#   0-3 indicators, 4-7 parameters, 8-11 products, 12 and 13 sums, 14 the root
GOOD: dict[str, Any] = {
    "arities": np.array([2, 2], dtype=np.uint32),
    "kinds": np.array([0] * 4 + [1] * 4 + [3] * 4 + [2, 2, 3], dtype=np.uint8),
    "labels": np.array([0, 1, 2, 3, 0, 1, 2, 3, *[0xFFFFFFFF] * 4, 0, 1, 0xFFFFFFFF], dtype=np.uint32),
    "child_offsets": np.array([0] * 9 + [2, 4, 6, 8, 10, 12, 14], dtype=np.uint64),
    "children": np.array([0, 4, 1, 5, 2, 6, 3, 7, 8, 9, 10, 11, 12, 13], dtype=np.uint32),
    "parameters": np.array([0.25, 0.75, 0.5, 0.5]),
}
NO_SOFT = (np.empty(0, np.uint32), np.empty((0, 0)))


def changed(name: str, at: Any, value: Any) -> dict[str, Any]:
    array = GOOD[name].copy()
    array[at] = value
    return GOOD | {name: array}


class TestRefusals:
    def test_the_circuit_by_itself_is_fine(self) -> None:
        evaluator = Evaluator(**GOOD)
        codes = np.array([[0, 1, -1], [1, -1, -1]], dtype=np.int8)
        np.testing.assert_allclose(evaluator.log_values(codes, *NO_SOFT, 1), np.log([0.125, 0.75, 1]), rtol=1e-15)

    @pytest.mark.parametrize(
        ("arrays", "complaint"),
        [
            (changed("children", 0, 8), "node 8: expected children before their parents"),
            (changed("children", -1, 14), "node 14: expected children before their parents"),
            (changed("children", 3, 2**32 - 1), "node 9: expected children before their parents"),
            (changed("kinds", 12, 4), "node 12: no such kind"),
            (changed("kinds", 0, 255), "node 0: no such kind"),
            (changed("kinds", 12, 0), "node 12: expected children of sums and products, and of these only"),
            (changed("kinds", 0, 2), "node 0: expected children of sums and products, and of these only"),
            (changed("kinds", 5, 3), "node 5: expected children of sums and products, and of these only"),
            (changed("labels", 3, 4), "node 3: no such indicator"),
            (changed("labels", 7, 4), "node 7: no such parameter"),
            (changed("labels", 12, 2), "node 12: decides no such variable"),
            (changed("labels", 12, 0xFFFFFFFE), "node 12: decides no such variable"),
            (changed("parameters", 1, np.nan), "node 5: expected a finite parameter from 0"),
            (changed("parameters", 0, -1e-300), "node 4: expected a finite parameter from 0"),
            (changed("parameters", 3, np.inf), "node 7: expected a finite parameter from 0"),
            (changed("child_offsets", 0, 1), "expected child offsets from 0 to the number of children"),
            (changed("child_offsets", -1, 13), "expected child offsets from 0 to the number of children"),
            (changed("child_offsets", -1, 15), "expected child offsets from 0 to the number of children"),
            (changed("child_offsets", 10, 2**63), "expected child offsets that never fall"),
            (changed("child_offsets", 10, 0), "expected child offsets that never fall"),
            (changed("arities", 0, 0), "expected arities of at least 1"),
            (changed("arities", slice(None), 2**31), "fewer than 2.32 indicators"),
            (GOOD | {"arities": GOOD["arities"][:0]}, "expected at least one variable"),
            (GOOD | {"kinds": GOOD["kinds"][:0]}, "expected from 1 to 2.31 nodes, found 0"),
            (GOOD | {"labels": GOOD["labels"][1:]}, "expected one label for each node"),
            (
                GOOD | {"child_offsets": GOOD["child_offsets"][1:]},
                "expected one child offset for each node, and an end",
            ),
            (GOOD | {"parameters": GOOD["parameters"][:3]}, "node 7: no such parameter"),
        ],
    )
    def test_each_has_its_message(self, arrays: dict[str, Any], complaint: str) -> None:
        with pytest.raises(ValueError, match=f"^not a circuit: .*{complaint}"):
            Evaluator(**arrays)

    def test_evidence_is_checked_too(self) -> None:
        evaluator = Evaluator(**GOOD)
        fine = np.zeros((2, 3), dtype=np.int8)
        with pytest.raises(ValueError, match="a code is not below its variable's arity"):
            evaluator.log_values(fine + 2, *NO_SOFT, 1)
        with pytest.raises(ValueError, match="expected codes for each variable"):
            evaluator.log_values(fine[:1], *NO_SOFT, 1)
        with pytest.raises(ValueError, match="expected codes as int8, int16 or int32"):
            evaluator.log_values(fine.astype(np.uint8), *NO_SOFT, 1)
        with pytest.raises(ValueError, match="expected likelihoods for each row and value"):
            evaluator.log_values(fine, np.array([1], dtype=np.uint32), np.ones((2, 2)), 1)
        with pytest.raises(ValueError, match="expected likelihoods from 0 to 1"):
            evaluator.log_values(fine, np.array([1], dtype=np.uint32), np.full((3, 2), np.nan), 1)
        with pytest.raises(ValueError, match="variable: expected less than 2, found 2"):
            evaluator.log_values(fine, np.array([2], dtype=np.uint32), np.ones((3, 2)), 1)
        with pytest.raises(ValueError, match="variable: expected less than 2, found 7"):
            evaluator.marginals(fine, *NO_SOFT, np.array([7], dtype=np.uint32), 1)
        with pytest.raises(ValueError, match="expected room for all worlds"):
            evaluator.most_probable(fine, *NO_SOFT, fine[:, :2].copy(), 1)
        with pytest.raises(ValueError, match="expected room for all worlds"):
            evaluator.sample(fine, *NO_SOFT, 4, 1, fine.copy(), 1)


class TestOddCircuits:
    """Allowed, though learning makes none of these."""

    def test_a_root_that_is_a_leaf(self) -> None:
        for kind, expected in ((0, [0, -np.inf]), (1, [np.log(0.25)] * 2)):
            circuit = {
                "arities": np.array([2], dtype=np.uint32),
                "kinds": np.array([kind], dtype=np.uint8),
                "labels": np.array([0], dtype=np.uint32),
                "child_offsets": np.zeros(2, dtype=np.uint64),
                "children": np.empty(0, dtype=np.uint32),
                "parameters": np.array([0.25]),
            }
            codes = np.array([[0, 1]], dtype=np.int8)
            assert Evaluator(**circuit).log_values(codes, *NO_SOFT, 1).tolist() == expected

    def test_sums_over_leaves(self) -> None:
        """x0 = 0 or x0 = 1, both with weight one: the sum of two indicators, twice used."""
        circuit = {
            "arities": np.array([3], dtype=np.uint32),
            "kinds": np.array([0, 0, 0, 2, 3], dtype=np.uint8),
            "labels": np.array([0, 1, 2, 0, 0xFFFFFFFF], dtype=np.uint32),
            "child_offsets": np.array([0, 0, 0, 0, 2, 3], dtype=np.uint64),
            "children": np.array([0, 1, 3], dtype=np.uint32),
            "parameters": np.empty(0),
        }
        evaluator = Evaluator(**circuit)
        codes = np.array([[0, 1, 2, -1]], dtype=np.int8)
        assert evaluator.log_values(codes, *NO_SOFT, 1).tolist() == [0, 0, -np.inf, np.log(2)]
        _, posteriors = evaluator.marginals(codes[:, 3:].copy(), *NO_SOFT, np.zeros(1, dtype=np.uint32), 1)
        assert posteriors.tolist() == [[0.5, 0.5, 0]]


TREES: dict[str, Any] = {
    "arities": np.array([2, 3], dtype=np.uint32),
    "first_nodes": np.array([0, 3, 4], dtype=np.uint32),
    "variables": np.array([1, -1, -1, -1], dtype=np.int32),
    "first_route": np.zeros(4, dtype=np.uint32),
    "routes": np.array([1, 2, 1], dtype=np.uint32),
    "log_parameters": -np.arange(9.0),
}


class TestTrees:
    def test_trees_by_themselves_are_fine(self) -> None:
        codes = np.array([[0, 1, 0], [0, 1, 2]], dtype=np.uint8)
        assert TreeScores(**TREES).score(codes).tolist() == [-2 - 6, -5 - 7, -2 - 8]

    @pytest.mark.parametrize(
        ("name", "at", "value", "complaint"),
        [
            ("routes", 0, 0, "expected parents before their children"),
            ("routes", 2, 3, "expected parents before their children"),
            ("variables", 0, 2, "a node asks for a variable that is not there"),
            ("first_route", 0, 1, "a node lacks routes"),
            ("first_route", 0, 2**32 - 1, "a node lacks routes"),
            ("first_nodes", 0, 1, "expected the first node of each variable's tree"),
            ("first_nodes", 1, 0, "expected at least one node in each tree"),
            ("first_nodes", 1, 4, "expected at least one node in each tree"),
            ("first_nodes", 1, 2**32 - 1, "expected"),
            ("first_nodes", 2, 5, "expected the first node of each variable's tree"),
            ("arities", 0, 3, "expected one parameter for each node and value"),
            ("arities", 1, 2**31, "a node lacks routes"),
        ],
    )
    def test_other_arrays_are_refused(self, name: str, at: int, value: int, complaint: str) -> None:
        array = TREES[name].copy()
        array[at] = value
        with pytest.raises(ValueError, match=f"^not a tree: .*{complaint}"):
            TreeScores(**(TREES | {name: array}))

    def test_codes_are_checked(self) -> None:
        scores = TreeScores(**TREES)
        for codes in ([[0], [3]], [[2], [0]], [[-1], [0]]):
            with pytest.raises(ValueError, match="a code is not below its variable's arity"):
                scores.score(np.array(codes, dtype=np.int8))
        with pytest.raises(ValueError, match="expected codes for each variable"):
            scores.score(np.zeros((1, 4), dtype=np.uint8))


# In a process of its own, so that a crash is a failed test and not the end of all tests.
FUZZ = """
import sys
import numpy as np
from learnac._core import Evaluator

good = dict(np.load(sys.argv[1]))
NOTHING = 0xFFFFFFFF
n_refused = n_answered = 0
for seed in range(int(sys.argv[2]), int(sys.argv[3])):
    print(seed, file=sys.stderr, flush=True)
    rng = np.random.default_rng(seed)
    arrays = {name: array.copy() for name, array in good.items()}
    for _ in range(rng.integers(1, 5)):
        name = rng.choice(list(arrays), p=[0.05, 0.15, 0.2, 0.1, 0.3, 0.2])
        array = arrays[name]
        if len(array) == 0:
            continue
        at = rng.integers(len(array))
        n_nodes = max(1, len(arrays["kinds"]))
        if name == "arities":
            array[at] = rng.choice([0, 1, 2, 3, 7])
        elif name == "kinds":
            array[at] = rng.choice([0, 1, 2, 3, 3, 2, 4, 200])
        elif name == "labels":
            array[at] = rng.choice([0, 1, 2, rng.integers(20), NOTHING, NOTHING - 1])
        elif name == "child_offsets":
            array[at] = rng.choice([0, int(array[at]) + 1, max(0, int(array[at]) - 1), 2**40, rng.integers(60)])
        elif name == "children":
            array[at] = rng.choice([rng.integers(n_nodes), max(0, int(array[at]) - 1), int(array[at]) + 1, NOTHING])
        else:
            array[at] = rng.choice([np.nan, -1.0, np.inf, 0.0, 1e308, 1e200, 1e-320, 1e-200, 1.0])
        if rng.random() < 0.03:
            arrays["parameters"] = rng.choice([1.7e308, 1e200, 1e-300, 0.0, 1.0], size=len(arrays["parameters"]))
        if rng.random() < 0.05:
            arrays[name] = array[: rng.integers(len(array) + 1)].copy()
    try:
        evaluator = Evaluator(**arrays)
    except ValueError:
        n_refused += 1
        continue
    arities = arrays["arities"].astype(int)
    for n_rows in (1, 2, 11):
        codes = rng.integers(arities[:, None], size=(len(arities), n_rows))
        codes = np.where(rng.random(codes.shape) < 0.5, codes, -1).astype(np.int8)
        soft = np.zeros(1, np.uint32), rng.choice([0, 1, 0.3, 1e-300, 1e-320], size=(n_rows, arities[0]))
        for likelihoods in ((np.empty(0, np.uint32), np.empty((0, 0))), soft):
            evaluator.log_values(codes, *likelihoods, 1)
            evaluator.marginals(codes, *likelihoods, np.arange(len(arities), dtype=np.uint32), 1)
            evaluator.marginals(codes, *likelihoods, np.zeros(1, dtype=np.uint32), 1)
            evaluator.mean_logs(codes, *likelihoods, 1)
            evaluator.live_edges(codes, *likelihoods)
            evaluator.most_probable(codes, *likelihoods, codes.copy(), 1)
            evaluator.sample(codes, *likelihoods, 3, seed, np.zeros((len(arities), 3 * n_rows), np.int8), 2)
    n_answered += 1
print(n_refused, n_answered)
"""


@pytest.mark.parametrize("first", [0, 1500])
def test_random_changes_never_crash(learned: Any, tmp_path: Path, first: int) -> None:
    case = learned(seed=4, arities=(2, 3, 1, 2), n_rows=40, splits="binary" if first else "complete", max_splits=3)
    path = tmp_path / "circuit.npz"
    names = ("kinds", "labels", "child_offsets", "children", "parameters")
    np.savez(
        path, arities=case.schema.arities.astype(np.uint32), **{name: getattr(case.circuit, name) for name in names}
    )
    command = [sys.executable, "-c", FUZZ, str(path), str(first), str(first + 1500)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, f"at seed {found.stderr[-500:]}"
    n_refused, n_answered = map(int, found.stdout.split())
    assert n_refused > 200
    assert n_answered > 200
