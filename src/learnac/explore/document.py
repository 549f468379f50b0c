"""A model in the form that the page reads: names and trees as JSON, the circuit as compressed arrays."""

from __future__ import annotations

import base64
import gzip
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, Mixture, NodeKind, Queryable
from learnac.data import Schema
from learnac.data.bins import Bins
from learnac.data.calendars import Calendar
from learnac.errors import SizeError
from learnac.infer.do import causality_note
from learnac.infer.engine import engine_of
from learnac.model import Model
from learnac.network import BayesNet, TreeCPD
from learnac.network.strength import arc_strengths
from learnac.version import __version__

MAX_EDGES = 2_000_000
"""Edges, times components, that a page can hold."""

SMOOTH_EDGES = 300_000
"""Edges, times components, that a browser answers for while people click. More are better answered by a server."""

# Digits of what is only looked at: probabilities in trees, numbers in explanations.
_DIGITS = 6

# Of a bar of a number: of the width that all would have if they were alike.
_NARROWEST = 0.4


def model_document(model: Model, title: str) -> dict[str, Any]:
    """All that a page shows and asks about, without the circuit."""
    circuit = model.require_circuit()
    structure = _structure(circuit)
    return {
        "format": 1,
        "title": title,
        "learnac": __version__,
        "variables": _variables(model.schema),
        "nEdges": structure.n_edges,
        "nComponents": circuit.n_components if isinstance(circuit, Mixture) else 1,
        "isMixture": isinstance(circuit, Mixture),
        "isDeterministic": engine_of(circuit).is_deterministic,
        "canIntervene": bool((structure.parameter_origins[:, 0] >= 0).all()),
        "causality": causality_note(model.settings, model.provenance),
        "provenance": {name: model.provenance[name] for name in ("rows", "splits") if name in model.provenance},
        "network": None if model.structure is None else _network(model.structure),
    }


def is_smooth(circuit: Queryable) -> bool:
    """Whether a browser can answer for a circuit while people click."""
    return circuit.n_edges <= SMOOTH_EDGES


def circuit_document(circuit: Queryable) -> dict[str, Any]:
    """What a page needs to answer by itself. SizeError for a circuit that is too large for that."""
    if circuit.n_edges > MAX_EDGES:
        raise SizeError(
            f"expected a circuit of at most {MAX_EDGES:,} edges, found {circuit.n_edges:,}: too large to be answered "
            "for in a browser",
            expected=MAX_EDGES,
            found=circuit.n_edges,
        )
    packed, places = _packed(_arrays(circuit, _structure(circuit)))
    return {
        "hash": blake2b(packed, digest_size=8).hexdigest(),
        "arrays": places,
        "packed": base64.b64encode(gzip.compress(packed, 9, mtime=0)).decode(),
    }


def _structure(circuit: Queryable) -> Circuit:
    return circuit.structure if isinstance(circuit, Mixture) else circuit


def _variables(schema: Schema) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "categories": [str(category) for category in categories],
            "python": [repr(category) for category in categories],
            "edges": None if bins is None else [float(edge) for edge in bins.edges],
            "number": None if bins is None or bins.spread is None else _number(bins),
            "edgeTexts": None if bins is None else [bins.text(edge) for edge in bins.edges],
            "isOrdered": is_ordered,
        }
        for name, categories, bins, is_ordered in zip(
            schema.names, schema.categories, schema.bins, schema.ordered, strict=True
        )
    ]


def _number(bins: Bins) -> dict[str, Any]:
    """What the page shows of a number: where intervals begin and end, and the means of their numbers."""
    assert bins.spread is not None
    step, edges = bins.spread.step, bins.edges
    has_ends = bins.has_last_numbers
    last = [bins.text(float(bins.spread.floor(edge - step / 2))) if has_ends else bins.text(edge) for edge in edges]
    return {
        "first": bins.text(bins.spread.starts[0]),
        "last": bins.text(bins.spread.largest),
        "from": ["", *(bins.text(edge) for edge in edges)],
        "to": [*last, ""],
        "hasEnds": has_ends,
        "isDate": bins.calendar is not None,
        "secondsOfUnit": 86_400 if bins.calendar is Calendar.DAYS else 1,
        "means": [float(mean) for mean in bins.means()],
        "widths": _widths(bins),
        "peaks": _peaks(bins),
        "spread": {
            "starts": list(bins.spread.starts),
            "shares": list(bins.spread.shares),
            "isPoint": bins.spread.is_point.tolist(),
            "decay": bins.spread.decay,
            "step": step,
        },
    }


def _widths(bins: Bins) -> list[float]:
    """Of the bars, in all 1: to scale, but none narrower than a person can hit."""
    assert bins.spread is not None
    ends = np.array([bins.spread.starts[0], *bins.edges, bins.spread.largest + bins.spread.step])
    lengths = np.maximum(np.diff(ends), 0.0)
    least = _NARROWEST / len(lengths)
    is_narrow = np.zeros(len(lengths), dtype=bool)
    while True:
        rest = lengths[~is_narrow].sum()
        room = 1 - least * np.count_nonzero(is_narrow)
        widths = (
            np.where(is_narrow, least, room * lengths / rest) if rest > 0 else np.full(len(lengths), 1 / len(lengths))
        )
        if not (widths < least * (1 - 1e-9)).any():
            return [round(float(width), _DIGITS) for width in widths]
        is_narrow |= widths < least


def _peaks(bins: Bins) -> dict[str, Any]:
    """Of each interval, the number of the highest density, which explanations and filled gaps show."""
    log_densities, modes = bins.modes()
    numbers = modes.tolist()
    # JSON has no infinities, and nothing is this improbable.
    finite = np.maximum(log_densities, -1e9)
    if bins.calendar is None:
        numbers = [float(f"{number:.{_DIGITS}g}") for number in numbers]
    return {"logDensities": finite.tolist(), "texts": [bins.text(number) for number in numbers]}


def _arrays(circuit: Queryable, structure: Circuit) -> dict[str, NDArray[Any]]:
    n_leaves = int(np.count_nonzero(structure.kinds < NodeKind.SUM))
    return {
        # Eight bytes first, so that every array begins where its numbers may.
        "parameters": circuit.parameters.reshape(-1, structure.n_parameters).T.ravel(),  # components side by side
        "weights": circuit.weights if isinstance(circuit, Mixture) else np.ones(1),
        "offsets": structure.child_offsets[n_leaves:].astype(np.uint32),  # of inner nodes
        "children": structure.children,
        "origins": structure.parameter_origins[:, [0, 2]].ravel(),  # variable and value of each parameter
        "isSum": (structure.kinds[n_leaves:] == NodeKind.SUM).astype(np.uint8),
    }


def _packed(arrays: dict[str, NDArray[Any]]) -> tuple[bytes, dict[str, list[Any]]]:
    """All arrays one after the other, and for each its type, where it begins, and how many numbers it has."""
    parts, places, at = [], {}, 0
    for name, array in arrays.items():
        content = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
        places[name] = [array.dtype.name, at, array.size]
        parts.append(content)
        at += len(content)
    return b"".join(parts), places


def _network(network: BayesNet) -> dict[str, Any]:
    arcs = [
        [parent, tree.child, round(strength, 3)]
        for tree in network.trees
        for parent, strength in arc_strengths(tree).items()
    ]
    return {"arcs": arcs, "trees": [_tree(tree) for tree in network.trees]}


def _tree(tree: TreeCPD) -> list[Any]:
    """Nodes: a leaf is its distribution; an inner node its variable, and pairs of values and the node they lead to."""
    nodes: list[Any] = []
    for node in range(tree.n_nodes):
        if tree.variables[node] < 0:
            nodes.append([round(p, _DIGITS) for p in tree.parameters[node].tolist()])
            continue
        branches = [
            [[value for value in range(bits.bit_length()) if bits >> value & 1], branch]
            for branch, bits in tree.branches(node).items()
        ]
        nodes.append({"asks": int(tree.variables[node]), "branches": branches})
    return nodes
