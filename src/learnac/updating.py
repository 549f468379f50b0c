"""More rows for a model that was learned: the counts of its trees grow, its parameters follow, and its structure stays,
or goes on to grow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac import defaults
from learnac.circuit import Circuit, Mixture
from learnac.compiler.gains import guesses
from learnac.compiler.replay import Replay
from learnac.data import Dataset, Schema
from learnac.data.incomplete import complete_rows
from learnac.data.weights import checked_weights, some_of
from learnac.errors import DataError, SettingError
from learnac.learn import LearnSettings, ParentRules, Split
from learnac.learn.blocks import learn_parts
from learnac.learn.smoothing import Smoothing
from learnac.model import Model
from learnac.network import BayesNet, TreeCPD
from learnac.streaming import is_streamed, packed_like
from learnac.training import OnStep

Floats = NDArray[np.float64]
_NO_LIMIT = 2**40


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
        return [tree.gathered(counts) for tree, counts in zip(self._network.trees, self._of_leaves, strict=True)]


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
    _check_half_life(half_life)
    new = TreeCounts(network)
    n_given = None if sample_weight is None else np.asarray(sample_weight).size
    weights = checked_weights(sample_weight, n_given or 0)
    for batch in _batches(network.schema, rows, on_rows):
        new.add(batch.codes, some_of(weights, new.n_rows, batch.n_rows))
    if n_given is not None and n_given != new.n_rows:
        raise ValueError(f"sample_weight: expected a number for each row, found {n_given}")
    if new.n_rows == 0:
        raise DataError("expected rows of values, found none")
    kept = _share_kept(half_life, new.weight)
    counts = [kept * tree.counts + more for tree, more in zip(network.trees, new.of_all_nodes(), strict=True)]
    updated = with_counts(network, counts, smoothing)
    parameters, provenance = updated.parameters_at(circuit.parameter_origins), _provenance(model, new.n_rows)
    return replace(model, circuit=replace(circuit, parameters=parameters), network=updated, provenance=provenance)


def _check_half_life(half_life: float | None) -> None:
    if half_life is not None and not half_life > 0:
        raise SettingError("half_life", "a number of rows above 0", half_life)


def _share_kept(half_life: float | None, new_weight: float) -> float:
    """What is kept of old counts."""
    return 1.0 if half_life is None else 0.5 ** (new_weight / half_life)


def _provenance(model: Model, n_rows: int) -> dict[str, Any]:
    before = model.provenance
    return {**before, "rows": before.get("rows", 0) + n_rows, "updates": before.get("updates", 0) + 1}


def grow(
    model: Model,
    rows: object,
    *,
    sample_weight: ArrayLike | None = None,
    half_life: float | None = None,
    on_rows: Callable[[int], object] | None = None,
    on_step: OnStep | None = None,
) -> Model:
    """As `update`; then the search goes on, from the structure that there is, with the settings it was learned with.

    A split must pay for itself in the new rows: nobody knows what the old ones would count on its two sides. So nodes
    that are there already have the counts of all rows, and new ones those of the new rows alone.
    """
    network, _, smoothing = _updatable(model)
    _check_half_life(half_life)
    table = packed_like(network.schema, rows, sample_weight=sample_weight, on_rows=on_rows)
    replay = _replayed(network, is_binary=model.settings["splits"] == "binary")
    splits = [Split(each.leaf, each.variable, each.value) for each in replay.applied]
    rules = ParentRules(*(model.settings.get(name) for name in ("allowed_parents", "forbidden_parents")))
    rules = replace(rules, tiers=model.settings.get("tiers"))
    settings = _settings_to_go_on(model, replay)
    learned = learn_parts(table, settings, first_splits=splits, allowed_parents=rules, on_step=on_step)
    grown, circuit = learned.model.require_network(), learned.model.require_circuit()
    assert isinstance(circuit, Circuit)
    kept = _share_kept(half_life, float(grown.trees[0].counts[0].sum()))
    counts = [_with_old_counts(*pair, kept, network.schema) for pair in zip(network.trees, grown.trees, strict=True)]
    updated = with_counts(grown, counts, smoothing)
    parameters = updated.parameters_at(circuit.parameter_origins)
    provenance = {**_provenance(model, table.n_rows), "splits": learned.n_splits}
    return replace(model, circuit=replace(circuit, parameters=parameters), network=updated, provenance=provenance)


def _replayed(network: BayesNet, *, is_binary: bool) -> Replay:
    """The splits of a network's trees, applied again in an order that makes a small circuit."""
    schema = network.schema
    ordered = [is_binary and each and arity > 2 for each, arity in zip(schema.ordered, schema.arities, strict=True)]
    replay = Replay(network, is_binary=is_binary, has_thresholds=ordered)
    replay.run(next(guesses(network, np.random.default_rng(0))), _NO_LIMIT, lambda: False)
    return replay


def _settings_to_go_on(model: Model, replay: Replay) -> LearnSettings:
    """Those of the model, with room for what there is: as many splits more as it was allowed at first."""
    stated = {name: model.settings[name] for name in LearnSettings.__dataclass_fields__ if name in model.settings}
    settings = LearnSettings(**stated)
    budget = defaults.MAX_EDGES if settings.edge_penalty is None and settings.max_edges is None else settings.max_edges
    return replace(
        settings,
        max_splits=None if settings.max_splits is None else settings.max_splits + len(replay.applied),
        max_edges=None if budget is None else max(budget, replay.circuit.n_edges),
    )


def _with_old_counts(old: TreeCPD, new: TreeCPD, kept: float, schema: Schema) -> Floats:
    """The counts of the nodes of a tree that grew from another one, with those of the old nodes added."""
    counts = new.counts.copy()
    pairs: list[tuple[int, int, dict[int, int]]] = [(0, 0, {})]
    for old_node, new_node, left in pairs:  # grows while it is read
        counts[new_node] += kept * old.counts[old_node]
        of_new = {values: node for node, values, _ in _branches(new, new_node, left, schema)}
        pairs += [(node, of_new[values], rest) for node, values, rest in _branches(old, old_node, left, schema)]
    return counts


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
        branches = list(_branches(tree, node, left[node], schema))
        n_values = sum(values.bit_count() for _, values, _ in branches)
        for branch, values, rest in branches:
            parents[branch], left[branch] = node, rest
            masses[branch] = masses[node] * values.bit_count() / n_values
    return parents, masses


def _branches(
    tree: TreeCPD, node: int, left: dict[int, int], schema: Schema
) -> Iterator[tuple[int, int, dict[int, int]]]:
    """The branches of a node, the values that lead there, as bits, and what then is left of all variables, if `left`
    is what the path to the node leaves.
    """
    variable = int(tree.variables[node])
    if variable < 0:
        return
    open_values = left.get(variable, (1 << int(schema.arities[variable])) - 1)
    for branch, values in tree.branches(node).items():
        yield branch, open_values & values, {**left, variable: open_values & values}


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
