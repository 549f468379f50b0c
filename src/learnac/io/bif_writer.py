"""Writing BIF: trees expanded to tables, names and categories to words that every reader takes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnac.files import replace_file
from learnac.io.bif_words import CATEGORIES, KEYWORDS, NAME, WORD
from learnac.io.expanded import MAX_TABLE, parents_of, table_of
from learnac.network import BayesNet, TreeCPD
from learnac.types import Category

Floats = NDArray[np.float64]


def write_bif(network: BayesNet, path: str | Path, *, max_table: int = MAX_TABLE) -> None:
    """Writes the network with its trees expanded to tables. SizeError for one of more than `max_table` entries."""
    schema = network.schema
    tables = [table_of(schema, tree, max_table) for tree in network.trees]
    # Names that differ in case only are one to some readers.
    words = _unique_words(schema.names, str.lower)
    values = [_unique_words(categories, str) for categories in schema.categories]
    lines = ["network learnac {", "}"]
    for variable, word in enumerate(words):
        lines += _variable_lines(word, values[variable], schema.names[variable], schema.categories[variable])
    for tree, table in zip(network.trees, tables, strict=True):
        lines += _probability_lines(tree, table, words, values)
    replace_file(path, ("\n".join(lines) + "\n").encode("ascii"))


def _unique_words(items: Iterable[object], same: Callable[[str], str]) -> list[str]:
    """A word of the format for each name or category: itself, if it is one."""
    words: list[str] = []
    taken: set[str] = set()
    for item in items:
        stem = str(item)
        if not (WORD.fullmatch(stem) or (isinstance(item, int) and item >= 0)) or stem in KEYWORDS:
            stem = "_" + re.sub(r"[^A-Za-z0-9]+", "_", stem).strip("_")
        word, number = stem, 1
        while same(word) in taken:
            number += 1
            word = f"{stem}_{number}"
        taken.add(same(word))
        words.append(word)
    return words


def _variable_lines(word: str, values: list[str], name: str, categories: tuple[Category, ...]) -> Iterator[str]:
    yield f"variable {word} {{"
    yield f"  type discrete [ {len(values)} ] {{ {', '.join(values)} }};"
    if word != name:
        yield f"  property {NAME} = {_json(name)};"
    if values != list(categories):
        yield f"  property {CATEGORIES} = [{', '.join(map(_json, categories))}];"
    yield "}"


def _json(item: Category) -> str:
    """JSON without any character that means something in the format."""
    if not isinstance(item, str):
        return json.dumps(item)
    units = np.frombuffer(item.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    plain = re.compile(r"[A-Za-z0-9 _.-]")
    return '"' + "".join(chr(unit) if plain.match(chr(unit)) else f"\\u{unit:04x}" for unit in units) + '"'


def _probability_lines(tree: TreeCPD, table: Floats, words: list[str], values: list[list[str]]) -> Iterator[str]:
    parents = parents_of(tree)
    given = f" | {', '.join(words[parent] for parent in parents)}" if parents else ""
    yield f"probability ( {words[tree.child]}{given} ) {{"
    for state, row in zip(product(*(values[parent] for parent in parents)), table, strict=True):
        head = f"({', '.join(state)})" if parents else "table"
        yield f"  {head} {', '.join(map(repr, row.tolist()))};"
    yield "}"
