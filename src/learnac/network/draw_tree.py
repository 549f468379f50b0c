"""The picture of the tree of one variable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.data.conditions import range_text
from learnac.drawing import (
    BLUE,
    GREY,
    ORANGE,
    PALE_BLUE,
    PALE_GREY,
    Drawing,
    check_size,
    digraph,
    in_markup,
    node,
    quoted,
    shown,
    shown_number,
)
from learnac.network.bits import lowest, members
from learnac.network.tree import TreeCPD

if TYPE_CHECKING:
    from learnac.network.bayes_net import BayesNet

MOST_BARS = 6  # categories that a leaf shows; of more, the most probable and a line for the rest
MOST_LISTED = 3  # categories on an edge of a tree, or parents in its title
BAR_WIDTH = 60  # points


def draw_tree(network: BayesNet, name: str, max_depth: int | None, max_nodes: int) -> Drawing:
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth: expected a number from 0, or None for the whole tree; found {max_depth}")
    tree, schema = network.trees[network.schema.index(name)], network.schema
    places = _places(tree, schema.ordered, max_depth)
    what = f"the tree of {name!r}" if max_depth is None else f"the tree of {name!r} to depth {max_depth}"
    check_size(what, len(places), "nodes", "max_nodes", max_nodes, "Choose a smaller max_depth")
    statements = [line for place in places for line in _place(tree, schema, place)]
    return digraph(statements, label=_title(tree, schema), labelloc="t", ordering="out", ranksep=0.4)


@dataclass(frozen=True, slots=True)
class _Place:
    """A node of the tree that is drawn, with its branches: the nodes they lead to, and the values that go there."""

    node: int
    branches: tuple[tuple[int, tuple[int, ...]], ...]
    is_cut: bool


def _places(tree: TreeCPD, ordered: tuple[bool, ...], max_depth: int | None) -> list[_Place]:
    places, level, depth = [], [0], 0
    while level:
        is_last = depth == max_depth
        here = [
            _Place(n, () if is_last else _branches(tree, n, ordered), is_last and _is_inner(tree, n)) for n in level
        ]
        places += here
        level = [branch for place in here for branch, _ in place.branches]
        depth += 1
    return places


def _is_inner(tree: TreeCPD, number: int) -> bool:
    return bool(tree.variables[number] >= 0)


def _branches(tree: TreeCPD, number: int, ordered: tuple[bool, ...]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Of an ordered variable small values come first; of a split into one value and the rest, the one value."""
    if not _is_inner(tree, number):
        return ()
    comes_first = lowest if ordered[tree.variables[number]] else int.bit_count
    in_order = sorted(tree.branches(number).items(), key=lambda branch: comes_first(branch[1]))
    return tuple((branch, tuple(members(values))) for branch, values in in_order)


def _n_leaves_below(tree: TreeCPD, number: int) -> int:
    n_leaves, rest = 0, [number]
    while rest:
        branches = tree.branches(rest.pop())
        n_leaves += not branches
        rest += branches
    return n_leaves


def _place(tree: TreeCPD, schema: Schema, place: _Place) -> Iterator[str]:
    """The DOT statements for a node and the edges below it."""
    if not place.branches:
        yield _leaf(tree, schema, place)
        return
    variable = int(tree.variables[place.node])
    name = in_markup(shown(schema.names[variable]))
    label = f'<{name}<BR/><FONT POINT-SIZE="10" COLOR="{GREY}">{_count(tree, place.node)}</FONT>>'
    look = {"shape": "box", "style": "rounded,filled", "color": BLUE, "fillcolor": PALE_BLUE}
    yield node(f"n{place.node}", label, **look, tooltip=shown(schema.names[variable]))
    for branch, values in place.branches:
        text = quoted(f" {_edge_text(schema, variable, values)} ")
        yield f"n{place.node} -> n{branch} [label={text}]"


def _edge_text(schema: Schema, variable: int, values: tuple[int, ...]) -> str:
    """The categories that take an edge, "<= small" if they are all up to one in their order; of a split into one value
    and the rest, "not" that value.
    """
    if (text := range_text(schema, variable, values, shown)) is not None:
        return text
    categories = schema.categories[variable]
    others = sorted(set(range(len(categories))) - set(values))
    if len(others) == 1 and len(values) > 1:
        return f"not {shown(categories[others[0]])}"
    listed_few = ", ".join(shown(categories[value]) for value in values[:MOST_LISTED])
    return listed_few if len(values) <= MOST_LISTED else f"{listed_few}, … ({len(values)})"


def _leaf(tree: TreeCPD, schema: Schema, place: _Place) -> str:
    rows = [_bar(name, p) for name, p in _top_few(schema.categories[tree.child], tree.parameters[place.node])]
    notes = [_count(tree, place.node)]
    if place.is_cut:
        notes += [f"… {_n_leaves_below(tree, place.node):,} leaves below"]
    color, style = (GREY, "dashed") if place.is_cut else (ORANGE, "solid")
    rows += [f'<TR><TD COLSPAN="3"><FONT POINT-SIZE="10" COLOR="{GREY}">{note}</FONT></TD></TR>' for note in notes]
    table = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="1" CELLPADDING="1">{"".join(rows)}</TABLE>'
    return node(f"n{place.node}", f"<{table}>", shape="box", style=style, color=color, margin="0.05,0.03")


def _top_few(categories: Sequence[object], parameters: NDArray[np.float64]) -> list[tuple[str, float]]:
    """All categories in their order if they are few; otherwise the most probable, and one line for the rest."""
    if len(categories) <= MOST_BARS:
        return [(shown(category), float(p)) for category, p in zip(categories, parameters, strict=True)]
    order = np.argsort(-parameters, kind="stable")
    top, rest = order[: MOST_BARS - 1], order[MOST_BARS - 1 :]
    few = [(shown(categories[value]), float(parameters[value])) for value in top]
    return [*few, (f"… {len(rest):,} more", float(parameters[rest].sum()))]


def _bar(name: str, probability: float) -> str:
    filled = round(BAR_WIDTH * min(probability, 1))
    cells = "".join(
        f'<TD FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="9" BGCOLOR="{color}"></TD>'
        for width, color in ((filled, ORANGE), (BAR_WIDTH - filled, PALE_GREY))
        if width > 0
    )
    bar = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>{cells}</TR></TABLE>'
    number = shown_number(probability)
    return f'<TR><TD ALIGN="RIGHT">{in_markup(name)}</TD><TD>{bar}</TD><TD ALIGN="LEFT">{number}</TD></TR>'


def _count(tree: TreeCPD, number: int) -> str:
    """The rows that reach a node; with weights they need not be whole."""
    total = float(tree.counts[number].sum())
    return f"n = {total:,.0f}" if total.is_integer() else f"n = {total:,.1f}"


def _title(tree: TreeCPD, schema: Schema) -> str:
    parents = [shown(schema.names[parent]) for parent in tree.parents]
    few = (
        parents if len(parents) <= MOST_LISTED + 1 else [*parents[:MOST_LISTED], f"… {len(parents) - MOST_LISTED} more"]
    )
    child = shown(schema.names[tree.child])
    # The second line keeps the title off the root.
    return f"P({child} | {', '.join(few)})\n " if few else f"P({child})\n "
