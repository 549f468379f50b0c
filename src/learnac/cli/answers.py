"""What the commands that ask a model have in common: the model, the evidence, the way out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from learnac.circuit import Queryable
from learnac.cli.assignments import read_assignments
from learnac.cli.command import UsageError
from learnac.cli.memory import memory_for
from learnac.cli.models import intervened, open_model
from learnac.cli.output import TEXT_SUFFIXES, check_table_path, print_json, table_writer
from learnac.cli.progress import busy, row_blocks, rows_read
from learnac.cli.standard_input import as_file
from learnac.data import Evidence, Schema
from learnac.errors import QueryError, placed
from learnac.model import Model

if TYPE_CHECKING:
    from learnac.data.csv_files import CsvDialect
    from learnac.data.tables import TableFormat


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A model, and evidence for one row, `given`, or for many, `rows`."""

    model: Model
    given: dict[str, Any]
    rows: Evidence | None
    source: str  # of the rows
    out: Path | None
    as_json: bool
    dialect: CsvDialect | None = None  # of the rows, if they are CSV or TSV
    stream: Callable[[], Iterator[Evidence]] | None = None  # of the rows, in place of `rows`

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
        table_format: TableFormat | None = None,
        unknown: str = "error",
        may_lack_columns: bool = True,
        do: Sequence[str] | None = None,
        is_stream: bool = False,
    ) -> Self:
        """Reads what a command was given, after complaints about what can be complained of at once."""
        if given and rows is not None:
            raise UsageError("use --given or --rows, not both", "--rows")
        if out is not None and rows is None:
            raise UsageError("needs --rows: without it there is no table to write", "--out")
        check_table_path(out)
        stored = intervened(open_model(model), do)
        known = read_assignments(given or [], stored.schema, "--given")
        if rows is None:
            return cls(stored, known, None, "", out, as_json)
        from learnac.cli.columns import layout_of
        from learnac.data.batches import FileBatches
        from learnac.data.evidence_files import read_evidence, stream_evidence

        rows = as_file(rows)
        layout = layout_of(no_header, delimiter, table_format)
        schema = stored.schema if unknown == "error" else replace(stored.schema, takes_unknown=True)
        if is_stream:
            source = FileBatches.of(rows, layout)
            stream = partial(stream_evidence, source, schema, may_lack_columns=may_lack_columns)
            return cls(stored, known, None, str(rows), out, as_json, stream=stream)
        with memory_for(f"the table {rows}"), busy(f"reading {rows}"):
            evidence = read_evidence(rows, schema, layout, may_lack_columns=may_lack_columns)
        return cls(stored, known, evidence, str(rows), out, as_json, layout.dialect_of(rows))

    @property
    def writes_text(self) -> bool:
        """Whether the answers are CSV or TSV."""
        return not self.as_json if self.out is None else self.out.suffix.lower() in TEXT_SUFFIXES

    @property
    def circuit(self) -> Queryable:
        return self.model.require_circuit()

    @property
    def schema(self) -> Schema:
        return self.model.schema

    def share(self, block: Evidence) -> float:
        """Of all rows that are asked, those in a block."""
        return 1.0 if self.rows is None else block.n_rows / max(1, self.rows.n_rows)

    @contextmanager
    def naming_rows(self) -> Iterator[None]:
        """Puts the file's name before a complaint about its rows."""
        try:
            yield
        except QueryError as error:
            raise placed(error, self.source, source=self.source) from error


def write_by_rows(asked: Asked, answer: Callable[[Evidence], Any]) -> None:
    """Answers block by block: to the file, or to stdout as CSV, or as one JSON object with a list of rows."""
    if asked.as_json and asked.out is None:
        print_json({"rows": [row for block in answers_by_rows(asked, answer) for row in block.to_pylist()]})
        return
    n_rows = 0
    with table_writer(asked.out) as write:
        for block in answers_by_rows(asked, answer):
            write(block)
            n_rows += block.num_rows
    if asked.as_json:
        print_json({"out": str(asked.out), "rows": n_rows})


def answers_by_rows(asked: Asked, answer: Callable[[Evidence], Any]) -> Iterator[Any]:
    """The answers for some rows after the others."""
    if asked.stream is not None:
        yield from _streamed_answers(asked, asked.stream(), answer)
        return
    assert asked.rows is not None
    for rows in row_blocks(asked.rows.n_rows, "rows"):
        with asked.naming_rows():
            found = answer(asked.rows.rows(rows))
        yield found


def _streamed_answers(asked: Asked, blocks: Iterator[Evidence], answer: Callable[[Evidence], Any]) -> Iterator[Any]:
    from learnac.data.batches import in_whole_table

    n_rows = 0
    with rows_read(f"reading {asked.source}") as on_rows:
        for evidence in blocks:
            try:
                found = answer(evidence)
            except QueryError as error:
                raise in_whole_table(error, n_rows, asked.source) from error
            yield found
            n_rows += evidence.n_rows
            if on_rows is not None:
                on_rows(n_rows)
