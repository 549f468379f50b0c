"""A model: one distribution, whatever form it is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from learnac.circuit import Circuit, Mixture, Queryable
from learnac.circuit.core_evaluator import core_evaluator
from learnac.data import Schema
from learnac.data.schema import UNKNOWN
from learnac.errors import NoNetworkError
from learnac.network import BayesNet
from learnac.types import PartialCodes

_N_ROWS = 32  # to compare two forms of a model by
_NOTHING_SOFT = np.empty(0, np.uint32), np.empty((0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A distribution over the variables of a schema, as a circuit that answers, as a network, or as both.

    What is learned has both, unless it is a mixture: no network of visible variables equals it. A circuit from another
    tool has no network; a network from elsewhere has no circuit until it is compiled, and one that was learned without
    a circuit may be too entangled to have one. Whoever needs one of the forms asks for it, so that a model in a form it
    does not know is refused, and never answered wrongly.
    """

    circuit: Queryable | None = None
    network: BayesNet | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)  # what it was learned with
    provenance: Mapping[str, Any] = field(default_factory=dict)  # where it comes from

    def __post_init__(self) -> None:
        if self.circuit is None and self.network is None:
            raise ValueError("a model: expected a circuit or a network, found neither")
        if self.circuit is not None and self.network is not None and self.circuit.schema != self.network.schema:
            found = f"{self.circuit.schema} and {self.network.schema}"
            raise ValueError(f"a model: expected a circuit and a network over the same variables, found {found}")
        if isinstance(self.circuit, Mixture) and self.network is not None:
            raise ValueError("a model: expected no network that equals a mixture, found one")

    @property
    def schema(self) -> Schema:
        return self.require_network().schema if self.circuit is None else self.circuit.schema

    @property
    def structure(self) -> BayesNet | None:
        """The network to look at, if there is one: of a mixture, that of its structure, which is not all of it."""
        return self.circuit.network if isinstance(self.circuit, Mixture) else self.network

    def require_circuit(self) -> Queryable:
        """The circuit, or the mixture; ValueError if there is none yet."""
        if self.circuit is None:
            raise ValueError("expected a model with a circuit, found a network alone")
        return self.circuit

    def require_network(self) -> BayesNet:
        """The network; NoNetworkError, a ValueError, if there is none."""
        if self.network is None:
            found = "a mixture, which equals none" if isinstance(self.circuit, Mixture) else "a circuit alone"
            raise NoNetworkError(f"expected a model with a network, found {found}")
        return self.network


def check_twins(circuit: Circuit, network: BayesNet) -> None:
    """Raise ValueError unless the circuit's parameters are those of the network, and some rows equally likely by both.

    For models from strangers. That both are one distribution is more than can be checked in reasonable time: trees that
    differ from the circuit for few rows may pass. Cost: one upward pass for a few rows.
    """
    if (circuit.parameter_origins[:, 0] < 0).any():
        raise ValueError("the circuit has parameters that are not of the network")
    try:
        expected = network.parameters_at(circuit.parameter_origins)
    except ValueError:
        expected = None
    if expected is None or not np.array_equal(circuit.parameters, expected):
        raise ValueError("the circuit's parameters are not those of the network")
    codes = _some_rows(circuit)
    by_circuit = core_evaluator(circuit).log_values(codes, *_NOTHING_SOFT, 1)
    if not np.allclose(by_circuit, network.log_likelihood(codes), rtol=1e-6, atol=1e-6):
        raise ValueError("the circuit and the trees contradict each other: a row has two likelihoods")


def _some_rows(circuit: Circuit) -> PartialCodes:
    """Rows in which every value is as likely as the others, and rows that the circuit draws.

    The same model always has the same ones, but nobody knows them before the model is finished.
    """
    seed = int.from_bytes(blake2b(circuit.parameters.tobytes() + circuit.children.tobytes(), digest_size=8).digest())
    schema = circuit.schema
    draws = np.random.default_rng(seed).random((schema.n_variables, _N_ROWS))
    uniform = (draws * schema.arities[:, None]).astype(schema.evidence_dtype)
    unknown = np.full((schema.n_variables, 1), UNKNOWN, dtype=schema.evidence_dtype)
    likely = np.zeros_like(uniform)
    core_evaluator(circuit).sample(unknown, *_NOTHING_SOFT, _N_ROWS, seed, likely, 1)
    return np.concatenate([uniform, likely], axis=1)
