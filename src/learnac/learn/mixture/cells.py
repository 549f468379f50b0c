"""The leaves of a network as cells, and rows as the cells they are in: what components have parameters for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from learnac._core import CellLayout, LeafRows
from learnac.circuit import Circuit, Mixture
from learnac.data import Dataset
from learnac.learn.tables import Rows
from learnac.network import BayesNet

Floats = NDArray[np.float64]

_BLOCK = 1 << 16  # rows


@dataclass(frozen=True, eq=False)
class Cells:
    """A cell is a leaf and a value of its child: first those of the first variable's leaves, leaf by leaf."""

    network: BayesNet
    first_of_leaf: NDArray[np.uint32]  # one more than there are leaves
    first_of_variable: NDArray[np.uint32]  # one more than there are variables
    shared: Floats  # the parameters that the network has in the cells

    @classmethod
    def of(cls, network: BayesNet) -> Self:
        arities = [tree.counts.shape[1] for tree in network.trees]
        sizes = np.repeat(arities, [tree.n_leaves for tree in network.trees])
        of_variable = [tree.n_leaves * arity for tree, arity in zip(network.trees, arities, strict=True)]
        return cls(
            network,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32),
            np.concatenate([[0], np.cumsum(of_variable)]).astype(np.uint32),
            np.concatenate([tree.parameters[tree.leaves].ravel() for tree in network.trees]),
        )

    @property
    def n_cells(self) -> int:
        return len(self.shared)

    @cached_property
    def leaf_of(self) -> NDArray[np.intp]:
        """The leaf of each cell."""
        return np.repeat(np.arange(len(self.first_of_leaf) - 1), self.arities)

    @property
    def arities(self) -> NDArray[np.int64]:
        """Of each leaf, the number of its cells."""
        return (self.first_of_leaf[1:] - self.first_of_leaf[:-1]).astype(np.int64)

    def table(self, dataset: Dataset) -> NDArray[np.uint32]:
        """The cells of complete rows, (rows x variables). Cost: rows x variables x depth."""
        found = np.empty((dataset.n_rows, dataset.n_variables), dtype=np.uint32)
        for variable, tree in enumerate(self.network.trees):
            numbers = np.cumsum(tree.variables < 0) - 1
            arity = tree.counts.shape[1]
            leaves = numbers[tree.leaf_of(dataset.codes)] * arity
            found[:, variable] = self.first_of_variable[variable] + leaves + dataset.codes[variable]
        return found

    def normalised(self, weights: Floats) -> Floats:
        """Weights of cells, (cells x components), as probabilities of each leaf's values."""
        return weights / np.add.reduceat(weights, self.first_of_leaf[:-1], axis=0)[self.leaf_of]

    def mixture(self, circuit: Circuit, parameters: Floats, weights: Floats) -> Mixture:
        """The mixture over a circuit that equals the network; parameters are (cells x components)."""
        variables, nodes, values = circuit.parameter_origins.T
        numbers = np.concatenate([np.cumsum(tree.variables < 0) - 1 for tree in self.network.trees])
        first_nodes = np.concatenate([[0], np.cumsum([tree.n_nodes for tree in self.network.trees])])
        leaves = numbers[first_nodes[variables] + nodes]
        arities = self.network.schema.arities[variables]
        cells = self.first_of_variable[variables] + leaves * arities + values
        return Mixture(circuit, np.ascontiguousarray(parameters[cells].T), weights, self.network)


@dataclass(frozen=True, eq=False)
class CellRows:
    """Rows to learn from and rows to judge by, in the form of the core."""

    cells: Cells
    layout: CellLayout
    learned: LeafRows
    judging: LeafRows

    @classmethod
    def of(cls, cells: Cells, learned: Rows, judging: Rows) -> Self:
        # The usual cells are those of most of the first rows.
        counts = np.bincount(cells.table(learned.dataset[:_BLOCK]).ravel(), minlength=cells.n_cells)
        usual = [first + counts[first:end].argmax() for first, end in pairwise(cells.first_of_variable.tolist())]
        layout = CellLayout(cells.first_of_leaf, cells.first_of_variable, np.array(usual, dtype=np.uint32))
        return cls(cells, layout, *(_leaf_rows(cells, layout, rows) for rows in (learned, judging)))


def _leaf_rows(cells: Cells, layout: CellLayout, rows: Rows) -> LeafRows:
    """Block by block: the cells of all rows may need more memory than the rows."""
    found = LeafRows(layout, rows.weights is not None)
    for start in range(0, rows.dataset.n_rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        found.append(cells.table(rows.dataset[block]), np.empty(0) if rows.weights is None else rows.weights[block])
    return found
