"""The options of `learnac learn` and `learnac tune`: the type and the help of each."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

_TABLES = "Tables"
_PRICES = "Prices and scores"
_SEARCH = "Search"
_BUDGETS = "Budgets (the search ends when one is used up)"
_OUTPUT = "Output"

TrainTable: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="TRAIN", help="Table to learn from: CSV, TSV, Parquet, Feather or Libra .data; also compressed."
    ),
]
ValidTable: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Keep the first splits, as many as are best on this table.",
        rich_help_panel=_TABLES,
    ),
]
TestTable: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Report the log-likelihood of this table too.", rich_help_panel=_TABLES),
]
NoHeader: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--no-header",
        metavar="",
        help="The files have no line of names: columns are called x0, x1, ...",
        rich_help_panel=_TABLES,
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What separates values; 'tab' for a tab. By the file's name, if not said.",
        rich_help_panel=_TABLES,
    ),
]
Arity: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="All columns hold codes 0 to N-1, seen in training or not.",
        rich_help_panel=_TABLES,
    ),
]
SchemaFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--schema", metavar="FILE", help="A TOML file that says what columns hold.", rich_help_panel=_TABLES),
]
WriteSchema: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write what was found out about columns, as TOML.", rich_help_panel=_TABLES),
]
BinsOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--bins",
        metavar="[NAME=]N[:uniform]",
        help="Make N intervals of a column of numbers, of equal share or equal width; of all that need it, if no "
        "name is said. May be repeated.",
        rich_help_panel=_TABLES,
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="NAME,...", help="Leave these columns out.", rich_help_panel=_TABLES)
]
AsCategory: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME,...", help="Keep every value of these columns, however many.", rich_help_panel=_TABLES),
]

EdgePenalty: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="NATS",
        help="What each edge that a split adds must gain (k_e). Without it, from 10 down, until --max-edges is used.",
        rich_help_panel=_PRICES,
    ),
]
ParameterPenalty: TypeAlias = Annotated[
    float,
    typer.Option(metavar="NATS", help="The same for each parameter (k_p).", rich_help_panel=_PRICES),
]
Criterion: TypeAlias = Annotated[
    Literal["likelihood", "bdeu"],
    typer.Option(help="The score to gain in.", rich_help_panel=_PRICES),
]
Alpha: TypeAlias = Annotated[
    float,
    typer.Option(metavar="COUNT", help="For likelihood: added to all counts.", rich_help_panel=_PRICES),
]
Shrinkage: TypeAlias = Annotated[
    float,
    typer.Option(metavar="ROWS", help="How many rows a tree node's parent counts for.", rich_help_panel=_PRICES),
]
EquivalentSampleSize: TypeAlias = Annotated[
    float,
    typer.Option(metavar="ROWS", help="For bdeu: the weight of the prior.", rich_help_panel=_PRICES),
]

Schedule: TypeAlias = Annotated[
    Literal["quick", "greedy"],
    typer.Option(help="AC-Quick; or AC-Greedy: the best split every time, slower.", rich_help_panel=_SEARCH),
]
Splits: TypeAlias = Annotated[
    Literal["complete", "binary"],
    typer.Option(help="A branch for each value, or one value against the rest.", rich_help_panel=_SEARCH),
]
HalveEdgePenalty: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--halve-edge-penalty",
        metavar="",
        help="Whenever no split pays, halve the edge penalty, until --max-edges is used.",
        rich_help_panel=_SEARCH,
    ),
]

MaxEdges: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Edges of the circuit; 200,000 if no edge penalty is set.", rich_help_panel=_BUDGETS
    ),
]
MaxSplits: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="Splits to apply.", rich_help_panel=_BUDGETS)
]
MaxSeconds: TypeAlias = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Time to search.", rich_help_panel=_BUDGETS)
]
Patience: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="N", help="Splits in a row that --valid is no better for.", rich_help_panel=_BUDGETS),
]

Out: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the model here (.learnac).", rich_help_panel=_OUTPUT)
]
Checkpoint: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep the state of the search here, from time to time.", rich_help_panel=_OUTPUT),
]
CheckpointEvery: TypeAlias = Annotated[
    float,
    typer.Option(metavar="SECONDS", min=0.0, help="How often --checkpoint is written.", rich_help_panel=_OUTPUT),
]
Resume: TypeAlias = Annotated[
    bool,
    typer.Option("--resume", metavar="", help="Go on from --checkpoint, if it is there.", rich_help_panel=_OUTPUT),
]
Json: TypeAlias = Annotated[
    bool,
    typer.Option("--json", metavar="", help="Print one JSON object.", rich_help_panel=_OUTPUT),
]
Debug: TypeAlias = Annotated[
    bool,
    typer.Option("--debug", metavar="", help="Show the traceback of an error.", rich_help_panel=_OUTPUT),
]
