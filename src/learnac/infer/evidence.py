"""Reading what is given: rows of evidence in an array, a frame or a dict, and likelihoods for soft evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac.data.forms import MappingForm, TableForm, form_of
from learnac.data.schema import UNKNOWN
from learnac.errors import ImpossibleEvidenceError, QueryError
from learnac.infer.engine import Engine
from learnac.types import Evidence

Soft: TypeAlias = Mapping[Any, ArrayLike | Mapping[Any, float]]
"""From a variable's name to likelihoods of its values: (arity,) for all rows, (rows, arity), or category to number."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Evidence of one or more rows, in the form the core takes."""

    engine: Engine
    codes: Evidence  # (variables x rows)
    soft_variables: NDArray[np.uint32]
    likelihoods: NDArray[np.float64]  # (rows x values of the soft variables), the largest of each variable being 1
    log_scales: NDArray[np.float64] | float  # what this scaling took from each row's log-probability
    form: TableForm
    is_one: bool  # one dict, or nothing: answers are single values, not arrays of rows
    row_numbers: NDArray[np.intp]  # in the table that was given

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1]

    @property
    def arrays(self) -> tuple[Evidence, NDArray[np.uint32], NDArray[np.float64]]:
        return np.ascontiguousarray(self.codes), self.soft_variables, self.likelihoods

    def rows(self, which: slice | NDArray[Any]) -> Self:
        """Some of the rows."""
        scales = self.log_scales[which] if isinstance(self.log_scales, np.ndarray) else self.log_scales
        likelihoods = self.likelihoods[which] if len(self.soft_variables) else self.likelihoods
        numbers = self.row_numbers[which]
        return replace(
            self, codes=self.codes[:, which], likelihoods=likelihoods, log_scales=scales, row_numbers=numbers
        )

    def require_possible(self, log_values: NDArray[np.float64]) -> None:
        """Raise ImpossibleEvidenceError if the evidence of some row has probability zero."""
        rows = self.row_numbers[np.isneginf(log_values)]
        if len(rows) == 0:
            return
        if self.is_one:
            raise ImpossibleEvidenceError("the evidence has probability zero", rows.tolist())
        more = f" (the first of {len(rows)} such rows)" if len(rows) > 1 else ""
        raise ImpossibleEvidenceError(f"row {rows[0]}: the evidence has probability zero{more}", rows.tolist())


def read_given(engine: Engine, given: object, soft: Soft | None = None, *, may_lack_columns: bool = True) -> Given:
    """Evidence as a person writes it down; None for none at all."""
    if soft is not None and not isinstance(soft, Mapping):
        raise TypeError(f"soft: expected a mapping from names to likelihoods, found {type(soft).__name__}")
    likelihoods: dict[int, Any] = {}
    if given is None:
        given = {}
    if isinstance(given, Mapping):
        codes = _read_mapping(engine, given, likelihoods)
        form: TableForm = MappingForm()
    else:
        codes = engine.schema.encode_evidence(given, may_lack_columns=may_lack_columns)
        form = form_of(given)
    for name, values in (soft or {}).items():
        if (variable := engine.schema.position(name)) in likelihoods:
            raise QueryError(f"variable {name!r}: likelihoods are given twice")
        likelihoods[variable] = values
    is_one = isinstance(given, Mapping)
    return _with_likelihoods(engine, codes, likelihoods, form, is_one)


def _read_mapping(engine: Engine, given: Mapping[Any, Any], likelihoods: dict[int, Any]) -> Evidence:
    """The codes of one row; values that are not categories go to `likelihoods`."""
    codes = np.full((engine.schema.n_variables, 1), UNKNOWN, dtype=engine.schema.evidence_dtype)
    for name, value in given.items():
        variable = engine.schema.position(name)
        is_many = isinstance(value, Mapping | Sequence) and not isinstance(value, str)
        if is_many or (hasattr(value, "__array__") and np.ndim(value) > 0):
            likelihoods[variable] = value
        elif not _is_unknown(value):
            codes[variable] = engine.schema.code(variable, value)
    return codes


def _is_unknown(value: Any) -> bool:
    """None, NaN of any kind, and pandas' NA and NaT, of which none says that it equals itself."""
    try:
        return value is None or not value == value  # noqa: PLR0124, SIM201
    except TypeError:  # pandas' NA is neither true nor false.
        return True


def _with_likelihoods(
    engine: Engine, codes: Evidence, likelihoods: dict[int, Any], form: TableForm, is_one: bool
) -> Given:
    if not likelihoods:
        no_variables, no_likelihoods = np.empty(0, np.uint32), np.empty((0, 0))
        return Given(engine, codes, no_variables, no_likelihoods, 0.0, form, is_one, np.arange(codes.shape[1]))
    tables = {variable: _likelihood_table(engine, variable, values) for variable, values in likelihoods.items()}
    n_rows = codes.shape[1]
    counts = {len(table) for table in tables.values()} | {n_rows}
    if is_one and len(counts - {1}) == 1:  # One dict, and likelihoods for many rows.
        n_rows, is_one = (counts - {1}).pop(), False
        codes = np.repeat(codes, n_rows, axis=1)
    for variable, table in tables.items():
        _check_soft(engine, variable, table, codes, n_rows)
    scaled, log_scales = [], np.zeros(n_rows)
    for table in tables.values():
        largest = table.max(axis=1, keepdims=True)
        scaled.append(np.broadcast_to(table / largest, (n_rows, table.shape[1])))
        log_scales += np.log(largest[:, 0])
    variables = np.array(list(tables), dtype=np.uint32)
    joined = np.concatenate(scaled, axis=1)
    return Given(engine, codes, variables, joined, log_scales, form, is_one, np.arange(n_rows))


def _likelihood_table(engine: Engine, variable: int, values: Any) -> NDArray[np.float64]:
    """Likelihoods as (1 or rows, arity)."""
    name, arity = engine.schema.names[variable], len(engine.schema.categories[variable])
    try:
        if isinstance(values, Mapping):
            table = np.zeros((1, arity))
            for category, likelihood in values.items():
                table[0, engine.schema.code(variable, category)] = likelihood
        else:
            table = np.atleast_2d(np.asarray(values, dtype=np.float64))
    except QueryError:
        raise
    except (TypeError, ValueError):
        raise QueryError(f"variable {name!r}: expected {arity} likelihoods, found {values!r}") from None
    if table.ndim != 2 or table.shape[1] != arity:
        shape = np.shape(values)
        raise QueryError(f"variable {name!r}: expected {arity} likelihoods, one per category, found shape {shape}")
    if len(table) == 0:
        raise QueryError(f"variable {name!r}: expected likelihoods for at least one row, found none")
    broken = ~np.isfinite(table) | (table < 0)
    if broken.any():
        raise QueryError(f"variable {name!r}: expected finite likelihoods from 0, found {table[broken][0]}")
    if not table.any(axis=1).all():
        raise QueryError(f"variable {name!r}: expected a positive likelihood, found only zeros")
    return table


def _check_soft(engine: Engine, variable: int, table: NDArray[np.float64], codes: Evidence, n_rows: int) -> None:
    name = engine.schema.names[variable]
    if len(table) not in (1, n_rows):
        raise QueryError(f"variable {name!r}: expected likelihoods for {n_rows} rows, found {len(table)}")
    if (known := codes[variable] >= 0).any():
        raise QueryError(f"variable {name!r}: row {int(known.argmax())} has both a value and likelihoods")
