"""Tables that go back as tables of pyarrow: the rows of a file with their gaps filled, and new ones."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from learnac.data.arrow_columns import number_dtype
from learnac.data.bins import Bins
from learnac.data.compact import with_plain_types
from learnac.data.forms import NumbersOf, TableForm
from learnac.data.number_text import number_text
from learnac.data.schema import Schema
from learnac.data.stored import StoredTable
from learnac.types import Category, PartialCodes


@dataclass(frozen=True, slots=True)
class ArrowForm(TableForm):
    """A table with the columns of the schema, of the types that their categories have."""

    @property
    def name(self) -> str:
        return "pyarrow"

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        return pa.table({name: _made(schema, schema.index(name), codes, numbers) for name in schema.names})


@dataclass(frozen=True, slots=True, eq=False)
class FileRows(TableForm):
    """The table of a file. Columns that the schema does not have go back too, where they were."""

    stored: StoredTable
    has_gaps: NDArray[np.bool_]  # by variable: rows are completed by blocks, and a column must be of one type in all

    @property
    def name(self) -> str:
        return "pyarrow"

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        return ArrowForm().table(schema, codes, numbers)

    def completed(
        self,
        schema: Schema,
        gaps: PartialCodes,
        codes: PartialCodes,
        rows: NDArray[np.intp],
        numbers: NumbersOf,
    ) -> Any:
        """As promised, and with the columns of the schema that the table lacks.

        Every value that was known stays as it is, in the type of the file. Only a type that cannot hold the categories
        gives way to strings: gaps in a column of numbers without densities are filled by the labels of intervals.
        """
        variables = {name: variable for variable, name in enumerate(schema.names)}
        fields, columns = [], []
        for place, field in enumerate(self.stored.schema):
            column = self.stored.rows(place, rows)
            variable = variables.pop(field.name, None)
            if variable is not None and self.has_gaps[variable] and variable in numbers:
                column = _with_numbers(column, schema, variable, gaps[variable] < 0, numbers[variable])
            elif variable is not None and self.has_gaps[variable]:
                column = filled(column, schema.categories[variable], gaps[variable] < 0, codes[variable])
            fields.append(field.with_type(column.type))
            columns.append(column)
        for name, variable in variables.items():
            column = _made(schema, variable, codes, numbers).combine_chunks()
            fields.append(pa.field(name, column.type))
            columns.append(column)
        return pa.Table.from_arrays(columns, schema=pa.schema(fields, self.stored.schema.metadata))


def _made(schema: Schema, variable: int, codes: PartialCodes, numbers: NumbersOf) -> Any:
    """A column made anew: categories, numbers, or points in time."""
    bins = schema.bins[variable]
    if bins is None or variable not in numbers:
        return _taken(pa.array(schema.categories[variable]), codes[variable])
    return pa.chunked_array([_number_array(bins, numbers[variable])])


def _number_array(bins: Bins, numbers: NDArray[np.float64]) -> Any:
    if bins.calendar is not None:
        return pa.array(bins.calendar.datetimes(numbers))
    is_whole = bins.spread is not None and bins.spread.step >= 1
    return pa.array(np.rint(numbers).astype(np.int64) if is_whole else numbers)


def _with_numbers(
    column: Any, schema: Schema, variable: int, is_gap: NDArray[np.bool_], numbers: NDArray[np.float64]
) -> Any:
    """An array with numbers in its gaps: of its type, of wider numbers, or of strings."""
    bins = schema.bins[variable]
    assert bins is not None
    new = _number_array(bins, numbers)
    if pa.types.is_null(column.type):
        return new
    texts = pa.array([bins.text(number) for number in numbers.tolist()])
    for kind in (column.type, pa.int64(), pa.float64(), pa.string()):
        with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
            both = column.cast(kind), (texts if pa.types.is_string(kind) else new).cast(kind)
            places = np.where(is_gap, len(column) + np.arange(len(column)), np.arange(len(column)))
            return pa.concat_arrays(both).take(pa.array(places))
    raise AssertionError("everything can be a string")


def filled(
    column: Any, categories: tuple[Category, ...], is_gap: NDArray[np.bool_], codes: NDArray[np.signedinteger[Any]]
) -> Any:
    """An array with categories in its gaps, and every other value as it was."""
    if pa.types.is_null(column.type):  # Nothing was known.
        return pa.array(categories).take(pa.array(codes.astype(np.int64)))
    column, typed = _of_one_type(column, categories)
    places = np.where(is_gap, len(column) + codes.astype(np.int64), np.arange(len(column)))
    return pa.concat_arrays([column, typed]).take(pa.array(places))


def _of_one_type(column: Any, categories: tuple[Category, ...]) -> tuple[Any, Any]:
    """A column and its categories, of the column's type where that can hold both; of wide numbers; of strings."""
    kinds = [column.type]
    if pa.types.is_dictionary(column.type):
        kinds.append(pa.dictionary(pa.int32(), column.type.value_type, column.type.ordered))
    elif pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        kinds.append(pa.int64() if pa.types.is_integer(column.type) else pa.float64())
    for kind in kinds:
        if (typed := _categories_like(categories, kind)) is not None:
            with suppress(pa.ArrowInvalid):
                wide = column.cast(kind)
                pa.concat_arrays([wide[:0], typed])  # Dictionaries may be too small for both.
                return wide, typed
    return _as_texts(column), pa.array([category_text(value) for value in categories])


def category_text(value: Category) -> str:
    """A category as text, as pyarrow writes it into CSV."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _categories_like(categories: tuple[Category, ...], kind: Any) -> Any | None:
    """The categories as an array of a type; None if that cannot hold them, as numbers cannot be intervals."""
    if pa.types.is_dictionary(kind):
        values = _categories_like(categories, kind.value_type)
        if values is None or len(values) > np.iinfo(number_dtype(kind.index_type)).max:
            return None
        indices = pa.array(np.arange(len(values)), kind.index_type)
        return pa.DictionaryArray.from_arrays(indices, values, ordered=kind.ordered)
    with suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
        return _checked(pa.array(categories, kind), categories)
    with suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
        return _checked(pa.array(categories).cast(kind), categories)
    return None


def _checked(typed: Any, categories: tuple[Category, ...]) -> Any:
    """The array, if it holds the categories as they are read: dates are their texts."""
    if with_plain_types(pa.table({"": typed})).column(0).to_pylist() != list(categories):
        raise ValueError("other values")
    return typed


def _as_texts(column: Any) -> Any:
    """An array of any type as strings, numbers as short as they can be."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    values = encoded.dictionary
    if pa.types.is_floating(values.type):
        texts = pa.array([None if math.isnan(value) else number_text(value) for value in values.to_pylist()])
    else:
        texts = values.cast(pa.string())
    return texts.cast(pa.string()).take(encoded.indices)


def _taken(categories: Any, codes: NDArray[Any]) -> Any:
    return pa.chunked_array([categories.take(pa.array(codes.astype(np.int64)))])
