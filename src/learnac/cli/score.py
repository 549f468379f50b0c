"""The command `learnac score`."""

from __future__ import annotations

from typing import Annotated

import typer

from learnac.cli import query_options as options

EXAMPLE = "learnac score model.learnac test.csv"
_SHOWN = 5


def score(
    model: options.ModelFile,
    table: options.RowsFile,
    *,
    per_row: Annotated[
        bool, typer.Option("--per-row", metavar="", help="The log-likelihood of each row, instead of a summary.")
    ] = False,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    out: options.Out = None,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """How likely are the rows of a table? Natural logs; unknown values are summed out.

    The least likely rows are listed: anomalies, or errors in the table.
    """
    import numpy as np
    import pyarrow as pa

    from learnac.cli.answers import Asked, write_by_rows
    from learnac.cli.output import print_json, print_rows
    from learnac.cli.progress import row_blocks
    from learnac.infer import log_likelihood

    asked = Asked.open(
        model, None, table, out, as_json, no_header=no_header, delimiter=delimiter, may_lack_columns=False
    )

    def scores(block: object) -> np.ndarray:
        found: np.ndarray = log_likelihood(asked.circuit, block, network=asked.model.network, n_threads=threads)
        return found

    if per_row or out is not None:
        write_by_rows(asked, lambda block: pa.table({"log_likelihood": scores(block)}))
        return
    assert asked.rows is not None
    found = np.concatenate([scores(asked.rows.block(rows)) for rows in row_blocks(asked.rows.n_rows, "rows")])
    least = np.argsort(found, kind="stable")[:_SHOWN].tolist()
    if as_json:
        print_json(
            {
                "rows": len(found),
                "log_likelihood": float(found.mean()),
                "impossible": int(np.isneginf(found).sum()),
                "least_likely": [{"row": row, "log_likelihood": float(found[row])} for row in least],
            }
        )
        return
    print(f"mean log-likelihood {found.mean():.4f} of {len(found):,} rows")
    print_rows([(f"row {row}", f"{found[row]:.4f}") for row in least], header=("least likely", ""), right=(1,))
