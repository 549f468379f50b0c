"""Arguments and options that the commands on models share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

_EVIDENCE = "Evidence"
_TABLES = "Tables"
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
NoHeader: TypeAlias = Annotated[
    bool,
    typer.Option("--no-header", metavar="", help="The table has no line of names.", rich_help_panel=_TABLES),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What separates values; 'tab' for a tab. By the file's name, if not said.",
        rich_help_panel=_TABLES,
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
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", metavar="", help="Print one JSON object.", rich_help_panel=_OUTPUT)
]
Debug: TypeAlias = Annotated[
    bool, typer.Option("--debug", metavar="", help="Show the traceback of an error.", rich_help_panel=_OUTPUT)
]
