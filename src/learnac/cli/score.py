"""The command `learnac score`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Option

if TYPE_CHECKING:
    from learnac.data import Evidence

EXAMPLE = "learnac score model.learnac test.csv"
_SHOWN = 5


def score(
    model: options.ModelFile,
    table: options.RowsFile,
    *,
    per_row: Annotated[
        bool, Option("--per-row", about="Print the log-likelihood of each row instead of a summary.")
    ] = False,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    unknown: options.Unknown = "error",
    out: options.Out = None,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print the mean log-likelihood per row of a table, and its least likely rows.

    Log-likelihoods are in nats: higher is better. The least likely rows may be
    anomalies, or errors in the table. Missing values are summed out. Rows of
    Libra's .data files count by their weights, if they have any.
    """
    import numpy as np

    from learnac.cli.answers import Asked, answers_by_rows, write_by_rows
    from learnac.cli.output import print_json, print_rows
    from learnac.cli.weights import check_weights, described_rows
    from learnac.data.tables import naming
    from learnac.data.weights import weighted_mean
    from learnac.infer import log_likelihood

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
    )

    def scores(block: Evidence) -> np.ndarray:
        found: np.ndarray = log_likelihood(asked.circuit, block, network=asked.model.network, n_threads=threads)
        return found

    if per_row or out is not None:
        import pyarrow as pa

        write_by_rows(asked, lambda block: pa.table({"log_likelihood": scores(block)}))
        return
    assert asked.rows is not None
    with naming(Path(asked.source)):
        check_weights(asked.rows.weights)
    found, weights = np.concatenate(list(answers_by_rows(asked, scores))), asked.rows.weights
    mean, weight = weighted_mean(found, weights), None if weights is None else float(weights.sum())
    least = np.argsort(found, kind="stable")[:_SHOWN].tolist()
    if as_json:
        print_json(
            {
                "rows": len(found),
                **({} if weight is None else {"weight": weight}),
                "log_likelihood": mean,
                "impossible": int(np.isneginf(found).sum()),
                "least_likely": [{"row": row, "log_likelihood": float(found[row])} for row in least],
            }
        )
        return
    print(f"mean log-likelihood {mean:.4f} of {described_rows(len(found), weight)}")
    print_rows([(f"row {row}", f"{found[row]:.4f}") for row in least], header=("least likely", ""), right=(1,))
