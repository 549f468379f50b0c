"""Models on disk: circuit, network, schema, settings and where they come from, in one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, Mixture, NodeKind, check_components, check_distribution
from learnac.data import Schema
from learnac.errors import ModelFileError
from learnac.io.container import Container, read_container, write_container
from learnac.io.schema_document import schema_document, schema_of
from learnac.model import Model, check_twins
from learnac.network import BayesNet, TreeCPD

KIND = "model"


def write_model(model: Model, path: str | Path) -> None:
    """Writes a model file: all of it, or nothing. ValueError for a model without a circuit."""
    asked = model.require_circuit()
    header = {
        "kind": KIND,
        "schema": schema_document(model.schema),
        "has_network": model.structure is not None,
        "has_components": isinstance(asked, Mixture),
        "settings": dict(model.settings),
        "provenance": dict(model.provenance),
    }
    arrays = _circuit_arrays(asked.structure if isinstance(asked, Mixture) else asked)
    if model.structure is not None:
        arrays.update(_network_arrays(model.structure))
    if isinstance(asked, Mixture):
        arrays.update({"component_weights": asked.weights, "component_parameters": asked.parameters})
    write_container(path, header, arrays)


def read_model(path: str | Path) -> Model:
    """The model in a file. ModelFileError, with the file's name, for whatever is not a model that we can read."""
    try:
        container = read_container(path)
        if container.entry("kind", str) != KIND:
            raise ModelFileError(f"expected a model, found a {container.header['kind']}")
        return _model_of(container)
    except ValueError as error:  # Of the file, or of what circuits, trees and schemas may be.
        raise ModelFileError(f"{path}: {error}") from None


def _model_of(container: Container) -> Model:
    schema = schema_of(container.entry("schema", dict))
    network = _read_network(container, schema) if container.entry("has_network", bool) else None
    circuit = _read_circuit(container, schema)
    check_distribution(circuit)
    if network is not None:
        check_twins(circuit, network)
    past = container.entry("settings", dict), container.entry("provenance", dict)
    # Files from before there were mixtures say nothing of components.
    if "has_components" not in container.header or not container.entry("has_components", bool):
        return Model(circuit, network, *past)
    weights = container.array("component_weights", "f").astype(np.float64)
    parameters = container.array("component_parameters", "f", 2).astype(np.float64)
    mixture = Mixture(circuit, parameters, weights, network)
    check_components(mixture)
    return Model(mixture, None, *past)


def _circuit_arrays(circuit: Circuit) -> dict[str, NDArray[Any]]:
    return {
        "kinds": circuit.kinds,
        # Only sums have labels that are not their place among their kind.
        "decided": circuit.labels[circuit.kinds == NodeKind.SUM],
        "n_children": np.diff(circuit.child_offsets),
        "children": circuit.children,
        "parameters": circuit.parameters,
        "parameter_origins": circuit.parameter_origins,
    }


def _read_circuit(container: Container, schema: Schema) -> Circuit:
    kinds = container.array("kinds", "u").astype(np.uint8)
    n_children = container.array("n_children", "u").astype(np.uint64)
    children = container.array("children", "u").astype(np.uint32)
    parameters = container.array("parameters", "f").astype(np.float64)
    origins = container.array("parameter_origins", "iu", 2).astype(np.int32)
    labels = np.zeros(len(kinds), dtype=np.uint32)
    for kind in (NodeKind.INDICATOR, NodeKind.PARAMETER):
        labels[kinds == kind] = np.arange(np.count_nonzero(kinds == kind))
    decided = container.array("decided", "u")
    if len(decided) != np.count_nonzero(kinds == NodeKind.SUM) or len(n_children) != len(kinds):
        raise ModelFileError("the circuit's arrays do not fit together")
    labels[kinds == NodeKind.SUM] = decided
    offsets = np.zeros(len(kinds) + 1, dtype=np.uint64)
    np.cumsum(n_children, out=offsets[1:])
    return Circuit(schema, kinds, labels, offsets, children, parameters, origins)


def _network_arrays(network: BayesNet) -> dict[str, NDArray[Any]]:
    trees = network.trees
    return {
        "tree_sizes": np.array([tree.n_nodes for tree in trees], dtype=np.uint32),
        "tree_variables": np.concatenate([tree.variables for tree in trees]),
        "tree_routes": np.concatenate([tree.routes for tree in trees]),
        "tree_counts": np.concatenate([tree.counts.ravel() for tree in trees]),
        "tree_parameters": np.concatenate([tree.parameters.ravel() for tree in trees]),
    }


def _read_network(container: Container, schema: Schema) -> BayesNet:
    arities = schema.arities.astype(np.int64)
    sizes = container.array("tree_sizes", "u").astype(np.int64)
    variables = container.array("tree_variables", "iu").astype(np.int32)
    routes = container.array("tree_routes", "iu").astype(np.int32)
    counts = container.array("tree_counts", "f").astype(np.float64)
    parameters = container.array("tree_parameters", "f").astype(np.float64)
    is_inner = variables >= 0
    if (variables < -1).any() or (sizes < 1).any() or (sizes > len(variables)).any():
        raise ModelFileError("the trees' arrays do not fit together")
    if len(sizes) != len(arities) or sizes.sum() != len(variables) or (variables >= len(arities)).any():
        raise ModelFileError("the network does not have a tree for each variable")
    n_routes = np.where(is_inner, arities[variables], 0)
    if n_routes.sum() != len(routes) or not len(counts) == len(parameters) == (sizes * arities).sum():
        raise ModelFileError("the trees' arrays do not fit together")
    if not ((parameters >= 0) & (parameters <= 1)).all() or not (np.isfinite(counts) & (counts >= 0)).all():
        raise ModelFileError("expected probabilities from 0 to 1 and counts from 0 in the trees")
    network = BayesNet(schema, tuple(_split_trees(arities, sizes, n_routes, variables, routes, counts, parameters)))
    if any(abs(tree.parameters[tree.leaves].sum(axis=1) - 1).max() > 1e-6 for tree in network.trees):
        raise ModelFileError("expected probabilities that sum to 1 at the leaves of the trees")
    network.check()
    return network


def _split_trees(
    arities: NDArray[np.int64],
    sizes: NDArray[np.int64],
    n_routes: NDArray[np.int64],
    variables: NDArray[np.int32],
    routes: NDArray[np.int32],
    counts: NDArray[np.float64],
    parameters: NDArray[np.float64],
) -> Iterator[TreeCPD]:
    """The arrays of all trees, one after the other, as trees."""
    last_nodes = np.cumsum(sizes)
    last_routes = np.cumsum(n_routes)[last_nodes - 1]
    last_cells = np.cumsum(sizes * arities)
    of_nodes = zip(*(np.split(array, last_nodes[:-1]) for array in (variables, n_routes)), strict=True)
    of_cells = zip(*(np.split(array, last_cells[:-1]) for array in (counts, parameters)), strict=True)
    parts = zip(of_nodes, np.split(routes, last_routes[:-1]), of_cells, strict=True)
    for child, ((asked, widths), own_routes, cells) in enumerate(parts):
        starts = np.cumsum(widths) - widths
        yield TreeCPD(child, asked, starts, own_routes, *(table.reshape(len(asked), -1) for table in cells))
