"""Arithmetic circuits and SplitAC (Lowd & Domingos 2008, Section 4.2 and Table 2).

A circuit is its root node. Nodes never change: an operation makes new ones where
something differs and links to the old ones elsewhere, so deleting unreachable nodes
needs no code. Sums and products are one node only if they are one object.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias


@dataclass(frozen=True, slots=True)
class Indicator:
    """v_i: the node I(V = i)."""

    variable: int
    value: int
    children: ClassVar[tuple[Node, ...]] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """d_j: probability j of the leaf D, a distribution of `variable`."""

    leaf: int
    variable: int
    value: int
    children: ClassVar[tuple[Node, ...]] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    children: tuple[Node, ...]


Input: TypeAlias = Indicator | Parameter
Node: TypeAlias = Indicator | Parameter | Sum | Product
Scopes: TypeAlias = Mapping[Node, frozenset[Input]]
Branches: TypeAlias = tuple[tuple[int, ...], ...]
Copies: TypeAlias = dict[Node, Node]


@dataclass(frozen=True, slots=True)
class Split:
    """S(D, V), with a new leaf per branch.

    The branches are a partition of all of V's values, even of those that D's path excludes.
    """

    leaf: int
    variable: int
    branches: Branches


def complete_branches(arity: int) -> Branches:
    """A branch per value: the paper's split."""
    return tuple((value,) for value in range(arity))


def binary_branches(arity: int, value: int) -> Branches:
    """One value against the rest (footnote 1)."""
    return (value,), tuple(other for other in range(arity) if other != value)


def threshold_branches(arity: int, value: int) -> Branches:
    """The values up to one of them against those above it."""
    return tuple(range(value + 1)), tuple(range(value + 1, arity))


def initial_circuit(arities: Sequence[int]) -> Node:
    """The product of marginals, leaf i being the marginal of variable i."""
    marginals = []
    for x, arity in enumerate(arities):
        terms = (Product((Indicator(x, j), Parameter(x, x, j))) for j in range(arity))
        marginals.append(Sum(tuple(terms)))
    return simplify(Product(tuple(marginals)))


def split_circuit(circuit: Node, split: Split, new_leaves: Sequence[int]) -> Node:
    """SplitAC, for a valid split (Definition 2); `new_leaves` are ids, by branch."""
    d, v = split.leaf, split.variable
    parameters = scopes(circuit, lambda x: isinstance(x, Parameter) and x.leaf == d)
    values = scopes(circuit, lambda x: isinstance(x, Indicator) and x.variable == v)
    branches = [frozenset(Indicator(v, i) for i in branch) for branch in split.branches]
    pairs = zip(branches, new_leaves, strict=True)
    copies = {branch: condition(values, branch, d, d_i) for branch, d_i in pairs}

    def revise(node: Node, children: tuple[Node, ...]) -> Node:
        if any(parameters[child] and values[child] for child in node.children):
            return with_children(node, children)
        if not (parameters[node] and values[node]):
            return node
        # A mutual ancestor (Definition 4). It is a product, or the circuit would not be
        # smooth, and has one child of each sort, or it would not be decomposable.
        (n_v,) = (child for child in node.children if values[child])
        (n_d,) = (child for child in node.children if parameters[child])
        others = (child for child in node.children if child not in (n_v, n_d))
        present = [branch for branch in branches if values[node] & branch]
        if len(present) == 1:
            return Product((*others, n_v, copies[present[0]][n_d]))
        products = []
        for branch in present:
            v_i = branch if len(branch) == 1 else ()
            products.append(Product((*v_i, copies[branch][n_v], copies[branch][n_d])))
        return Product((*others, Sum(tuple(products))))

    return simplify(rebuild(circuit, revise))


def condition(values: Scopes, branch: frozenset[Input], d: int, d_i: int) -> Copies:
    """N_i of Table 2, for a branch: D becomes D_i.

    Nodes outside N get copies too, but no mutual ancestor leads to those.
    """
    copies: Copies = {}
    for node, own in values.items():
        if isinstance(node, Parameter) and node.leaf == d:
            copies[node] = replace(node, leaf=d_i)
        elif {node} == branch or (own and not own & branch):
            continue  # v_i, which the new product has as a factor, or inconsistent
        else:
            # Where a branch of several values holds all that is below, nothing changes,
            # and the node serves as its own copy.
            kept = (copies[child] for child in node.children if child in copies)
            copies[node] = with_children(node, tuple(kept))
    return copies


def simplify(circuit: Node) -> Node:
    """Splice out sums and products with one child, then merge products whose only parent is a product.

    Merging never leaves anything new to splice or merge.
    """

    def splice(node: Node, children: tuple[Node, ...]) -> Node:
        return children[0] if len(children) == 1 else with_children(node, children)

    circuit = rebuild(circuit, splice)
    n_parents = Counter(c for node in children_first(circuit) for c in node.children)

    def merge(node: Node, children: tuple[Node, ...]) -> Node:
        merged: list[Node] = []
        for old, new in zip(node.children, children, strict=True):
            products = isinstance(node, Product) and isinstance(old, Product)
            merged += new.children if products and n_parents[old] == 1 else (new,)
        return with_children(node, tuple(merged))

    return rebuild(circuit, merge)


def children_first(circuit: Node) -> list[Node]:
    """Every node once, children before parents."""
    done: dict[Node, None] = {}
    stack = [circuit]
    while stack:
        waiting = [child for child in stack[-1].children if child not in done]
        if waiting:
            stack.extend(waiting)
        else:
            done[stack.pop()] = None
    return list(done)


def rebuild(circuit: Node, revise: Callable[[Node, tuple[Node, ...]], Node]) -> Node:
    """The circuit with revise(node, its revised children) in each node's place."""
    revised: dict[Node, Node] = {}
    for node in children_first(circuit):
        revised[node] = revise(node, tuple(revised[child] for child in node.children))
    return revised[circuit]


def with_children(node: Node, children: tuple[Node, ...]) -> Node:
    """The node itself if these are its children already, else a new one."""
    if isinstance(node, Input) or children == node.children:
        return node
    return replace(node, children=children)


def scopes(circuit: Node, wanted: Callable[[Input], bool]) -> Scopes:
    """The wanted inputs that each node is an ancestor of, children first."""
    below: dict[Node, frozenset[Input]] = {}
    for node in children_first(circuit):
        own = [node] if isinstance(node, Input) and wanted(node) else []
        below[node] = frozenset(own).union(*(below[child] for child in node.children))
    return below


def n_edges(circuit: Node) -> int:
    return sum(len(node.children) for node in children_first(circuit))


def evaluate(
    circuit: Node,
    parameters: Mapping[int, Sequence[float]],
    allowed: Sequence[Collection[int] | None],
) -> float:
    """The network polynomial: the probability that each variable has an allowed value (None: any).

    The indicators of allowed values are 1, the others 0. Parameters are by leaf id.
    """
    result: dict[Node, float] = {}
    for node in children_first(circuit):
        if isinstance(node, Indicator):
            values = allowed[node.variable]
            result[node] = float(values is None or node.value in values)
        elif isinstance(node, Parameter):
            result[node] = parameters[node.leaf][node.value]
        else:
            combine = sum if isinstance(node, Sum) else math.prod
            result[node] = combine(result[child] for child in node.children)
    return result[circuit]


def is_smooth(circuit: Node) -> bool:
    """Definition 3: the children of a sum have the same variables below them."""
    below = variables_below(circuit)
    sums = (node for node in below if isinstance(node, Sum))
    return all(below[child] == below[node] for node in sums for child in node.children)


def is_decomposable(circuit: Node) -> bool:
    """Definition 3: the children of a product have no variable below them in common."""
    below = variables_below(circuit)
    products = (node for node in below if isinstance(node, Product))
    return all(len(below[n]) == sum(len(below[c]) for c in n.children) for n in products)


def is_deterministic(circuit: Node) -> bool:
    """Definition 3: some variable's values tell the children of each sum apart."""
    below = scopes(circuit, lambda x: isinstance(x, Indicator))

    def tells_apart(variable: int, node: Sum) -> bool:
        sets = [{v for v in below[c] if v.variable == variable} for c in node.children]
        return all(sets) and len(set().union(*sets)) == sum(map(len, sets))

    sums = (node for node in below if isinstance(node, Sum))
    return all(any(tells_apart(v.variable, node) for v in below[node]) for node in sums)


def variables_below(circuit: Node) -> dict[Node, frozenset[tuple[type[Input], int]]]:
    """The variables of each node's indicators and, told apart, of its parameters."""
    below = scopes(circuit, lambda _: True).items()
    return {node: frozenset((type(x), x.variable) for x in own) for node, own in below}
