"""Trees expanded to tables, for formats that have nothing else."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.errors import Problem, SizeError, listed
from learnac.network import TreeCPD

Floats = NDArray[np.float64]

MAX_TABLE = 1_000_000
"""Entries of a table that is written: rows times values."""


def parents_of(tree: TreeCPD) -> list[int]:
    """The parents as the tree asks them, so that it is read back as it was if it always asks in one order."""
    return list(dict.fromkeys(variable for variable in tree.variables.tolist() if variable >= 0))


def table_of(schema: Schema, tree: TreeCPD, max_table: int) -> Floats:
    """The tree's distribution for each state of its parents, the last parent's changing fastest."""
    parents = parents_of(tree)
    shape = [len(schema.categories[parent]) for parent in parents]
    n_entries = prod(shape) * len(schema.categories[tree.child])
    if n_entries > max_table:
        names = listed([schema.names[parent] for parent in parents])
        child = schema.names[tree.child]
        message = f"the table of {child!r} given {names} would have {n_entries:,} entries"
        raise SizeError(
            f"{message}, more than {max_table:,} (max_table)",
            column=child,
            found=n_entries,
            expected=max_table,
            problem=Problem.TABLE_TOO_LARGE,
        )
    if not parents:
        return tree.parameters[:1]
    places = {parent: place for place, parent in enumerate(parents)}
    variables = np.array([places.get(variable, -1) for variable in tree.variables.tolist()], dtype=np.int32)
    states = np.indices(shape, dtype=np.uint16).reshape(len(shape), -1)
    return tree.parameters[replace(tree, variables=variables).leaf_of(states)]
