"""Arguments and options that the commands on models share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from learnac.cli.options import Debug, Delimiter, Json, NoHeader

__all__ = ["Debug", "Delimiter", "Given", "Json", "ModelFile", "NoHeader", "Out", "Rows", "RowsFile", "Threads"]

_EVIDENCE = "Evidence"
_OUTPUT = "Output"

ModelFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that `learnac learn --out` wrote.")
]
RowsFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="TABLE", help="Rows: CSV, TSV, Parquet, Feather or Libra .data; empty is unknown.")
]
Given: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--given", "-g", metavar="NAME=CATEGORY,...", help="What is known; may be repeated.", rich_help_panel=_EVIDENCE
    ),
]
Rows: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="TABLE", help="What is known of many rows, instead: empty is unknown.", rich_help_panel=_EVIDENCE
    ),
]
Threads: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=1, help="Threads to answer with.", rich_help_panel=_OUTPUT)
]
Out: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write a table here (.csv, .tsv, .parquet, .feather) instead of printing it.",
        rich_help_panel=_OUTPUT,
    ),
]
