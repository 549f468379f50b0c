"""The command `learnac query`."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Completes, Option
from learnac.cli.printable import printable

if TYPE_CHECKING:
    from learnac.data import Schema

EXAMPLE = 'learnac query model.learnac --given "smoker=yes,age=60+" --query "bronchitis=yes"'


def query(
    model: options.ModelFile,
    *,
    query: Annotated[
        list[str],
        Option(
            "--query",
            "-q",
            metavar="NAME=CATEGORY,...",
            about="The values whose joint probability you want.",
            completes=Completes.ASSIGNMENTS,
        ),
    ],
    given: options.Given = None,
    do: options.Do = None,
    rows: options.Rows = None,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    unknown: options.Unknown = "error",
    out: options.Out = None,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print the exact probability of a query given evidence: P(query | given).

    With --rows, one probability for each row of a table. A number that could lie
    anywhere has a density; an interval such as age=30..40 has a probability.
    """
    from learnac.cli.answers import Asked, write_by_rows
    from learnac.cli.assignments import read_assignments
    from learnac.cli.output import density_fields, density_note, print_json
    from learnac.data import Evidence, as_evidence
    from learnac.infer import log_probability
    from learnac.infer.likelihood import check_query, densities_in

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
    wanted = read_assignments(query, asked.schema, "--query")
    if asked.rows is not None:
        import numpy as np
        import pyarrow as pa

        query_of_rows = as_evidence(asked.schema, wanted)

        def answer(block: Evidence) -> object:
            found = log_probability(asked.circuit, query_of_rows, block, n_threads=threads)
            return pa.table({"probability": np.exp(found), "log_probability": found})

        with asked.naming_rows():  # All of them, before any is answered.
            check_query(asked.circuit, query_of_rows, asked.rows)
        if numbers := densities_in(asked.circuit, query_of_rows, asked.rows):
            print(f"note: {density_note(numbers)}", file=sys.stderr)
        write_by_rows(asked, answer)
        return
    found = log_probability(asked.circuit, wanted, asked.given)
    numbers = densities_in(asked.circuit, wanted, asked.given)
    if as_json:
        document = {"query": wanted, "given": asked.given, "probability": math.exp(found), "log_probability": found}
        print_json(document | density_fields(numbers))
        return
    condition = f" | {_written(asked.schema, asked.given)}" if asked.given else ""
    print(f"{'density' if numbers else 'P'}({_written(asked.schema, wanted)}{condition}) = {math.exp(found):.6g}")
    if numbers:
        print(density_note(numbers))


def _written(schema: Schema, assignments: Mapping[str, object]) -> str:
    from learnac.data.conditions import known_text

    return ", ".join(printable(known_text(schema, name, value)) for name, value in assignments.items())
