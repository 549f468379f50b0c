"""The command `learnac impute`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from learnac.cli import query_options as options
from learnac.cli.command import Option, UsageError

if TYPE_CHECKING:
    from learnac.cli.answers import Asked

EXAMPLE = "learnac impute model.learnac answers.csv --out completed.csv"


def impute(
    model: options.ModelFile,
    table: options.RowsFile,
    *,
    method: Annotated[
        Literal["mpe", "marginal"],
        Option(
            about="mpe: the most probable combination of all missing values of a row. "
            "marginal: the most probable value of each; numbers: their mean."
        ),
    ] = "mpe",
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    unknown: options.Unknown = "error",
    stream: options.Stream = False,
    out: options.Out = None,
    threads: options.Threads = 1,
    max_seconds: options.ProofSeconds = 10.0,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Fill in the missing values of a table with their most probable values.

    Known values do not change: they are copied to the letter.
    """
    from learnac.cli.answers import Asked, answers_by_rows, write_by_rows
    from learnac.cli.columns import layout_of
    from learnac.infer.impute import completed
    from learnac.infer.impute import impute as fill

    asked = Asked.open(
        model,
        None,
        table,
        out,
        as_json,
        no_header=no_header,
        delimiter=delimiter,
        table_format=table_format,
        unknown=unknown,
        may_lack_columns=False,
        is_stream=stream,
    )
    if stream and layout_of(no_header, delimiter, table_format).dialect_of(table) is not None:
        raise UsageError("expected Parquet or Arrow: CSV is copied to the letter, from a table in memory", "--stream")
    if asked.dialect is None or not asked.writes_text:
        write_by_rows(
            asked,
            lambda block: fill(
                asked.circuit, block, method, max_seconds=max_seconds * asked.share(block), n_threads=threads
            ),
        )
        return
    rows = answers_by_rows(
        asked,
        lambda block: completed(
            asked.circuit, block, method, max_seconds=max_seconds * asked.share(block), n_threads=threads
        ),
    )
    _write_cells(asked, rows)


def _write_cells(asked: Asked, rows: Iterator[Any]) -> None:
    """From CSV to CSV: cells that are not filled are copied as they are written."""
    from learnac.cli.output import bytes_writer, print_json
    from learnac.data.csv_filling import CsvFilling

    assert asked.rows is not None
    assert asked.dialect is not None
    # Printed like the file; into a file by its name.
    delimiters = {".csv": ",", ".tsv": "\t"}
    delimiter = asked.dialect.delimiter if asked.out is None else delimiters[asked.out.suffix.lower()]
    with bytes_writer(asked.out) as write:
        for line in CsvFilling(Path(asked.source), asked.dialect, asked.rows, delimiter).lines(rows):
            write(line)
    if asked.as_json:
        print_json({"out": str(asked.out), "rows": asked.rows.n_rows})
