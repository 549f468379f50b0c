"""More rows for a model that was learned: the counts of its trees grow, its parameters follow, its structure stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac.circuit import Circuit, Mixture
from learnac.data import Dataset, Schema
from learnac.data.incomplete import complete_rows
from learnac.data.weights import checked_weights, some_of
from learnac.errors import DataError, SettingError
from learnac.learn.smoothing import Smoothing
from learnac.model import Model
from learnac.network import BayesNet, TreeCPD
from learnac.streaming import is_streamed

Floats = NDArray[np.float64]


class TreeCounts:
    """Counts of rows at all nodes of the trees of a network. Changes in place."""

    def __init__(self, network: BayesNet) -> None:
        self._network = network
        self._of_leaves = [np.zeros_like(tree.counts) for tree in network.trees]
        self.n_rows = 0
        self.weight = 0.0

    def add(self, codes: NDArray[np.unsignedinteger[Any]], weights: Floats | None = None) -> None:
        """More rows: codes are (variables x rows)."""
        for tree, counts in zip(self._network.trees, self._of_leaves, strict=True):
            cells = tree.leaf_of(codes) * counts.shape[1] + codes[tree.child]
            counts[:] += np.bincount(cells, weights, minlength=counts.size).reshape(counts.shape)
        self.n_rows += codes.shape[1]
        self.weight += codes.shape[1] if weights is None else float(weights.sum())

    def of_all_nodes(self) -> list[Floats]:
        """Inner nodes have the counts of all leaves below them."""
        return [_gathered(tree, counts) for tree, counts in zip(self._network.trees, self._of_leaves, strict=True)]


def update(
    model: Model,
    rows: object,
    *,
    sample_weight: ArrayLike | None = None,
    half_life: float | None = None,
    on_rows: Callable[[int], object] | None = None,
) -> Model:
    """The model with more rows: its parameters are those that its structure has for all rows, old and new, at once.

    `rows` are a table in memory, a path or Arrow batches, which may be larger than memory. With `half_life`, what was
    counted before counts half as much after so many rows, a quarter after twice as many. Rows may have no gaps.
    `on_rows` is told how many rows of a stream were read so far.
    """
    network, circuit, smoothing = _updatable(model)
    if half_life is not None and not half_life > 0:
        raise SettingError("half_life", "a number of rows above 0", half_life)
    new = TreeCounts(network)
    n_given = None if sample_weight is None else np.asarray(sample_weight).size
    weights = checked_weights(sample_weight, n_given or 0)
    for batch in _batches(network.schema, rows, on_rows):
        new.add(batch.codes, some_of(weights, new.n_rows, batch.n_rows))
    if n_given is not None and n_given != new.n_rows:
        raise ValueError(f"sample_weight: expected a number for each row, found {n_given}")
    if new.n_rows == 0:
        raise DataError("expected rows of values, found none")
    kept = 1.0 if half_life is None else 0.5 ** (new.weight / half_life)
    counts = [kept * tree.counts + more for tree, more in zip(network.trees, new.of_all_nodes(), strict=True)]
    updated = with_counts(network, counts, smoothing)
    n_before = model.provenance.get("rows", 0)
    provenance = {**model.provenance, "rows": n_before + new.n_rows, "updates": model.provenance.get("updates", 0) + 1}
    parameters = updated.parameters_at(circuit.parameter_origins)
    return replace(model, circuit=replace(circuit, parameters=parameters), network=updated, provenance=provenance)


def with_counts(network: BayesNet, counts: Sequence[Floats], smoothing: Smoothing) -> BayesNet:
    """The network with other counts, of all its nodes, and the parameters that follow from them."""
    trees = [
        replace(tree, counts=own, parameters=_parameters(tree, own, smoothing, network.schema))
        for tree, own in zip(network.trees, counts, strict=True)
    ]
    return replace(network, trees=tuple(trees))


def _parameters(tree: TreeCPD, counts: Floats, smoothing: Smoothing, schema: Schema) -> Floats:
    """As learning reads them off: parents before children."""
    parameters = np.empty_like(counts)
    parents, masses = _parents_and_masses(tree, schema)
    for node in range(tree.n_nodes):
        above = None if node == 0 else parameters[parents[node]]
        parameters[node] = smoothing.node_parameters(counts[node], masses[node], above)
    return parameters


def _parents_and_masses(tree: TreeCPD, schema: Schema) -> tuple[NDArray[np.intp], Floats]:
    """Of each node its parent, and its share of all configurations of the variables that its tree asks."""
    parents, masses = np.zeros(tree.n_nodes, np.intp), np.ones(tree.n_nodes)
    left: list[dict[int, int]] = [{} for _ in range(tree.n_nodes)]  # by variable, the values that are left, as bits
    for node in range(tree.n_nodes):
        variable = int(tree.variables[node])
        if variable < 0:
            continue
        open_values = left[node].get(variable, (1 << int(schema.arities[variable])) - 1)
        for branch, values in tree.branches(node).items():
            kept = open_values & values
            parents[branch] = node
            masses[branch] = masses[node] * kept.bit_count() / open_values.bit_count()
            left[branch] = {**left[node], variable: kept}
    return parents, masses


def _gathered(tree: TreeCPD, of_leaves: Floats) -> Floats:
    counts = of_leaves.copy()
    for node in range(tree.n_nodes - 1, -1, -1):
        if branches := list(tree.branches(node)):
            counts[node] = counts[branches].sum(axis=0)
    return counts


def _batches(schema: Schema, rows: Any, on_rows: Callable[[int], object] | None) -> Iterable[Dataset]:
    if not is_streamed(rows):
        return [complete_rows(schema, rows)]
    from learnac.data.batches import batch_source
    from learnac.data.streamed import encoded

    return encoded(schema, batch_source(rows), on_rows=on_rows)


def _updatable(model: Model) -> tuple[BayesNet, Circuit, Smoothing]:
    """What can be updated of a model, or what is in the way."""
    if isinstance(model.circuit, Mixture):
        raise ValueError("expected a single circuit to update, found a mixture: learn it again from all rows")
    network, circuit = model.network, model.circuit
    if network is None or circuit is None or "shrinkage" not in model.provenance:
        raise ValueError("expected a model that was learned, with its counts and smoothing, found none of these")
    criterion = str(model.settings.get("criterion", "likelihood"))
    prior = model.settings["equivalent_sample_size"] if criterion == "bdeu" else model.provenance["alpha"]
    return network, circuit, Smoothing(criterion, float(prior), float(model.provenance["shrinkage"]))
