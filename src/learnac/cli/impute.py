"""The command `learnac impute`."""

from __future__ import annotations

from typing import Annotated, Literal

from learnac.cli import query_options as options
from learnac.cli.command import Option

EXAMPLE = "learnac impute model.learnac answers.csv --out completed.csv"


def impute(
    model: options.ModelFile,
    table: options.RowsFile,
    *,
    method: Annotated[
        Literal["mpe", "marginal"],
        Option(about="mpe: the most probable values of a row's gaps together. marginal: of each gap by itself."),
    ] = "mpe",
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    out: options.Out = None,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Fill in the unknown cells of a table with their most probable values."""
    from learnac.cli.answers import Asked, write_by_rows
    from learnac.infer import impute as fill

    asked = Asked.open(
        model, None, table, out, as_json, no_header=no_header, delimiter=delimiter, may_lack_columns=False
    )
    write_by_rows(asked, lambda block: fill(asked.circuit, block, method, n_threads=threads))
