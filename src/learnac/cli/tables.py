"""Reading the tables of a command: the first says what the columns hold, later ones are read like it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.cli.progress import busy
from learnac.data import Dataset, Schema
from learnac.data.column_options import ColumnOptions, types_to_read
from learnac.data.prepare import matched, no_column, prepare
from learnac.data.tables import Frame, TableLayout, naming, read_frame
from learnac.errors import DataError, Problem, listed
from learnac.types import Category, Evidence


@dataclass(frozen=True, slots=True, eq=False)
class LearningTables:
    """Tables by their roles, train first, and the weights of rows that have some."""

    tables: dict[str, Dataset]
    weights: dict[str, NDArray[np.float64]]
    dropped: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        return self.tables["train"].schema


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Evidence for a model, and the table it is from, which may have more columns."""

    known: Any
    whole: Any

    @property
    def n_rows(self) -> int:
        return int(self.known.num_rows)

    def block(self, rows: slice) -> Any:
        """Some rows of the evidence."""
        return self.known.slice(rows.start, rows.stop - rows.start)

    def with_others(self, completed: Any, rows: slice) -> Any:
        """Completed rows, with the columns of the table that are none of the model's where they were."""
        import pyarrow as pa

        others = self.whole.slice(rows.start, rows.stop - rows.start)
        names = [*others.column_names, *(name for name in completed.column_names if name not in others.column_names)]
        sources = {name: completed if name in completed.column_names else others for name in names}
        return pa.table({name: sources[name].column(name) for name in names})


def read_learning_tables(
    paths: Mapping[str, Path],
    layout: TableLayout,
    options: ColumnOptions,
    arity: int | None = None,
    must_have: Collection[str] = (),
) -> LearningTables:
    """The tables to learn from and to judge by. The training table fixes the columns and what they may hold.

    It must have the columns that the command was told to leave out: a name that it lacks is a slip.
    """
    tables: dict[str, Dataset] = {}
    weights: dict[str, NDArray[np.float64]] = {}
    dropped: tuple[str, ...] = ()
    types = types_to_read(options.categories)
    for role, path in paths.items():
        with busy(f"reading {path}"):
            frame = read_frame(path, layout, types)
        with naming(path), busy(f"reading {path}"):
            if not tables:
                _check_names(frame, must_have)
                if texts := _numbers_with_zeros(path, layout, frame, options.as_category):
                    frame = read_frame(path, layout, {**types, **texts})
                prepared = prepare(frame, _with_arity(frame, options, arity))
                tables[role], dropped, types = prepared.dataset, prepared.dropped, frame.types
            else:
                tables[role] = _like(next(iter(tables.values())), frame, options.drop)
        if frame.weights is not None:
            weights[role] = frame.weights
    return LearningTables(tables, weights, dropped)


def read_rows(path: Path, schema: Schema, layout: TableLayout, may_lack_columns: bool = True) -> Rows:
    """A table of evidence for a model, as pyarrow has it, all of it checked, and the columns that are none of its."""
    unbinned = {
        name: categories
        for name, categories, bins in zip(schema.names, schema.categories, schema.bins, strict=True)
        if bins is None
    }
    with busy(f"reading {path}"):
        frame = read_frame(path, layout, types_to_read(unbinned))
    with naming(path), busy(f"reading {path}"):
        others = [name for name in frame.table.column_names if name not in schema.names]
        if len(others) == frame.table.num_columns:
            raise DataError(
                f"expected columns of the model, {listed(schema.names)}; found {listed(others)}",
                expected=schema.names,
                found=tuple(others),
            )
        table = _with_whole_numbers(matched(frame, schema, others).table, unbinned)
        codes = schema.encode_evidence(table, may_lack_columns=may_lack_columns)
        return Rows(_with_intervals(table, schema, codes), frame.table)


def _with_intervals(table: Any, schema: Schema, codes: Evidence) -> Any:
    """Columns of numbers that have bins and gaps as intervals: rows are completed by blocks, and all in one way."""
    import pyarrow as pa

    for position, field in enumerate(table.schema):
        bins = schema.bins[schema.index(field.name)]
        column = codes[schema.index(field.name)]
        if bins is not None and (column < 0).any():
            labels = pa.array(bins.labels).take(pa.array(column, mask=column < 0))
            table = table.set_column(position, field.name, labels)
    return table


def _with_whole_numbers(table: Any, categories: Mapping[str, tuple[Category, ...]]) -> Any:
    """Columns of whole numbers as such: they were read as real ones, which is what gaps make of them elsewhere."""
    import pyarrow as pa

    for position, field in enumerate(table.schema):
        if pa.types.is_floating(field.type) and any(type(value) is int for value in categories.get(field.name, ())):
            with suppress(pa.ArrowInvalid):  # Others are complained of when they are looked up.
                table = table.set_column(position, field.name, table.column(position).cast(pa.int64()))
    return table


def _check_names(frame: Frame, names: Collection[str]) -> None:
    if unknown := [name for name in names if name not in frame.table.column_names]:
        raise no_column(unknown, frame)


def _numbers_with_zeros(path: Path, layout: TableLayout, frame: Frame, names: Collection[str]) -> dict[str, Any]:
    """Columns that look like whole numbers and are not: 007 and 7 are two categories."""
    import pyarrow as pa

    columns = frame.table.schema
    whole = [name for name in names if name in columns.names and pa.types.is_integer(columns.field(name).type)]
    if not whole:
        return {}
    texts = read_frame(path, layout, dict.fromkeys(whole, pa.string())).table
    found = {}
    for name in whole:
        values = texts.column(name).unique().drop_null().to_pylist()
        if any(str(value) != str(int(value)) for value in values):
            found[name] = pa.string()
    return found


def _with_arity(frame: Frame, options: ColumnOptions, arity: int | None) -> ColumnOptions:
    if arity is None:
        return options
    unnamed = [name for name in frame.table.column_names if name not in options.named]
    return options.over(ColumnOptions(categories=dict.fromkeys(unnamed, tuple(range(arity)))))


def _like(first: Dataset, frame: Frame, dropped: Collection[str]) -> Dataset:
    try:
        return Dataset(first.schema, first.schema.encode(matched(frame, first.schema, dropped).table))
    except DataError as error:
        if error.problem is not Problem.UNKNOWN_CATEGORY:
            raise
        hint = "the model knows only values of the training table; --arity or --schema states others"
        raise error.saying(f"{error} ({hint})") from error
