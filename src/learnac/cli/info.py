"""The command `learnac info`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from learnac.cli import query_options as options

if TYPE_CHECKING:
    from pathlib import Path

    from learnac.circuit import Queryable
    from learnac.model import Model
    from learnac.network import BayesNet

EXAMPLE = "learnac info model.learnac"
_N_QUERIES = 40
_SHOWN = 5


def info(model: options.ModelFile, *, as_json: options.Json = False, debug: options.Debug = False) -> None:
    """Show the size and properties of a model, and how long a query takes."""
    from learnac.cli.models import open_model
    from learnac.cli.output import print_json, print_rows
    from learnac.cli.progress import busy

    stored = open_model(model)
    with busy(f"measuring {model}"):
        document = describe(stored, model)
    if as_json:
        print_json(document)
    else:
        print_rows([(label, value) for label, value in _lines(document)])


def describe(stored: Model, path: Path) -> dict[str, Any]:
    from learnac.circuit import Mixture, properties
    from learnac.infer.engine import engine_of

    arities, asked = stored.schema.arities, stored.require_circuit()
    circuit = asked.structure if isinstance(asked, Mixture) else asked
    document: dict[str, Any] = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "variables": stored.schema.n_variables,
        "categories": {"smallest": int(arities.min()), "largest": int(arities.max())},
        "components": asked.n_components if isinstance(asked, Mixture) else 1,
        "edges": asked.n_edges,
        "nodes": circuit.n_nodes,
        "parameters": asked.n_parameters,
        # A mixture is deterministic only within each component.
        "properties": {**properties(circuit)._asdict(), "is_deterministic": engine_of(asked).is_deterministic},
        "network": None if stored.structure is None else _describe_network(stored.structure),
        "milliseconds_per_query": query_times(asked),
        "settings": dict(stored.settings),
        "provenance": dict(stored.provenance),
    }
    return document


def _describe_network(network: BayesNet) -> dict[str, Any]:
    from learnac.network import treewidth_bound

    n_parents = {name: len(parents) for name, parents in zip(network.schema.names, network.parents, strict=True)}
    most = sorted(n_parents, key=lambda name: -n_parents[name])[:_SHOWN]
    return {
        "arcs": sum(n_parents.values()),
        "leaves": network.n_leaves,
        "mean_parents": sum(n_parents.values()) / len(n_parents),
        "most_parents": {name: n_parents[name] for name in most},
        "treewidth_at_most": treewidth_bound(network),
    }


def query_times(circuit: Queryable) -> dict[str, float]:
    """Median milliseconds of a query for 30 % of the variables, by the share of the others that is known."""
    import numpy as np

    from learnac.infer import log_probability, sample

    rng = np.random.default_rng(0)
    rows = sample(circuit, _N_QUERIES, random_state=0).codes.T.astype(circuit.schema.evidence_dtype)
    n_variables = rows.shape[1]
    found = {}
    for share in (0.0, 0.3, 0.5):
        times = []
        for row in rows:
            order = rng.permutation(n_variables)
            n_query, n_known = max(1, round(0.3 * n_variables)), round(share * n_variables)
            query, given = np.full((2, n_variables), -1, dtype=rows.dtype)
            query[order[:n_query]] = row[order[:n_query]]
            given[order[n_query : n_query + n_known]] = row[order[n_query : n_query + n_known]]
            times.append(_milliseconds(lambda q=query, g=given: log_probability(circuit, *_named(circuit, q, g))))
        found[f"{share:.0%} known"] = float(np.median(times))
    return found


def _named(circuit: Queryable, *rows: Any) -> list[dict[str, Any]]:
    schema = circuit.schema
    columns = list(zip(schema.names, schema.categories, strict=True))
    return [
        {name: categories[code] for (name, categories), code in zip(columns, row, strict=True) if code >= 0}
        for row in rows
    ]


def _milliseconds(call: Any) -> float:
    started = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - started)


def _lines(document: dict[str, Any]) -> list[tuple[str, str]]:
    names = ("smooth", "decomposable", "deterministic")
    is_mixture = document["components"] > 1
    properties = [name for name in names if document["properties"][f"is_{name}"]]
    of_each = ", deterministic for each component" if is_mixture else ""
    lines = [
        ("Variables", f"{document['variables']:,}, of {_range(document['categories'])} categories"),
        *_size(document),
        ("Properties", f"{', '.join(properties)}{of_each} (checked)"),
    ]
    if (network := document["network"]) is not None:
        most = ", ".join(f"{name} ({n})" for name, n in network["most_parents"].items())
        lines += [
            ("Network", f"{network['arcs']:,} arcs, {network['leaves']:,} leaves"),
            ("Parents", f"{network['mean_parents']:.1f} on average; most: {most}"),
            (
                "Treewidth",
                f"at most {network['treewidth_at_most']} (min-fill); junction trees take time exponential in it",
            ),
        ]
    times = ", ".join(f"{value:.2f} ms with {share}" for share, value in document["milliseconds_per_query"].items())
    lines += [("One query", f"{times} (median, measured now)"), ("File", f"{document['bytes']:,} bytes")]
    for title in ("settings", "provenance"):
        shown = ", ".join(f"{name} {value}" for name, value in document[title].items() if value is not None)
        lines.append((title.capitalize(), shown or "none"))
    return lines


def _size(document: dict[str, Any]) -> list[tuple[str, str]]:
    nodes, parameters = f"{document['nodes']:,} nodes", f"{document['parameters']:,} parameters"
    if (n_components := document["components"]) == 1:
        return [("Circuit", f"{document['edges']:,} edges, {nodes}, {parameters}")]
    n_edges = document["edges"] // n_components
    return [
        ("Structure", f"{n_edges:,} edges, {nodes}"),
        ("Mixture", f"{n_components:,} components: {document['edges']:,} edges in all, {parameters}"),
    ]


def _range(categories: dict[str, int]) -> str:
    smallest, largest = categories["smallest"], categories["largest"]
    return str(smallest) if smallest == largest else f"{smallest} to {largest}"
