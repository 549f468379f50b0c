"""`Dataset`: a table of discrete data as codes, one contiguous row of memory per column of the table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from learnac.data.bins import BinsStatement
from learnac.data.categories import UNSEEN, check_arity, checked_names, codes_of, unseen_category
from learnac.data.frame_columns import WAY_OUT
from learnac.data.frames import encode_frame, encode_partial_frame, read_frame
from learnac.data.schema import UNKNOWN, Schema
from learnac.errors import DataError, Problem, listed
from learnac.types import Arities, Category, Codes, Evidence

_Table: TypeAlias = npt.NDArray[Any]

# Rows handled at once where a copy in a wide type is needed: small enough to stay in cache.
_BLOCK = 4096


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """Codes of shape (n_variables, n_rows) and the schema that says what they stand for. Immutable.

    Made by `from_array`, `from_frame` or `as_dataset`. The constructor itself expects codes in
    `schema.code_dtype`, and copies them unless they are read-only.
    """

    schema: Schema
    codes: Codes

    def __post_init__(self) -> None:
        _check_codes(self.schema, self.codes)
        if self.codes.flags.writeable or not self.codes.flags.c_contiguous:
            object.__setattr__(self, "codes", _read_only(np.array(self.codes, order="C")))

    @classmethod
    def from_array(
        cls,
        codes: npt.ArrayLike,
        names: Sequence[str] | None = None,
        arities: int | Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
    ) -> Self:
        """A table (rows x variables) that holds codes already: whole numbers from 0, below a column's arity.

        `arities` is one number for all columns or one for each; by default a column's largest code plus one.
        State it where a value may be absent from the table. Names are x0, x1, ... by default; the categories
        are the codes themselves.
        """
        table = _as_table(codes)
        n_variables = table.shape[1]
        names = checked_names(names if names is not None else [f"x{column}" for column in range(n_variables)])
        if len(names) != n_variables:
            raise ValueError(f"expected {n_variables} names, one per column, found {len(names)}")
        _check_whole_numbers(table, names)
        limits = _observed_arities(table) if arities is None else _checked_arities(arities, n_variables)
        for name, arity in zip(names, limits, strict=True):
            check_arity(name, arity)  # Before the categories are made, which could fill the memory.
        schema = Schema(names, tuple(tuple(range(arity)) for arity in limits))
        return cls(schema, _pack(schema, table))

    @classmethod
    def from_frame(
        cls,
        frame: object,
        categories: Mapping[str, Iterable[Category]] | None = None,
        bins: BinsStatement | None = None,
    ) -> Self:
        """A pandas, polars or pyarrow table (or any frame in memory that narwhals opens).

        A categorical or enum column keeps the categories it declares, in their order. Booleans have
        (False, True). Strings, integers and whole floats have their distinct values, sorted: a column of
        zeros has the one category 0. `categories` overrides this: it maps names to all categories in order.

        `bins` says which columns of numbers become intervals: so many of them, with about the same number of rows
        in each; or a list of edges, a `Binning`, or the `Bins` themselves. One number is for all columns of numbers
        that are not whole.
        """
        schema, codes = read_frame(frame, categories, bins)
        return cls(schema, codes)

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
        """The categories as a frame of pandas, polars or pyarrow."""
        from learnac.data.forms import FrameForm, form_called

        form = form_called(backend)
        if not isinstance(form, FrameForm):
            raise ValueError(f"backend: expected a library of frames that is installed, found {backend!r}")
        return form.table(self.schema, self.codes.astype(self.schema.evidence_dtype))

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        rows = "row" if self.n_rows == 1 else "rows"
        return f"Dataset({self.n_rows:,} {rows}, {self.schema.describe()})"

    def __reduce__(self) -> tuple[type["Dataset"], tuple[Schema, Codes]]:
        # Arrays come out of a pickle writeable: going through the constructor makes them read-only again.
        return Dataset, (self.schema, self.codes)


def as_dataset(table: object) -> Dataset:
    """A Dataset as it is, an array or a list of rows by `from_array`, a frame by `from_frame`."""
    if isinstance(table, Dataset):
        return table
    if isinstance(table, np.ndarray | list | tuple):
        return Dataset.from_array(table)
    return Dataset.from_frame(table)


def encode_table(schema: Schema, table: object) -> Codes:
    """What `Schema.encode` promises."""
    if isinstance(table, Dataset):
        return _recode(schema, table)
    if isinstance(table, np.ndarray | list | tuple):
        return _encode_array(schema, table)
    return encode_frame(schema, table)


def encode_evidence(schema: Schema, table: object, may_lack_columns: bool) -> Evidence:
    """What `Schema.encode_evidence` promises."""
    if isinstance(table, Dataset):
        return _recode(schema, table).astype(schema.evidence_dtype)
    if isinstance(table, np.ndarray | list | tuple):
        return _encode_partial_array(schema, table)
    return encode_partial_frame(schema, table, may_lack_columns)


def _encode_partial_array(schema: Schema, array: Any) -> Evidence:
    masked = np.ma.getmaskarray(array) if np.ma.is_masked(array) else None
    filled = np.ma.filled(array, 0) if isinstance(array, np.ma.MaskedArray) else array
    table = _as_table(_none_as_nan(filled))
    _check_width(schema, table)
    codes = np.empty((schema.n_variables, len(table)), dtype=schema.evidence_dtype)
    for start in range(0, len(table), _BLOCK):
        block = table[start : start + _BLOCK]
        unknown = np.isnan(block) if table.dtype.kind == "f" else block == UNKNOWN
        if masked is not None:
            unknown = unknown | masked[start : start + _BLOCK]
        known = np.where(unknown, block.dtype.type(0), block)
        _check_whole_numbers(known, schema.names, start)
        _check_range(schema, known, start, UNKNOWN)
        codes[:, start : start + _BLOCK] = known.T
        codes[:, start : start + _BLOCK][unknown.T] = UNKNOWN
    return codes


def _none_as_nan(rows: Any) -> Any:
    """Rows in which None stands for unknown, as NumPy writes them down: NaN."""
    try:
        table = np.asarray(rows)
    except ValueError:
        return rows  # Rows of different lengths: reported later.
    if table.dtype != object or table.ndim != 2:
        return rows
    if not all(value is None or isinstance(value, int | float | np.number | np.bool_) for value in table.flat):
        return rows
    return table.astype(np.float64)


def _recode(schema: Schema, dataset: Dataset) -> Codes:
    if dataset.schema == schema:
        return dataset.codes
    schema.check_same_names(dataset.names)
    result = np.empty((schema.n_variables, dataset.n_rows), dtype=schema.code_dtype)
    for name, categories, bins, row_of_codes in zip(schema.names, schema.categories, schema.bins, result, strict=True):
        source = dataset.schema.index(name)
        recoded = np.array(codes_of(dataset.categories[source], categories, bins))[dataset.codes[source]]
        # A category that this schema lacks does no harm as long as no row has it.
        if (unseen := recoded == UNSEEN).any():
            row = int(unseen.argmax())
            value = dataset.categories[source][dataset.codes[source, row]]
            raise unseen_category(name, row, value, categories)
        row_of_codes[:] = recoded
    return _read_only(result)


def _encode_array(schema: Schema, array: npt.ArrayLike) -> Codes:
    table = _as_table(array)
    _check_width(schema, table)
    _check_whole_numbers(table, schema.names)
    return _pack(schema, table)


def _check_width(schema: Schema, table: _Table) -> None:
    if table.shape[1] != schema.n_variables:
        raise DataError(
            f"expected {schema.n_variables} columns, as the schema has, found {table.shape[1]}",
            expected=f"{schema.n_variables} columns",
            found=table.shape[1],
        )
    # Read as codes, such numbers could mean other categories than the ones they look like.
    if (name := schema.unlike_codes) is not None:
        categories = schema.categories[schema.index(name)]
        raise DataError(
            f"an array holds codes, and those of column {name!r} are not its categories, {listed(categories)}: "
            "pass a data frame, or Dataset(schema, codes)",
            column=name,
        )


def _as_table(codes: Any) -> _Table:
    """`codes` as a 2-D array of numbers, neither empty nor masked; the values are still unchecked."""
    if np.ma.is_masked(codes):
        raise _missing_values(np.ma.getmaskarray(codes))
    try:
        table = np.asarray(codes)
    except ValueError:
        raise DataError(f"expected rows of the same length; {_first_uneven_row(codes)}") from None
    if table.ndim in (1, 2) and table.shape[0] == 0:
        raise DataError("the table has no rows")
    if table.ndim == 0:
        raise TypeError(f"expected a 2-D array (rows x variables), found {type(codes).__name__}")
    if table.dtype.kind not in "biuf":
        raise DataError(
            f"expected an array of integer codes, found dtype {table.dtype}: "
            "put strings and mixed columns into a data frame and use Dataset.from_frame",
            expected="an array of integer codes",
            found=str(table.dtype),
        )
    if table.ndim != 2:
        hint = "; one row is array.reshape(1, -1), one column array.reshape(-1, 1)" * (table.ndim == 1)
        raise DataError(
            f"expected a 2-D array (rows x variables), found shape {table.shape}{hint}",
            expected="a 2-D array (rows x variables)",
            found=table.shape,
        )
    if table.shape[1] == 0:
        raise DataError("the table has no columns")
    return table


def _first_uneven_row(rows: Any) -> str:
    lengths = [len(row) if hasattr(row, "__len__") else None for row in rows]
    for position, length in enumerate(lengths):
        if length != lengths[0]:
            return f"row 0 has {_values(lengths[0])} and row {position} has {_values(length)}"
    return "some of the values are sequences"


def _values(length: int | None) -> str:
    return "a number in its place" if length is None else f"{length} values"


def _check_whole_numbers(table: _Table, names: Sequence[str], first_row: int = 0) -> None:
    if table.dtype.kind != "f":
        return
    if (missing := np.isnan(table)).any():
        raise _missing_values(missing, names)
    for start in range(0, len(table), _BLOCK):
        block = table[start : start + _BLOCK]
        broken = ~np.isfinite(block) | (block != np.rint(block))
        if broken.any():
            row, column = (int(place) for place in np.unravel_index(broken.argmax(), broken.shape))
            expected, found = "a code (a whole number from 0)", block[row, column].item()
            row += first_row + start
            raise DataError(
                f"row {row}, column {names[column]!r}: expected {expected}, found {found!r}",
                column=names[column],
                row=row,
                expected=expected,
                found=found,
            )


def _missing_values(missing: npt.NDArray[np.bool_], names: Sequence[str] | None = None) -> DataError:
    first = tuple(int(position) for position in np.unravel_index(missing.argmax(), missing.shape))
    where = f"row {first[0]}, column {names[first[1]]!r}" if names else f"position {first}"
    counted = f"found {missing.sum()}, the first in {where}"
    column = names[first[1]] if names else None
    return DataError(f"missing values are not supported in training: {counted}; {WAY_OUT}", column=column, row=first[0])


def _observed_arities(table: _Table) -> list[int]:
    # At least 1: whatever is negative is reported later, with its place.
    return [max(int(largest) + 1, 1) for largest in table.max(axis=0)]


def _checked_arities(arities: Any, n_variables: int) -> list[int]:
    given = np.asarray(arities)
    if given.dtype.kind not in "iu":
        raise TypeError(f"expected arities that are integers, found {arities!r}")
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n_variables):
        raise ValueError(f"expected one arity or {n_variables}, one per column, found shape {given.shape}")
    if given.min() < 1:
        raise ValueError(f"expected arities of at least 1, found {given.min()}")
    return [int(arity) for arity in np.broadcast_to(given, n_variables)]


def _pack(schema: Schema, table: _Table) -> Codes:
    """The table as one row per variable, in the schema's dtype, once every code is known to fit."""
    _check_range(schema, table)
    codes = np.empty((schema.n_variables, len(table)), dtype=schema.code_dtype)
    # By blocks of rows, or each column would fetch the whole table from memory again.
    for start in range(0, len(table), _BLOCK):
        codes[:, start : start + _BLOCK] = table[start : start + _BLOCK].T
    return _read_only(codes)


def _check_range(schema: Schema, table: _Table, first_row: int = 0, smallest: int = 0) -> None:
    misfits = (table.min(axis=0) < smallest) | (table.max(axis=0) >= schema.arities)
    if not misfits.any():
        return
    column = int(misfits.argmax())
    arity = int(schema.arities[column])
    values = table[:, column]
    row = int(np.argmax((values < smallest) | (values >= arity)))
    name, found = schema.names[column], int(values[row])
    raise DataError(
        f"row {first_row + row}, column {name!r}: expected a code from 0 to {arity - 1} (arity {arity}), found {found}",
        column=name,
        row=first_row + row,
        expected=tuple(range(arity)),
        found=found,
        problem=Problem.UNKNOWN_CATEGORY,
    )


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
