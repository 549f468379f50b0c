"""Reading Bayesian networks in the format of the Libra toolkit, as docs/formats/libra-bn.md describes it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.errors import ModelFileError, listed
from learnac.io.foreign import checked_network, normalised, read_text, tree_of_table
from learnac.io.libra import schema_of
from learnac.network import BayesNet, TreeCPD, TreeNode

_TOKEN = re.compile(r"[{}()]|[^\s{}()]+")
_TEST = re.compile(r"v([0-9]{1,9})_([0-9]{1,9})")
_CONDITION = re.compile(r"([+-])v([0-9]{1,9})_([0-9]{1,9})")
_VARIABLE = re.compile(r"v([0-9]{1,9})")
_MAX_TABLE = 1 << 22


def read_bn(source: str | Path) -> BayesNet:
    """The network in a file, or in a text of several lines, over variables x0, x1, ... with codes as categories.

    A tree asks for one value against the rest, as in the file. Counts are 0, unless they follow the network's end,
    where `write_bn` puts them.
    """
    text, name = read_text(source)
    return checked_network(_Parser(text, name).network(), name)


@dataclass(slots=True)
class _Questions:
    """A tree as the file has it: a number, or a test of one value with what follows if it holds and if not."""

    numbers: dict[int, float] = field(default_factory=dict)
    tests: dict[int, tuple[int, int]] = field(default_factory=dict)
    branches: dict[int, list[int]] = field(default_factory=dict)


class _Parser:
    """`start` is where the last token began."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.start = self.end = 0
        self.arities: list[int] = []

    def error(self, message: str) -> ModelFileError:
        line = self.text.count("\n", 0, self.start) + 1
        return ModelFileError(f"{self.name}:{line}: {message}")

    def network(self) -> BayesNet:
        schema = self._schema()
        if (kind := self._next().lower()) != "bn":
            raise self.error(f"expected `BN`, a Bayesian network; found {kind!r}")
        self._expect("{")
        trees: dict[int, TreeCPD] = {}
        while (token := self._next()) != "}":
            child = self._variable(token)
            if child in trees:
                raise self.error(f"variable {token} is defined twice")
            self._expect("{")
            trees[child] = self._distribution(child)
            self._expect("}")
        if lacking := [f"v{variable}" for variable in range(len(self.arities)) if variable not in trees]:
            raise self.error(f"the file ends without the distributions of {listed(lacking)}")
        if self._next() == "counts":
            self._count(trees)
        return BayesNet(schema, tuple(trees[variable] for variable in range(len(self.arities))))

    def _count(self, trees: dict[int, TreeCPD]) -> None:
        """Gives the trees the counts of their leaves, as they follow."""
        self._expect("{")
        counted: set[int] = set()
        while (token := self._next()) != "}":
            child = self._variable(token)
            if child in counted:
                raise self.error(f"the counts of {token} are given twice")
            counted.add(child)
            self._expect("{")
            counts: list[float] = []
            while (token := self._next()) != "}":
                counts.append(self._number_of_rows(token))
            tree = trees[child]
            if len(counts) != tree.n_leaves * self.arities[child]:
                expected = f"expected {tree.n_leaves:,} x {self.arities[child]} counts of v{child}, for the leaves"
                raise self.error(f"{expected} of its tree and its values; found {len(counts):,}")
            of_leaves = np.zeros_like(tree.parameters)
            of_leaves[tree.leaves] = np.reshape(counts, (tree.n_leaves, -1))
            trees[child] = replace(tree, counts=tree.gathered(of_leaves))

    def _schema(self) -> Schema:
        first = self.text.split("\n", 1)[0]
        self.end = len(first)
        try:
            self.arities = list(map(int, first.replace(",", " ").split()))
        except ValueError:
            raise self.error(f"expected the numbers of values, as in 2,2,3; found {first[:60]!r}") from None
        return schema_of(self.arities, f"{self.name}:1")

    def _next(self) -> str:
        token = _TOKEN.search(self.text, self.end)
        self.start, self.end = (token.start(), token.end()) if token else (len(self.text), len(self.text))
        return token[0] if token else ""

    def _expect(self, token: str) -> None:
        if (found := self._next()) != token:
            raise self.error(f"expected {token!r}, found {found!r}")

    def _variable(self, token: str) -> int:
        found = _VARIABLE.fullmatch(token)
        if found is None or int(found[1]) >= len(self.arities):
            raise self.error(f"expected a variable from v0 to v{len(self.arities) - 1}, found {token!r}")
        return int(found[1])

    def _value(self, token: str, variable: str, value: str) -> tuple[int, int]:
        if int(variable) >= len(self.arities) or int(value) >= self.arities[int(variable)]:
            raise self.error(f"no such value of a variable: {token!r}")
        return int(variable), int(value)

    def _number(self, token: str) -> float:
        try:
            number = float(token)
        except ValueError:
            number = math.nan
        if not number < 0.01:
            raise self.error(f"expected the log of a probability, found {token!r}")
        return number

    def _number_of_rows(self, token: str) -> float:
        try:
            number = float(token)
        except ValueError:
            number = math.nan
        if not 0 <= number < math.inf:
            raise self.error(f"expected a count of rows, found {token!r}")
        return number

    def _distribution(self, child: int) -> TreeCPD:
        kind = self._next().lower()
        if kind not in ("tree", "table"):
            raise self.error(f"expected `tree` or `table`, found {kind!r}: other distributions cannot be read")
        self._expect("{")
        if kind == "table":
            return self._table(child)
        tree = _TreeBuilder(self, child, self._questions()).tree()
        self._expect("}")
        return tree

    def _questions(self) -> _Questions:
        found = _Questions()
        open_tests: list[int] = []
        for node in range(len(self.text)):
            token = self._next()
            if open_tests:
                found.branches[open_tests[-1]].append(node)
            if token == "(":
                token = self._next()
                test = _TEST.fullmatch(token)
                if test is None:
                    raise self.error(f"expected a test of a value, such as v0_1; found {token!r}")
                found.tests[node] = self._value(token, test[1], test[2])
                found.branches[node] = []
                open_tests.append(node)
                continue
            found.numbers[node] = self._number(token)
            while open_tests and len(found.branches[open_tests[-1]]) == 2:
                self._expect(")")
                open_tests.pop()
            if not open_tests:
                break
        return found

    def _table(self, child: int) -> TreeCPD:
        """Rows of a log and the values of child and parents it is for, in any order."""
        rows: dict[tuple[int, ...], float] = {}
        variables: tuple[int, ...] = ()
        token = self._next()
        while token != "}":
            following = self._next()
            if token.isdecimal() and not (following == "}" or _CONDITION.fullmatch(following)):
                token, following = following, self._next()  # Libra may number the rows.
            log, token = self._number(token), following
            state: dict[int, int] = {}
            while condition := _CONDITION.fullmatch(token):
                self._meet(state, token, condition)
                token = self._next()
            variables = variables or tuple(variable for variable in state if variable != child)
            if set(state) != {child, *variables} or len(state) != len(variables) + 1:
                raise self.error(f"expected values of v{child} and the same parents in each row, found {sorted(state)}")
            place = tuple(state[variable] for variable in (*variables, child))
            if place in rows:
                raise self.error(f"the values {place} are given twice")
            rows[place] = log
        shape = [self.arities[variable] for variable in (*variables, child)]
        if len(rows) != math.prod(shape) or len(rows) > _MAX_TABLE:
            raise self.error(f"expected {math.prod(shape):,} rows, found {len(rows):,}")
        table = np.empty(shape)
        for place, log in rows.items():
            table[place] = math.exp(log)
        return tree_of_table(child, variables, self.distributions(table))

    def _meet(self, state: dict[int, int], token: str, condition: re.Match[str]) -> None:
        variable, value = self._value(token, condition[2], condition[3])
        if condition[1] == "-":
            if self.arities[variable] != 2:
                raise self.error(
                    f"expected the value of v{variable}, which has more than two; found only what it is not, {token!r}"
                )
            value = 1 - value
        if state.setdefault(variable, value) != value:
            raise self.error(f"v{variable} has two values in one row")

    def distributions(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        found = normalised(rows)
        if found is None:
            raise self.error("expected logs of probabilities that add up to 1")
        return found


@dataclass(slots=True)
class _Node:
    parameters: NDArray[np.float64] | None  # unknown of an inner node until those below it are known
    variable: int = -1
    value: int = 0
    share: float = 0.0  # of the values left of the variable, what goes to the first branch
    branches: list[int] = field(default_factory=list)


class _TreeBuilder:
    """From questions to a tree, depth first. Tests that the way down has settled are left out. Changes in place."""

    def __init__(self, parser: _Parser, child: int, questions: _Questions) -> None:
        self.parser, self.child, self.questions = parser, child, questions
        self.left: dict[int, int] = {}  # values left on the way, as bits, of what was asked
        self.nodes: list[_Node] = []

    def tree(self) -> TreeCPD:
        # Questions to visit, each below a node; and (True first) variables to give these values.
        pending: list[tuple[bool, int, int]] = [(False, 0, -1)]
        while pending:
            is_change, first, second = pending.pop()
            if is_change:
                self.left[first] = second
            else:
                pending.extend(reversed(self._visit(first, second)))
        return self._frozen()

    def _visit(self, question: int, parent: int) -> list[tuple[bool, int, int]]:
        """Adds a node, and tells what to do next."""
        variable, value = self.questions.tests.get(question, (self.child, 0))
        if variable == self.child:
            self._add(parent, _Node(self._leaf(question)))
            return []
        left, only = self.left.get(variable, (1 << self.parser.arities[variable]) - 1), 1 << value
        yes, no = self.questions.branches[question]
        if left in (only, left & ~only):
            return [(False, yes if left == only else no, parent)]
        self._add(parent, _Node(None, variable, value, 1 / left.bit_count()))
        node = len(self.nodes) - 1
        changes = [(True, variable, values) for values in (only, left & ~only, left)]
        return [changes[0], (False, yes, node), changes[1], (False, no, node), changes[2]]

    def _add(self, parent: int, node: _Node) -> None:
        if parent >= 0:
            self.nodes[parent].branches.append(len(self.nodes))
        self.nodes.append(node)

    def _leaf(self, question: int) -> NDArray[np.float64]:
        """The distribution below a question: a number for all values left of the child, or tests of the child."""
        logs = np.full(self.parser.arities[self.child], -np.inf)
        pending = [(question, np.ones(len(logs), dtype=bool))]
        while pending:
            at, values = pending.pop()
            if at in self.questions.numbers:
                logs[values] = self.questions.numbers[at]
                continue
            variable, value = self.questions.tests[at]
            if variable != self.child:
                raise self.parser.error(
                    f"in the tree of v{self.child}, its own tests must come last; found a test of v{variable} below one"
                )
            is_value = np.arange(len(logs)) == value
            yes, no = self.questions.branches[at]
            pending += [(yes, values & is_value), (no, values & ~is_value)]
        return self.parser.distributions(np.exp(logs))

    def _frozen(self) -> TreeCPD:
        for node in reversed(self.nodes):
            if node.parameters is None:
                yes, no = (self.nodes[branch].parameters for branch in node.branches)
                assert yes is not None
                assert no is not None
                node.parameters = node.share * yes + (1 - node.share) * no
        return TreeCPD.of_nodes(self.child, [self._node(node) for node in self.nodes])

    def _node(self, node: _Node) -> TreeNode:
        assert node.parameters is not None
        if not node.branches:
            return TreeNode(node.parameters)
        routes = [node.branches[value != node.value] for value in range(self.parser.arities[node.variable])]
        return TreeNode(node.parameters, variable=node.variable, routes=routes)
