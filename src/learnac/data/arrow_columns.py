"""The columns of a table that a file held, to codes. Without narwhals, which a command would wait longer for."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from learnac.data.categories import check_largest_integer, checked_names, unusable_type
from learnac.data.distinct import Distinct, distinct_booleans, distinct_numbers, smallest
from learnac.data.schema import UNKNOWN, Schema
from learnac.data.spread import Numbers
from learnac.types import PartialCodes

_Array: TypeAlias = NDArray[Any]


def encode_arrow(schema: Schema, table: Any, may_lack_columns: bool) -> tuple[PartialCodes, dict[int, Numbers]]:
    """What `Schema.encode_evidence` promises of a frame, of a table that `read_frame` reads and `matched` matches;
    and the numbers of columns that hold some, NaN where none is known.
    """
    checked_names(table.column_names)  # No name twice.
    if may_lack_columns:
        schema.check_known_names(table.column_names)
    else:
        schema.check_same_names(table.column_names)
    codes = np.full((schema.n_variables, table.num_rows), UNKNOWN, dtype=schema.evidence_dtype)
    numbers: dict[int, Numbers] = {}
    for name, column in zip(table.column_names, table.itercolumns(), strict=True):
        if name in schema.ignored:
            continue
        variable, array = schema.index(name), _one_piece(column)
        known = _known_rows(array)
        if len(known) > 0:
            codes[variable, known], found = _codes(schema, variable, array, known)
            if found is not None:
                numbers[variable] = np.full(table.num_rows, np.nan)
                numbers[variable][known] = found
    return codes, numbers


def _codes(schema: Schema, variable: int, array: Any, known: NDArray[np.intp]) -> tuple[_Array, Numbers | None]:
    """The codes of the rows that are known, and their numbers if the column holds some."""
    name, categories, bins = schema.names[variable], schema.categories[variable], schema.bins[variable]
    kind = array.type
    if pa.types.is_dictionary(kind):
        distinct = Distinct(array.dictionary.to_pylist(), _numbers(array.indices)[known])
    elif pa.types.is_boolean(kind):
        distinct = distinct_booleans(_bits(array.buffers()[1], array)[known])
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = _numbers(array)[known]
        if numbers.dtype == np.uint64:
            check_largest_integer(name, int(numbers.max()))
        if bins is not None:
            found = numbers.astype(np.float64)
            return smallest(bins.codes(found), len(categories)), found if bins.spread is not None else None
        distinct = distinct_numbers(numbers)
    else:
        raise unusable_type(name, str(kind))
    return distinct.codes_and_numbers(name, categories, bins, known, takes_unknown=schema.takes_unknown)


def _one_piece(column: Any) -> Any:
    """A column as one array, strings by their distinct ones."""
    array = column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    return array.dictionary_encode() if pa.types.is_string(array.type) else array


def _known_rows(array: Any) -> NDArray[np.intp]:
    """The rows that hold a value. Only floats can be NaN, which is no value either."""
    if array.null_count == len(array):
        return np.empty(0, np.intp)
    is_known = _bits(array.buffers()[0], array) if array.null_count > 0 else np.ones(len(array), dtype=bool)
    if pa.types.is_floating(array.type):
        is_known &= ~np.isnan(_numbers(array))
    return np.flatnonzero(is_known)


def _bits(buffer: Any, array: Any) -> NDArray[np.bool_]:
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].astype(bool)


def _numbers(array: Any) -> _Array:
    """The numbers as they are in memory: where a row holds none, anything."""
    return np.frombuffer(array.buffers()[1], number_dtype(array.type))[array.offset : array.offset + len(array)]


def number_dtype(kind: Any) -> np.dtype[Any]:
    """NumPy's name for a type of numbers. Many versions of pyarrow would import pandas to tell."""
    letter = "f" if pa.types.is_floating(kind) else "u" if pa.types.is_unsigned_integer(kind) else "i"
    return np.dtype(f"{letter}{kind.bit_width // 8}")
