"""Trees by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnac.network import TreeCPD, TreeNode


def tree_of(child: int, variables: list[int], routes: list[list[int]], parameters: Any, counts: Any = None) -> TreeCPD:
    """Routes are those of the inner nodes, in order; parameters and counts are those of all nodes."""
    of_inner = iter(routes)
    tables = np.asarray(parameters, dtype=float)
    return TreeCPD.of_nodes(
        child,
        [
            TreeNode(
                tables[node],
                counts=None if counts is None else counts[node],
                variable=variable,
                routes=next(of_inner) if variable >= 0 else (),
            )
            for node, variable in enumerate(variables)
        ],
    )


def leaf_of(child: int, parameters: Any) -> TreeCPD:
    return tree_of(child, [-1], [], [parameters])
