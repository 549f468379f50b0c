"""Arguments and options that the commands on models share."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from learnac.cli.command import Argument, Completes, Option
from learnac.cli.options import Debug, Delimiter, Format, Json, NoHeader

__all__ = [
    "Balance",
    "Debug",
    "Delimiter",
    "Do",
    "Format",
    "Given",
    "Json",
    "ModelFile",
    "NoHeader",
    "Out",
    "ProofSeconds",
    "Rows",
    "RowsFile",
    "Stream",
    "Target",
    "Threads",
    "Unknown",
]

ProofSeconds: TypeAlias = Annotated[
    float,
    Option(
        "--max-seconds",
        metavar="SECONDS",
        least=0.0,
        about="For mixtures: how long to search, in all, for a proof that nothing is more probable.",
    ),
]

_EVIDENCE = "Evidence"
_OUTPUT = "Output"

ModelFile: TypeAlias = Annotated[
    Path,
    Argument(
        metavar="MODEL",
        about="A model: .learnac, or .bif, .xmlbif, .uai, .bn or .ac from another tool.",
        completes=Completes.MODEL,
    ),
]
RowsFile: TypeAlias = Annotated[
    Path,
    Argument(
        metavar="TABLE",
        about="A table: CSV, TSV, Parquet, Feather or Libra .data; - is standard input. Empty cells are unknown.",
        completes=Completes.TABLE,
    ),
]
Stream: TypeAlias = Annotated[
    bool,
    Option(
        "--stream",
        about="Read the table as a stream: it may be larger than memory, a folder or a pattern. "
        "CSV, TSV, Parquet and Arrow only.",
        panel=_EVIDENCE,
    ),
]
Given: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--given",
        "-g",
        metavar="NAME=CATEGORY,...",
        about="The evidence: known values of variables. May be repeated.",
        panel=_EVIDENCE,
        completes=Completes.ASSIGNMENTS,
    ),
]
Do: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar="NAME=CATEGORY,...",
        about="Interventions: set these variables from outside, whatever their parents say. May be repeated.",
        panel=_EVIDENCE,
        completes=Completes.ASSIGNMENTS,
    ),
]
Balance: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="NAME[=CATEGORY:SHARE,...]",
        about="Answer for a population in which the categories of this variable are equally frequent, "
        "or have these shares.",
        panel=_EVIDENCE,
        completes=Completes.VARIABLES,
    ),
]
Target: TypeAlias = Annotated[
    str,
    Option(metavar="NAME", about="The variable that the question is about.", completes=Completes.VARIABLES),
]
Rows: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="TABLE",
        about="Take the evidence from this table, and answer for each row; - is standard input. "
        "Empty cells are unknown.",
        panel=_EVIDENCE,
        completes=Completes.TABLE,
    ),
]
Threads: TypeAlias = Annotated[int, Option(metavar="N", least=1, about="The number of threads to use.", panel=_OUTPUT)]
Unknown: TypeAlias = Annotated[
    Literal["error", "missing"],
    Option(
        about="What a category of the table means that the model does not have: an error, or a missing value.",
        panel=_EVIDENCE,
    ),
]
Out: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        about="Write the table to this file (.csv, .tsv, .parquet, .feather) instead of printing it.",
        panel=_OUTPUT,
        completes=Completes.TABLE,
    ),
]
