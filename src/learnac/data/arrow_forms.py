"""Tables that go back as tables of pyarrow: the rows of a file with their gaps filled, and new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from learnac.data.forms import TableForm
from learnac.data.matching import is_numeric
from learnac.data.schema import Schema
from learnac.types import Category, PartialCodes


@dataclass(frozen=True, slots=True)
class ArrowForm(TableForm):
    """A table with the columns of the schema, of the types that their categories have."""

    @property
    def name(self) -> str:
        return "pyarrow"

    def table(self, schema: Schema, codes: PartialCodes) -> Any:
        columns = zip(schema.names, schema.categories, codes, strict=True)
        return pa.table({name: _taken(pa.array(categories), row) for name, categories, row in columns})


@dataclass(frozen=True, slots=True, eq=False)
class FileRows(TableForm):
    """The table of a file. Columns that the schema does not have go back too, where they were."""

    whole: Any
    has_gaps: NDArray[np.bool_]  # by variable: rows are completed by blocks, and a column must be of one type in all

    @property
    def name(self) -> str:
        return "pyarrow"

    def table(self, schema: Schema, codes: PartialCodes) -> Any:
        return ArrowForm().table(schema, codes)

    def completed(self, schema: Schema, gaps: PartialCodes, codes: PartialCodes, rows: NDArray[np.intp]) -> Any:
        """As promised, and with the columns of the schema that the table lacks.

        A column without gaps stays as it is. One of numbers that the schema bins is filled by the labels of intervals.
        """
        table = _rows_of(self.whole, rows)
        names, columns = list(table.column_names), list(table.columns)
        for variable, name in enumerate(schema.names):
            if name not in names:
                names.append(name)
                columns.append(_taken(pa.array(schema.categories[variable]), codes[variable]))
            elif self.has_gaps[variable]:
                place = names.index(name)
                categories = _categories_like(schema.categories[variable], columns[place])
                columns[place] = _taken(categories, codes[variable])
        return pa.Table.from_arrays(columns, names=names)


def _rows_of(table: Any, rows: NDArray[np.intp]) -> Any:
    is_slice = np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows)))
    return table.slice(int(rows[0]), len(rows)) if is_slice else table.take(pa.array(rows))


def _categories_like(categories: tuple[Category, ...], like: Any) -> Any:
    """The categories as an array, of the type of `like` where that can hold them.

    A column of numbers cannot hold intervals: where the schema bins it, it becomes one of strings.
    """
    if not (is_numeric(like) and isinstance(categories[0], str)):
        try:
            typed = pa.array(categories, type=like.type)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            typed = None
        if typed is not None and typed.to_pylist() == list(categories):
            return typed
    return pa.array(categories)


def _taken(categories: Any, codes: NDArray[Any]) -> Any:
    return pa.chunked_array([categories.take(pa.array(codes.astype(np.int64)))])
