"""Reading arithmetic circuits in the format of the Libra toolkit, as docs/formats/libra-ac.md describes it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from learnac.circuit import Circuit, CircuitBuilder, NodeKind, check_distribution, log_total
from learnac.errors import ModelFileError
from learnac.io.foreign import read_text
from learnac.io.libra import reached_nodes, schema_of
from learnac.network.bits import lowest

# How far a circuit's total may be from 1 before it is divided by it. Libra writes six digits.
_EXACT = 1e-9


def read_ac(source: str | Path) -> Circuit:
    """The circuit in a file, or in a text of several lines, over variables x0, x1, ... with their codes as categories.

    Unreachable nodes and nodes with one child are left out. A circuit whose total is not 1 is divided by it.
    ModelFileError for one that is not smooth and decomposable. About 3 s for a million edges.
    """
    text, name = read_text(source)
    nodes = _Nodes(name)
    nodes.parse(text)
    nodes.check()
    circuit = _assembled(nodes)
    total = log_total(circuit)
    if not math.isfinite(total):
        raise ModelFileError(f"{name}: expected a circuit with a positive, finite total; found {math.exp(total)}")
    if abs(total) > _EXACT:
        nodes.scale(-total)
        circuit = _assembled(nodes)
    try:
        check_distribution(circuit)
    except ValueError as error:
        raise ModelFileError(f"{name}: {error}") from None
    return circuit


@dataclass(slots=True)
class _Nodes:
    """The nodes of a file, one for each line; indicators are numbered as in our circuits. Changes in place."""

    name: str
    arities: list[int] = field(default_factory=list)
    kinds: list[NodeKind] = field(default_factory=list)
    indicators: dict[int, int] = field(default_factory=dict)  # by node
    constants: dict[int, float] = field(default_factory=dict)  # by node
    children: list[list[int]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    decided: dict[int, int] = field(default_factory=dict)  # by sum

    def error(self, node: int, message: str) -> ModelFileError:
        return ModelFileError(f"{self.name}:{self.lines[node]}: node {node}: {message}")

    @property
    def starts(self) -> list[int]:
        """Where each variable's indicators begin, and where the last one's end."""
        return np.concatenate([[0], np.cumsum(self.arities)]).tolist()

    def parse(self, text: str) -> None:
        lines = ((number, line.split()) for number, line in enumerate(text.split("\n"), start=1))
        rows = ((number, words) for number, words in lines if words)
        number, words = next(rows, (1, []))
        self._parse_arities(number, " ".join(words))
        starts = self.starts
        for number, words in rows:
            if words == ["EOF"]:
                break
            self.lines.append(number)
            self._parse_node(len(self.children), words, starts)
        else:
            raise ModelFileError(f"{self.name}: expected a line EOF after the nodes")
        if not self.children:
            raise ModelFileError(f"{self.name}:{number}: expected at least one node")

    def _parse_arities(self, number: int, line: str) -> None:
        try:
            if not (line.startswith("(") and line.endswith(")")):
                raise ValueError
            self.arities = list(map(int, line[1:-1].split()))
        except ValueError:
            where = f"{self.name}:{number}"
            raise ModelFileError(
                f"{where}: expected the numbers of values, as in (2 2 3); found {line[:60]!r}"
            ) from None
        schema_of(self.arities, f"{self.name}:{number}")

    def _parse_node(self, node: int, words: list[str], starts: list[int]) -> None:
        kind = _KINDS.get(words[0])
        try:
            if kind is NodeKind.PARAMETER:
                self._add_constant(node, words)
            elif kind is NodeKind.INDICATOR:
                self._add_indicator(node, words, starts)
            elif kind is None:
                raise self.error(node, f"expected one of n, v, + and *; found {words[0][:20]!r}")
            children = list(map(int, words[1:])) if kind >= NodeKind.SUM else []
        except (ValueError, OverflowError) as error:
            if isinstance(error, ModelFileError):
                raise
            raise self.error(node, f"expected numbers, found {' '.join(words[1:])[:60]!r}") from None
        if kind >= NodeKind.SUM and not (children and min(children) >= 0 and max(children) < node):
            raise self.error(node, f"expected children from 0 to {node - 1}, found {children[:8]}")
        self.kinds.append(kind)
        self.children.append(children)

    def _add_constant(self, node: int, words: list[str]) -> None:
        (value,) = map(float, words[1:])
        if not 0 <= value < math.inf:
            raise self.error(node, f"expected a finite constant from 0, found {value}")
        self.constants[node] = value

    def _add_indicator(self, node: int, words: list[str], starts: list[int]) -> None:
        variable, value = map(int, words[1:])
        if not (0 <= variable < len(self.arities) and 0 <= value < self.arities[variable]):
            raise self.error(node, f"no such value of a variable: {variable} {value}")
        self.indicators[node] = starts[variable] + value

    def check(self) -> None:
        """Checks that the circuit is smooth and decomposable, by indicators, and finds what each sum decides.

        Scopes are bit sets, one object for all nodes that have the same.
        """
        starts = self.starts
        variable_of = np.repeat(np.arange(len(self.arities)), self.arities).tolist()
        same: dict[int, int] = {}
        values: list[int] = []  # below each node: bits of indicators
        variables: list[int] = []  # and bits of variables
        for node, (kind, children) in enumerate(zip(self.kinds, self.children, strict=True)):
            own = own_variables = overlap = shared = 0
            if kind is NodeKind.INDICATOR:
                own, own_variables = 1 << self.indicators[node], 1 << variable_of[self.indicators[node]]
            for child in children:
                overlap |= own & values[child]
                shared |= own_variables & variables[child]
                own |= values[child]
                own_variables |= variables[child]
            if kind is NodeKind.PRODUCT and shared:
                message = f"the circuit is not decomposable: two children have variable {lowest(shared)}"
                raise self.error(node, message)
            if kind is NodeKind.SUM:
                for child in children:
                    if variables[child] != own_variables:
                        lacking = lowest(own_variables & ~variables[child])
                        raise self.error(node, f"the circuit is not smooth: child {child} lacks variable {lacking}")
                self.decided[node] = _decided(own & ~overlap, overlap, variable_of, starts)
            values.append(same.setdefault(own, own))
            variables.append(same.setdefault(own_variables, own_variables))
        if lacking := ~variables[-1] & ((1 << len(self.arities)) - 1):
            raise self.error(len(values) - 1, f"the root lacks variable {lowest(lacking)}")

    def scale(self, log_factor: float) -> None:
        """Multiplies the root; by several constants if one double cannot hold the factor."""
        root = len(self.kinds) - 1
        if abs(log_factor) > _LARGEST_LOG:
            raise self.error(root, f"the circuit's total is e^{-log_factor:.3g}, too far from 1 to be normalised")
        n_constants = int(abs(log_factor) // 500) + 1
        for node in range(root + 1, root + 1 + n_constants):
            self.kinds.append(NodeKind.PARAMETER)
            self.constants[node] = math.exp(log_factor / n_constants)
            self.children.append([])
        self.kinds.append(NodeKind.PRODUCT)
        self.children.append(list(range(root, root + 1 + n_constants)))


# Of a total: a Markov network's is far below.
_LARGEST_LOG = 1e7

_KINDS = {"n": NodeKind.PARAMETER, "v": NodeKind.INDICATOR, "+": NodeKind.SUM, "*": NodeKind.PRODUCT}


def _decided(candidates: int, overlap: int, variable_of: list[int], starts: list[int]) -> int:
    """The first variable of which no value lies below two children. The candidates are values below one child."""
    while candidates:
        variable = variable_of[lowest(candidates)]
        own = (1 << starts[variable + 1]) - (1 << starts[variable])
        if not overlap & own:
            return variable
        candidates &= ~own
    return Circuit.NO_LABEL


def _assembled(nodes: _Nodes) -> Circuit:
    """What the root reaches, in the order of our circuits: indicators, parameters, and the rest as in the file."""
    reached = reached_nodes(nodes.children)
    builder = CircuitBuilder(schema_of(nodes.arities, nodes.name))
    place = dict(nodes.indicators)
    root = len(nodes.kinds) - 1
    for node, (kind, below) in enumerate(zip(nodes.kinds, nodes.children, strict=True)):
        if not reached[node]:
            continue
        children = [place[child] for child in below]
        if kind is NodeKind.PARAMETER:
            place[node] = builder.parameter(nodes.constants[node])
        elif len(children) == 1 and node < root:
            place[node] = children[0]
        elif kind is NodeKind.SUM:
            place[node] = builder.sum(children, nodes.decided[node])
        elif kind is NodeKind.PRODUCT:
            place[node] = builder.product(children)
    if nodes.kinds[root] < NodeKind.SUM:  # The root is a node of its own, for it must be the last.
        builder.product([place[root]])
    return builder.build()
