"""From a table that is not in memory to a model: packed blocks, who counts them, and which rows are held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.data.blocks import BlockTable
from learnac.data.settling import ColumnReport
from learnac.learn.counts import LeafCounts
from learnac.learn.distinct_rows import distinct_rows
from learnac.learn.held_out import tenths_of
from learnac.learn.loop import Fold, learn
from learnac.learn.model import Learned, StepInfo
from learnac.learn.parents import Parents
from learnac.learn.passes import MOST_CELLS, PassCounts, RowSource
from learnac.learn.paths import LeafPath, PathCounter
from learnac.learn.settings import LearnSettings
from learnac.learn.splits import Split
from learnac.learn.state import Checkpoints, SearchState


@dataclass(frozen=True, slots=True)
class Subset:
    """One of the tenths that rows are dealt out to, or all rows but this tenth."""

    n_rows: int  # that have a weight, in the whole table
    tenth: int
    is_held_out: bool

    def of(self, table: BlockTable, first_row: int, block: int) -> NDArray[np.bool_]:
        """Which rows of a block belong to it. `first_row` is the number of its first row that has a weight."""
        tenths = tenths_of(self.n_rows)
        assert tenths is not None
        weights = table.weights(block)
        is_counted = np.ones(len(table.rows_of(block)), bool) if weights is None else weights > 0
        labels = tenths.labels(first_row, int(is_counted.sum()))
        belongs = np.zeros(len(is_counted), bool)
        belongs[is_counted] = (labels == self.tenth) == self.is_held_out
        return belongs


@dataclass(frozen=True, slots=True, eq=False)
class PartRows:
    """Some rows of a table: blocks, and which of their rows, where they are a part of a larger table."""

    table: BlockTable
    subset: Subset | None = None
    first_row: int = 0  # the number of rows with weight before this part

    def count(self, paths: Sequence[LeafPath], total_weight: float | None) -> list[LeafCounts]:
        """Counts of leaves; `total_weight` says to what weights are rounded."""
        counter = PathCounter(self.table.schema.arities, paths)
        for block, mask in self.masks():
            counter.add(self.table.packed(block, total_weight), None if mask is None else _as_bits(mask))
        return counter.take()

    def total_weight(self, before: float) -> float:
        """The weights of rows added to a sum one after the other, as a table in memory adds them."""
        total = before
        for weights in self._weights():
            total = float(np.add.accumulate(np.concatenate([[total], weights]))[-1])
        return total

    def weight(self, total_weight: float | None) -> float:
        """Of all rows, rounded: an exact sum, in any order."""
        if total_weight is None:
            masks = self.masks()
            return float(sum(len(self.table.rows_of(block)) if mask is None else mask.sum() for block, mask in masks))
        unit = np.ldexp(1.0, int(np.frexp(total_weight)[1]) - 52)
        return float(sum((np.rint(weights / unit) * unit).sum() for weights in self._weights()))

    def masks(self) -> Iterator[tuple[int, NDArray[np.bool_] | None]]:
        """Blocks, with the rows of each that belong here; None for all."""
        first_row = self.first_row
        for block in range(self.table.n_blocks):
            yield block, None if self.subset is None else self.subset.of(self.table, first_row, block)
            first_row += n_counted(self.table, block)

    def _weights(self) -> Iterator[NDArray[np.float64]]:
        for block, mask in self.masks():
            weights = self.table.weights(block)
            assert weights is not None
            yield weights if mask is None else weights[mask]


class BlockRows:
    """A `RowSource`: the rows of a table in packed blocks, or a subset of them."""

    def __init__(self, table: BlockTable, subset: Subset | None = None) -> None:
        self._rows = PartRows(table, subset)
        self.arities: NDArray[np.integer[Any]] = table.schema.arities
        self.fingerprint = table.fingerprint if subset is None else f"{table.fingerprint} {subset}"
        self._total = self._rows.total_weight(0.0) if table.has_weights else None
        self.weight = self._rows.weight(self._total)

    def count(self, paths: Sequence[LeafPath]) -> list[LeafCounts]:
        return self._rows.count(paths, self._total)


class TableOfParts(Protocol):
    """A table that is not in memory here, whose rows can be counted: all of them, or a subset."""

    @property
    def schema(self) -> Schema: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_counted(self) -> int:
        """The number of rows that have a weight."""

    @property
    def log_density(self) -> float:
        """Of all numbers within their intervals."""

    @property
    def reports(self) -> tuple[ColumnReport, ...]:
        """What was found out about the columns of a table to learn from."""

    def rows(self, subset: Subset | None = None) -> RowSource: ...


@dataclass(frozen=True, slots=True, eq=False)
class OnDisk:
    """The table in a file of packed blocks."""

    blocks: BlockTable
    reports: tuple[ColumnReport, ...] = ()

    @property
    def schema(self) -> Schema:
        return self.blocks.schema

    @property
    def log_density(self) -> float:
        return self.blocks.log_density

    @property
    def n_rows(self) -> int:
        return self.blocks.n_rows

    @property
    def n_counted(self) -> int:
        return n_counted(self.blocks)

    def rows(self, subset: Subset | None = None) -> RowSource:
        """Different rows with the number of times, if they are few; or else all rows, block by block."""
        rows = BlockRows(self.blocks, subset)
        return distinct_rows(self.blocks, PartRows(self.blocks, subset).masks(), rows) or rows


def learn_parts(
    table: TableOfParts,
    settings: LearnSettings,
    *,
    validation: TableOfParts | None = None,
    most_cells: int = MOST_CELLS,
    allowed_parents: Parents = None,
    on_step: Callable[[StepInfo], object] | None = None,
    checkpoints: Checkpoints[SearchState] | None = None,
    first_splits: Sequence[Split] = (),
) -> Learned:
    """`learn`, from a table that is not in memory here: the model that `learn_table` finds, to the last bit."""

    def counted(rows: RowSource) -> PassCounts:
        return PassCounts(rows, most_cells)

    return learn(
        table.schema,
        counted(table.rows()),
        settings,
        validation=None if validation is None else counted(validation.rows()),
        folds=None if validation is not None else _folds(table, counted),
        allowed_parents=allowed_parents,
        on_step=on_step,
        checkpoints=checkpoints,
        first_splits=first_splits,
    )


def _folds(table: TableOfParts, counted: Callable[[RowSource], PassCounts]) -> Iterator[Fold] | None:
    n_rows = table.n_counted
    if (tenths := tenths_of(n_rows)) is None:
        return None
    pairs = ((Subset(n_rows, tenth, False), Subset(n_rows, tenth, True)) for tenth in range(tenths.n_folds))
    return (Fold(*(counted(table.rows(subset)) for subset in pair)) for pair in pairs)


def n_counted(table: BlockTable, block: int | None = None) -> int:
    """The number of rows with weight, of a block or of all."""
    if block is None:
        return sum(n_counted(table, each) for each in range(table.n_blocks))
    weights = table.weights(block)
    return len(table.rows_of(block)) if weights is None else int(np.count_nonzero(weights))


def _as_bits(mask: NDArray[np.bool_]) -> NDArray[np.uint64]:
    bits = np.zeros((len(mask) + 63) // 64 * 8, np.uint8)
    bits[: (len(mask) + 7) // 8] = np.packbits(mask, bitorder="little")
    return bits.view(np.uint64)
