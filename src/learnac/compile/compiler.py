"""From a network to its circuit: the splits of its trees in a few orders, of which the smallest circuit is kept."""

from __future__ import annotations

from dataclasses import replace

from learnac.circuit import Circuit
from learnac.compile.orders import orders_of
from learnac.compile.replay import Replay
from learnac.errors import Problem, SizeError
from learnac.model import Model
from learnac.network import BayesNet

MAX_EDGES = 1_000_000
"""The most edges that a circuit may have, unless more are asked for."""


def compile_network(network: BayesNet, max_edges: int = MAX_EDGES) -> Circuit:
    """The circuit of a network: the smallest that a few orders of splits give. The same network, the same circuit.

    A tree that is asked in another order may need more leaves: then several parameters of the circuit have the same
    origin. SizeError if no order fits `max_edges`; no circuit beyond that is ever built.
    """
    best: Replay | None = None
    farthest = (-1, "")
    for order in orders_of(network):
        replay = Replay(network)
        stopped = replay.run(order, max_edges if best is None else best.circuit.n_edges - 1)
        if stopped is None:
            best = replay
        elif best is None:
            farthest = max(farthest, (stopped, replay.where(order[stopped])), key=lambda found: found[0])
    if best is None:
        message = f"the circuit of this network would need more than {max_edges:,} edges (max_edges)"
        raise SizeError(
            f"{message}: {farthest[1]}, after {farthest[0]} of the {len(network.trees)} variables",
            expected=max_edges,
            problem=Problem.CIRCUIT_TOO_LARGE,
        )
    return best.freeze()


def compile_model(model: Model, max_edges: int = MAX_EDGES) -> Model:
    """The model with a circuit: its own, or one that is compiled from its network."""
    if model.circuit is not None:
        return model
    return replace(model, circuit=compile_network(model.require_network(), max_edges))
