"""What `fit` is given, as tables to learn from."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from learnac.data import Evidence, Schema
from learnac.data.binning import BinsStatement
from learnac.data.column_options import stated_options
from learnac.data.dataset import is_frame
from learnac.data.describe import REPORT_HEADER, REPORT_NUMBERS, aligned, report_rows
from learnac.data.incomplete import (
    TrainingRows,
    as_rows,
    as_training_rows,
    checked_evidence,
    gaps_as_category,
    with_later_categories,
    with_missing_category,
)
from learnac.errors import DataError, LeftOutWarning, SettingError, listed, placed
from learnac.estimator.target import Target, training_table
from learnac.learn import MixtureSettings
from learnac.learn.blocks import TableOfParts
from learnac.streaming import packed


class Tables:
    """How an estimator reads the tables that it learns from, by its settings."""

    target: Any
    bins: BinsStatement | None
    kinds: Mapping[Any, str] | None
    missing: str
    as_category: Iterable[Any] | None
    min_count: int
    unknown: str
    verbose: bool

    def _training_table(
        self, X: object, y: object, sample_weight: ArrayLike | None, validation: object, classes: object
    ) -> tuple[TrainingRows, Target | None]:
        names = () if self.as_category is None else self.as_category

        def read(table: object) -> TrainingRows:
            found = as_training_rows(
                table,
                self.bins,
                names,
                self.kinds,
                min_count=self.min_count,
                sample_weight=sample_weight,
                leave_out=True,
            )
            _tell_what_was_left_out(found)
            if self.verbose:
                _show_columns(found)
            if self.target is None and is_frame(validation) and is_frame(table) and not isinstance(table, Evidence):
                found = with_later_categories(found, validation)
            if self.missing == "category":
                # A row without a label is of no class of its own.
                found = with_missing_category(found, () if self.target is None else (str(self.target),))
            return replace(found, schema=replace(found.schema, takes_unknown=self._takes_unknown()))

        if self.target is not None:
            return training_table(X, y, str(self.target), read, classes)
        check_no_labels(y)
        return read(X), None

    def _validation_table(self, schema: Schema, validation: object, target: Target | None) -> TrainingRows:
        try:
            if target is not None and isinstance(validation, tuple) and len(validation) == 2:
                rows = target.table(*validation)
            else:
                rows = as_rows(schema, validation)
        except (DataError, TypeError) as error:
            raise placed(error, "validation") from None
        if self.missing == "category" and isinstance(rows, Evidence):
            return checked_evidence(gaps_as_category(rows))
        return rows

    def _takes_unknown(self) -> bool:
        if self.unknown not in ("error", "missing"):
            raise SettingError("unknown", "'error' or 'missing'", self.unknown)
        return self.unknown == "missing"

    def _packed_table(
        self, X: object, y: object, sample_weight: ArrayLike | None, mixing: MixtureSettings, scratch: str | Path | None
    ) -> TableOfParts:
        """The table that a stream holds, in packed blocks."""
        if mixing.is_mixture:
            raise ValueError("n_components: expected 1 for a table in files: a mixture is learned from one in memory")
        if y is not None:
            raise ValueError("y: expected None for a table in files: the target is one of its columns")
        options = stated_options(None, self.bins, self.as_category or (), self.kinds, self.min_count)
        target = None if self.target is None else str(self.target)
        table = packed(X, options, scratch, sample_weight, self.missing, target)
        _tell_what_was_left_out(table)
        if target is not None and target not in table.schema.names:
            raise DataError(
                f"expected a column called {target!r}, the target; there are {listed(table.schema.names)}",
                column=target,
            )
        return table


def _tell_what_was_left_out(table: TrainingRows | TableOfParts) -> None:
    left_out = [
        f"{report.name!r} ({report.done.removeprefix('left out: ')})" for report in table.reports if report.is_left_out
    ]
    if left_out:
        warnings.warn(
            f"left out: {', '.join(left_out)}; LearnAC(kinds={{...}}) keeps a column", LeftOutWarning, stacklevel=5
        )


def _show_columns(dataset: TrainingRows) -> None:
    if dataset.reports:
        lines = aligned([REPORT_HEADER, *report_rows(dataset.schema, dataset.reports)], REPORT_NUMBERS)
        print("\n".join(lines), file=sys.stderr)


def check_no_labels(y: object) -> None:
    if y is not None:
        raise ValueError(
            f"y: expected None without a target, found {type(y).__name__}; for a classifier, use LearnAC(target='y')"
        )
