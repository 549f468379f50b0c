"""Opening the model that a command asks, whatever format its file has."""

from __future__ import annotations

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
