"""From what is known of the values of a column to what it is: its kind, its categories or intervals; or left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from learnac.data.binning import Binning, spread_over
from learnac.data.bins import Bins
from learnac.data.calendars import Calendar
from learnac.data.categories import OTHER, checked_categories
from learnac.data.column_options import ColumnOptions
from learnac.data.found_kinds import ColumnValues, Found, kind_of
from learnac.data.kinds import Kind
from learnac.data.number_counts import CountedNumbers
from learnac.data.schema import Schema
from learnac.errors import DataError, Problem, listed
from learnac.types import Category


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """What was found out about a column, and what was done with it."""

    name: str
    kind: str
    n_values: int  # different ones
    n_missing: int
    done: str  # "kept", "12 bins", "left out: the same value in every row"
    is_left_out: bool = False
    has_more: bool = False  # than `n_values`, which were too many to count


@dataclass(frozen=True, slots=True, eq=False)
class SettledColumn:
    """What a column is."""

    report: ColumnReport
    categories: tuple[Category, ...] = ()
    bins: Bins | None = None
    is_ordered: bool = False


class Settling(ColumnValues, Protocol):
    """All that settling asks of a column: also its values, numbers and points in time."""

    def n_rows_of(self) -> Mapping[Any, int]:
        """How many rows have each value."""

    def numbers(self) -> CountedNumbers:
        """DataError if they are none, or too large for a density."""

    def times(self) -> tuple[CountedNumbers, Calendar]:
        """Points in time as numbers. DataError if they are none."""


def settle(name: str, column: Settling, options: ColumnOptions, *, leave_out: bool) -> SettledColumn:
    """What a column is, as what is stated about it says, and its values.

    A column that nothing can be learned from is left out if that is allowed, unless something is stated about it.
    Otherwise, DataError for identifiers and free text.
    """
    how, stated = options.bins.get(name), options.kinds.get(name)
    if how is not None or stated in (Kind.NUMBER, Kind.DATE) or column.is_time:
        may_leave_out = leave_out and not options.states(name)
        are_times = stated is Kind.DATE or column.is_time or (stated is None and column.are_dates)
        return _settle_numbers(name, column, how or options.bins_of_others, are_times, may_leave_out)
    if name in options.categories:
        return _settle_categories(name, column, options.categories[name], stated or Kind.CATEGORICAL)
    found = kind_of(column)
    if stated is not None:
        _check_stated_kind(name, column, stated)
        found = Found(stated)
    if found.useless and leave_out:
        return _left_out(name, column, found.kind, found.useless)
    if found.useless and found.is_identifier and found.kind is not Kind.NUMBER:
        raise _identifier(name, found.useless, column.n_values)
    if found.kind in (Kind.NUMBER, Kind.DATE):
        return _settle_numbers(name, column, options.bins_of_others, found.kind is Kind.DATE, leave_out)
    categories = _categories_of(name, column)
    if not column.is_declared and found.kind is Kind.CATEGORICAL and options.min_count > 1:
        categories = _without_rare(column, categories, options.min_count)
    return _settle_categories(name, column, categories, found.kind)


def settled_schema(found: Mapping[str, SettledColumn], options: ColumnOptions) -> Schema:
    """The schema of the columns that are not left out."""
    kept = {name: column for name, column in found.items() if not column.report.is_left_out}
    if not kept:
        shown = "; ".join(
            f"{name!r} has {column.report.done.removeprefix('left out: ')}" for name, column in found.items()
        )
        raise DataError(
            f"expected columns to learn from, found none: {shown}",
            column=next(iter(found)),
            expected="columns to learn from",
            problem=Problem.NOTHING_TO_LEARN,
        )
    return Schema(
        tuple(kept),
        tuple(column.categories for column in kept.values()),
        tuple(column.bins for column in kept.values()),
        tuple(column.is_ordered for column in kept.values()),
        frozenset(set(found) - set(kept)) | options.drop,
    )


def nothing_in_it(name: str, n_rows: int) -> SettledColumn:
    """A column without any value, which is left out."""
    return SettledColumn(ColumnReport(name, "", 0, n_rows, "left out: no value in any row", is_left_out=True))


def _settle_numbers(
    name: str, column: Settling, how: Bins | Binning | None, are_times: bool, leave_out: bool
) -> SettledColumn:
    counted, calendar = column.times() if are_times else (column.numbers(), None)
    kind = Kind.NUMBER if calendar is None else Kind.DATE
    if len(counted.values) == 1 and leave_out:
        return _left_out(name, column, kind, "the same value in every row")
    try:
        if isinstance(how, Bins):
            bins = spread_over(how, counted)
        else:
            bins = (how or Binning.for_rows(column.n_rows)).fit_counted(counted)
        bins = replace(bins, calendar=calendar)
    except ValueError as error:
        raise DataError(f"column {name!r}: {error}", column=name) from None
    n_values = len(counted.values)
    report = ColumnReport(name, kind, n_values, 0, f"{len(bins):,} bins", has_more=counted.is_sample)
    return SettledColumn(report, bins.labels, bins, is_ordered=True)


def _settle_categories(name: str, column: Settling, categories: tuple[Category, ...], kind: Kind) -> SettledColumn:
    n_gathered = column.n_values - len(categories) + 1 if OTHER in categories else 0
    rare = f", {n_gathered:,} rare ones in one" if n_gathered > 0 else ""
    done = f"{len(categories):,} categories{rare}"
    report = ColumnReport(name, kind, column.n_values, 0, done, has_more=column.has_more)
    return SettledColumn(report, categories, is_ordered=kind is Kind.ORDERED)


def _left_out(name: str, column: Settling, kind: Kind, why: str) -> SettledColumn:
    done = f"left out: {why}"
    return SettledColumn(ColumnReport(name, kind, column.n_values, 0, done, is_left_out=True, has_more=column.has_more))


def _without_rare(column: Settling, categories: tuple[Category, ...], min_count: int) -> tuple[Category, ...]:
    """Strings that fewer rows have become one category, the last, if there are two of them or more."""
    counts = column.n_rows_of()
    frequent = tuple(value for value in categories if not isinstance(value, str) or counts[value] >= min_count)
    return categories if len(categories) - len(frequent) < 2 else (*frequent, OTHER)


def _check_stated_kind(name: str, column: Settling, stated: Kind) -> None:
    """Raise DataError for values that cannot be the categories that somebody says they are."""
    if stated is Kind.BOOLEAN and column.n_values > 2:
        expected = "at most two different values of a boolean"
        raise DataError(
            f"column {name!r}: expected {expected}, found {listed(sorted(column.used()))}",
            column=name,
            expected=expected,
            found=column.n_values,
        )
    if column.is_number and (other := next((v for v in column.used() if v != np.rint(v)), None)) is not None:
        expected = "whole numbers as categories"
        raise DataError(
            f"column {name!r}: expected {expected}, found {other}: "
            f"leave it a number, give it bins, or convert it to strings",
            column=name,
            expected=expected,
            found=other,
        )


def _identifier(name: str, useless: str, n_values: int) -> DataError:
    expected = "categories that rows share"
    return DataError(
        f"column {name!r}: expected {expected}, found {useless}",
        column=name,
        expected=expected,
        found=n_values,
        problem=Problem.IDENTIFIER,
    )


def _categories_of(name: str, column: Settling) -> tuple[Category, ...]:
    """The categories that a column's type declares, or else its different values in sorted order."""
    if column.is_boolean:
        return (False, True)
    if (declared := column.declared()) is not None:
        return checked_categories(name, declared)
    return checked_categories(name, sorted(column.used()))
