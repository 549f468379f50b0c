"""A circuit's picture has its nodes, its edges and nothing else."""

from __future__ import annotations

import re

import numpy as np
import pytest

from learnac.circuit import Circuit
from learnac.data import Schema

# 0.3 [rain = no] + 0.7 [rain = "yes"], times the only value of sky.
CIRCUIT = Circuit(
    schema=Schema(("rain", "sky"), (("no", '"yes"'), ("grey",))),
    kinds=np.array([0, 0, 0, 1, 1, 3, 3, 2, 3], dtype=np.uint8),
    labels=np.array([0, 1, 2, 0, 1, 0, 0, 0, 0], dtype=np.uint32),
    child_offsets=np.array([0, 0, 0, 0, 0, 0, 2, 4, 6, 8], dtype=np.uint64),
    children=np.array([0, 3, 1, 4, 5, 6, 7, 2], dtype=np.uint32),
    parameters=np.array([0.3, 0.7]),
    parameter_origins=np.array([[0, 0, 0], [0, 0, 1]], dtype=np.int32),
)


def labels(source: str) -> list[str]:
    return re.findall(r"^  n\d+ \[label=(.*?), shape", source, flags=re.MULTILINE)


def test_each_node_says_what_it_is() -> None:
    indicators = ['"rain = no"', '"rain = \\"yes\\""', '"sky = grey"']
    times = '"\N{MULTIPLICATION SIGN}"'
    assert labels(CIRCUIT.draw().source) == [*indicators, '"0.300"', '"0.700"', times, times, '"+ rain"', times]


def test_each_edge_goes_from_a_node_to_its_child() -> None:
    edges = re.findall(r"n(\d+) -> n(\d+)", CIRCUIT.draw().source)
    assert edges == [("5", "0"), ("5", "3"), ("6", "1"), ("6", "4"), ("7", "5"), ("7", "6"), ("8", "7"), ("8", "2")]


def test_too_many_edges_are_an_error_with_a_way_out() -> None:
    with pytest.raises(ValueError, match=r"the circuit has 8 edges, too many to draw: max_edges is 7\. Draw its net"):
        CIRCUIT.draw(max_edges=7)
    CIRCUIT.draw(max_edges=8)


def test_a_notebook_shows_a_summary() -> None:
    cells = re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", CIRCUIT._repr_html_())
    assert cells[0] == "Circuit"
    summary = dict(zip(cells[1::2], cells[2::2], strict=True))
    expected = {"variables": 2, "edges": 8, "sums": 1, "products": 3, "indicators": 3, "parameters": 2}
    assert summary == {name: str(number) for name, number in expected.items()}
