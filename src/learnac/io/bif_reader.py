"""Reading Bayesian networks in the Interchange Format (BIF), as docs/formats/bif.md describes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.errors import DataError, ModelFileError, listed
from learnac.io.bif_words import CATEGORIES, NAME
from learnac.io.foreign import checked_network, normalised, read_text, tree_of_table
from learnac.network import BayesNet, TreeCPD

Floats = NDArray[np.float64]

# A `default` can stand for more rows than memory holds.
_MAX_READ_TABLE = 1 << 22

_SKIPPED = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOKEN = re.compile(r'"([^"\n]*)"|[{}()\[\];,|]|(?:(?!//|/\*)[^\s{}()\[\];,|"])+')
# What most of a large file consists of, read at once. Anything else is read word by word.
_PLAIN_NUMBERS = re.compile(r"[\s,0-9.eE+-]*+;")
_PLAIN_STATES = re.compile(r'[^{}()\[\];|"/]*+\)')
_PROPERTY = re.compile(r'\s*+([^\s=;"]*+)\s*+=?((?:"[^"\n]*+"|[^;"]++)*+);')


def read_bif(source: str | Path) -> BayesNet:
    """The network in a file, also a compressed one, or in a text of several lines.

    Each table becomes a tree that asks the parents in the order of the file, except where they make no difference.
    Its counts are 0: the file does not have them.
    """
    text, name = read_text(source)
    parser = _Parser(text, name)
    parser.parse()
    if not parser.variables:
        raise ModelFileError(f"{name}: expected a network of at least one variable, found none")
    schema = _schema_of(parser)
    trees = tuple(_tree_of(parser, variable) for variable in parser.variables.values())
    stated = [parser.probabilities[word].parents for word in parser.variables]
    parents = [[parser.variables[word].number for word in words] for words in stated]
    return checked_network(BayesNet(schema, trees), name, parents)


@dataclass(slots=True)
class _Variable:
    number: int
    word: str
    start: int
    states: dict[str, int] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Probability:
    """The rows as they were found: what stands before the numbers, the numbers, and where."""

    start: int
    parents: list[str]
    rows: list[tuple[tuple[str, ...], list[float], int]] = field(default_factory=list)
    table: tuple[list[float], int] | None = None
    default: tuple[list[float], int] | None = None


class _Parser:
    """Reads the blocks of a file, in any order. `start` is where the last token began."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.start = self.end = 0
        self.variables: dict[str, _Variable] = {}
        self.probabilities: dict[str, _Probability] = {}

    def error(self, message: str, start: int | None = None) -> ModelFileError:
        line = self.text.count("\n", 0, self.start if start is None else start) + 1
        return ModelFileError(f"{self.name}:{line}: {message}")

    def parse(self) -> None:
        while token := self._next():
            match token:
                case "network":
                    self._network()
                case "variable":
                    self._variable()
                case "probability":
                    self._probability()
                case _:
                    raise self.error(f"expected `variable` or `probability`, found {token!r}")

    def _next(self) -> str:
        """The next token, or an empty one at the end. Quotes are left out."""
        skipped = _SKIPPED.match(self.text, self.end)
        self.start = skipped.end() if skipped else self.end
        token = _TOKEN.match(self.text, self.start)
        if token is None:
            if self.start < len(self.text):
                raise self.error(f"expected a word, found {self.text[self.start : self.start + 10]!r}")
            return ""
        self.end = token.end()
        if token[1] == "":
            raise self.error('expected a word, found ""')
        return token[0] if token[1] is None else token[1]

    def _expect(self, *tokens: str) -> None:
        for token in tokens:
            found = self._next()
            if found != token:
                raise self.error(f"expected {token!r}, found {found!r}")

    def _word(self, what: str) -> str:
        word = self._next()
        if not word or word in "{}()[];,|":
            raise self.error(f"expected {what}, found {word!r}")
        return word

    def _until(self, end: str, what: str) -> Iterator[str]:
        """The words before `end`, with or without commas between them."""
        while (word := self._next()) != end:
            if not word or word in "{}()[];|":
                raise self.error(f"expected {what} or {end!r}, found {word!r}")
            if word != ",":
                yield word

    def _at_once(self, plain: re.Pattern[str]) -> list[str] | None:
        """The words of what is plain, which ends with one character more; None if something else comes next."""
        found = plain.match(self.text, self.end)
        if found is None:
            return None
        self.end = found.end()
        self.start = self.end - 1
        return found[0][:-1].replace(",", " ").split()

    def _numbers(self) -> tuple[list[float], int]:
        start, end = self.start, self.end
        try:
            if (words := self._at_once(_PLAIN_NUMBERS)) is not None:
                return list(map(float, words)), start
        except ValueError:
            self.end = end
        numbers = []
        for word in self._until(";", "a probability"):
            try:
                numbers.append(float(word))
            except ValueError:
                raise self.error(f"expected a probability, found {word!r}") from None
        return numbers, start

    def _property(self, properties: dict[str, Any]) -> None:
        found = _PROPERTY.match(self.text, self.end)
        if found is None:
            raise self.error("expected a property that ends with ';'")
        self.end = found.end()
        if found[1] in (NAME, CATEGORIES):
            try:
                properties[found[1]] = json.loads(found[2])
            except (ValueError, RecursionError):
                raise self.error(f"property {found[1]}: expected JSON, found {found[2].strip()!r}") from None

    def _network(self) -> None:
        while self._next() not in ("{", ""):  # A name, of several words in some files.
            pass
        while (token := self._next()) != "}":
            if token != "property":
                raise self.error(f"expected `property` or '}}', found {token!r}")
            self._property({})

    def _variable(self) -> None:
        variable = _Variable(len(self.variables), self._word("the name of a variable"), self.start)
        if variable.word in self.variables:
            raise self.error(f"variable {variable.word!r} is defined twice")
        self._expect("{")
        while (token := self._next()) != "}":
            if token == "type":
                self._type(variable)
            elif token == "property":
                self._property(variable.properties)
            else:
                raise self.error(f"expected `type`, `property` or '}}', found {token!r}")
        if not variable.states:
            raise self.error(f"variable {variable.word!r} has no values", variable.start)
        self.variables[variable.word] = variable

    def _type(self, variable: _Variable) -> None:
        self._expect("discrete", "[")
        arity = self._word("the number of values")
        self._expect("]", "{")
        states = list(self._until("}", "a value"))
        self._expect(";")
        variable.states = {state: code for code, state in enumerate(states)}
        if arity != str(len(states)) or len(variable.states) != len(states):
            raise self.error(f"variable {variable.word!r}: expected {arity} different values, found {listed(states)}")

    def _probability(self) -> None:
        self._expect("(")
        child, start = self._word("the name of a variable"), self.start
        if (token := self._next()) not in ("|", ")"):
            self.end = self.start  # Early files have no bar between a variable and its parents.
        block = _Probability(start, [] if token == ")" else list(self._until(")", "the name of a parent")))
        if child in self.probabilities:
            raise self.error(f"the probabilities of {child!r} are given twice", start)
        self.probabilities[child] = block
        self._expect("{")
        while (token := self._next()) != "}":
            self._row(block, token)

    def _row(self, block: _Probability, token: str) -> None:
        match token:
            case "table":
                block.table = self._numbers()
            case "default":
                block.default = self._numbers()
            case "property":
                self._property({})
            case "(":
                words = self._at_once(_PLAIN_STATES)
                states = tuple(self._until(")", "a value") if words is None else words)
                start = self.start
                block.rows.append((states, self._numbers()[0], start))
            case _:
                raise self.error(f"expected `table`, `default`, '(' or '}}', found {token!r}")


def _schema_of(parser: _Parser) -> Schema:
    names, categories = [], []
    for variable in parser.variables.values():
        names.append(variable.properties.get(NAME, variable.word))
        kept = variable.properties.get(CATEGORIES, list(variable.states))
        if not isinstance(kept, list) or len(kept) != len(variable.states):
            message = f"variable {variable.word!r}: expected a list of {len(variable.states)} in {CATEGORIES}"
            raise parser.error(f"{message}, found {kept!r}", variable.start)
        categories.append(tuple(kept))
    if unknown := [word for word in parser.probabilities if word not in parser.variables]:
        raise parser.error(f"no variable is called {unknown[0]!r}", parser.probabilities[unknown[0]].start)
    try:
        return Schema(tuple(names), tuple(categories))
    except (DataError, TypeError) as error:
        raise ModelFileError(f"{parser.name}: {error}") from None


def _tree_of(parser: _Parser, variable: _Variable) -> TreeCPD:
    block = parser.probabilities.get(variable.word)
    if block is None:
        raise parser.error(f"variable {variable.word!r} has no probabilities", variable.start)
    if unknown := [word for word in block.parents if word not in parser.variables]:
        raise parser.error(f"no variable is called {unknown[0]!r}", block.start)
    if len({variable.word, *block.parents}) <= len(block.parents):
        raise parser.error(
            f"expected different parents of {variable.word!r}, none of them itself; found {listed(block.parents)}",
            block.start,
        )
    parents = [parser.variables[word] for word in block.parents]
    shape = [*(len(parent.states) for parent in parents), len(variable.states)]
    if prod(shape) > _MAX_READ_TABLE:
        message = f"the table of {variable.word!r} has {prod(shape):,} entries"
        raise parser.error(f"{message}, more than the {_MAX_READ_TABLE:,} that are read", block.start)
    table = _filled(parser, block, parents, shape).reshape(shape)
    return tree_of_table(variable.number, [parent.number for parent in parents], table)


def _filled(parser: _Parser, block: _Probability, parents: list[_Variable], shape: list[int]) -> Floats:
    """The table as rows, one for each state of the parents, the last parent's changing fastest."""
    n_rows, arity = prod(shape[:-1]), shape[-1]
    if block.table is not None:
        if block.rows or block.default:
            raise parser.error("expected a table or single rows, found both", block.start)
        return _rows(parser, *block.table, n_rows, arity)
    table = np.empty((n_rows, arity))
    is_filled = np.zeros(n_rows, dtype=bool)
    if block.default is not None:
        table[:] = _rows(parser, *block.default, 1, arity)
    places = []
    for states, numbers, start in block.rows:
        places.append(place := _place_of(parser, states, parents, start))
        if is_filled[place]:
            raise parser.error(f"the row of ({', '.join(states)}) is given twice", start)
        if len(numbers) != arity:
            raise parser.error(f"expected {arity:,} probabilities, found {len(numbers):,}", start)
        is_filled[place] = True
    if places:
        found = normalised(np.array([numbers for _, numbers, _ in block.rows]))
        # If it does not say which row is wrong, each is looked at.
        table[places] = [_rows(parser, *row[1:], 1, arity)[0] for row in block.rows] if found is None else found
    if block.default is None and not is_filled.all():
        message = f"expected {n_rows:,} rows or a default, found {np.count_nonzero(is_filled):,} rows"
        raise parser.error(message, block.start)
    return table


def _place_of(parser: _Parser, states: tuple[str, ...], parents: list[_Variable], start: int) -> int:
    if len(states) != len(parents):
        raise parser.error(f"expected {len(parents)} values of parents, found {len(states)}", start)
    place = 0
    for state, parent in zip(states, parents, strict=True):
        if state not in parent.states:
            raise parser.error(f"expected a value of {parent.word!r}, {listed(parent.states)}; found {state!r}", start)
        place = place * len(parent.states) + parent.states[state]
    return place


def _rows(parser: _Parser, numbers: list[float], start: int, n_rows: int, arity: int) -> Floats:
    if len(numbers) != n_rows * arity:
        raise parser.error(f"expected {n_rows * arity:,} probabilities, found {len(numbers):,}", start)
    # Of several rows, all numbers for the child's first value come first.
    found = normalised(np.array(numbers).reshape(arity, n_rows).T)
    if found is None:
        raise parser.error("expected probabilities from 0 to 1 that add up to 1", start)
    return found
