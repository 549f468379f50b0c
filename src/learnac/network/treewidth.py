"""An upper bound on the treewidth of a network: what a junction tree would have to cope with."""

from __future__ import annotations

from learnac.network.bayes_net import BayesNet


def treewidth_bound(network: BayesNet) -> int:
    """The width of the elimination order that min-fill finds on the moral graph, as in section 5.2 of the paper.

    Exact inference by a junction tree takes time exponential in it. Neighbours are bits of integers; only variables
    near the eliminated one are looked at again.
    """
    neighbours = _moral_graph(network)
    fills = {variable: _fill(neighbours, variable) for variable in neighbours}
    width = 0
    while neighbours:
        variable = min(fills, key=lambda v: (fills[v], v))
        around = _members(neighbours[variable])
        width = max(width, len(around))
        for other in around:
            neighbours[other] = (neighbours[other] | neighbours[variable]) & ~(1 << other) & ~(1 << variable)
        del neighbours[variable], fills[variable]
        changed = set(around).union(*(_members(neighbours[other]) for other in around))
        fills.update({other: _fill(neighbours, other) for other in changed})
    return width


def _moral_graph(network: BayesNet) -> dict[int, int]:
    neighbours = dict.fromkeys(range(len(network.trees)), 0)
    for child, parents in enumerate(network.parents):
        family = [child, *parents]
        everyone = sum(1 << member for member in family)
        for member in family:
            neighbours[member] |= everyone & ~(1 << member)
    return neighbours


def _fill(neighbours: dict[int, int], variable: int) -> int:
    """Twice the number of edges that eliminating a variable would add."""
    around = neighbours[variable]
    return sum((around & ~neighbours[other] & ~(1 << other)).bit_count() for other in _members(around))


def _members(bits: int) -> list[int]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found
