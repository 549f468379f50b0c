"""Orders in which the variables of a network may be decided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnac._core import elimination_order
from learnac.compiler.budget import Budget
from learnac.network import BayesNet

# The rules of the core (core/compile/elimination_orders.hpp), and how often each is tried with ties broken at random.
_RULES = {"min-fill": (0, 30), "weighted min-fill": (1, 30), "min-weight": (2, 20), "nested dissection": (3, 10)}
# With more zeros, the first order is that of parents before children: what has been decided is then never impossible.
# In other orders, much of the work may be for contexts that turn out to be impossible in the end.
_MANY_ZEROS = 0.5
# Of the time, what finding orders may take.
_SHARE_OF_TIME = 0.1
_SHARE_OF_MEMORY = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Variables in the order in which they are decided; it is the reverse of an order of elimination."""

    name: str
    variables: NDArray[np.uint32]
    log2_states: float
    """The log of the states of all cliques that eliminating the variables makes: what the circuit would cost if the
    CPDs were nothing but tables."""


def best_orders(network: BayesNet, budget: Budget) -> list[Order]:
    """Different orders, those with the fewest states first, and the two that follow the arcs of the network.

    The same network has the same orders, unless it is so large that time runs out.
    """
    arities = network.schema.arities.astype(np.uint32)
    families = [np.array([child, *parents], dtype=np.uint32) for child, parents in enumerate(network.parents)]
    first_members = np.cumsum([0, *map(len, families)]).astype(np.uint32)
    members = np.concatenate(families)
    found: dict[bytes, Order] = {}
    along = np.array(network.ordered(), dtype=np.uint32)
    parents_first = Order("parents first", along, np.inf)
    children_first = Order("children first", along[::-1].copy(), np.inf)
    if len(arities) ** 2 / 8 > _SHARE_OF_MEMORY * budget.max_bytes:  # What the core needs to find orders.
        return [parents_first, children_first]
    until = budget.seconds_left * (1 - _SHARE_OF_TIME)
    for seed in range(max(n_tries for _, n_tries in _RULES.values())):
        for name, (rule, n_tries) in _RULES.items():
            if seed >= n_tries or (found and budget.seconds_left < until):
                continue
            variables, log2_states = elimination_order(arities, first_members, members, rule, seed)
            decided = np.ascontiguousarray(variables[::-1])
            found.setdefault(decided.tobytes(), Order(name, decided, log2_states))
    orders = sorted(found.values(), key=lambda order: order.log2_states)
    # The other two suit networks that were learned, whose trees have many parents and few leaves.
    if _share_of_zeros(network) > _MANY_ZEROS:
        return [parents_first, *orders[:2], children_first, *orders[2:]]
    return [*orders[:2], parents_first, children_first, *orders[2:]]


def _share_of_zeros(network: BayesNet) -> float:
    leaves = [tree.parameters[tree.variables < 0] for tree in network.trees]
    n_zeros = sum(int(np.count_nonzero(of_tree == 0)) for of_tree in leaves)
    return n_zeros / sum(of_tree.size for of_tree in leaves)
