"""The command `learnac refit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Completes, Option

EXAMPLE = "learnac refit model.learnac new.csv --out newer.learnac"


def refit(
    model: options.ModelFile,
    table: options.RowsFile,
    *,
    out: Annotated[
        Path,
        Option(
            "--out",
            "-o",
            metavar="FILE",
            about="Write the model to this file (.learnac, .bif, .uai, .bn or .ac).",
            completes=Completes.MODEL,
        ),
    ],
    alpha: Annotated[float, Option(metavar="A", least=0, about="What is added to each count.")] = 1.0,
    max_rounds: Annotated[
        int, Option(metavar="N", least=1, about="End after this many rounds, if there are missing values.")
    ] = 200,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Estimate the parameters of a model anew from a table; its structure stays.

    Values may be missing: their expected counts are exact, and parameters and
    counts follow from each other in rounds (EM) until they agree.
    """
    from dataclasses import replace

    from learnac.cli.columns import layout_of
    from learnac.cli.memory import memory_for
    from learnac.cli.output import print_json, print_rows
    from learnac.cli.progress import busy
    from learnac.cli.standard_input import as_file
    from learnac.data.evidence_files import read_evidence
    from learnac.errors import ModelFileError
    from learnac.files import check_writable
    from learnac.io.convert import check_target, read_any, write_any
    from learnac.refitting import refit as refit_network

    check_target(out)
    check_writable(out)
    with memory_for(f"the model {model}"), busy(f"reading {model}"):
        stored = read_any(model)
    if stored.network is None:
        raise ModelFileError(f"{model}: expected a model with a network, found only a circuit", source=str(model))
    source = as_file(table)
    with memory_for(f"the table {source}"), busy(f"reading {source}"):
        layout = layout_of(no_header, delimiter, table_format)
        rows = read_evidence(source, stored.schema, layout, may_lack_columns=True)
    with memory_for(f"the circuit of {model}"), busy(f"refitting {model}"):
        found = refit_network(stored, rows, alpha=alpha, max_rounds=max_rounds, n_threads=threads)
    provenance = {**stored.provenance, "refitted on": Path(source).name, "refitted rows": rows.n_rows}
    write_any(replace(stored, circuit=found.circuit, network=found.network, provenance=provenance), out)
    if as_json:
        print_json(
            {
                "rows": rows.n_rows,
                "rounds": found.n_rounds,
                "converged": found.has_converged,
                "log_likelihood": found.log_likelihood,
                "out": str(out),
            }
        )
        return
    end = "" if found.has_converged else ", still rising"
    print_rows(
        [
            ("Rows", f"{rows.n_rows:,}"),
            ("Rounds", f"{found.n_rounds}{end}"),
            ("Log-likelihood", f"{found.log_likelihood:.4f} per row"),
            ("Written to", f"{out}"),
        ]
    )
