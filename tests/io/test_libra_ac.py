"""Libra's circuits: what goes out comes in, hand-written files mean what they say, and all else is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from worlds import worlds_of

from learnac import Dataset, LearnAC, infer
from learnac.circuit import Circuit, NodeKind, evaluate, indicators_of, properties
from learnac.errors import ModelFileError, QueryError
from learnac.io import read_ac, write_ac

ARITIES = (2, 3, 1, 5, 2)

# 0.3 [x0 = 0] P(x1 | x0 = 0) + 0.7 [x0 = 1] P(x1 | x0 = 1), where P(x1 | x0 = 1) does not allow x1 = 2.
EXAMPLE = """(2 3)
v 0 0
v 0 1
v 1 0
v 1 1
v 1 2
n 0.3
n 0.7
n 0.5
n 0.25
* 2 7
* 3 8
* 4 8
+ 9 10 11
* 3 7
+ 9 13
* 0 5 12
* 1 6 14
+ 15 16
EOF
"""
EXAMPLE_WORLDS = [0.15, 0.075, 0.075, 0.35, 0.35, 0.0]

# Two ways to be 0 or 1, each with probability 0.5.
MIXTURE = """(2)
v 0 0
v 0 1
n .1
n .9
* 0 2
* 1 3
* 0 3
* 1 2
+ 4 5
+ 6 7
n .5
* 8 10
* 9 10
+ 11 12
EOF
"""


def probabilities(circuit: Circuit) -> NDArray[np.float64]:
    return evaluate(circuit, indicators_of(circuit, worlds_of(circuit.schema.arities)))


def learned(splits: str, alpha: float = 1.0) -> LearnAC:
    rng = np.random.default_rng(3)
    prototypes = rng.integers(ARITIES, size=(5, len(ARITIES)))
    noise = rng.integers(ARITIES, size=(150, len(ARITIES)))
    rows = np.where(rng.random(noise.shape) < 0.7, prototypes[rng.integers(5, size=150)], noise)
    model = LearnAC(edge_penalty=0.01, parameter_penalty=0.05, splits=splits, alpha=alpha, shrinkage=10.0)
    return model.fit(Dataset.from_array(rows, arities=ARITIES))


def assert_answers_exactly(circuit: Circuit) -> None:
    found = properties(circuit)
    assert found.is_smooth
    assert found.is_decomposable
    n_indicators = int(circuit.schema.arities.sum())
    assert evaluate(circuit, np.ones((1, n_indicators)))[0] == pytest.approx(1, rel=1e-8)
    kinds = circuit.kinds.tolist()
    assert kinds[: n_indicators + circuit.n_parameters] == [0] * n_indicators + [1] * circuit.n_parameters
    assert kinds[-1] >= NodeKind.SUM


class TestRoundTrip:
    @pytest.mark.parametrize("splits", ["complete", "binary"])
    @pytest.mark.parametrize("alpha", [1.0, 0.0])
    def test_a_learned_circuit_comes_back_node_by_node(self, tmp_path: Path, splits: str, alpha: float) -> None:
        circuit = learned(splits, alpha).circuit_
        assert circuit.n_edges > 200
        write_ac(circuit, tmp_path / "model.ac")
        found = read_ac(tmp_path / "model.ac")
        for name in ("kinds", "labels", "child_offsets", "children", "parameters"):
            np.testing.assert_array_equal(getattr(found, name), getattr(circuit, name), err_msg=name)
            assert getattr(found, name).dtype == getattr(circuit, name).dtype
        assert found.schema.names == ("x0", "x1", "x2", "x3", "x4")
        assert found.schema.categories[3] == (0, 1, 2, 3, 4)
        assert (found.parameter_origins == -1).all()
        assert found.parameter_origins.shape == (circuit.n_parameters, 3)
        np.testing.assert_allclose(probabilities(found), probabilities(circuit), rtol=1e-12, atol=1e-300)
        assert_answers_exactly(found)

    def test_queries_of_both_agree(self, tmp_path: Path) -> None:
        circuit = learned("binary").circuit_
        write_ac(circuit, tmp_path / "model.ac")
        found = read_ac(tmp_path / "model.ac")
        for name, table in infer.marginals(circuit, {"x1": 2}).items():
            np.testing.assert_allclose(infer.marginals(found, {"x1": 2})[name], table, rtol=1e-12)
        assert infer.mpe(found, {"x3": 1}) == infer.mpe(circuit, {"x3": 1})

    def test_the_text_is_what_libra_reads(self, tmp_path: Path) -> None:
        write_ac(read_ac(EXAMPLE), tmp_path / "a.ac")
        assert (tmp_path / "a.ac").read_text() == EXAMPLE

    def test_nodes_that_nothing_needs_are_not_written(self, tmp_path: Path) -> None:
        write_ac(read_ac("(2)\nv 0 1\nn 1\n* 0 1\nEOF\n"), tmp_path / "a.ac")
        assert (tmp_path / "a.ac").read_text() == "(2)\nv 0 1\nn 1.0\n* 0 1\nEOF\n"


class TestHandWritten:
    def test_every_world_has_its_probability(self) -> None:
        circuit = read_ac(EXAMPLE)
        np.testing.assert_allclose(probabilities(circuit), EXAMPLE_WORLDS, rtol=1e-15)
        assert_answers_exactly(circuit)
        labels = circuit.labels[circuit.kinds == NodeKind.SUM].tolist()
        assert labels == [1, 1, 0]
        assert properties(circuit).is_deterministic

    def test_a_path_and_a_text_are_the_same(self, tmp_path: Path) -> None:
        (tmp_path / "a.ac").write_text(EXAMPLE)
        for source in (tmp_path / "a.ac", str(tmp_path / "a.ac")):
            np.testing.assert_array_equal(read_ac(source).children, read_ac(EXAMPLE).children)

    def test_the_list_of_parameters_is_skipped(self) -> None:
        listed = EXAMPLE + "\n5 0.3 +v0_0\n6 0.7 +v0_1\nEOF\n"
        np.testing.assert_allclose(probabilities(read_ac(listed)), EXAMPLE_WORLDS, rtol=1e-15)

    def test_spaces_and_other_line_ends_do_not_matter(self) -> None:
        text = EXAMPLE.replace("(2 3)", " ( 2  3 ) ").replace("\n", " \r\n\r\n")
        np.testing.assert_allclose(probabilities(read_ac(text)), EXAMPLE_WORLDS, rtol=1e-15)

    def test_a_sum_that_decides_no_variable_has_no_label(self) -> None:
        circuit = read_ac(MIXTURE)
        np.testing.assert_allclose(probabilities(circuit), [0.5, 0.5], rtol=1e-15)
        assert circuit.labels[circuit.kinds == NodeKind.SUM].tolist() == [0, 0, Circuit.NO_LABEL]
        assert not properties(circuit).is_deterministic
        with pytest.raises(QueryError, match="expected a deterministic circuit"):
            infer.mpe(circuit)

    def test_a_picture_does_not_claim_to_know_more(self) -> None:
        source = read_ac(MIXTURE).draw().source
        assert source.count("parameter of unknown origin") == 3
        assert source.count('label="+"') == 1
        assert source.count('label="+ x0"') == 2

    def test_a_label_is_found_where_other_variables_overlap_in_part(self) -> None:
        # Children have the values {0, 1} and {1, 2} of x0, and 0 and 1 of x1.
        text = "(3 2)\nv 0 0\nv 0 1\nv 0 2\nv 1 0\nv 1 1\nn .25\n+ 0 1\n+ 1 2\n* 6 3 5\n* 7 4 5\n+ 8 9\nEOF\n"
        circuit = read_ac(text)
        assert circuit.labels[-1] == 1
        np.testing.assert_allclose(probabilities(circuit), [0.25, 0, 0.25, 0.25, 0, 0.25])

    def test_indicators_that_the_file_lacks_are_added(self) -> None:
        circuit = read_ac("(3 1)\nv 1 0\nv 0 2\n* 0 1\nEOF\n")
        assert circuit.kinds.tolist() == [0, 0, 0, 0, 3]
        assert circuit.labels.tolist()[:4] == [0, 1, 2, 3]
        np.testing.assert_array_equal(probabilities(circuit), [0, 0, 1])

    def test_what_the_root_does_not_reach_is_left_out(self) -> None:
        text = "(2)\nv 0 0\nn 0.4\nn 7\n* 0 2\nv 0 1\nn 0.6\n* 0 1\n* 4 5\n+ 6 7\nEOF\n"
        circuit = read_ac(text)
        assert circuit.parameters.tolist() == [0.4, 0.6]
        assert circuit.n_nodes == 7
        np.testing.assert_allclose(probabilities(circuit), [0.4, 0.6])

    def test_repeated_indicators_are_one(self) -> None:
        circuit = read_ac("(2)\nv 0 0\nn .4\n* 0 1\nv 0 0\nn .3\nv 0 1\nn .6\n* 5 6\n* 3 1\n+ 8 7\nEOF\n")
        assert circuit.n_nodes == 7
        np.testing.assert_allclose(probabilities(circuit), [0.4, 0.6])

    def test_nodes_with_one_child_are_that_child(self) -> None:
        circuit = read_ac("(2)\nv 0 0\nn .4\n* 0 1\n+ 2\n* 3\nv 0 1\nn .6\n* 5 6\n+ 4 7\nEOF\n")
        assert circuit.n_edges == 6
        np.testing.assert_allclose(probabilities(circuit), [0.4, 0.6])

    @pytest.mark.parametrize("text", ["(1)\nv 0 0\nEOF\n", "(1)\nv 0 0\n* 0\nEOF\n", "(1)\nv 0 0\nn 1\n* 0 1\nEOF"])
    def test_the_smallest_circuits(self, text: str) -> None:
        circuit = read_ac(text)
        np.testing.assert_array_equal(probabilities(circuit), [1])
        assert_answers_exactly(circuit)

    def test_deep_circuits_need_no_recursion(self) -> None:
        lines = ["(2)", "v 0 0", "v 0 1", "n 0.5", "* 0 2", "* 1 2", "+ 3 4", "n 1"]
        lines += [f"* {node - 1} 6" if node > 7 else "* 5 6" for node in range(7, 50_000)]
        circuit = read_ac("\n".join([*lines, "EOF"]))
        np.testing.assert_allclose(infer.marginals(circuit)["x0"], [0.5, 0.5])


class TestTotals:
    def test_six_digits_are_made_to_sum_to_one(self) -> None:
        circuit = read_ac("(3)\nv 0 0\nv 0 1\nv 0 2\nn 0.333333\n* 0 3\n* 1 3\n* 2 3\n+ 4 5 6\nEOF\n")
        np.testing.assert_allclose(probabilities(circuit), [1 / 3] * 3, rtol=1e-15)
        assert_answers_exactly(circuit)

    @pytest.mark.parametrize("weight", [1e300, 1e-300, 1e30])
    def test_totals_beyond_any_double_are_divided_away(self, weight: float) -> None:
        lines = ["(2)", "v 0 0", "v 0 1", f"n {weight!r}", "n 3", "* 0 2", "* 1 2 3", "+ 4 5"]
        lines += [f"* {node - 1} 2 2" for node in range(7, 17)]
        circuit = read_ac("\n".join([*lines, "EOF"]))
        assert infer.log_likelihood(circuit, {"x0": 0}) == pytest.approx(math.log(0.25), abs=1e-10)
        assert infer.log_likelihood(circuit, {"x0": 1}) == pytest.approx(math.log(0.75), abs=1e-10)

    def test_a_circuit_that_is_nowhere_possible_is_refused(self) -> None:
        with pytest.raises(ModelFileError, match=r"text: expected a circuit with a positive, finite total; found 0\.0"):
            read_ac("(2)\nv 0 0\nv 0 1\nn 0\n* 0 2\n* 1 2\n+ 3 4\nEOF\n")


REFUSED = {
    "": r"text:1: expected the numbers of values",
    "2 2": r"text:1: expected the numbers of values, as in \(2 2 3\); found '2 2'",
    "()": r"text:1: expected numbers of values from 1",
    "(2 x)": r"text:1: expected the numbers of values",
    "(2 0)": r"text:1: expected numbers of values from 1 to 65,536",
    f"({'65536 ' * 16})": r"at most 1,000,000 in all",
    "(2)\nEOF": r"text:2: expected at least one node",
    "(2)\nv 0 0": r"text: expected a line EOF",
    "(2)\nv 0 2\nEOF": r"text:2: node 0: no such value of a variable: 0 2",
    "(2)\nv 1 0\nEOF": r"text:2: node 0: no such value of a variable: 1 0",
    "(2)\nv 0 -1\nEOF": r"no such value",
    "(2)\nv 0\nEOF": r"text:2: node 0: expected numbers, found '0'",
    "(2)\nv 0 0\nn x\nEOF": r"text:3: node 1: expected numbers",
    "(2)\nv 0 0\nn -1\nEOF": r"text:3: node 1: expected a finite constant from 0, found -1\.0",
    "(2)\nv 0 0\nn nan\nEOF": r"found nan",
    "(2)\nv 0 0\nn 1e999\nEOF": r"found inf",
    "(2)\nv 0 0\n\n* 0 1\nEOF": r"text:4: node 1: expected children from 0 to 0, found \[0, 1\]",
    "(2)\nv 0 0\n+ 0 -1\nEOF": r"expected children from 0 to 0",
    "(2)\nv 0 0\n+\nEOF": r"text:3: node 1: expected children",
    "(2)\nv 0 0\nw 0 0\nEOF": r"text:3: node 1: expected one of n, v, \+ and \*; found 'w'",
    "(2)\nv 0 0\nv 0 1\n* 0 1\nEOF": r"text:4: node 2: the circuit is not decomposable: two children have variable 0",
    "(2 2)\nv 0 0\nv 1 0\n+ 0 1\nEOF": r"text:4: node 2: the circuit is not smooth: child 0 lacks variable 1",
    "(2)\nv 0 0\nn 1\n+ 0 1\nEOF": r"text:4: node 2: the circuit is not smooth: child 1 lacks variable 0",
    "(2 2)\nv 0 0\nn 1\n* 0 1\nEOF": r"text:4: node 2: the root lacks variable 1",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_is_no_circuit_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read_ac(text + "\n")


def test_a_file_that_is_no_text_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.ac").write_bytes(b"(2)\xff\n")
    with pytest.raises(ModelFileError, match=r"a\.ac: expected a text file"):
        read_ac(tmp_path / "a.ac")
    with pytest.raises(FileNotFoundError):
        read_ac(tmp_path / "none.ac")


class TestDamage:
    def read(self, path: Path, content: bytes, *, by_file: bool) -> Circuit | None:
        # A text is quicker to read than a file, and the same from there on.
        source: str | Path = content.decode(errors="replace")
        if by_file or "\n" not in str(source):
            path.write_bytes(content)
            source = path
        try:
            circuit = read_ac(source)
        except ModelFileError as error:
            message = str(error)
        else:
            return self.checked(circuit)
        assert message.startswith(("text:", str(path)))
        return None

    def checked(self, circuit: Circuit) -> Circuit:
        assert_answers_exactly(circuit)
        return circuit

    def test_no_shorter_file_is_read(self, tmp_path: Path) -> None:
        content = EXAMPLE.encode()
        for length in range(len(content) - 1):
            assert self.read(tmp_path / "a.ac", content[:length], by_file=True) is None
        assert self.read(tmp_path / "a.ac", content, by_file=True) is not None

    def test_changed_bytes_give_a_circuit_or_an_error(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        n_read = 0
        for trial in range(3000):
            content = bytearray(EXAMPLE.encode())
            for place in rng.integers(len(content), size=1 + trial % 3):
                content[place] = rng.choice(list(b"0123456789 \nvn+*()-.eEOF")) if trial % 2 else rng.integers(256)
            n_read += self.read(tmp_path / "a.ac", bytes(content), by_file=trial % 10 == 0) is not None
        assert 50 < n_read < 2900


def test_totals_beyond_all_numbers_are_refused() -> None:
    squares = "".join(f"* {k} {k}\n" for k in range(2, 40))
    with pytest.raises(ModelFileError):
        read_ac(f"(1)\nv 0 0\nn 1\nn 0.5\n{squares}* 0 40\nEOF\n")


def test_shared_products_of_constants_are_read_quickly() -> None:
    squares = "".join(f"* {k} {k}\n" for k in range(4, 60))
    circuit = read_ac(f"(2)\nv 0 0\nv 0 1\nn 0.25\nn 0.75\nn 1\n{squares}* 0 2 60\n* 1 3\n+ 61 62\nEOF\n")
    assert infer.marginals(circuit)["x0"].tolist() == [0.25, 0.75]


def test_the_smallest_numbers_count() -> None:
    for constants in ("n 0.5\nn 5e-324", "n 5e-324\nn 0.5"):
        circuit = read_ac(f"(2)\nv 0 0\nv 0 1\n{constants}\nn 1\n* 0 2 3\n* 1 4\n+ 5 6\nEOF\n")
        assert infer.log_likelihood(circuit, {"x0": 0}) == pytest.approx(-745.13, abs=0.1)
