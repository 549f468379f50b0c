"""The command `learnac compile`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from learnac.cli import query_options as options
from learnac.cli.command import Argument, Completes, Option

if TYPE_CHECKING:
    from learnac.circuit import Circuit
    from learnac.model import Model

EXAMPLE = "learnac compile alarm.bif --out alarm.learnac"

_LIMITS = "Limits (compiling ends when one is reached)"


def compile(  # noqa: A001
    network: Annotated[
        Path,
        Argument(
            metavar="NETWORK",
            about="A Bayesian network: .bif, .xmlbif, .uai, .bn or .learnac.",
            completes=Completes.MODEL,
        ),
    ],
    *,
    out: Annotated[
        Path,
        Option(
            "--out",
            "-o",
            metavar="FILE",
            about="Write the circuit to this file (.learnac or .ac).",
            completes=Completes.MODEL,
        ),
    ],
    given: Annotated[
        list[str] | None,
        Option(
            "--given",
            "-g",
            metavar="NAME=CATEGORY,...",
            about="Values that are known for good. The circuit is smaller, and has no other values. May be repeated.",
            completes=Completes.ASSIGNMENTS,
        ),
    ] = None,
    max_edges: Annotated[
        int, Option(metavar="N", least=1, about="Refuse a circuit of more edges than this.", panel=_LIMITS)
    ] = 1_000_000,
    max_seconds: Annotated[
        float,
        Option(metavar="S", about="End after this time, with the smallest circuit so far.", panel=_LIMITS),
    ] = 60.0,
    max_gb: Annotated[float, Option(metavar="GB", about="The most memory to use.", panel=_LIMITS)] = 3.0,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Compile a Bayesian network into a circuit, on which every query works.

    Several ways are tried, and the smallest circuit is kept. With --given, the
    model is that of everything else given these values.
    """
    from dataclasses import replace

    from learnac.cli.memory import FEWER_EDGES, memory_for
    from learnac.cli.output import print_json, print_rows
    from learnac.cli.progress import attempts_made, busy
    from learnac.errors import LearnacError, placed
    from learnac.files import check_writable
    from learnac.io.convert import check_target, read_any, write_any

    check_target(out)
    check_writable(out)
    with memory_for(f"the network {network}"), busy(f"reading {network}"):
        model = read_any(network)
    attempts = attempts_made(f"compiling {network}", max_seconds)
    with memory_for(f"the circuit of {network}", FEWER_EDGES), attempts as made:
        try:
            limits = {"max_edges": max_edges, "max_seconds": max_seconds, "max_bytes": max_gb * 1e9}
            compiled = _compiled(model, given or [], {**limits, "n_threads": threads, "on_attempt": made.take_note})
        except LearnacError as error:
            raise placed(error, network, source=str(network)) from None
    kept = model.network if not given else None
    write_any(replace(model, circuit=compiled, network=kept), out)
    document = _described(model, compiled, made.n_attempts, out)
    if as_json:
        print_json(document)
    else:
        print_rows(
            [
                ("Network", f"{document['variables']:,} variables, {document['leaves']:,} leaves"),
                ("Circuit", f"{document['edges']:,} edges, {document['operations']:,} additions and multiplications"),
                ("Attempts", f"{document['attempts']}"),
                ("Written to", f"{out}"),
            ]
        )


def _compiled(model: Model, given: list[str], limits: dict[str, Any]) -> Circuit:
    from learnac.cli.assignments import read_assignments
    from learnac.compiling import compile as compile_circuit

    known = read_assignments(given, model.schema, "--given") if given else None
    return compile_circuit(model, given=known, **limits)


def _described(model: Model, circuit: Circuit, n_attempts: int, out: Path) -> dict[str, Any]:
    from learnac.circuit import n_operations

    return {
        "variables": model.schema.n_variables,
        "leaves": model.require_network().n_leaves,
        "edges": circuit.n_edges,
        "nodes": circuit.n_nodes,
        "operations": n_operations(circuit),
        "attempts": n_attempts,
        "out": str(out),
    }
