"""All worlds of a few variables, and their probabilities under a network: what everything exact is compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.network import BayesNet


def worlds_of(arities: Any) -> NDArray[np.uint8]:
    """Codes of (variables x worlds)."""
    return np.indices([int(arity) for arity in arities]).reshape(len(arities), -1).astype(np.uint8)


def probabilities_under(network: BayesNet, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    return np.prod([tree.parameters[tree.leaf_of(codes), codes[tree.child]] for tree in network.trees], axis=0)


def probabilities(network: BayesNet) -> NDArray[np.float64]:
    """The probability of each world."""
    return probabilities_under(network, worlds_of(network.schema.arities))
