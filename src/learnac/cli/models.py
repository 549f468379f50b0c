"""Opening the model that a command asks, whatever format its file has."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from learnac.cli.memory import memory_for
from learnac.io.convert import compiled, read_any
from learnac.model import Model


def open_model(path: Path) -> Model:
    """The model in a file, with a circuit to answer: a network from another tool is compiled, if it fits the default.

    A file of our own has its circuit, and waits for nothing.
    """
    with memory_for(f"the model {path}"):
        model = read_any(path)
    if model.circuit is not None:
        return model
    from learnac.cli.progress import busy

    with memory_for(f"the circuit of {path}"), busy(f"compiling {path}"):
        return compiled(model, path)


def intervened(model: Model, typed: Sequence[str] | None) -> Model:
    """The model after the interventions of `--do`; with a note on stderr where nothing says that arcs are causes."""
    if not typed:
        return model
    from learnac.cli.assignments import read_assignments
    from learnac.infer.do import causality_note, do, do_network

    settings = read_assignments(typed, model.schema, "--do")
    if note := causality_note(model.settings, model.provenance):
        print(f"note: --do: {note}", file=sys.stderr)
    network = None if model.network is None else do_network(model.network, settings)
    return replace(model, circuit=do(model.require_circuit(), settings), network=network)
