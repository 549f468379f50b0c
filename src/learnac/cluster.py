"""Tables spread over the workers of a Dask cluster: they hold packed blocks and count, one search asks all of them.

The client sends the paths of leaves, exact counts come back and are added, so the model does not depend on how many
workers there are or how the rows are spread over them. Dask makes the blocks of a worker that dies again elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from learnac._core import SparseCells
from learnac.data import Schema
from learnac.data.batches import FileBatches
from learnac.data.blocks import BlockTable, BlockWriter
from learnac.data.column_options import ColumnOptions
from learnac.data.number_counts import WeightUnit
from learnac.data.scratch import InMemory
from learnac.data.settling import ColumnReport
from learnac.data.stream_schema import GrowingColumns
from learnac.data.streamed import encoded, read_columns, write_rows
from learnac.errors import DataError, SettingError
from learnac.learn import LeafCounts, LeafPath, PathCounter
from learnac.learn.blocks import PartRows, Subset, n_counted

_RETRIES = 3
Portable = list[tuple[Any, NDArray[np.float64]]]


@dataclass(frozen=True, slots=True)
class FrameBatches:
    """A partition of a Dask data frame, as a stream."""

    frame: Any
    name: str = "the data frame"

    @property
    def n_rows(self) -> int:
        return len(self.frame)

    def batches(self) -> Any:
        yield from pa.Table.from_pandas(self.frame, preserve_index=False).to_batches()


class DistributedTable:
    """Packed blocks on the workers of a cluster, in the order of their rows."""

    def __init__(self, client: Any, schema: Schema, parts: Sequence[Any], has_weights: bool) -> None:
        self.reports: tuple[ColumnReport, ...] = ()  # what was found out about the columns
        self.client, self.schema, self.parts, self.has_weights = client, schema, list(parts), has_weights
        facts = client.gather(client.map(_facts, self.parts, pure=False, retries=_RETRIES))
        self.n_rows = sum(each.n_rows for each in facts)
        self.n_counted = sum(each.n_counted for each in facts)
        self.log_density = sum(each.log_density for each in facts)
        self.fingerprint = " ".join(each.fingerprint for each in facts)
        self.first_rows = np.concatenate([[0], np.cumsum([each.n_counted for each in facts])]).tolist()
        if self.n_rows == 0:
            raise DataError("expected rows of values, found none")

    def rows(self, subset: Subset | None = None) -> DistributedRows:
        return DistributedRows(self, subset)


class DistributedRows:
    """A `RowSource`: the rows of a table on the workers of a cluster, or a subset of them."""

    def __init__(self, table: DistributedTable, subset: Subset | None = None) -> None:
        self._table, self._subset = table, subset
        self.arities: NDArray[np.integer[Any]] = table.schema.arities
        self.fingerprint = table.fingerprint if subset is None else f"{table.fingerprint} {subset}"
        self._total = self._total_weight() if table.has_weights else None
        self.weight = float(sum(table.client.gather(self._asked(_weight, total_weight=self._total))))

    def count(self, paths: Sequence[LeafPath]) -> list[LeafCounts]:
        from distributed import as_completed

        counter = PathCounter(self.arities, paths)
        asked = self._asked(_count, paths=list(paths), total_weight=self._total)
        # In the order in which they come: sums are exact in any order.
        for _, counted in as_completed(asked, with_results=True):
            counter.add_counts(_restored(counted))
        return counter.take()

    def _asked(self, what: Callable[..., Any], **further: Any) -> list[Any]:
        client, parts, first_rows = self._table.client, self._table.parts, self._table.first_rows[:-1]
        return list(client.map(what, parts, first_rows, subset=self._subset, pure=False, retries=_RETRIES, **further))

    def _total_weight(self) -> float:
        """From part to part, as a table in memory adds up its weights."""
        client, total = self._table.client, 0.0
        for part, first_row in zip(self._table.parts, self._table.first_rows[:-1], strict=True):
            total = client.submit(_total_weight, part, first_row, self._subset, total, pure=False, retries=_RETRIES)
        return float(client.gather(total))


def connected(address: str) -> Any:
    """A client of the cluster whose scheduler is at an address, to be closed in the end."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError("a Dask cluster needs the package distributed: pip install learnac[dask]") from error
    try:
        return Client(address, timeout=20, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        expected = "the address of a Dask scheduler that answers, such as tcp://host:8786"
        raise SettingError("scheduler", expected, address) from error


def distribute(
    client: Any,
    table: Any,
    options: ColumnOptions | None = None,
    sample_weight: Any = None,
    missing: str = "random",
    but: str | None = None,
) -> DistributedTable:
    """A Dask data frame, or files that all workers can read, as packed blocks on the workers; `missing` and `but` are
    as for `pack_stream`.

    The workers read the table three times: how many rows each part has, what its columns hold, and to pack it.
    """
    from dask.delayed import delayed

    sources = _sources(table)
    weights = _weights_of_parts(sample_weight, len(sources))
    asked = [delayed(_size)(each, own) for each, own in zip(sources, weights, strict=True)]
    sizes = client.gather(client.compute(asked, retries=_RETRIES))
    unit = None if sample_weight is None else WeightUnit.of(max(largest for _, largest in sizes))
    columns = GrowingColumns(options, unit=unit)
    first_rows = np.cumsum([0, *(n_rows for n_rows, _ in sizes)]).tolist()
    parts = zip(sources, first_rows, weights, strict=False)
    asked = [delayed(_columns)(each, GrowingColumns(options, first_row, unit), own) for each, first_row, own in parts]
    for found in client.gather(client.compute(asked, retries=_RETRIES)):
        columns.merge(found)
    schema, reports = columns.found(getattr(table, "name", None) or "the table", missing, but)
    packed = _packed_parts(client, schema, sources, columns.options.drop, weights)
    packed.reports = reports
    return packed


def distribute_like(
    client: Any, schema: Schema, table: Any, drop: frozenset[str] = frozenset(), sample_weight: Any = None
) -> DistributedTable:
    """Another table, with a schema that is there already."""
    sources = _sources(table)
    return _packed_parts(client, schema, sources, drop, _weights_of_parts(sample_weight, len(sources)))


def _packed_parts(
    client: Any, schema: Schema, sources: Sequence[Any], drop: frozenset[str], weights: Sequence[Any]
) -> DistributedTable:
    from dask.delayed import delayed
    from distributed import wait

    parts = [delayed(_packed)(each, schema, drop, own) for each, own in zip(sources, weights, strict=True)]
    futures = client.compute(parts, retries=_RETRIES)
    wait(futures)
    return DistributedTable(client, schema, futures, weights[0] is not None)


def _weights_of_parts(weights: Any, n_parts: int) -> list[Any]:
    """The weights of the rows of each part, later; None if rows have none."""
    if weights is None:
        return [None] * n_parts
    if getattr(weights, "npartitions", None) != n_parts:
        expected = "a series of Dask with the partitions of the table"
        raise TypeError(f"sample_weight: expected {expected}, found {type(weights).__name__}")
    return list(weights.to_delayed())


def _sources(table: Any) -> list[Any]:
    """Streams, one for each part: partitions of a data frame, files, or groups of rows of a Parquet file."""
    from dask.delayed import delayed

    if hasattr(table, "to_delayed"):
        return [delayed(FrameBatches)(part) for part in table.to_delayed()]
    files = table if isinstance(table, FileBatches) else FileBatches.of(table)
    return [part for path in files.paths for part in _parts_of(files, path)]


def _parts_of(files: FileBatches, path: Path) -> list[Any]:
    if files.layout.format_of(path) != "parquet":
        return [FileBatches(str(path), (path,), files.layout, files.types)]
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as content:
        return [RowGroup(str(path), group) for group in range(content.num_row_groups)]


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A group of rows of a Parquet file, as a stream."""

    name: str
    group: int

    @property
    def n_rows(self) -> int:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.name) as content:
            return int(content.metadata.row_group(self.group).num_rows)

    def batches(self) -> Any:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.name) as content:
            yield from content.iter_batches(row_groups=[self.group])


# What workers do.


def _size(source: Any, weights: Any) -> tuple[int, float]:
    """The number of rows of a part, and the largest weight."""
    largest = 0.0 if weights is None else float(np.max(np.asarray(weights, np.float64), initial=0.0))
    return _n_rows_of(source), largest


def _n_rows_of(source: Any) -> int:
    if isinstance(source, FrameBatches | RowGroup):
        return source.n_rows
    return sum(batch.num_rows for batch in source.batches())


def _columns(source: Any, empty: GrowingColumns, weights: Any) -> GrowingColumns:
    return read_columns(source, empty, weights=_floats(weights))[1]


def _packed(source: Any, schema: Schema, drop: frozenset[str], weights: Any) -> BlockTable:
    writer = BlockWriter(schema, has_weights=weights is not None, file=InMemory())
    write_rows(writer, encoded(schema, source, drop), _floats(weights))
    return writer.table()


def _floats(weights: Any) -> NDArray[np.float64] | None:
    return None if weights is None else np.asarray(weights, np.float64)


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the client knows of a part."""

    n_rows: int
    n_counted: int
    log_density: float
    fingerprint: str


def _facts(table: BlockTable) -> _Facts:
    return _Facts(table.n_rows, n_counted(table), table.log_density, table.fingerprint)


def _weight(table: BlockTable, first_row: int, subset: Subset | None, total_weight: float | None) -> float:
    return PartRows(table, subset, first_row).weight(total_weight)


def _total_weight(table: BlockTable, first_row: int, subset: Subset | None, before: float) -> float:
    return PartRows(table, subset, first_row).total_weight(before)


def _count(
    table: BlockTable, first_row: int, subset: Subset | None, paths: list[LeafPath], total_weight: float | None
) -> Portable:
    counted = PartRows(table, subset, first_row).count(paths, total_weight)
    return [(_portable(counts.cells), counts.totals) for counts in counted]


def _portable(cells: Any) -> Any:
    return (cells.starts, cells.values, cells.counts) if isinstance(cells, SparseCells) else cells


def _restored(counted: Portable) -> list[LeafCounts]:
    return [LeafCounts(SparseCells(*cells) if isinstance(cells, tuple) else cells, totals) for cells, totals in counted]
