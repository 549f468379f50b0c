"""Long chains cost what their length does: counted in calls, which no machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learnac.compiler import compile_network
from learnac.infer import log_likelihood
from learnac.io import read_bif, read_bn, write_bn
from learnac.network import BayesNet, treewidth_bound


def chain_text(n_variables: int) -> str:
    variables = "".join(f"variable v{v} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for v in range(n_variables))
    links = "".join(
        f"probability ( v{v} | v{v - 1} ) {{ (a) 0.{1 + v % 8}, 0.{9 - v % 8}; (b) 0.75, 0.25; }}\n"
        for v in range(1, n_variables)
    )
    return f"{variables}probability ( v0 ) {{ table 0.25, 0.75; }}\n{links}"


def chain(n_variables: int) -> BayesNet:
    return read_bif(chain_text(n_variables))


def n_calls(work: Callable[[], Any]) -> int:
    """How many functions are called, ours and those of libraries."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("work", [compile_network, treewidth_bound], ids=lambda work: work.__name__)
def test_a_chain_of_twice_the_length_costs_twice_as_much(work: Callable[[BayesNet], Any]) -> None:
    networks = [chain(100), chain(200)]
    work(networks[0])  # Imports, and what is made once, are not counted.
    calls = [n_calls(lambda network=network: work(network)) for network in networks]
    assert calls[1] < 2.3 * calls[0]


def test_reading_a_chain_of_twice_the_length_costs_twice_as_much(tmp_path: Path) -> None:
    texts = [chain_text(100), chain_text(200)]
    calls = [n_calls(lambda text=text: read_bif(text)) for text in texts]
    assert calls[1] < 2.3 * calls[0]
    for number, text in enumerate(texts):
        write_bn(read_bif(text), tmp_path / f"{number}.bn")
    calls = [n_calls(lambda number=number: read_bn(tmp_path / f"{number}.bn")) for number in range(2)]
    assert calls[1] < 2.3 * calls[0]


def test_the_circuit_of_a_long_chain_is_the_network() -> None:
    network = chain(300)
    circuit = compile_network(network)
    codes = np.random.default_rng(0).integers(2, size=(300, 20)).astype(np.uint16)
    np.testing.assert_allclose(log_likelihood(circuit, codes.T), network.log_likelihood(codes), rtol=1e-12)
    assert circuit.n_edges < 20 * 300
