"""One order of a network's variables, compiled by the core: see core/compile/conditioning.hpp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnac._core import compile_network as compile_in_core
from learnac.compiler.budget import Budget, Shortfall
from learnac.compiler.draft import Draft
from learnac.compiler.orders import Order
from learnac.errors import ImpossibleEvidenceError, Problem
from learnac.network import BayesNet

# How an attempt ended, by the core's number for it.
_PROBLEMS = {1: Problem.CIRCUIT_TOO_LARGE, 2: Problem.COMPILING_TOO_LARGE, 3: Problem.COMPILING_TOO_LONG}

_NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class Compiled:
    """A circuit, and the edges that were made on the way to it."""

    draft: Draft
    n_edges_made: int


def compile_in_order(
    network: BayesNet, order: Order, given: NDArray[np.int32], budget: Budget, most_edges_made: int
) -> Compiled | Shortfall:
    """The circuit of P(everything, given), or where the attempt ended. Codes of `given` are -1 where nothing is known.

    ImpossibleEvidenceError if what is given has probability zero.
    """
    structure, parameters = network.arrays
    end, is_impossible, n_edges, _, arrays, origins = compile_in_core(
        *structure,
        parameters,
        order.variables,
        given,
        min(most_edges_made, _NO_LIMIT),
        budget.max_bytes,
        budget.is_over,
    )
    if is_impossible:
        raise ImpossibleEvidenceError("the evidence has probability zero in this network", rows=[0])
    if end in _PROBLEMS:
        return Shortfall(_PROBLEMS[end], n_edges)
    return Compiled(Draft(*arrays, origins), n_edges)
