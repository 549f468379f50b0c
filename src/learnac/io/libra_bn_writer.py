"""Writing Bayesian networks in the format of the Libra toolkit: every question as one value against the rest."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.errors import SizeError
from learnac.files import replace_file
from learnac.network import BayesNet, TreeCPD
from learnac.network.bits import members

MAX_NUMBERS = 1_000_000
"""Probabilities of a tree that is written: where several values go one way, what follows is written for each."""

_DEEPEST_INDENT = 32


def write_bn(network: BayesNet, path: str | Path, *, counts: bool = True) -> None:
    """Writes the trees, every question as one value against the rest. Names and categories are lost.

    A question with several values on both sides becomes a question for each value of the smaller side.
    SizeError if a tree would have more than MAX_NUMBERS probabilities for that.

    Counts, if the network has them, follow its end, where the format has nothing: `compile` makes use of them.
    """
    arities = network.schema.arities.tolist()
    lines, counted = [",".join(map(str, arities)), "BN {"], ["counts {"]
    for tree in network.trees:
        text, leaves = _tree_text(tree, network.schema)
        lines += [f"v{tree.child} {{", "tree {", text, "}", "}"]
        counted.append(f"v{tree.child} {{ {_counts_text(tree, leaves)} }}")
    lines += ["}", *counted, "}"] if counts and network.has_counts else ["}"]
    replace_file(path, ("\n".join(lines) + "\n").encode("ascii"))


def _counts_text(tree: TreeCPD, leaves: list[int]) -> str:
    """The counts of these leaves; of a leaf that is written several times, each has an equal share."""
    copies = np.bincount(leaves, minlength=tree.n_nodes)[leaves]
    return " ".join(f"{count:.17g}" for count in (tree.counts[leaves] / copies[:, None]).ravel().tolist())


def _tree_text(tree: TreeCPD, schema: Schema) -> tuple[str, list[int]]:
    """The tree, depth first, each subtree on a line of its own, and its leaves in the order in which they are written.

    Libra reads no line that begins by closing a subtree.
    """
    left: dict[int, int] = {}  # values left on the way, as bits, of what was asked
    pieces: list[str] = []
    leaves: list[int] = []
    # Text to write, nodes to visit at a depth, and variables to give these values, the next one last.
    pending: list[str | tuple[int, int] | tuple[None, int, int]] = [(0, 0)]
    while pending:
        match pending.pop():
            case str() as text:
                pieces.append(text)
            case (None, variable, values):
                left[variable] = values
            case (node, depth):
                start = "\n" + " " * min(depth, _DEEPEST_INDENT)
                variable = int(tree.variables[node])
                if variable < 0:
                    leaves.append(node)
                    if len(leaves) * tree.parameters.shape[1] > max(MAX_NUMBERS, tree.parameters.size):
                        raise _too_large(tree, schema)
                    pieces.append(start + _leaf_text(tree.child, tree.parameters[node]))
                    continue
                here = left.get(variable, (1 << len(schema.categories[variable])) - 1)
                tests, rest = _tests(tree, node, here)
                steps: list[str | tuple[int, int] | tuple[None, int, int]] = []
                for value, branch in tests:
                    steps += [f"{start}(v{variable}_{value}", (None, variable, 1 << value), (branch, depth + 1)]
                others = here & ~sum(1 << value for value, _ in tests)
                steps += [(None, variable, others), (rest, depth + bool(tests)), (None, variable, here)]
                pending.extend(reversed([*steps, ")" * len(tests)]))
    return "".join(pieces).lstrip("\n"), leaves


def _leaf_text(child: int, parameters: NDArray[np.float64]) -> str:
    logs = [repr(math.log(p)) if p > 0 else "-inf" for p in parameters.tolist()]
    tests = "".join(f"(v{child}_{value} {log} " for value, log in enumerate(logs[:-1]))
    return tests + logs[-1] + ")" * (len(logs) - 1)


def _tests(tree: TreeCPD, node: int, left: int) -> tuple[list[tuple[int, int]], int]:
    """An inner node as tests of single values, each with its branch, and the branch of the rest."""
    values = tree.branches(node)
    open_branches = [branch for branch in values if values[branch] & left]
    rest = max(open_branches, key=lambda b: ((values[b] & left).bit_count(), values[b].bit_count(), values[b]))
    others = [branch for branch in open_branches if branch != rest]
    return [(value, branch) for branch in others for value in members(values[branch] & left)], rest


def _too_large(tree: TreeCPD, schema: Schema) -> SizeError:
    child = schema.names[tree.child]
    return SizeError(
        f"the tree of {child!r}: the format asks one value at a time, and with that the tree would have more than "
        f"{MAX_NUMBERS:,} probabilities; a .learnac file holds its {tree.n_leaves:,} leaves as they are",
        column=child,
        expected=MAX_NUMBERS,
    )
