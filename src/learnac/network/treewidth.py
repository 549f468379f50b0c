"""An upper bound on the treewidth of a network: what a junction tree would have to cope with."""

from __future__ import annotations

from learnac.network.bayes_net import BayesNet
from learnac.network.bits import members
from learnac.network.elimination import LowestFirst, eliminate, fill, moral_graph


def treewidth_bound(network: BayesNet) -> int:
    """The width of the elimination order that min-fill finds on the moral graph, as in section 5.2 of the paper.

    Exact inference by a junction tree takes time exponential in it. Only variables near the eliminated one are looked
    at again.
    """
    neighbours = moral_graph(network)
    by_fill = LowestFirst((fill(neighbours, variable), variable) for variable in range(len(neighbours)))
    width = 0
    while lowest := by_fill.lowest(1):
        (variable,) = lowest
        around = list(members(neighbours[variable]))
        width = max(width, len(around))
        eliminate(neighbours, variable)
        by_fill.remove(variable)
        for changed in set(around).union(*(members(neighbours[other]) for other in around)):
            by_fill.set(changed, fill(neighbours, changed))
    return width
