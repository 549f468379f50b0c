"""The form in which a person gave a table, so that tables go back to them in the same form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.data.dataset import Dataset
from learnac.data.schema import Schema
from learnac.types import Category, PartialCodes

NumbersOf: TypeAlias = Mapping[int, NDArray[np.float64]]
"""By variable, the numbers of rows."""


class TableForm(Protocol):
    """How rows are given back: `codes` is (variables x rows), everything known."""

    @property
    def name(self) -> str:
        """A word for it, to be written down: the frame's library, "array" or "dataset"."""
        ...

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        """Rows made anew. `numbers` are those of variables that are numbers."""
        ...

    def completed(
        self,
        schema: Schema,
        gaps: PartialCodes,
        codes: PartialCodes,
        rows: NDArray[np.intp],
        numbers: NumbersOf,
    ) -> Any:
        """The rows that were given, of these row numbers, with `codes` where `gaps` has negative ones.

        A form that holds no rows makes all of them anew.
        """
        return self.table(schema, codes, numbers)


@dataclass(frozen=True, slots=True)
class ArrayForm(TableForm):
    """An array of codes, rows x variables; of a wider type if this one cannot hold them all."""

    dtype: np.dtype[Any]

    @property
    def name(self) -> str:
        return "array"

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        all_codes = np.arange(int(schema.arities.max()))
        wider = np.dtype(np.float64 if self.dtype.kind == "f" else np.int64)
        dtype = self.dtype if np.array_equal(all_codes.astype(self.dtype), all_codes) else wider
        return np.ascontiguousarray(codes.T).astype(dtype, copy=False)


@dataclass(frozen=True, slots=True)
class DatasetForm(TableForm):
    """A `Dataset`."""

    @property
    def name(self) -> str:
        return "dataset"

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        return Dataset(schema, codes.astype(schema.code_dtype), numbers)


@dataclass(frozen=True, slots=True)
class MappingForm(TableForm):
    """One row, as a dict from name to category. More rows, where likelihoods are for many, are a `Dataset`."""

    @property
    def name(self) -> str:
        return "dataset"

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        if codes.shape[1] == 1:
            return _documents(schema, codes, numbers)[0]
        return DatasetForm().table(schema, codes, numbers)


@dataclass(frozen=True, slots=True)
class DocumentsForm(TableForm):
    """A list of dicts from name to category, as JSON has them."""

    @property
    def name(self) -> str:
        return "dataset"

    def table(self, schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> Any:
        return _documents(schema, codes, numbers)


def _documents(schema: Schema, codes: PartialCodes, numbers: NumbersOf) -> list[dict[str, Any]]:
    columns = [column_values(schema, variable, codes[variable], numbers) for variable in range(schema.n_variables)]
    return [dict(zip(schema.names, row, strict=True)) for row in zip(*columns, strict=True)]


def column_values(
    schema: Schema, variable: int, codes: NDArray[np.signedinteger[Any]], numbers: NumbersOf
) -> list[Category | float]:
    """The values that some rows have in a column: categories, or numbers."""
    bins, categories = schema.bins[variable], schema.categories[variable]
    if bins is not None and variable in numbers:
        return [bins.value(number) for number in numbers[variable].tolist()]
    return [categories[code] for code in codes.tolist()]


def form_of(table: object) -> TableForm:
    """The form of a table that has been read without complaint. It holds none of the rows."""
    if isinstance(table, Dataset):
        return DatasetForm()
    if isinstance(table, Mapping):
        return MappingForm()
    if isinstance(table, np.ndarray | list | tuple):
        dtype = np.asarray(table).dtype
        return ArrayForm(dtype if dtype.kind in "iuf" else np.dtype(np.int64))
    from learnac.data.frame_forms import frame_form

    return frame_form(table)


def form_called(name: str) -> TableForm:
    """The form that goes by such a name; a Dataset where the library is not there, or the name unknown."""
    if name == "array":
        return ArrayForm(np.dtype(np.int64))
    if name in ("", "dataset"):
        return DatasetForm()
    from learnac.data.frame_forms import frame_form_called

    return frame_form_called(name) or DatasetForm()
