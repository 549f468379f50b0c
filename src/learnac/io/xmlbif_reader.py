"""Reading Bayesian networks in XMLBIF 0.3, as docs/formats/xmlbif.md describes it."""

from __future__ import annotations

from math import prod
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from learnac.data import Schema
from learnac.errors import DataError, ModelFileError, listed
from learnac.io.foreign import checked_network, normalised, read_text, tree_of_table
from learnac.network import BayesNet, TreeCPD

_MAX_READ_TABLE = 1 << 22


def read_xmlbif(source: str | Path) -> BayesNet:
    """The network in a file, also a compressed one, or in a text of several lines."""
    text, name = read_text(source)
    reader = _Reader(text, name)
    return checked_network(reader.network(), name, reader.parents())


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.name = name
        try:
            # Bytes, for a text may say that its encoding is another than UTF-8, which it no longer is.
            root = ElementTree.XML(text.partition("?>")[2] if text.lstrip().startswith("<?xml") else text)
        except ElementTree.ParseError as error:
            raise self.error(f"expected XML: {error}") from None
        network = root if root.tag.upper() == "NETWORK" else _first(root, "NETWORK")
        if network is None:
            raise self.error(f"expected <BIF> with a <NETWORK>, found <{root.tag}>")
        self.states = self._states(network)
        self.numbers = {variable: number for number, variable in enumerate(self.states)}
        self.definitions = self._definitions(network)

    def error(self, message: str) -> ModelFileError:
        return ModelFileError(f"{self.name}: {message}", source=self.name)

    def network(self) -> BayesNet:
        try:
            schema = Schema(tuple(self.states), tuple(tuple(states) for states in self.states.values()))
        except DataError as error:
            raise self.error(str(error)) from None
        return BayesNet(schema, tuple(self._tree(variable) for variable in self.states))

    def parents(self) -> list[list[int]]:
        """Those that the file states, of each variable."""
        return [
            [self.numbers[word] for word in _texts(self.definitions[variable], "GIVEN")] for variable in self.states
        ]

    def _states(self, network: ElementTree.Element) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for element in _all(network, "VARIABLE"):
            names = _texts(element, "NAME")
            if len(names) != 1 or not names[0]:
                raise self.error(f"expected one <NAME> in each <VARIABLE>, found {listed(names)}")
            if names[0] in found:
                raise self.error(f"variable {names[0]!r} is defined twice")
            kind = element.get("TYPE", "nature")
            if kind != "nature":
                raise self.error(f"variable {names[0]!r}: expected a variable of TYPE nature, found {kind!r}")
            states = _texts(element, "OUTCOME") or _texts(element, "VALUE")
            if not states or len(set(states)) < len(states):
                raise self.error(f"variable {names[0]!r}: expected different <OUTCOME>s, found {listed(states)}")
            found[names[0]] = states
        if not found:
            raise self.error("expected at least one <VARIABLE>, found none")
        return found

    def _definitions(self, network: ElementTree.Element) -> dict[str, ElementTree.Element]:
        found: dict[str, ElementTree.Element] = {}
        for element in [*_all(network, "DEFINITION"), *_all(network, "PROBABILITY")]:
            children = _texts(element, "FOR")
            if len(children) != 1:
                raise self.error(f"expected one <FOR> in each <DEFINITION>, found {listed(children)}")
            for word in (*children, *_texts(element, "GIVEN")):
                if word not in self.states:
                    raise self.error(f"no variable is called {word!r}; there are {listed(self.states)}")
            if children[0] in found:
                raise self.error(f"the probabilities of {children[0]!r} are given twice")
            found[children[0]] = element
        return found

    def _tree(self, variable: str) -> TreeCPD:
        if variable not in self.definitions:
            raise self.error(f"variable {variable!r} has no <DEFINITION>")
        element = self.definitions[variable]
        parents = _texts(element, "GIVEN")
        if len({variable, *parents}) <= len(parents):
            message = f"expected different parents of {variable!r}, none of them itself; found {listed(parents)}"
            raise self.error(message)
        shape = [*(len(self.states[parent]) for parent in parents), len(self.states[variable])]
        tables = [element.text for element in _all(element, "TABLE")]
        words = (tables[0] or "").split() if len(tables) == 1 else []
        if len(words) != prod(shape) or len(words) > _MAX_READ_TABLE:
            raise self.error(f"variable {variable!r}: expected {prod(shape):,} probabilities, found {len(words):,}")
        try:
            table = normalised(np.array(words, dtype=np.float64).reshape(shape))
        except ValueError:
            table = None
        if table is None:
            raise self.error(f"variable {variable!r}: expected probabilities from 0 to 1, whose rows add up to 1")
        return tree_of_table(self.numbers[variable], [self.numbers[parent] for parent in parents], table)


def _all(element: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    return [child for child in element if isinstance(child.tag, str) and child.tag.upper() == tag]


def _first(element: ElementTree.Element, tag: str) -> ElementTree.Element | None:
    return next(iter(_all(element, tag)), None)


def _texts(element: ElementTree.Element, tag: str) -> list[str]:
    return [(child.text or "").strip() for child in _all(element, tag)]
