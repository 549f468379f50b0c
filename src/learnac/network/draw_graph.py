"""The picture of a network's graph: in layers, parents above children, or as a map if it is large."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, TypeAlias

from learnac.drawing import (
    BLUE,
    ORANGE,
    PALE_BLUE,
    PALE_ORANGE,
    Drawing,
    digraph,
    node,
    quoted,
    shown,
    summary_table,
)
from learnac.errors import listed
from learnac.network.strength import arc_strengths

if TYPE_CHECKING:
    from learnac.network.bayes_net import BayesNet

Arc: TypeAlias = tuple[int, int]  # parent and child

# Layers of more than this are one long strip that no screen shows.
MOST_IN_LAYERS = 60  # arcs or variables
THINNEST, THICKEST = 0.5, 3.0  # arcs of a map, in points

_LAYERS: dict[str, str | float] = {"ranksep": 0.45, "nodesep": 0.3}
# Springs between neighbours: https://graphviz.org/docs/layouts/sfdp. Names are moved apart until none hides another.
_MAP: dict[str, str | float] = {
    "layout": "sfdp",
    "overlap": "false",
    "sep": "+8",
    "splines": "true",
    "K": 0.6,
    "repulsiveforce": 1.5,
}


@dataclass(frozen=True, slots=True)
class _Part:
    """What is drawn of a network: some variables, of which some are centres, and some of the arcs between them."""

    centres: set[int]
    variables: set[int]
    arcs: list[Arc]
    n_arcs: int  # with those that are left out


def draw_network(network: BayesNet, around: str | Iterable[str] | None, max_arcs: int | None) -> Drawing:
    if max_arcs is not None and max_arcs < 0:
        raise ValueError(f"max_arcs: expected a number from 0, or None for all arcs; found {max_arcs}")
    strengths = _strengths(network)
    part = _part(network, around, strengths, max_arcs)
    is_map = max(len(part.variables), len(part.arcs)) > MOST_IN_LAYERS
    nodes = [_variable(network, variable, variable in part.centres) for variable in sorted(part.variables)]
    most = max((strengths[arc] for arc in part.arcs), default=0.0)
    arcs = [_arc(arc, part.centres, strengths[arc] / most if is_map and most else None) for arc in part.arcs]
    style = {**(_MAP if is_map else _LAYERS), **_title(part, network)}
    return digraph([*nodes, *arcs], **style)


def _strengths(network: BayesNet) -> dict[Arc, float]:
    return {
        (parent, child): strength
        for child, tree in enumerate(network.trees)
        for parent, strength in arc_strengths(tree).items()
    }


def _part(
    network: BayesNet, around: str | Iterable[str] | None, strengths: dict[Arc, float], max_arcs: int | None
) -> _Part:
    names = [around] if isinstance(around, str) else around
    centres = {network.schema.index(name) for name in names or ()}
    arcs, variables = list(strengths), set(range(network.schema.n_variables))
    if names is not None:
        near = [arc for arc in arcs if not centres.isdisjoint(arc)]
        variables = centres.union(*near)
        arcs = [arc for arc in arcs if variables.issuperset(arc)]
    if max_arcs is None or len(arcs) <= max_arcs:
        return _Part(centres, variables, arcs, len(arcs))
    strongest = set(sorted(arcs, key=lambda arc: (-strengths[arc], arc))[:max_arcs])
    kept = [arc for arc in arcs if arc in strongest]
    return _Part(centres, centres.union(*kept), kept, len(arcs))


def _title(part: _Part, network: BayesNet) -> dict[str, str]:
    """What is left out, said in the picture itself."""
    if len(part.arcs) == part.n_arcs:
        return {}
    names = f"{len(part.variables):,} of {network.schema.n_variables:,} variables"
    return {"label": f"the {len(part.arcs):,} strongest of {part.n_arcs:,} arcs, between {names}", "labelloc": "b"}


def _variable(network: BayesNet, variable: int, is_centre: bool) -> str:
    name, categories = network.schema.names[variable], network.schema.categories[variable]
    n_leaves = network.trees[variable].n_leaves
    color, fill = (ORANGE, PALE_ORANGE) if is_centre else (BLUE, PALE_BLUE)
    look = {"shape": "box", "style": "rounded,filled", "color": color, "fillcolor": fill}
    tip = f"{shown(name)}: {listed(categories)}; leaves: {n_leaves}"
    return node(f"v{variable}", quoted(shown(name)), **look, penwidth=2 if is_centre else 1.2, tooltip=tip)


def _arc(arc: Arc, centres: set[int], share: float | None) -> str:
    """Between neighbours of the centres, an arc is there but steps back. On a map, the strongest is the thickest."""
    style = ["style=dashed", "color=gray70"] if centres and centres.isdisjoint(arc) else []
    if share is not None:
        style.append(f"penwidth={THINNEST + (THICKEST - THINNEST) * sqrt(share):.2f}")
    return f"v{arc[0]} -> v{arc[1]}" + (f" [{', '.join(style)}]" if style else "")


def network_summary(network: BayesNet) -> str:
    """HTML: sizes, and where the network is most entangled."""
    counts = [len(parents) for parents in network.parents]
    rows: dict[str, object] = {
        "variables": network.schema.n_variables,
        "arcs": sum(counts),
        "leaves": network.n_leaves,
        "parameters": network.n_parameters,
    }
    if any(counts):
        rows["most parents"] = f"{max(counts)} ({shown(network.schema.names[counts.index(max(counts))])})"
    return summary_table("BayesNet", rows)
