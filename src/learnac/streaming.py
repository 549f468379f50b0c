"""Tables that may not fit into memory, as the estimator and the commands take them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from learnac.data import Schema
from learnac.data.column_options import ColumnOptions
from learnac.data.incomplete import complete_rows
from learnac.data.weights import checked_weights
from learnac.learn.blocks import OnDisk, TableOfParts


def is_streamed(table: object) -> bool:
    """Whether a table is read as a stream: a path, batches that come one after the other, a data frame of Dask."""
    return (
        is_distributed(table)
        or isinstance(table, str | os.PathLike | Iterator)
        or hasattr(table, "read_next_batch")
        or _has_batches(table)
    )


def is_distributed(table: object) -> bool:
    """Whether a table is a data frame of Dask."""
    return hasattr(table, "to_delayed") and hasattr(table, "npartitions")


def _has_batches(table: object) -> bool:
    """Whether it is a stream of ours already."""
    return type(table).__module__ == "learnac.data.batches"


def packed(
    table: Any,
    options: ColumnOptions,
    scratch: str | Path | None = None,
    sample_weight: Any = None,
    missing: str = "random",
    target: str | None = None,
) -> TableOfParts:
    """A stream in packed blocks, with the schema that is found in it; a data frame of Dask in blocks on its workers.

    With `missing="category"`, gaps are a category of their own, but for the target, which may have none.
    """
    from learnac.data.batches import batch_source
    from learnac.data.streamed import pack_stream

    folder = None if scratch is None else Path(scratch)
    if is_distributed(table):
        from learnac.cluster import distribute

        return distribute(present_client(), table, options, sample_weight, missing, target)
    source = batch_source(table, folder=folder)
    found = pack_stream(source, options, folder, weights=_floats(sample_weight), missing=missing, but=target)
    return OnDisk(found.blocks, found.reports)


def packed_like(
    schema: Schema,
    table: Any,
    scratch: str | Path | None = None,
    sample_weight: Any = None,
    on_rows: Callable[[int], object] | None = None,
) -> TableOfParts:
    """Another table in packed blocks, with a schema that is there already: a stream, or one in memory."""
    from learnac.data.batches import batch_source
    from learnac.data.blocks import BlockWriter
    from learnac.data.streamed import pack_like, write_rows

    folder = None if scratch is None else Path(scratch)
    if is_distributed(table):
        from learnac.cluster import distribute_like

        return distribute_like(present_client(), schema, table, sample_weight=sample_weight)
    weights = _floats(sample_weight)
    if is_streamed(table):
        source = batch_source(table, folder=folder)
        return OnDisk(pack_like(schema, source, folder=folder, on_rows=on_rows, weights=weights))
    writer = BlockWriter(schema, folder, has_weights=weights is not None)
    write_rows(writer, [complete_rows(schema, table)], weights)
    return OnDisk(writer.table())


def _floats(weights: Any) -> Any:
    return checked_weights(weights, 0 if weights is None else len(weights))


def present_client() -> Any:
    """The client of the cluster that this process is connected to."""
    try:
        from distributed import default_client

        return default_client()
    except ImportError as error:
        raise ImportError("a table of Dask needs the package distributed: pip install learnac[dask]") from error
    except ValueError as error:
        raise ValueError("expected a client of a Dask cluster, found none: make a distributed.Client first") from error
