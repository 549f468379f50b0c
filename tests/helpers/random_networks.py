"""Random networks: tables and trees, variables of several arities, zeros, and parameters that are equal."""

from __future__ import annotations

import numpy as np
from circuits import schema_of

from learnac.io.foreign import tree_of_table
from learnac.network import BayesNet, TreeCPD, TreeNode


def random_network(
    seed: int, arities: tuple[int, ...], *, zeros: float = 0.3, equal: float = 0.3, most_parents: int = 3
) -> BayesNet:
    """Each variable has a table or a tree over some of those before it, in a random order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(arities)).tolist()
    trees: dict[int, TreeCPD] = {}
    for place, child in enumerate(order):
        n_parents = int(rng.integers(min(place, most_parents) + 1))
        parents = rng.permutation(order[:place])[:n_parents].tolist()
        make = _table if rng.random() < 0.5 else _tree
        trees[child] = make(rng, child, parents, arities, zeros, equal)
    return BayesNet(schema_of(arities), tuple(trees[variable] for variable in range(len(arities))))


def _row(rng: np.random.Generator, arity: int, zeros: float, equal: float) -> np.ndarray:
    row = rng.integers(1, 4, size=arity).astype(float) if rng.random() < equal else rng.uniform(0.05, 1, size=arity)
    row[rng.random(arity) < zeros] = 0
    if not row.any():
        row[rng.integers(arity)] = 1
    return row / row.sum()


def _table(rng, child, parents, arities, zeros, equal) -> TreeCPD:  # type: ignore[no-untyped-def]
    shape = [arities[parent] for parent in parents]
    rows = [_row(rng, arities[child], zeros, equal) for _ in range(int(np.prod(shape)))]
    for place in range(1, len(rows)):
        if rng.random() < equal:
            rows[place] = rows[rng.integers(place)]
    return tree_of_table(child, parents, np.array(rows).reshape(*shape, arities[child]))


def _tree(rng, child, parents, arities, zeros, equal) -> TreeCPD:  # type: ignore[no-untyped-def]
    """Questions in any order on each way; a question may send values to branches in groups, next to each other or not,
    and may come again."""
    nodes: list[TreeNode] = []
    pending = [3]
    levels = list(pending)
    for node, level in enumerate(levels):  # grows while it is read
        del node
        row = _row(rng, arities[child], zeros, equal)
        askable = [parent for parent in parents if arities[parent] > 1]
        if level == 0 or not askable or rng.random() < 0.2:
            nodes.append(TreeNode(row))
            continue
        variable = int(rng.choice(askable))
        n_groups = int(rng.integers(2, arities[variable] + 1))
        groups = np.concatenate([np.arange(n_groups), rng.integers(n_groups, size=arities[variable] - n_groups)])
        groups = np.sort(groups) if rng.random() < 0.4 else rng.permutation(groups)
        nodes.append(TreeNode(row, variable=variable, routes=(len(levels) + groups).tolist()))
        levels.extend([level - 1] * n_groups)
    return TreeCPD.of_nodes(child, nodes)
