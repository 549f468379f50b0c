"""Pieces of evidence: what is known of one row, variable by variable, to be taken away one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.data import Evidence, Schema
from learnac.errors import QueryError

# Rows that are asked of the circuit at once.
_BLOCK = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The variables of one row that something is known of, a value or likelihoods."""

    evidence: Evidence  # of the one row
    variables: tuple[int, ...]

    @classmethod
    def of(cls, evidence: Evidence, query: str) -> Pieces:
        """Of one row. QueryError if there are more; `query` is who asks."""
        if evidence.n_rows != 1:
            raise QueryError(
                f"{query}: expected the evidence of one row, found {evidence.n_rows} rows: ask row by row",
                expected="one row",
                found=evidence.n_rows,
            )
        known = np.flatnonzero(evidence.codes[:, 0] >= 0)
        return cls(evidence, tuple(sorted({*known.tolist(), *evidence.soft_variables.tolist()})))

    def __len__(self) -> int:
        return len(self.variables)

    @property
    def schema(self) -> Schema:
        return self.evidence.schema

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.schema.names[variable] for variable in self.variables)

    def stated(self, variable: int) -> Any:
        """What is known of a variable: its number or category, an interval, or likelihoods by category."""
        categories, bins = self.schema.categories[variable], self.schema.bins[variable]
        if (value := self.evidence.value_in(variable, 0)) is not None:
            return value
        if bins is not None and variable in self.evidence.ranges:
            return bins.interval_text(*self.evidence.ranges[variable][:, 0].tolist())
        for soft, likelihoods in zip(self.evidence.soft_variables.tolist(), self._tables(), strict=True):
            if soft == variable:
                return dict(zip(categories, likelihoods.tolist(), strict=True))
        return None

    def subsets(self, kept: NDArray[np.bool_]) -> Evidence:
        """A row for each row of `kept`, (rows x pieces): with the pieces that are kept, without the others."""
        n_rows = len(kept)
        is_kept = np.ones((self.schema.n_variables, n_rows), dtype=bool)
        is_kept[list(self.variables)] = kept.T
        rows = self.evidence.rows(np.zeros(n_rows, dtype=np.intp))
        codes = np.where(is_kept, rows.codes, -1).astype(rows.codes.dtype)
        likelihoods, first = rows.likelihoods.copy(), 0
        for variable, table in zip(self.evidence.soft_variables.tolist(), self._tables(), strict=True):
            likelihoods[~is_kept[variable], first : first + len(table)] = 1.0
            first += len(table)
        return Evidence(
            self.schema,
            codes,
            rows.soft_variables,
            likelihoods,
            np.zeros(n_rows),  # Scales say nothing about what is compared here.
            rows.form,
            False,
            np.zeros(n_rows, dtype=np.intp),
        )

    def _tables(self) -> list[NDArray[np.float64]]:
        """Likelihoods of each soft variable."""
        ends = np.cumsum([len(self.schema.categories[variable]) for variable in self.evidence.soft_variables])
        return np.split(self.evidence.likelihoods[0], ends[:-1]) if len(ends) else []


def blocks(n_rows: int) -> list[slice]:
    """Some rows after the others, as many as are asked of a circuit at once."""
    return [slice(start, min(start + _BLOCK, n_rows)) for start in range(0, n_rows, _BLOCK)]
