"""The command `learnac score`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Option

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

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
    stream: options.Stream = False,
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
    from learnac.cli.weights import check_weights
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
        is_stream=stream,
    )

    def scores(block: Evidence) -> np.ndarray:
        found: np.ndarray = log_likelihood(asked.circuit, block, network=asked.model.network, n_threads=threads)
        return found

    if per_row or out is not None:
        import pyarrow as pa

        write_by_rows(asked, lambda block: pa.table({"log_likelihood": scores(block)}))
        return
    if asked.rows is None:
        _print_stream(answers_by_rows(asked, scores), as_json)
        return
    with naming(Path(asked.source)):
        check_weights(asked.rows.weights)
    found, weights = np.concatenate(list(answers_by_rows(asked, scores))), asked.rows.weights
    mean, weight = weighted_mean(found, weights), None if weights is None else float(weights.sum())
    order = np.argsort(found, kind="stable")[:_SHOWN].tolist()
    least = [(float(found[row]), row) for row in order]
    _print(len(found), mean, int(np.isneginf(found).sum()), least, weight, as_json)


def _print_stream(blocks: Iterator[np.ndarray], as_json: bool) -> None:
    """The same summary, without all rows at hand."""
    import heapq
    import math

    import numpy as np

    sums: list[float] = []
    least: list[tuple[float, int]] = []
    n_rows = n_impossible = 0
    for found in blocks:
        sums.append(math.fsum(found[np.isfinite(found)]))
        n_impossible += int(np.isneginf(found).sum())
        first = np.argsort(found, kind="stable")[:_SHOWN].tolist()
        least = heapq.nsmallest(_SHOWN, [*least, *((float(found[row]), n_rows + row) for row in first)])
        n_rows += len(found)
    mean = math.nan if n_rows == 0 else -math.inf if n_impossible else math.fsum(sums) / n_rows
    _print(n_rows, mean, n_impossible, least, None, as_json)


def _print(
    n_rows: int, mean: float, n_impossible: int, least: list[tuple[float, int]], weight: float | None, as_json: bool
) -> None:
    from learnac.cli.output import print_json, print_rows
    from learnac.cli.weights import described_rows

    if as_json:
        print_json(
            {
                "rows": n_rows,
                **({} if weight is None else {"weight": weight}),
                "log_likelihood": mean,
                "impossible": n_impossible,
                "least_likely": [{"row": row, "log_likelihood": value} for value, row in least],
            }
        )
        return
    print(f"mean log-likelihood {mean:.4f} of {described_rows(n_rows, weight)}")
    print_rows([(f"row {row}", f"{value:.4f}") for value, row in least], header=("least likely", ""), right=(1,))
