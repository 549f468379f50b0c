"""The format of the UAI competitions: what is written is read back, and malformed files get one clear message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_networks import random_network
from trees import leaf_of, tree_of
from worlds import probabilities

from learnac import LearnacError, SizeError, infer
from learnac.compiler import compile_network
from learnac.data import Schema
from learnac.io import read_uai, write_uai
from learnac.network import BayesNet

EXAMPLE = """BAYES
3
2 2 3
3
1 0
2 0 1
3 0 1 2

2
 0.436 0.564

4
 0.128 0.872
 0.920 0.080

12
 0.210 0.333 0.457
 0.811 0.000 0.189
 0.000 0.500 0.500
 0.250 0.250 0.500
"""


def test_the_last_variable_of_a_table_is_the_child_and_changes_fastest() -> None:
    network = read_uai(EXAMPLE)
    assert network.schema.names == ("x0", "x1", "x2")
    assert network.parents == ((), (0,), (0, 1))
    circuit = compile_network(network)
    np.testing.assert_allclose(infer.marginals(circuit, {"x0": 0, "x1": 1})["x2"], [0.811, 0, 0.189])
    np.testing.assert_allclose(infer.marginals(circuit, {"x0": 1})["x1"], [0.92, 0.08])


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 4), min_size=1, max_size=5).map(tuple))
def test_what_is_written_is_read_back(tmp_path: Path, seed: int, arities: tuple[int, ...]) -> None:
    network = random_network(seed, arities)
    write_uai(network, tmp_path / "a.uai")
    np.testing.assert_allclose(probabilities(read_uai(tmp_path / "a.uai")), probabilities(network), rtol=1e-12)


def changed(old: str, new: str) -> str:
    assert EXAMPLE.count(old) >= 1
    return EXAMPLE.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed("BAYES", "MARKOV"), "expected BAYES at the start, found 'MARKOV': a Markov network is no Bayesian"),
        (changed("BAYES\n3", "BAYES\nx"), "expected the number of variables, from 1 to 1,000,000, found 'x'"),
        (changed("2 2 3\n3", "2 2 3\n2"), "expected a table for each of the 3 variables, found 2"),
        (changed("2 2 3", "2 0 3"), "expected the number of values of variable 1, from 1 to 1,000,000, found '0'"),
        (changed("2 2 3", "2 2 99999"), "expected numbers of values from 1 to"),
        (changed("2 0 1\n", "2 1 0\n"), "variable 0 has two tables"),
        (changed("2 0 1\n", "2 5 1\n"), "expected a variable of table 1, from 0 to 2, found '5'"),
        (changed("3 0 1 2", "3 0 0 2"), "table 2: expected different variables, found 0, 0, 2"),
        (
            changed("1 0\n2 0 1\n", "2 1 0\n2 0 1\n").replace("\n2\n 0.436 0.564", "\n4\n 1 0 0 1"),
            "the network has a cycle: x",
        ),
        (changed("\n12\n", "\n11\n"), "table 2: expected 12 entries, found 11"),
        (changed(" 0.250 0.250 0.500", " 0.250"), "table 2: expected 12 numbers, found 10 and the end of the file"),
        (changed(" 0.250 0.250 0.500", " 0.250 x 0.500"), "table 2: expected numbers"),
        (
            changed(" 0.250 0.250 0.500", " 0.250 0.250 0.900"),
            "table 2: expected probabilities from 0 to 1, whose rows",
        ),
        (changed(" 0.250 0.250 0.500", " -0.250 0.750 0.500"), "table 2: expected probabilities from 0 to 1"),
        (EXAMPLE + " 7", "expected the end after 3 tables, found '7'"),
        ("BAYES\n", "the file ends where the number of variables was expected"),
    ],
)
def test_malformed_files_get_one_clear_message(text: str, message: str) -> None:
    with pytest.raises(LearnacError, match=rf"^text: {message}"):
        read_uai(text)


def test_a_table_that_is_too_large_is_not_written(tmp_path: Path) -> None:
    schema = Schema(tuple("abcd"), ((0, 1),) * 4)
    tree = tree_of(3, [0, 1, -1, 2, -1, -1, -1], [[1, 2], [3, 4], [5, 6]], [[0.5, 0.5]] * 7)
    network = BayesNet(schema, (*(leaf_of(v, [0.5, 0.5]) for v in range(3)), tree))
    with pytest.raises(SizeError, match="the table of 'd' given 'a', 'b', 'c' would have 16 entries, more than 15"):
        write_uai(network, tmp_path / "a.uai", max_table=15)
    assert not (tmp_path / "a.uai").exists()
