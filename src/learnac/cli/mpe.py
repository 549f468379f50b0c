"""The command `learnac mpe`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnac.cli import query_options as options

if TYPE_CHECKING:
    from learnac.data import Evidence

EXAMPLE = 'learnac mpe model.learnac --given "diagnosis=malignant"'


def mpe(
    model: options.ModelFile,
    *,
    given: options.Given = None,
    do: options.Do = None,
    rows: options.Rows = None,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    unknown: options.Unknown = "error",
    out: options.Out = None,
    threads: options.Threads = 1,
    max_seconds: options.ProofSeconds = 10.0,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print the most probable combination of values, given evidence.

    With --rows, print the table with its missing values filled in, and a column
    log_probability.
    """
    from learnac.cli.answers import Asked, write_by_rows
    from learnac.cli.output import print_json, print_rows
    from learnac.infer import mpe as most_probable

    asked = Asked.open(
        model,
        given,
        rows,
        out,
        as_json,
        no_header=no_header,
        delimiter=delimiter,
        table_format=table_format,
        unknown=unknown,
        do=do,
    )
    if asked.rows is not None:

        def answer(block: Evidence) -> object:
            return _with_column(
                *most_probable(asked.circuit, block, max_seconds=max_seconds * asked.share(block), n_threads=threads)
            )

        write_by_rows(asked, answer)
        return
    world, log_probability = most_probable(asked.circuit, asked.given, max_seconds=max_seconds)
    if as_json:
        print_json({"given": asked.given, "world": world, "log_probability": log_probability})
        return
    print_rows([(name, str(value), "given" if name in asked.given else "") for name, value in world.items()])
    print(f"log P = {log_probability:.4f}")


def _with_column(table: Any, log_probabilities: Any) -> Any:
    """Completed rows, and how probable they are: in the place of a column that is called so already, if any."""
    import pyarrow as pa

    column = pa.array(log_probabilities)
    if (name := "log_probability") in table.column_names:
        return table.set_column(table.column_names.index(name), name, column)
    return table.append_column(name, column)
