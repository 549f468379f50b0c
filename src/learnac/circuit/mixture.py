"""Mixtures: one circuit, and a vector of parameters for each value of a hidden variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.circuit.circuit import Circuit, NodeKind
from learnac.data import Schema
from learnac.drawing import Drawing
from learnac.frozen import constructor_call, freeze_arrays
from learnac.network import BayesNet

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Mixture:
    """The sum over components of their weight times the circuit with their parameters.

    `structure` is a circuit like any other; its own parameters have no say. Smooth and decomposable as a whole, and
    deterministic for each component: what needs one term for each world is not exact here in linear time.
    """

    structure: Circuit
    parameters: Floats  # (n_components, n_parameters)
    weights: Floats  # (n_components,), which sum to 1
    network: BayesNet | None = None  # the twin of the structure, if there is one: its arcs and trees, to look at

    def __post_init__(self) -> None:
        freeze_arrays(self, {"parameters": (np.float64, 2), "weights": (np.float64, 1)}, "a mixture")
        if len(self.weights) == 0 or self.parameters.shape != (len(self.weights), self.structure.n_parameters):
            raise ValueError(
                f"not a mixture: expected {self.structure.n_parameters} parameters for each of {len(self.weights)} "
                f"components, found an array of shape {self.parameters.shape}"
            )
        for name, array in (("parameters", self.parameters), ("weights", self.weights)):
            if not ((array >= 0) & (array <= 1 + 1e-9)).all():
                raise ValueError(f"not a mixture: {name}: expected probabilities")
        if abs(self.weights.sum() - 1) > 1e-9:
            raise ValueError(f"not a mixture: expected weights that sum to 1, found {self.weights.sum()}")
        if self.network is not None and self.network.schema != self.schema:
            raise ValueError(f"not a mixture: expected a network over {self.schema}, found {self.network.schema}")

    def __reduce__(self) -> tuple[Any, ...]:
        return constructor_call(self)

    @property
    def schema(self) -> Schema:
        return self.structure.schema

    @property
    def n_components(self) -> int:
        return len(self.weights)

    @property
    def n_edges(self) -> int:
        """What a query costs: each edge of the structure is visited once for each component."""
        return self.structure.n_edges * self.n_components

    @property
    def n_parameters(self) -> int:
        return self.parameters.size

    def component(self, number: int) -> Circuit:
        """The circuit of one component."""
        s = self.structure
        return Circuit(
            s.schema, s.kinds, s.labels, s.child_offsets, s.children, self.parameters[number], s.parameter_origins
        )

    def expanded(self) -> Circuit:
        """The same distribution as one circuit: a copy of the structure for each component, under one sum.

        It has an edge, a product and a parameter more for each component. Parameters are of no one network any more.
        """
        s, n = self.structure, self.n_components
        n_indicators = int(s.schema.arities.sum())
        n_inner = s.n_nodes - n_indicators - s.n_parameters
        n_parameters = n * (s.n_parameters + 1)
        first_inner = n_indicators + n_parameters
        first = n_indicators + s.n_parameters
        children = s.children.astype(np.int64)
        shifts = np.arange(n)[:, None]
        copies = np.where(
            children < n_indicators,
            children,
            np.where(
                children < first, children + shifts * s.n_parameters, children - first + first_inner + shifts * n_inner
            ),
        )
        roots = first_inner + n_inner * np.arange(1, n + 1) - 1
        weighted = np.column_stack([roots, n_indicators + n * s.n_parameters + np.arange(n)])
        products = first_inner + n * n_inner + np.arange(n)
        sizes = np.diff(s.child_offsets.astype(np.int64))
        n_children = np.concatenate([np.zeros(first_inner, np.int64), np.tile(sizes[first:], n), np.full(n, 2), [n]])
        return Circuit(
            s.schema,
            np.concatenate(
                [
                    s.kinds[:n_indicators],
                    np.full(n_parameters, NodeKind.PARAMETER, np.uint8),
                    np.tile(s.kinds[first:], n),
                    np.full(n, NodeKind.PRODUCT, np.uint8),
                    [np.uint8(NodeKind.SUM)],
                ]
            ),
            np.concatenate(
                [
                    np.arange(n_indicators),
                    np.arange(n_parameters),
                    np.tile(s.labels[first:], n),
                    np.zeros(n),
                    [Circuit.NO_LABEL],
                ]
            ).astype(np.uint32),
            np.concatenate([[0], np.cumsum(n_children)]).astype(np.uint64),
            np.concatenate([copies.ravel(), weighted.ravel(), products]).astype(np.uint32),
            np.concatenate([self.parameters.ravel(), self.weights]),
            np.full((n_parameters, 3), -1, dtype=np.int32),
        )

    def __repr__(self) -> str:
        return (
            f"Mixture({self.schema.n_variables} variables, {self.n_components} components x "
            f"{self.structure.n_edges:,} edges)"
        )

    def draw(self, *, max_edges: int = 300) -> Drawing:
        """A picture of the structure; each parameter from its smallest to its largest value over the components."""
        from learnac.circuit.draw import draw_mixture

        return draw_mixture(self, max_edges)

    def _repr_html_(self) -> str:
        from learnac.circuit.draw import mixture_summary

        return mixture_summary(self)


Queryable: TypeAlias = Circuit | Mixture
"""What can be asked: a circuit, or one with many vectors of parameters."""


def as_circuit(asked: Queryable) -> Circuit:
    """The same distribution as one circuit."""
    return asked.expanded() if isinstance(asked, Mixture) else asked
