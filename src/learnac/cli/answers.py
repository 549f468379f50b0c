"""What the commands that ask a model have in common: the model, the evidence, the way out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import typer

from learnac.circuit import Circuit
from learnac.cli.assignments import read_assignments
from learnac.cli.output import check_table_path, print_json, table_writer
from learnac.cli.progress import row_blocks
from learnac.data import Schema
from learnac.errors import ImpossibleEvidenceError, QueryError, placed
from learnac.io import StoredModel, read_model

if TYPE_CHECKING:
    from learnac.cli.tables import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A model, and evidence for one row, `given`, or for many, `rows`."""

    model: StoredModel
    given: dict[str, Any]
    rows: Rows | None
    source: str  # of the rows
    out: Path | None
    as_json: bool

    @classmethod
    def open(
        cls,
        model: Path,
        given: Sequence[str] | None,
        rows: Path | None,
        out: Path | None,
        as_json: bool,
        *,
        no_header: bool = False,
        delimiter: str | None = None,
        may_lack_columns: bool = True,
    ) -> Self:
        """Reads what a command was given, after complaints about what can be complained of at once."""
        if given and rows is not None:
            raise typer.BadParameter("expected --given or --rows, found both", param_hint="--rows")
        if out is not None and rows is None:
            raise typer.BadParameter("a table is written for --rows only", param_hint="--out")
        check_table_path(out)
        stored = read_model(model)
        known = read_assignments(given or [], stored.schema, "--given")
        if rows is None:
            return cls(stored, known, None, "", out, as_json)
        from learnac.cli.columns import layout_of
        from learnac.cli.tables import read_rows

        table = read_rows(rows, stored.schema, layout_of(no_header, delimiter), may_lack_columns)
        return cls(stored, known, table, str(rows), out, as_json)

    @property
    def circuit(self) -> Circuit:
        return self.model.circuit

    @property
    def schema(self) -> Schema:
        return self.model.schema

    def check(self, check: Callable[[Any], None]) -> None:
        """Lets all rows be looked at before any is answered; complaints name the file."""
        assert self.rows is not None
        try:
            check(self.rows.known)
        except QueryError as error:
            raise placed(error, self.source, source=self.source) from error


def write_by_rows(asked: Asked, answer: Callable[[Any], Any], *, completes: bool = False) -> None:
    """Answers block by block: to the file, or to stdout as CSV, or as one JSON object with a list of rows.

    An answer that completes rows gets back the columns that are none of the model's.
    """
    assert asked.rows is not None
    if asked.as_json and asked.out is None:
        found = [row for block in _answered(asked, asked.rows, answer, completes) for row in block.to_pylist()]
        print_json({"rows": found})
        return
    with table_writer(asked.out) as write:
        for block in _answered(asked, asked.rows, answer, completes):
            write(block)
    if asked.as_json:
        print_json({"out": str(asked.out), "rows": asked.rows.n_rows})


def _answered(asked: Asked, table: Rows, answer: Callable[[Any], Any], completes: bool) -> Iterator[Any]:
    for rows in row_blocks(table.n_rows, "rows"):
        try:
            found = answer(table.block(rows))
        except ImpossibleEvidenceError as error:
            row = rows.start + error.rows[0]
            raise QueryError(f"{asked.source}: row {row}: the evidence has probability zero") from error
        yield table.with_others(found, rows) if completes else found
