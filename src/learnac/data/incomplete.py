"""Tables to learn from that may have gaps: a `Dataset` if everything is known, and else `Evidence`."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from learnac.data.arrays import none_as_nan
from learnac.data.binning import BinsStatement
from learnac.data.categories import MISSING
from learnac.data.column_options import stated_options
from learnac.data.dataset import Dataset, as_dataset, later_dataset, with_categories_of
from learnac.data.evidence import Evidence, as_evidence
from learnac.data.schema import UNKNOWN, WAY_OUT, Schema
from learnac.errors import DataError, SettingError, listed
from learnac.types import Codes, PartialCodes

TrainingRows: TypeAlias = Dataset | Evidence

WAYS = ("random", "category")
"""What a gap in a training table is: missing at random, or a category of its own."""


def as_training_rows(
    table: object,
    bins: BinsStatement | None = None,
    as_category: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
    *,
    min_count: int = 1,
    sample_weight: npt.ArrayLike | None = None,
    leave_out: bool = False,
) -> TrainingRows:
    """As `as_dataset`, of a table that may have gaps: NaN, None or masked in an array, null or NaN in a frame.

    Categories are those that are known somewhere. Raises DataError for a column of which nothing is known.
    """
    if isinstance(table, Evidence):
        return checked_evidence(table)
    if isinstance(table, np.ndarray | list | tuple):
        filled, gaps = _split_gaps(table)
        if gaps is None:
            return as_dataset(table, bins, as_category, kinds)
        names = [f"x{column}" for column in range(gaps.shape[1])]
        _check_something_known(gaps, names)
        return _with_gaps(as_dataset(filled, bins, as_category, kinds), gaps)
    if isinstance(table, Dataset) or not _frame_has_gaps(table):
        return as_dataset(
            table, bins, as_category, kinds, min_count=min_count, sample_weight=sample_weight, leave_out=leave_out
        )
    from learnac.data.discrete import with_way_out
    from learnac.data.frames import read_partial_frame

    options = stated_options(None, bins, as_category, kinds, min_count)
    try:
        found = read_partial_frame(table, options, sample_weight, leave_out=leave_out)
    except DataError as error:
        raise with_way_out(error) from None
    return of_partial_codes(found.schema, found.codes, found.numbers, found.reports)


def as_rows(schema: Schema, table: object) -> TrainingRows:
    """A later table, with the columns and categories of a schema, which may have gaps."""
    if isinstance(table, Dataset):
        return later_dataset(schema, table)
    if isinstance(table, np.ndarray | list | tuple):
        filled, gaps = _split_gaps(table)
        dataset = later_dataset(schema, filled if gaps is not None else table)
        return dataset if gaps is None else _with_gaps(dataset, gaps)
    return checked_evidence(as_evidence(schema, table, may_lack_columns=False))


def complete_rows(schema: Schema, table: object) -> Dataset:
    """A later table without gaps, but for those of columns that have the category "missing". DataError for others."""
    if all(categories[-1] != MISSING for categories in schema.categories):
        return later_dataset(schema, table)
    rows = as_rows(schema, table)
    rows = rows if isinstance(rows, Dataset) else checked_evidence(gaps_as_category(rows))
    if isinstance(rows, Dataset):
        return rows
    variable, row = np.argwhere(rows.codes < 0)[0].tolist()
    raise DataError(
        f"column {schema.names[variable]!r}, row {row}: expected a value, found none; {WAY_OUT}",
        column=schema.names[variable],
        row=row,
        expected="a value",
    )


def of_partial_codes(
    schema: Schema,
    codes: PartialCodes | Codes,
    numbers: Mapping[int, npt.NDArray[np.float64]] | None = None,
    reports: tuple[Any, ...] = (),
) -> TrainingRows:
    """Rows from codes, UNKNOWN where nothing is known, with the numbers behind some of them."""
    if (codes >= 0).all():
        return Dataset(schema, codes.astype(schema.code_dtype, copy=False), numbers or {}, reports)
    evidence = Evidence.of_codes(schema, codes.astype(schema.evidence_dtype, copy=False), numbers=numbers)
    return replace(evidence, reports=reports)


def checked_evidence(evidence: Evidence) -> TrainingRows:
    """Evidence as rows to learn from: values or gaps, no likelihoods."""
    if len(evidence.soft_variables):
        name = evidence.schema.names[evidence.soft_variables[0]]
        raise DataError(f"column {name!r}: expected values or gaps, found likelihoods", column=name)
    if evidence.n_rows == 0:
        raise DataError("the table has no rows")
    if (evidence.codes < 0).any():
        return evidence
    return of_partial_codes(evidence.schema, evidence.codes, evidence.numbers, evidence.reports)


def partial_codes(rows: TrainingRows) -> PartialCodes:
    return rows.codes.astype(rows.schema.evidence_dtype) if isinstance(rows, Dataset) else rows.codes


def joined_rows(parts: Sequence[TrainingRows]) -> TrainingRows:
    """The rows of tables of one schema, one after the other."""
    first = parts[0]
    codes = np.concatenate([partial_codes(part) for part in parts], axis=1)
    numbers = {v: np.concatenate([part.numbers[v] for part in parts]) for v in first.numbers}
    return of_partial_codes(first.schema, codes, numbers, first.reports)


def check_way(missing: object) -> None:
    """Raise SettingError for what is no way to take gaps."""
    if missing not in WAYS:
        raise SettingError("missing", f"one of {listed(WAYS)}", missing)


def with_missing_category(rows: TrainingRows, but: Container[str] = ()) -> TrainingRows:
    """Rows whose gaps are values: each column that has some gets one more category, "missing", after all others.

    Columns that are named in `but` stay as they are.
    """
    if isinstance(rows, Dataset):
        return rows
    named = zip(rows.schema.names, rows.codes, strict=True)
    gaps = [name for name, codes in named if name not in but and (codes < 0).any()]
    return under_missing_category(with_missing(rows.schema, gaps), rows)


def with_missing(schema: Schema, gaps: Collection[str]) -> Schema:
    """The schema with the category "missing" for columns that have gaps, after all others."""
    columns = zip(schema.names, schema.categories, strict=True)
    if taken := [name for name, categories in columns if name in gaps and MISSING in categories]:
        raise DataError(
            f"column {taken[0]!r}: expected no category {MISSING!r} beside missing values, found one: "
            "rename it, or leave these cells empty",
            column=taken[0],
            found=MISSING,
        )
    has_gaps = [name in gaps for name in schema.names]
    # What is missing has no place in an order, nor a density: beside it, intervals of numbers are categories.
    bins = tuple(
        replace(each, spread=None) if gaps and each is not None else each
        for each, gaps in zip(schema.bins, has_gaps, strict=True)
    )
    ordered = tuple(is_ordered and not gaps for is_ordered, gaps in zip(schema.ordered, has_gaps, strict=True))
    known = [old if each is None else each.labels for old, each in zip(schema.categories, bins, strict=True)]
    categories = tuple((*each, MISSING) if gaps else each for each, gaps in zip(known, has_gaps, strict=True))
    return replace(schema, categories=categories, ordered=ordered, bins=bins)


def under_missing_category(schema: Schema, rows: TrainingRows) -> TrainingRows:
    """Rows under a schema that differs from theirs only by the category "missing" of some columns."""
    numbers = {variable: rows.numbers[variable] for variable in schema.numbers if variable in rows.numbers}
    evidence = Evidence.of_codes(schema, partial_codes(rows).astype(schema.evidence_dtype), numbers=numbers)
    return checked_evidence(gaps_as_category(replace(evidence, reports=rows.reports)))


def with_later_categories(rows: TrainingRows, table: object) -> TrainingRows:
    """The same rows, with the categories that only a later frame has."""
    if isinstance(rows, Dataset):
        return with_categories_of(rows, table)
    known = Dataset(rows.schema, np.zeros((rows.schema.n_variables, 1), dtype=rows.schema.code_dtype))
    schema = with_categories_of(known, table).schema
    codes = rows.codes.astype(schema.evidence_dtype)
    for variable, (old, new) in enumerate(zip(rows.schema.categories, schema.categories, strict=True)):
        if old != new:
            # The last is for a code of -1: unknown.
            codes[variable] = np.array([*(new.index(category) for category in old), UNKNOWN])[rows.codes[variable]]
    return of_partial_codes(schema, codes, rows.numbers, rows.reports)


def gaps_as_category(rows: Evidence) -> Evidence:
    """Rows in which a gap of a column that has the category "missing" is that category. Likelihoods are no gap."""
    codes = rows.codes.copy()
    for variable, categories in enumerate(rows.schema.categories):
        if categories[-1] == MISSING and variable not in rows.soft_variables:
            codes[variable, codes[variable] == UNKNOWN] = len(categories) - 1
    return rows.with_codes(codes)


def _split_gaps(table: Any) -> tuple[Any, npt.NDArray[np.bool_] | None]:
    """An array with zeros in its gaps, and where they are; without gaps, whatever was given."""
    array = none_as_nan(table)
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "biuf":
        return table, None
    masked = np.ma.getmaskarray(table) if np.ma.is_masked(table) else np.zeros(array.shape, dtype=bool)
    gaps = masked | np.isnan(array) if array.dtype.kind == "f" else masked
    if not gaps.any():
        return table, None
    return np.where(gaps, array.dtype.type(0), np.asarray(array)), gaps


def _with_gaps(dataset: Dataset, gaps: npt.NDArray[np.bool_]) -> Evidence:
    codes = dataset.codes.astype(dataset.schema.evidence_dtype)
    codes[gaps.T] = UNKNOWN
    return Evidence.of_codes(dataset.schema, codes)


def _frame_has_gaps(table: object) -> bool:
    from learnac.data.frame_columns import n_missing, open_columns, open_frame

    return any(n_missing(column) for column in open_columns(open_frame(table)).values())


def _check_something_known(gaps: npt.NDArray[np.bool_], names: list[str]) -> None:
    from learnac.data.frame_columns import nothing_known

    for name, column in zip(names, gaps.T, strict=True):
        if column.all():
            raise nothing_known(name)
