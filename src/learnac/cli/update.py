"""The command `learnac update`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Argument, Completes, Option

EXAMPLE = "learnac update model.learnac new.csv"


def update(
    model: options.ModelFile,
    table: Annotated[
        Path,
        Argument(
            metavar="TABLE",
            about="The new rows: a file of any size (CSV, TSV, Parquet, Feather), a folder or a pattern; "
            "- is standard input.",
            completes=Completes.TABLE,
        ),
    ],
    *,
    half_life: Annotated[
        float | None,
        Option(
            metavar="ROWS",
            about="Forget: what was counted before counts half as much after this many new rows.",
        ),
    ] = None,
    grow: Annotated[
        bool,
        Option(
            "--grow",
            about="Go on with the search, with the settings that the model was learned with: add splits that pay for "
            "themselves in the new rows.",
        ),
    ] = False,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            metavar="FILE",
            about="Write the model to this file. Default: the model's own file.",
            completes=Completes.MODEL,
        ),
    ] = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Add new rows to a learned model: its parameters follow, its structure stays,
    unless it is told to grow.

    The parameters are those that learning would read off all rows at once, old and
    new. The table is read as a stream: it may be larger than memory.
    """
    from learnac import updating
    from learnac.cli.columns import layout_of
    from learnac.cli.models import open_model
    from learnac.cli.output import print_json, print_rows
    from learnac.cli.progress import rows_read
    from learnac.cli.settings import naming_options
    from learnac.cli.standard_input import as_file
    from learnac.data.batches import FileBatches
    from learnac.errors import ModelFileError
    from learnac.files import check_writable
    from learnac.io import write_model

    target = model if out is None else out
    check_writable(target)
    stored = open_model(model)
    source = as_file(table)
    batches = FileBatches.of(source, layout_of(no_header, delimiter, table_format))
    with rows_read(f"reading {source}") as on_rows, naming_options():
        try:
            if grow:
                updated = updating.grow(stored, batches, half_life=half_life, on_rows=on_rows)
            else:
                updated = updating.update(stored, batches, half_life=half_life, on_rows=on_rows)
        except ValueError as error:
            if type(error) is not ValueError:
                raise
            raise ModelFileError(f"{model}: {error}", source=str(model)) from error
    write_model(updated, target)
    n_before, n_after = stored.provenance.get("rows", 0), updated.provenance["rows"]
    if as_json:
        more = {"splits": updated.provenance["splits"]} if grow else {}
        print_json({"rows": n_after - n_before, "rows_in_all": n_after, **more, "out": str(target)})
        return
    found = [("New rows", f"{n_after - n_before:,}"), ("Rows in all", f"{n_after:,}")]
    if grow:
        found += [
            ("Splits before", f"{stored.provenance['splits']:,}"),
            ("Splits", f"{updated.provenance['splits']:,}"),
        ]
    print_rows([*found, ("Written to", str(target))], right=(1,))
