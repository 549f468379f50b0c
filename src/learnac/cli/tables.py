"""Reading the tables to learn from: the first says what the columns hold, later ones are read like it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from learnac.cli.command import UsageError
from learnac.cli.memory import memory_for
from learnac.cli.progress import busy
from learnac.cli.weights import check_weights
from learnac.data import Schema
from learnac.data.categories import MAX_ARITY
from learnac.data.column_options import ColumnOptions, types_to_read
from learnac.data.incomplete import (
    TrainingRows,
    as_rows,
    under_missing_category,
    with_later_categories,
    with_missing_category,
)
from learnac.data.kinds import Kind
from learnac.data.matching import matched, unbinned, with_whole_numbers
from learnac.data.prepare import no_column, prepare
from learnac.data.tables import Frame, TableLayout, naming, read_frame
from learnac.errors import DataError, Problem

if TYPE_CHECKING:
    from learnac.cli.summary import TableScore
    from learnac.data.settling import ColumnReport
    from learnac.model import Model

_PLAIN_INTEGER = re.compile(r"-?[1-9]\d*|0")


@dataclass(frozen=True, slots=True, eq=False)
class LearningTables:
    """Tables by their roles, train first, and the weights of rows that have some."""

    tables: dict[str, TrainingRows]
    weights: dict[str, NDArray[np.float64]]
    dropped: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        return self.tables["train"].schema

    @property
    def reports(self) -> tuple[ColumnReport, ...]:
        """What was found out about the columns of the training table."""
        return self.tables["train"].reports

    def scores(self, model: Model) -> dict[str, TableScore]:
        """How likely each table is."""
        from learnac.cli.summary import table_score

        return {role: table_score(model, table, self.weights.get(role)) for role, table in self.tables.items()}


def read_learning_tables(
    paths: Mapping[str, Path],
    layout: TableLayout,
    options: ColumnOptions,
    arity: int | None = None,
    must_have: Collection[str] = (),
    missing: str = "random",
) -> LearningTables:
    """The tables to learn from and to judge by. The training table fixes the columns and what they may hold.

    It must have the columns that the command was told to leave out: a name that it lacks is a slip. Tables may have
    missing values; `missing` says what they are.
    """
    tables: dict[str, TrainingRows] = {}
    weights: dict[str, NDArray[np.float64]] = {}
    dropped: tuple[str, ...] = ()
    types = types_to_read(options.categories)
    for role, path in paths.items():
        with memory_for(f"the table {path}"), busy(f"reading {path}"):
            frame = read_frame(path, layout, types)
        with memory_for(f"the table {path}"), naming(path), busy(f"reading {path}"):
            check_weights(frame.weights)
            if not tables:
                _check_names(frame, must_have)
                categorical = [name for name, kind in options.kinds.items() if kind is Kind.CATEGORICAL]
                if texts := _numbers_with_zeros(path, layout, frame, categorical):
                    frame = read_frame(path, layout, {**types, **texts})
                prepared = prepare(frame, _with_arity(frame, options, arity))
                tables[role], dropped, types = prepared.dataset, prepared.dropped, frame.types
            else:
                first = tables["train"]
                if role == "validation":
                    later = matched(frame, first.schema, options.drop).table
                    tables["train"] = first = with_later_categories(first, later)
                tables[role] = _like(first.schema, frame, options.drop)
        if frame.weights is not None:
            weights[role] = frame.weights
    if missing == "category":
        schema = with_missing_category(tables["train"]).schema
        tables = {role: under_missing_category(schema, rows) for role, rows in tables.items()}
    return LearningTables(tables, weights, dropped)


def _check_names(frame: Frame, names: Collection[str]) -> None:
    if unknown := [name for name in names if name not in frame.table.column_names]:
        raise no_column(unknown, frame.table.column_names)


def _numbers_with_zeros(path: Path, layout: TableLayout, frame: Frame, names: Collection[str]) -> dict[str, Any]:
    """Columns that look like whole numbers and are not: 007 and 7 are two categories, and 0x1F is not 31."""
    import pyarrow as pa

    columns = frame.table.schema
    whole = [name for name in names if name in columns.names and pa.types.is_integer(columns.field(name).type)]
    if not whole:
        return {}
    texts = read_frame(path, layout, dict.fromkeys(whole, pa.string())).table
    found = {}
    for name in whole:
        values = texts.column(name).unique().drop_null().to_pylist()
        if not all(_PLAIN_INTEGER.fullmatch(value) for value in values):
            found[name] = pa.string()
    return found


def _with_arity(frame: Frame, options: ColumnOptions, arity: int | None) -> ColumnOptions:
    if arity is None:
        return options
    if arity > MAX_ARITY:
        raise UsageError(f"expected at most {MAX_ARITY:,}, found {arity:,}", "--arity")
    unnamed = [name for name in frame.table.column_names if name not in options.named]
    return options.over(ColumnOptions(categories=dict.fromkeys(unnamed, tuple(range(arity)))))


def _like(schema: Schema, frame: Frame, dropped: Collection[str]) -> TrainingRows:
    try:
        return as_rows(schema, with_whole_numbers(matched(frame, schema, dropped).table, unbinned(schema)))
    except DataError as error:
        if error.problem is not Problem.UNKNOWN_CATEGORY:
            raise
        hint = "a model has only the values of its training table; name others with --arity or --schema"
        raise error.saying(f"{error} ({hint})") from error
