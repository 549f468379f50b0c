"""`Evidence`: what is known of some rows, in the form the core takes. Whatever asks a model makes one, once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from learnac.data.dataset import Dataset, encode_evidence
from learnac.data.documents import are_documents, read_document, read_documents
from learnac.data.forms import DatasetForm, DocumentsForm, MappingForm, TableForm, form_of
from learnac.data.likelihoods import Soft, check_rows, likelihood_table
from learnac.data.schema import Schema
from learnac.errors import ImpossibleEvidenceError, QueryError, described
from learnac.types import PartialCodes

if TYPE_CHECKING:
    from learnac.data.settling import ColumnReport

_NO_VARIABLES = np.empty(0, np.uint32)
_NO_VARIABLES.flags.writeable = False


def _rows_of_codes(n_rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    """Of rows that are codes alone: no likelihoods, nothing scaled, and their numbers."""
    found = np.empty((n_rows, 0)), np.zeros(n_rows), np.arange(n_rows)
    for array in found:
        array.flags.writeable = False
    return found


_ONE_ROW = _rows_of_codes(1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evidence:
    """What is known about one or more rows. For each variable: its value, likelihoods of its values, or nothing.

    Make it with `as_evidence` or `read_evidence`; or with `of_codes`, from integer codes. Likelihoods are scaled: the
    largest of a variable in a row is 1. If only some rows have likelihoods for a variable, the other rows have ones,
    which say nothing.
    """

    schema: Schema
    codes: PartialCodes  # (variables x rows), UNKNOWN where no value is known
    soft_variables: NDArray[np.uint32]  # those with likelihoods
    likelihoods: NDArray[np.float64]  # (rows x values of the soft variables)
    log_scales: NDArray[np.float64]  # what scaling took from each row's log-probability
    form: TableForm  # in which the rows came
    is_one: bool  # one dict, or nothing: answers are single values, not arrays of rows
    row_numbers: NDArray[np.intp]  # in the table that was given
    # Of variables that are numbers, by position: those known, NaN where none is; and what is known of others, as where
    # they begin and end, (2 x rows).
    numbers: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    ranges: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    weights: NDArray[np.float64] | None = None  # how much each row counts, if the table says so
    reports: tuple[ColumnReport, ...] = ()  # what was found out about the columns of a table to learn from

    def __post_init__(self) -> None:
        for name in ("codes", "soft_variables", "likelihoods", "log_scales", "row_numbers", "weights"):
            if (array := getattr(self, name)) is None or not array.flags.writeable:
                continue
            view = array.view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @classmethod
    def of_codes(
        cls,
        schema: Schema,
        codes: PartialCodes,
        form: TableForm | None = None,
        *,
        is_one: bool = False,
        numbers: Mapping[int, NDArray[np.float64]] | None = None,
    ) -> Self:
        """Evidence from codes in `schema.evidence_dtype`, which are not checked.

        A number weighs its density: that within its interval is a factor of the row's probability.
        """
        n_rows = codes.shape[1]
        likelihoods, log_densities, row_numbers = _ONE_ROW if n_rows == 1 else _rows_of_codes(n_rows)
        for variable, column in (numbers or {}).items():
            bins = schema.bins[variable]
            assert bins is not None
            log_densities = log_densities + bins.log_densities(column)
        return cls(
            schema,
            codes,
            _NO_VARIABLES,
            likelihoods,
            log_densities,
            form or DatasetForm(),
            is_one,
            row_numbers,
            numbers or {},
        )

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1]

    @property
    def arrays(self) -> tuple[PartialCodes, NDArray[np.uint32], NDArray[np.float64]]:
        """What the core takes, in its order."""
        return np.ascontiguousarray(self.codes), self.soft_variables, np.ascontiguousarray(self.likelihoods)

    def rows(self, which: slice | NDArray[Any]) -> Self:
        """Evidence for some of the rows, which keep their row numbers."""
        if isinstance(which, slice) and which.indices(self.n_rows) == (0, self.n_rows, 1):
            return self
        return replace(
            self,
            codes=self.codes[:, which],
            likelihoods=self.likelihoods[which],
            log_scales=self.log_scales[which],
            row_numbers=self.row_numbers[which],
            numbers={variable: column[which] for variable, column in self.numbers.items()},
            ranges={variable: limits[:, which] for variable, limits in self.ranges.items()},
            weights=None if self.weights is None else self.weights[which],
        )

    def value_in(self, variable: int, row: int) -> Any:
        """What is known of a variable in a row: a number, or a category; None if neither is."""
        bins, code = self.schema.bins[variable], int(self.codes[variable, row])
        number = float(self.numbers[variable][row]) if variable in self.numbers else math.nan
        if bins is not None and not math.isnan(number):
            return bins.value(number)
        return self.schema.categories[variable][code] if code >= 0 else None

    def with_codes(self, codes: PartialCodes) -> Self:
        """Other values of as many rows, with the same likelihoods."""
        return replace(self, codes=codes)

    def with_likelihoods(self, given: Mapping[int, Any]) -> Self:
        """With likelihoods for some variables, by position, each for all rows or for every row its own.

        What is known of one dict, with likelihoods for many rows, is known of each of these.
        """
        if not given:
            return self
        evidence = self
        tables = {variable: likelihood_table(self.schema, variable, values) for variable, values in given.items()}
        counts = {len(table) for table in tables.values()} - {1}
        if self.is_one and len(counts) == 1:
            n_rows = counts.pop()
            evidence = replace(self.rows(np.zeros(n_rows, np.intp)), is_one=False, row_numbers=np.arange(n_rows))
        for variable, table in tables.items():
            if variable in self.soft_variables:
                raise self._given_twice(variable)
            check_rows(self.schema, variable, table, evidence.codes)
        return evidence._with_tables(tables)

    def _with_tables(self, tables: Mapping[int, NDArray[np.float64]]) -> Self:
        if not tables:
            return self
        scaled, log_scales = [self.likelihoods], self.log_scales.copy()
        for table in tables.values():
            largest = table.max(axis=1, keepdims=True)
            scaled.append(np.broadcast_to(table / largest, (self.n_rows, table.shape[1])))
            log_scales += np.log(largest[:, 0])
        return replace(
            self,
            soft_variables=np.concatenate([self.soft_variables, np.array(list(tables), dtype=np.uint32)]),
            likelihoods=np.concatenate(scaled, axis=1),
            log_scales=log_scales,
        )

    def _given_twice(self, variable: int) -> QueryError:
        name = self.schema.names[variable]
        return QueryError(f"variable {name!r}: likelihoods are given twice", column=name)

    def soft_tables(self) -> dict[int, NDArray[np.float64]]:
        """The likelihoods of each variable that has some, (rows x arity)."""
        arities = [len(self.schema.categories[variable]) for variable in self.soft_variables]
        parts = np.split(self.likelihoods, np.cumsum(arities)[:-1], axis=1) if arities else []
        found = dict(zip(self.soft_variables.tolist(), parts, strict=True))
        for variable, limits in self.ranges.items():
            # Without the scale, which differs from row to row.
            bins = self.schema.bins[variable]
            assert bins is not None
            found[variable] = bins.shares_in(limits)
        return found

    def with_soft(self, soft: Soft | None) -> Self:
        """The same evidence, with likelihoods for some variables, by name."""
        if soft is None:
            return self
        if not isinstance(soft, Mapping):
            raise TypeError(f"soft: expected a mapping from names to likelihoods, found {type(soft).__name__}")
        given: dict[int, Any] = {}
        for name, values in soft.items():
            if (variable := self.schema.position(name)) in given:  # 3 and "3" are one name.
                raise self._given_twice(variable)
            given[variable] = values
        return self.with_likelihoods(given)

    def with_ranges(self, ranges: Mapping[int, NDArray[np.float64]]) -> Self:
        """With intervals that numbers are known to lie in, (2 x rows), without their ends: a bin weighs its share."""
        if not ranges:
            return self
        tables = {}
        for variable, limits in ranges.items():
            bins = self.schema.bins[variable]
            assert bins is not None
            tables[variable] = bins.shares_in(limits)
        return replace(self._with_tables(tables), ranges={**self.ranges, **ranges})

    def densest(self) -> Self:
        """Evidence under which an interval of an unknown number weighs the highest density in it, not its share."""
        tables, log_scales = self.soft_tables(), self.log_scales.copy()
        for variable in self.ranges:
            log_scales -= np.log(tables.pop(variable).max(axis=1))
        for variable in self.schema.numbers:
            is_known = ~np.isnan(self.numbers[variable])[:, None] if variable in self.numbers else False
            tables[variable] = tables.get(variable, 1.0) * np.where(is_known, 1.0, np.exp(self._modes(variable)[0]))
        plain = replace(
            self,
            soft_variables=_NO_VARIABLES,
            likelihoods=np.empty((self.n_rows, 0)),
            log_scales=log_scales,
            ranges={},
        )
        return plain._with_tables(tables)

    def _modes(self, variable: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of each row and interval, the highest log-density, and the number that has it."""
        bins = self.schema.bins[variable]
        assert bins is not None
        limits = self.ranges.get(variable, np.array([[-np.inf], [np.inf]]))
        different, inverse = np.unique(limits, axis=1, return_inverse=True)
        found = [bins.modes(low, high) for low, high in different.T.tolist()]
        rows = np.broadcast_to(inverse.reshape(-1), self.n_rows)
        return np.array([densities for densities, _ in found])[rows], np.array([numbers for _, numbers in found])[rows]

    def numbers_of(self, codes: PartialCodes) -> dict[int, NDArray[np.float64]]:
        """Numbers for completed codes (variables x rows): those known, and of others the densest of their interval."""
        found = {}
        for variable in self.schema.numbers:
            column = self._modes(variable)[1][np.arange(self.n_rows), codes[variable]]
            if variable in self.numbers:
                column = np.where(np.isnan(self.numbers[variable]), column, self.numbers[variable])
            found[variable] = column
        return found

    def completed(self, codes: PartialCodes, numbers: Mapping[int, NDArray[np.float64]] | None = None) -> Any:
        """The rows in the form they came in, with `codes` (variables x rows) where no value was known.

        `numbers` are those of variables that are numbers; otherwise the densest of their interval.
        """
        filled = self.numbers_of(codes) | dict(numbers or {})
        return self.form.completed(self.schema, self.codes, codes, self.row_numbers, filled)

    def require_possible(self, log_values: NDArray[np.float64]) -> None:
        """Raise ImpossibleEvidenceError if the evidence of some row has probability zero."""
        if len(log_values) == 1 and log_values[0] != -np.inf:  # a few microseconds sooner
            return
        is_impossible = log_values == -np.inf
        if not is_impossible.any():
            return
        rows = self.row_numbers[is_impossible]
        if self.is_one:
            raise ImpossibleEvidenceError("the evidence has probability zero", rows.tolist())
        more = f" (the first of {len(rows)} such rows)" if len(rows) > 1 else ""
        raise ImpossibleEvidenceError(f"row {rows[0]}: the evidence has probability zero{more}", rows.tolist())

    def __repr__(self) -> str:
        rows = "row" if self.n_rows == 1 else "rows"
        soft = f", likelihoods of {len(self.soft_variables)}" if len(self.soft_variables) else ""
        return f"Evidence({self.n_rows:,} {rows}, {self.schema.describe()}{soft})"


def as_evidence(schema: Schema, given: object, soft: Soft | None = None, *, may_lack_columns: bool = True) -> Evidence:
    """Converts evidence to `Evidence`. None means that nothing is known.

    `given` is a dict, a list of dicts, an array of codes, a frame, a `Dataset`, or an `Evidence` with this schema
    (returned unchanged). A frame may lack columns of the schema, unless `may_lack_columns` is False.
    """
    return _encoded(schema, given, may_lack_columns).with_soft(soft)


def _encoded(schema: Schema, given: object, may_lack_columns: bool) -> Evidence:
    if isinstance(given, Evidence):
        return _checked(given, schema)
    if given is None or isinstance(given, Mapping):
        document = read_document(schema, given or {})
        known = Evidence.of_codes(schema, document.codes, MappingForm(), is_one=True, numbers=document.numbers)
        return known.with_ranges(document.ranges).with_likelihoods(document.likelihoods)
    if are_documents(given):
        documents = read_documents(schema, given)
        known = Evidence.of_codes(schema, documents.codes, DocumentsForm(), numbers=documents.numbers)
        return known.with_ranges(documents.ranges)._with_tables(documents.likelihoods)
    if isinstance(given, str | bytes | PathLike | Real):
        raise TypeError(
            "expected rows as a dict from names to categories, a list of dicts, an array of codes, "
            f"a frame or a Dataset; found {described(given)}"
        )
    codes, numbers = encode_evidence(schema, given, may_lack_columns)
    return Evidence.of_codes(schema, codes, _form_with_rows(given), numbers=numbers)


def _checked(evidence: Evidence, schema: Schema) -> Evidence:
    if evidence.schema is not schema and evidence.schema != schema:
        raise QueryError(
            f"expected evidence for the variables and categories of the model, {schema}; found {evidence.schema}",
            expected=schema,
            found=evidence.schema,
        )
    return evidence


def _form_with_rows(given: object) -> TableForm:
    """The form of a table; that of a frame keeps it, for what is known to go back as it was."""
    if isinstance(given, Dataset | np.ndarray | list | tuple):
        return form_of(given)
    from learnac.data.frame_forms import FrameRows

    return FrameRows(given)
