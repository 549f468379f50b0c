"""The picture of a small circuit, as the paper draws them: sums and products above indicators and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from learnac.circuit.circuit import Circuit, NodeKind
from learnac.circuit.mixture import Mixture
from learnac.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_ORANGE,
    Drawing,
    check_size,
    digraph,
    node,
    quoted,
    shown,
    shown_number,
    summary_table,
)
from learnac.network.bayes_net import SET_FROM_OUTSIDE


def draw_circuit(circuit: Circuit, max_edges: int) -> Drawing:
    return _drawing(circuit, [shown_number(value) for value in circuit.parameters], max_edges)


def draw_mixture(mixture: Mixture, max_edges: int) -> Drawing:
    """The structure, once: each parameter is a range, over the components."""
    ranges = zip(mixture.parameters.min(axis=0), mixture.parameters.max(axis=0), strict=True)
    texts = [" to ".join(dict.fromkeys(shown_number(value) for value in ends)) for ends in ranges]
    return _drawing(mixture.structure, texts, max_edges)


def _drawing(circuit: Circuit, parameters: Sequence[str], max_edges: int) -> Drawing:
    check_size("the circuit", circuit.n_edges, "edges", "max_edges", max_edges, "Draw its network instead")
    # Shared nodes make edges long: without arrowheads, there is less to untangle.
    nodes = _nodes(circuit, parameters)
    return digraph([*nodes, "edge [arrowhead=none]", *_edges(circuit)], ranksep=0.45, nodesep=0.2)


def circuit_summary(circuit: Circuit) -> str:
    """HTML: how many nodes of each kind there are."""
    n_of = np.bincount(circuit.kinds, minlength=len(NodeKind)).tolist()
    rows = {
        "variables": circuit.schema.n_variables,
        "edges": circuit.n_edges,
        "sums": n_of[NodeKind.SUM],
        "products": n_of[NodeKind.PRODUCT],
        "indicators": n_of[NodeKind.INDICATOR],
        "parameters": n_of[NodeKind.PARAMETER],
    }
    return summary_table("Circuit", rows)


def mixture_summary(mixture: Mixture) -> str:
    """HTML: how large it is."""
    rows = {
        "variables": mixture.schema.n_variables,
        "components": mixture.n_components,
        "edges of the structure": mixture.structure.n_edges,
        "edges x components": mixture.n_edges,
        "parameters": mixture.n_parameters,
    }
    return summary_table("Mixture", rows)


def _nodes(circuit: Circuit, parameters: Sequence[str]) -> Iterator[str]:
    values = [(name, category) for name, column in _variables(circuit) for category in column]
    for number, (kind, label) in enumerate(zip(circuit.kinds.tolist(), circuit.labels.tolist(), strict=True)):
        match kind:
            case NodeKind.INDICATOR:
                yield _indicator(number, *values[label])
            case NodeKind.PARAMETER:
                yield _parameter(circuit, number, label, parameters[label])
            case NodeKind.SUM:
                yield _sum(number, None if label == Circuit.NO_LABEL else circuit.schema.names[label])
            case _:
                yield _product(number)


def _edges(circuit: Circuit) -> Iterator[str]:
    for number in range(circuit.n_nodes):
        for child in circuit.children_of(number):
            yield f"n{number} -> n{child}"


def _indicator(number: int, name: str, category: object) -> str:
    label = quoted(f"{shown(name)} = {shown(category)}")
    return node(f"n{number}", label, shape="box", style="filled", color=GREEN, fillcolor=PALE_GREEN)


def _parameter(circuit: Circuit, number: int, label: int, value_text: str) -> str:
    variable, leaf, value = circuit.parameter_origins[label].tolist()
    tip = "parameter of unknown origin"
    if variable >= 0:
        name, categories = circuit.schema.names[variable], circuit.schema.categories[variable]
        where = "set from outside" if leaf == SET_FROM_OUTSIDE else f"at node {leaf} of its tree"
        tip = f"P({shown(name)} = {shown(categories[value])}) {where}"
    return node(
        f"n{number}", quoted(value_text), shape="plaintext", fontcolor=GREY, tooltip=tip, margin="0.03,0.02", width=0.1
    )


def _sum(number: int, name: str | None) -> str:
    tip = "sum that decides no variable" if name is None else f"sum over the values of {shown(name)}"
    label = quoted("+" if name is None else f"+ {shown(name)}")
    return node(f"n{number}", label, shape="ellipse", style="filled", color=BLUE, fillcolor=PALE_BLUE, tooltip=tip)


def _product(number: int) -> str:
    look = {"shape": "circle", "style": "filled", "color": ORANGE, "fillcolor": PALE_ORANGE, "fixedsize": "true"}
    return node(f"n{number}", quoted("\N{MULTIPLICATION SIGN}"), **look, width=0.3, tooltip="product")


def _variables(circuit: Circuit) -> Iterator[tuple[str, tuple[object, ...]]]:
    return zip(circuit.schema.names, circuit.schema.categories, strict=True)
