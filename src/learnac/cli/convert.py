"""The command `learnac convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Argument, Completes, Option

EXAMPLE = "learnac convert model.learnac model.bif"


def convert(
    source: Annotated[
        Path,
        Argument(
            metavar="FROM",
            about="The file to read: .learnac, .bif, .xmlbif, .uai, .bn or .ac.",
            completes=Completes.MODEL,
        ),
    ],
    target: Annotated[
        Path,
        Argument(
            metavar="TO",
            about="The file to write: .learnac, .bif, .uai, .bn, .ac or .dot.",
            completes=Completes.MODEL,
        ),
    ],
    *,
    max_edges: Annotated[
        int, Option(metavar="N", least=1, about="When a network is compiled, refuse a circuit of more edges than this.")
    ] = 1_000_000,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Convert a model between formats: .learnac, BIF, UAI, Libra's .ac and .bn, and DOT.

    File names decide the formats. A .bif file may be compressed (.bif.gz).
    If the target needs a circuit and the source has only a network, the network
    is compiled.
    """
    from learnac.cli.memory import FEWER_EDGES, memory_for
    from learnac.cli.output import print_json
    from learnac.cli.progress import busy
    from learnac.files import check_writable
    from learnac.io.convert import check_target, read_any, write_any

    check_target(target)
    check_writable(target)
    with memory_for(f"the model {source}"), busy(f"reading {source}"):
        model = read_any(source)
    way_out = FEWER_EDGES if model.circuit is None else ""
    with memory_for(f"writing {target}", way_out), busy(f"writing {target}"):
        write_any(model, target, max_edges)
    if as_json:
        print_json({"from": str(source), "to": str(target), "variables": model.schema.n_variables})
