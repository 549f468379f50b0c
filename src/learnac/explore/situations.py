"""What a page says is known, read and checked: for each variable nothing, a value, likelihoods, or a value set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.data import Evidence, Schema
from learnac.errors import QueryError, described

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Situation:
    """By position of a variable: its code, its likelihoods, or the code that it is set to."""

    schema: Schema
    codes: dict[int, int]
    likelihoods: dict[int, Floats]
    sets: dict[int, int]

    @classmethod
    def nothing(cls, schema: Schema) -> Situation:
        return cls(schema, {}, {}, {})

    @classmethod
    def of_codes(cls, schema: Schema, codes: NDArray[np.signedinteger]) -> Situation:
        return cls(schema, {v: code for v, code in enumerate(codes.tolist()) if code >= 0}, {}, {})

    @property
    def evidence(self) -> Evidence:
        """One row, without what is set."""
        codes = np.full((self.schema.n_variables, 1), -1, dtype=self.schema.evidence_dtype)
        for variable, code in self.codes.items():
            codes[variable] = code
        return Evidence.of_codes(self.schema, codes, is_one=True).with_likelihoods(self.likelihoods)

    @property
    def interventions(self) -> dict[str, Any]:
        """As `infer.do` takes them: probabilities, because the category of a number is no number."""
        arities = self.schema.arities
        return {self.schema.names[v]: np.eye(arities[v])[code].tolist() for v, code in self.sets.items()}

    @property
    def unknown(self) -> list[int]:
        return [v for v in range(self.schema.n_variables) if not self._is_known(v)]

    def _is_known(self, variable: int) -> bool:
        return variable in self.codes or variable in self.likelihoods or variable in self.sets

    def without(self, variable: int) -> Situation:
        """Nothing is known of a variable any more."""
        kept = [
            {v: k for v, k in known.items() if v != variable} for known in (self.codes, self.likelihoods, self.sets)
        ]
        return Situation(self.schema, *kept)  # type: ignore[arg-type]

    def weights(self, variable: int) -> Floats:
        """Of the values of a variable that something is known of, the largest 1."""
        if variable in self.likelihoods:
            return self.likelihoods[variable] / self.likelihoods[variable].max()
        return np.eye(self.schema.arities[variable])[self.codes[variable]]


def read_situation(schema: Schema, document: Any) -> Situation:
    """From the JSON of a page. QueryError for anything else."""
    if not isinstance(document, list) or len(document) != schema.n_variables:
        raise QueryError(f"situation: expected a list of {schema.n_variables} entries, found {described(document)}")
    found = Situation.nothing(schema)
    for variable, known in enumerate(document):
        if known is None:
            continue
        kind, value = _piece(schema, variable, known)
        if kind == "likelihoods":
            found.likelihoods[variable] = np.array(value, dtype=np.float64)
        else:
            (found.codes if kind == "is" else found.sets)[variable] = _code(schema, variable, value)
    return found


def _piece(schema: Schema, variable: int, known: Any) -> tuple[str, Any]:
    if isinstance(known, dict) and len(known) == 1:
        kind, value = next(iter(known.items()))
        if kind in ("is", "sets") or (kind == "likelihoods" and _are_likelihoods(schema, variable, value)):
            return kind, value
    name = schema.names[variable]
    raise QueryError(
        f"variable {name!r}: expected null, or an object with one of is, sets and likelihoods, found {known!r}",
        column=name,
    )


def _are_likelihoods(schema: Schema, variable: int, values: Any) -> bool:
    is_right = isinstance(values, list) and len(values) == schema.arities[variable]
    return is_right and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _code(schema: Schema, variable: int, code: Any, least: int = 0) -> int:
    n_values = int(schema.arities[variable])
    if not isinstance(code, int) or isinstance(code, bool) or not least <= code < n_values:
        name = schema.names[variable]
        raise QueryError(
            f"variable {name!r}: expected the number of a value, below {n_values}, found {code!r}", column=name
        )
    return code


def read_rows(schema: Schema, document: Any) -> NDArray[np.signedinteger]:
    """Rows of codes, -1 where unknown, as (variables x rows). QueryError for anything else."""
    if not isinstance(document, list) or not document:
        raise QueryError(f"rows: expected a list of rows of codes, found {described(document)}")
    codes = np.empty((schema.n_variables, len(document)), dtype=schema.evidence_dtype)
    for place, row in enumerate(document):
        if not isinstance(row, list) or len(row) != schema.n_variables:
            raise QueryError(
                f"rows: expected {schema.n_variables} codes in each, found {described(row)} in row {place}", row=place
            )
        codes[:, place] = [_code(schema, variable, code, -1) for variable, code in enumerate(row)]
    return codes
