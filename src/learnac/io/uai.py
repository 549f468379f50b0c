"""Bayesian networks in the format of the UAI competitions, as docs/formats/uai.md describes it."""

from __future__ import annotations

from collections import Counter
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnac.errors import ModelFileError, listed
from learnac.files import replace_file
from learnac.io.expanded import MAX_TABLE, parents_of, table_of
from learnac.io.foreign import checked_network, normalised, read_text, tree_of_table
from learnac.io.libra import schema_of
from learnac.network import BayesNet

_MAX_READ_TABLE = 1 << 24


def read_uai(source: str | Path) -> BayesNet:
    """The network in a file, also a compressed one, or in a text of several lines, over variables x0, x1, ...

    It must be of the kind BAYES: each table is the distribution of the last of its variables given the others.
    """
    text, name = read_text(source)
    reader = _Reader(text, name)
    return checked_network(reader.network(), name, reader.parents)


class _Reader:
    """Words of the text one after the other. The format has no lines: messages say what was being read."""

    def __init__(self, text: str, name: str) -> None:
        self.words, self.name = text.split(), name
        self.next = 0
        self.parents: list[list[int]] = []  # of each variable, once they have been read

    def error(self, message: str) -> ModelFileError:
        return ModelFileError(f"{self.name}: {message}", source=self.name)

    def network(self) -> BayesNet:
        kind = self._word("BAYES")
        if kind.upper() != "BAYES":
            hint = ": a Markov network is no Bayesian network" if kind.upper() == "MARKOV" else ""
            raise self.error(f"expected BAYES at the start, found {kind[:20]!r}{hint}")
        n_variables = self._number("the number of variables", 1, 10**6)
        arities = [self._number(f"the number of values of variable {v}", 1, 10**6) for v in range(n_variables)]
        schema = schema_of(arities, self.name)
        n_tables = self._number("the number of tables", 0, 10**7)
        if n_tables != n_variables:
            raise self.error(f"expected a table for each of the {n_variables} variables, found {n_tables}")
        scopes = [self._scope(table, n_variables) for table in range(n_tables)]
        children = [scope[-1] for scope in scopes]
        if len(set(children)) < n_variables:
            twice = next(child for child, n_tables in Counter(children).items() if n_tables > 1)
            raise self.error(f"variable {twice} has two tables: expected one for each variable, its child last")
        self.parents = [list(scope[:-1]) for scope in sorted(scopes, key=lambda scope: scope[-1])]
        trees = {
            scope[-1]: tree_of_table(scope[-1], scope[:-1], self._table(table, [arities[v] for v in scope]))
            for table, scope in enumerate(scopes)
        }
        if self.next < len(self.words):
            raise self.error(f"expected the end after {n_tables} tables, found {self.words[self.next][:20]!r}")
        return BayesNet(schema, tuple(trees[variable] for variable in range(n_variables)))

    def _word(self, what: str) -> str:
        if self.next >= len(self.words):
            raise self.error(f"the file ends where {what} was expected")
        self.next += 1
        return self.words[self.next - 1]

    def _number(self, what: str, least: int, most: int) -> int:
        word = self._word(what)
        if not word.isdecimal() or len(word) > 12 or not least <= int(word) <= most:
            raise self.error(f"expected {what}, from {least:,} to {most:,}, found {word[:20]!r}")
        return int(word)

    def _scope(self, table: int, n_variables: int) -> list[int]:
        size = self._number(f"the number of variables of table {table}", 1, n_variables)
        scope = [self._number(f"a variable of table {table}", 0, n_variables - 1) for _ in range(size)]
        if len(set(scope)) < size:
            raise self.error(f"table {table}: expected different variables, found {listed(scope)}")
        return scope

    def _table(self, table: int, shape: list[int]) -> NDArray[np.float64]:
        n_entries = self._number(f"the number of entries of table {table}", 1, 10**12)
        if n_entries != prod(shape):
            raise self.error(f"table {table}: expected {prod(shape):,} entries, found {n_entries:,}")
        if n_entries > _MAX_READ_TABLE:
            raise self.error(
                f"table {table} has {n_entries:,} entries, more than the {_MAX_READ_TABLE:,} that are read"
            )
        words = self.words[self.next : self.next + n_entries]
        if len(words) < n_entries:
            raise self.error(
                f"table {table}: expected {n_entries:,} numbers, found {len(words):,} and the end of the file"
            )
        self.next += n_entries
        try:
            numbers = np.array(words, dtype=np.float64).reshape(shape)
        except ValueError as error:
            raise self.error(f"table {table}: expected numbers: {error}") from None
        found = normalised(numbers)
        if found is None:
            raise self.error(f"table {table}: expected probabilities from 0 to 1, whose rows add up to 1")
        return found


def write_uai(network: BayesNet, path: str | Path, *, max_table: int = MAX_TABLE) -> None:
    """Writes the network with its trees expanded to tables; names and categories are lost.

    SizeError for a table of more than `max_table` entries.
    """
    schema = network.schema
    tables = [table_of(schema, tree, max_table) for tree in network.trees]
    scopes = [[*parents_of(tree), tree.child] for tree in network.trees]
    lines = ["BAYES", str(len(scopes)), " ".join(map(str, schema.arities.tolist())), str(len(scopes))]
    lines += [" ".join(map(str, [len(scope), *scope])) for scope in scopes]
    for table in tables:
        lines += ["", str(table.size), *(" ".join(map(repr, row)) for row in table.tolist())]
    replace_file(path, ("\n".join(lines) + "\n").encode("ascii"))
