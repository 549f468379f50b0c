"""Writing arithmetic circuits in the format of the Libra toolkit, as docs/formats/libra-ac.md describes it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from learnac.circuit import Circuit, NodeKind
from learnac.files import replace_file
from learnac.io.libra import reached_nodes


def write_ac(circuit: Circuit, path: str | Path) -> None:
    """Writes what the root reaches, with every digit of the parameters. Names and categories are lost."""
    arities = circuit.schema.arities.tolist()
    lines = [f"({' '.join(map(str, arities))})", *_node_lines(circuit, arities), "EOF"]
    replace_file(path, ("\n".join(lines) + "\n").encode("ascii"))


def _node_lines(circuit: Circuit, arities: list[int]) -> Iterator[str]:
    all_children = circuit.children.tolist()
    children = [all_children[start:end] for start, end in pairwise(circuit.child_offsets.tolist())]
    reached = reached_nodes(children)
    indicators = [f"v {variable} {value}" for variable, arity in enumerate(arities) for value in range(arity)]
    parameters, labels, kinds = circuit.parameters.tolist(), circuit.labels.tolist(), circuit.kinds.tolist()
    place: list[str] = []
    n_written = 0
    for node, kind in enumerate(kinds):
        place.append(str(n_written))
        n_written += reached[node]
        if not reached[node]:
            continue
        match kind:
            case NodeKind.INDICATOR:
                yield indicators[labels[node]]
            case NodeKind.PARAMETER:
                yield f"n {parameters[labels[node]]!r}"
            case _:
                sign = "+" if kind == NodeKind.SUM else "*"
                yield " ".join([sign, *(place[child] for child in children[node])])
