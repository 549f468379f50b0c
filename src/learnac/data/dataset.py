"""`Dataset`: a table as codes, one contiguous row of memory per column of the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
import numpy.typing as npt

from learnac.data.arrays import (
    as_table,
    check_whole_numbers,
    checked_arities,
    encode_array,
    encode_partial_array,
    observed_arities,
    pack,
)
from learnac.data.binning import BinsStatement
from learnac.data.categories import UNSEEN, check_arity, checked_columns, checked_names, codes_of, unseen_category
from learnac.data.column_options import stated_options
from learnac.data.rows import chosen_rows, row_number
from learnac.data.schema import Schema
from learnac.errors import DataError
from learnac.types import Arities, Category, Codes, PartialCodes

if TYPE_CHECKING:
    from learnac.data.settling import ColumnReport


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """A table of discrete data: integer codes, and a schema with the names and categories they stand for. Immutable.

    Make one with `from_array`, `from_frame` or `as_dataset`. The constructor itself expects codes of shape
    (n_variables, n_rows) in `schema.code_dtype`, and copies them unless they are read-only.
    """

    schema: Schema
    codes: Codes
    # Of variables that are numbers, by position: what the table held, NaN where only the interval is known.
    numbers: Mapping[int, npt.NDArray[np.float64]] = field(default_factory=dict)
    # What was found out about the columns of the table, if it was a frame or file; of those left out, too.
    reports: tuple[ColumnReport, ...] = ()

    def __post_init__(self) -> None:
        _check_codes(self.schema, self.codes)
        object.__setattr__(self, "numbers", _checked_numbers(self.schema, self.numbers, self.codes.shape[1]))
        if self.codes.flags.writeable or not self.codes.flags.c_contiguous:
            object.__setattr__(self, "codes", _read_only(np.array(self.codes, order="C")))

    @classmethod
    def from_array(
        cls,
        codes: npt.ArrayLike,
        names: Sequence[str] | None = None,
        arities: int | Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
        as_category: Iterable[str] = (),
    ) -> Self:
        """A Dataset from an array (rows x variables) of codes: whole numbers from 0 to arity - 1.

        `arities` is one number for all columns, or one for each column; by default, a column's largest code plus one.
        State it if some code may be absent from the table. Names are x0, x1, ... by default; the categories are the
        codes themselves. A column with codes above 999 is refused as an identifier, unless its arity is stated or
        `as_category` names it.
        """
        from learnac.data.discrete import too_many_codes, with_way_out

        table = as_table(codes)
        n_variables = table.shape[1]
        names = checked_names(names if names is not None else [f"x{column}" for column in range(n_variables)])
        if len(names) != n_variables:
            raise ValueError(f"expected {n_variables} names, one per column, found {len(names)}")
        check_whole_numbers(table, names)
        kept = checked_columns(names, as_category)
        limits = observed_arities(table) if arities is None else checked_arities(arities, n_variables)
        for name, arity in zip(names, limits, strict=True):
            check_arity(name, arity)  # Before the categories are made, which could fill the memory.
            if arities is None and name not in kept and (problem := too_many_codes(name, arity)) is not None:
                raise with_way_out(problem)
        schema = Schema(names, tuple(tuple(range(arity)) for arity in limits))
        return cls(schema, pack(schema, table))

    @classmethod
    def from_frame(
        cls,
        frame: object,
        categories: Mapping[str, Iterable[Category]] | None = None,
        bins: BinsStatement | None = None,
        as_category: Iterable[str] = (),
        kinds: Mapping[str, str] | None = None,
        *,
        min_count: int = 1,
        sample_weight: npt.ArrayLike | None = None,
        leave_out: bool = False,
    ) -> Self:
        """A Dataset from a frame of pandas, polars or pyarrow (or any other frame in memory that narwhals can read).

        A categorical or enum column keeps its categories, in their order. Booleans have the categories (False, True).
        For strings, integers and whole floats, the categories are the distinct values, sorted: a column of zeros has
        only the category 0. To override this, `categories` maps the name of a column to all its categories, in order.

        Real numbers, and integers with more than 32 different values (12 in a small table), are divided into intervals,
        with a density within each; dates and times likewise. `bins` says how: it maps the name of a column to a number
        of intervals, with about equally many rows in each (weighted by `sample_weight`), or to a list of limits, a
        `Binning` or `Bins`. A single number applies to every column of numbers.

        `kinds` maps the names of columns to what they are where the guess is wrong: "categorical", "ordered", "number",
        "date", "boolean" or "drop". `as_category` lists columns that are categorical. Strings of fewer than `min_count`
        rows are gathered in one category, "(other)", which later stands for any string that is no category.

        A column is refused if it has more than 1,000 different strings, or more than 64 in fewer than twice as many
        rows. With `leave_out`, such columns, columns with a single value and row numbers are left out instead;
        `reports` has what was done with each column.
        """
        from learnac.data.discrete import with_way_out
        from learnac.data.frames import read_frame

        options = stated_options(categories, bins, as_category, kinds, min_count)
        try:
            found = read_frame(frame, options, sample_weight, leave_out=leave_out)
        except DataError as error:
            raise with_way_out(error) from None
        return cls(found.schema, found.codes, found.numbers, found.reports)

    @property
    def n_variables(self) -> int:
        return self.schema.n_variables

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def categories(self) -> tuple[tuple[Category, ...], ...]:
        return self.schema.categories

    @property
    def arities(self) -> Arities:
        return self.schema.arities

    def codes_by_row(self) -> Codes:
        """The codes as the table had them, rows x variables: a view, so a row of it is not contiguous."""
        return self.codes.T

    def to_frame(self, backend: str = "pandas") -> Any:
        """The table with its categories, as a frame of pandas, polars or pyarrow (`backend`)."""
        from learnac.data.frame_forms import frame_form_called

        form = frame_form_called(backend)
        if form is None:
            raise ValueError(f"backend: expected a library of frames that is installed, found {backend!r}")
        return form.table(self.schema, self.codes.astype(self.schema.evidence_dtype), self.numbers)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and variables, like the shape of an array."""
        return self.n_rows, self.n_variables

    def __len__(self) -> int:
        return self.n_rows

    @overload
    def __getitem__(self, rows: int | np.integer[Any]) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, rows: Any) -> Dataset: ...

    def __getitem__(self, rows: Any) -> Any:
        """Rows selected by a slice, a mask or a list of row numbers, as a Dataset with the same schema.

        A single row number returns that row as a dict from name to category or number; dates are texts.
        """
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is ...:  # As scikit-learn asks for rows.
            rows = rows[0]
        if isinstance(rows, int | np.integer) and not isinstance(rows, bool):
            row = row_number(rows, self.n_rows)
            codes = self.codes[:, row].tolist()
            columns = zip(self.names, self.categories, codes, strict=True)
            known: dict[str, Any] = {name: categories[code] for name, categories, code in columns}
            return known | dict(self._numbers_in(row))
        chosen = chosen_rows(rows, self.n_rows)
        numbers = {variable: column[chosen] for variable, column in self.numbers.items()}
        return Dataset(self.schema, self.codes[:, chosen], numbers, self.reports)

    def _numbers_in(self, row: int) -> Iterable[tuple[str, Any]]:
        for variable, column in self.numbers.items():
            bins = self.schema.bins[variable]
            if bins is not None and not isnan(number := float(column[row])):
                yield self.names[variable], bins.value(number)

    def __repr__(self) -> str:
        rows = "row" if self.n_rows == 1 else "rows"
        return f"Dataset({self.n_rows:,} {rows}, {self.schema.describe()})"

    def __reduce__(self) -> tuple[type[Dataset], tuple[Any, ...]]:
        # Arrays come out of a pickle writeable: going through the constructor makes them read-only again.
        return Dataset, (self.schema, self.codes, dict(self.numbers), self.reports)


def as_dataset(
    table: object,
    bins: BinsStatement | None = None,
    as_category: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
    *,
    min_count: int = 1,
    sample_weight: npt.ArrayLike | None = None,
    leave_out: bool = False,
) -> Dataset:
    """A Dataset as it is, an array or a list of rows by `from_array`, a frame by `from_frame`."""
    is_array = isinstance(table, np.ndarray | list | tuple)
    if (bins is not None or kinds is not None) and (is_array or isinstance(table, Dataset)):
        held = "an array, which holds codes" if is_array else "a Dataset, whose categories are settled"
        setting = "kinds" if bins is None else "bins"
        raise TypeError(f"{setting}: expected a data frame with columns of numbers, found {held}")
    if isinstance(table, Dataset):
        return table
    if is_array:
        return Dataset.from_array(table, as_category=as_category)  # type: ignore[arg-type]
    return Dataset.from_frame(
        table,
        bins=bins,
        as_category=as_category,
        kinds=kinds,
        min_count=min_count,
        sample_weight=sample_weight,
        leave_out=leave_out,
    )


def later_dataset(schema: Schema, table: object) -> Dataset:
    """A table under the schema of another one."""
    return Dataset(schema, *encode_table(schema, table))


def is_frame(table: object) -> bool:
    """Whether this is a frame of some library, whose columns have names and values."""
    return table is not None and not isinstance(table, Dataset | np.ndarray | list | tuple)


def joined(parts: Sequence[Dataset]) -> Dataset:
    """The rows of tables of one schema, one after the other."""
    first = parts[0]
    codes = np.concatenate([part.codes for part in parts], axis=1)
    numbers = {v: np.concatenate([part.numbers[v] for part in parts]) for v in first.numbers}
    return Dataset(first.schema, codes, numbers, first.reports)


def with_categories_of(dataset: Dataset, table: object) -> Dataset:
    """The same rows, with the categories that only a later frame has, in sorted order if the others are."""
    from learnac.data.frames import categories_in

    schema = dataset.schema
    found = categories_in(schema, table)
    more = {v: new for v, values in found.items() if (new := [x for x in values if x not in set(schema.categories[v])])}
    if not more:
        return dataset
    categories = list(schema.categories)
    for variable, new in more.items():
        old = categories[variable]
        categories[variable] = tuple(sorted([*old, *new])) if list(old) == sorted(old) else (*old, *new)
    wider = replace(schema, categories=tuple(categories))
    return Dataset(wider, *encode_table(wider, dataset), dataset.reports)


def encode_table(schema: Schema, table: object) -> tuple[Codes, Mapping[int, npt.NDArray[np.float64]]]:
    """What `Schema.encode` promises, and the numbers of variables that are numbers."""
    if isinstance(table, Dataset):
        return _recode(schema, table), _numbers_under(schema, table)
    if isinstance(table, np.ndarray | list | tuple):
        return encode_array(schema, table), {}
    from learnac.data.frames import encode_frame

    return encode_frame(schema, table)


def encode_evidence(
    schema: Schema, table: object, may_lack_columns: bool
) -> tuple[PartialCodes, Mapping[int, npt.NDArray[np.float64]]]:
    """What `Schema.encode_evidence` promises, and the numbers of variables that are numbers, NaN where unknown."""
    if isinstance(table, Dataset):
        return _recode(schema, table).astype(schema.evidence_dtype), _numbers_under(schema, table)
    if isinstance(table, np.ndarray | list | tuple):
        return encode_partial_array(schema, table), {}
    from learnac.data.frames import encode_partial_frame

    return encode_partial_frame(schema, table, may_lack_columns)


def _numbers_under(schema: Schema, dataset: Dataset) -> Mapping[int, npt.NDArray[np.float64]]:
    """The numbers of a Dataset, by the positions of their variables in another schema."""
    if dataset.schema == schema:
        return dataset.numbers
    found = {schema.index(dataset.names[variable]): column for variable, column in dataset.numbers.items()}
    return {variable: found[variable] for variable in schema.numbers if variable in found}


def _recode(schema: Schema, dataset: Dataset) -> Codes:
    if dataset.schema == schema:
        return dataset.codes
    schema.check_same_names(dataset.names)
    result = np.empty((schema.n_variables, dataset.n_rows), dtype=schema.code_dtype)
    for name, categories, bins, row_of_codes in zip(schema.names, schema.categories, schema.bins, result, strict=True):
        source = dataset.schema.index(name)
        if bins is not None and source in dataset.numbers and not np.isnan(dataset.numbers[source]).any():
            row_of_codes[:] = bins.codes(dataset.numbers[source])
            continue
        recoded = np.array(codes_of(dataset.categories[source], categories, bins))[dataset.codes[source]]
        # A category that this schema lacks does no harm as long as no row has it.
        if (unseen := recoded == UNSEEN).any():
            row = int(unseen.argmax())
            value = dataset.categories[source][dataset.codes[source, row]]
            raise unseen_category(name, row, value, categories)
        row_of_codes[:] = recoded
    return _read_only(result)


def _checked_numbers(
    schema: Schema, numbers: Mapping[int, npt.NDArray[np.float64]], n_rows: int
) -> dict[int, npt.NDArray[np.float64]]:
    checked = {}
    for variable in sorted(numbers):
        column = np.array(numbers[variable], dtype=np.float64)
        if variable not in schema.numbers or column.shape != (n_rows,):
            raise TypeError(f"expected {n_rows} numbers of variables that are numbers, found {column.shape}")
        column.flags.writeable = False
        checked[variable] = column
    return checked


def _check_codes(schema: Schema, codes: Codes) -> None:
    if not isinstance(codes, np.ndarray) or codes.dtype != schema.code_dtype:
        found = getattr(codes, "dtype", type(codes).__name__)
        raise TypeError(f"expected an array of {schema.code_dtype}, found {found}; see Dataset.from_array")
    if codes.ndim != 2 or len(codes) != schema.n_variables:
        raise DataError(f"expected codes of shape ({schema.n_variables}, rows), found {codes.shape}")
    if codes.shape[1] == 0:
        raise DataError("the table has no rows")
    for name, largest, arity in zip(schema.names, codes.max(axis=1), schema.arities, strict=True):
        if largest >= arity:
            raise DataError(
                f"column {name!r}: expected codes from 0 to {arity - 1}, found {largest}",
                column=name,
                expected=tuple(range(arity)),
                found=int(largest),
            )


def _read_only(codes: Codes) -> Codes:
    codes.flags.writeable = False
    return codes
