"""From a table in packed blocks to a model: who counts, and which rows are held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.data.blocks import BlockTable
from learnac.learn.counts import LeafCounts
from learnac.learn.held_out import Tenths, tenths_of
from learnac.learn.loop import Fold, learn
from learnac.learn.model import Learned, StepInfo
from learnac.learn.parents import Parents
from learnac.learn.passes import MOST_CELLS, PassCounts
from learnac.learn.paths import LeafPath, PathCounter
from learnac.learn.settings import LearnSettings
from learnac.learn.state import Checkpoints, SearchState

MaskOf = Callable[[int], NDArray[np.bool_]]


class BlockRows:
    """A `RowSource`: the rows of a table in packed blocks, or those that `mask_of` marks of each block."""

    def __init__(self, table: BlockTable, mask_of: MaskOf | None = None, name: str = "") -> None:
        self._table = table
        self._mask_of = mask_of
        self.arities: NDArray[np.integer[Any]] = table.schema.arities
        self.fingerprint = table.fingerprint + name
        self._total = self._total_weight()
        self.weight = self._weight()

    def count(self, paths: Sequence[LeafPath]) -> list[LeafCounts]:
        counter = PathCounter(self.arities, paths)
        for block in range(self._table.n_blocks):
            counter.add(self._table.packed(block, self._total), self._bits(block))
        return counter.take()

    def _bits(self, block: int) -> NDArray[np.uint64] | None:
        if self._mask_of is None:
            return None
        mask = self._mask_of(block)
        bits = np.zeros((len(mask) + 63) // 64 * 8, np.uint8)
        bits[: (len(mask) + 7) // 8] = np.packbits(mask, bitorder="little")
        return bits.view(np.uint64)

    def _total_weight(self) -> float | None:
        """As a table in memory adds up its weights, one after the other: it says to what they are rounded."""
        if not self._table.has_weights:
            return None
        total = 0.0
        for weights in self._all_weights():
            total = float(np.add.accumulate(np.concatenate([[total], weights]))[-1])
        return total

    def _weight(self) -> float:
        if self._total is None:
            if self._mask_of is None:
                return float(self._table.n_rows)
            return float(sum(int(self._mask_of(block).sum()) for block in range(self._table.n_blocks)))
        unit = np.ldexp(1.0, int(np.frexp(self._total)[1]) - 52)
        return float(sum((np.rint(weights / unit) * unit).sum() for weights in self._all_weights()))

    def _all_weights(self) -> Iterator[NDArray[np.float64]]:
        for block in range(self._table.n_blocks):
            weights = self._table.weights(block)
            assert weights is not None
            yield weights if self._mask_of is None else weights[self._mask_of(block)]


def learn_blocks(
    table: BlockTable,
    settings: LearnSettings,
    *,
    validation: BlockTable | None = None,
    most_cells: int = MOST_CELLS,
    allowed_parents: Parents = None,
    on_step: Callable[[StepInfo], object] | None = None,
    checkpoints: Checkpoints[SearchState] | None = None,
) -> Learned:
    """`learn`, from a table in packed blocks: the model that `learn_table` finds, to the last bit."""

    def counted(rows: BlockRows) -> PassCounts:
        return PassCounts(rows, most_cells)

    return learn(
        table.schema,
        counted(BlockRows(table)),
        settings,
        validation=None if validation is None else counted(BlockRows(validation)),
        folds=None if validation is not None else _folds(table, counted),
        allowed_parents=allowed_parents,
        on_step=on_step,
        checkpoints=checkpoints,
    )


def _folds(table: BlockTable, counted: Callable[[BlockRows], PassCounts]) -> Iterator[Fold] | None:
    first_counted, n_counted = _counted_rows(table)
    tenths = tenths_of(n_counted)
    if tenths is None:
        return None

    def fold(number: int) -> Fold:
        def is_held_out(block: int) -> NDArray[np.bool_]:
            return _labels(table, block, first_counted, tenths) == number

        def is_kept(block: int) -> NDArray[np.bool_]:
            labels = _labels(table, block, first_counted, tenths)
            return (labels >= 0) & (labels != number)

        return Fold(
            counted(BlockRows(table, is_kept, f" without tenth {number}")),
            counted(BlockRows(table, is_held_out, f" tenth {number}")),
        )

    return (fold(number) for number in range(tenths.n_folds))


def _counted_rows(table: BlockTable) -> tuple[list[int], int]:
    """By block, the number of rows before it that have a weight; and that of all."""
    first, n_counted = [], 0
    for block in range(table.n_blocks):
        first.append(n_counted)
        weights = table.weights(block)
        n_counted += len(table.rows_of(block)) if weights is None else int(np.count_nonzero(weights))
    return first, n_counted


def _labels(table: BlockTable, block: int, first_counted: list[int], tenths: Tenths) -> NDArray[np.int8]:
    """By row of a block, the tenth that it is in; -1 for rows without weight, which are in none."""
    weights, n_rows = table.weights(block), len(table.rows_of(block))
    if weights is None:
        return tenths.labels(first_counted[block], n_rows)
    is_counted = weights > 0
    labels = np.full(n_rows, -1, np.int8)
    labels[is_counted] = tenths.labels(first_counted[block], int(is_counted.sum()))
    return labels
