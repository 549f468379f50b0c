"""The options of `learnac learn` and `learnac tune`: the type and the help of each."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from learnac.cli.command import Argument, Completes, Option

_TABLES = "Tables"
_PRICES = "Prices and scores"
_SEARCH = "Search"
_BUDGETS = "Budgets (the search ends when one is used up)"
_OUTPUT = "Output"

TrainTable: TypeAlias = Annotated[
    Path,
    Argument(
        metavar="TRAIN",
        about="Table to learn from: CSV, TSV, Parquet, Feather or Libra .data; also compressed.",
        completes=Completes.TABLE,
    ),
]
ValidTable: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        about="Keep the first splits, as many as are best on this table.",
        panel=_TABLES,
        completes=Completes.TABLE,
    ),
]
TestTable: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE", about="Report the log-likelihood of this table too.", panel=_TABLES, completes=Completes.TABLE
    ),
]
NoHeader: TypeAlias = Annotated[
    bool,
    Option(
        "--no-header",
        about="The files have no line of names: columns are called x0, x1, ...",
        panel=_TABLES,
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="CHARACTER",
        about="What separates values; 'tab' for a tab. By the file's name, if not said.",
        panel=_TABLES,
    ),
]
Arity: TypeAlias = Annotated[
    int | None,
    Option(
        least=1,
        metavar="N",
        about="All columns hold codes 0 to N-1, seen in training or not.",
        panel=_TABLES,
    ),
]
SchemaFile: TypeAlias = Annotated[
    Path | None,
    Option("--schema", metavar="FILE", about="A TOML file that says what columns hold.", panel=_TABLES),
]
WriteSchema: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", about="Write what was found out about columns, as TOML.", panel=_TABLES),
]
BinsOption: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--bins",
        metavar="[NAME=]N[:uniform]",
        about="Make N intervals of a column of numbers, of equal share or equal width; of all that need it, if no "
        "name is said. May be repeated.",
        panel=_TABLES,
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None, Option(metavar="NAME,...", about="Leave these columns out.", panel=_TABLES)
]
AsCategory: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="NAME,...", about="Keep every value of these columns, however many.", panel=_TABLES),
]

EdgePenalty: TypeAlias = Annotated[
    float | None,
    Option(
        metavar="NATS",
        about="What each edge that a split adds must gain (k_e). Without it, from 10 down, until --max-edges is used.",
        panel=_PRICES,
    ),
]
ParameterPenalty: TypeAlias = Annotated[
    float,
    Option(metavar="NATS", about="The same for each parameter (k_p).", panel=_PRICES),
]
Criterion: TypeAlias = Annotated[
    Literal["likelihood", "bdeu"],
    Option(about="The score to gain in.", panel=_PRICES),
]
Alpha: TypeAlias = Annotated[
    float | None,
    Option(
        metavar="COUNT", about="For likelihood: added to all counts. Without it, chosen on other rows.", panel=_PRICES
    ),
]
Shrinkage: TypeAlias = Annotated[
    float | None,
    Option(
        metavar="ROWS",
        about="How many rows a tree node's parent counts for. Without it, chosen on other rows.",
        panel=_PRICES,
    ),
]
EquivalentSampleSize: TypeAlias = Annotated[
    float,
    Option(metavar="ROWS", about="For bdeu: the weight of the prior.", panel=_PRICES),
]

Schedule: TypeAlias = Annotated[
    Literal["quick", "greedy"],
    Option(about="AC-Quick; or AC-Greedy: the best split every time, slower.", panel=_SEARCH),
]
Splits: TypeAlias = Annotated[
    Literal["complete", "binary"],
    Option(about="A branch for each value, or one value against the rest.", panel=_SEARCH),
]
HalveEdgePenalty: TypeAlias = Annotated[
    bool,
    Option(
        "--halve-edge-penalty",
        about="Whenever no split pays, halve the edge penalty, until --max-edges is used.",
        panel=_SEARCH,
    ),
]

MaxEdges: TypeAlias = Annotated[
    int | None,
    Option(metavar="N", about="Edges of the circuit; 200,000 if no edge penalty is set.", panel=_BUDGETS),
]
MaxSplits: TypeAlias = Annotated[int | None, Option(metavar="N", about="Splits to apply.", panel=_BUDGETS)]
MaxSeconds: TypeAlias = Annotated[float | None, Option(metavar="SECONDS", about="Time to search.", panel=_BUDGETS)]
Patience: TypeAlias = Annotated[
    int | None,
    Option(metavar="N", about="Splits in a row that --valid is no better for.", panel=_BUDGETS),
]

Out: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        about="Write the model here (.learnac).",
        panel=_OUTPUT,
        completes=Completes.MODEL,
    ),
]
Checkpoint: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", about="Keep the state of the search here, from time to time.", panel=_OUTPUT),
]
CheckpointEvery: TypeAlias = Annotated[
    float,
    Option(metavar="SECONDS", least=0.0, about="How often --checkpoint is written.", panel=_OUTPUT),
]
Resume: TypeAlias = Annotated[
    bool,
    Option("--resume", about="Go on from --checkpoint, if it is there.", panel=_OUTPUT),
]
Json: TypeAlias = Annotated[
    bool,
    Option("--json", about="Print one JSON object.", panel=_OUTPUT),
]
Debug: TypeAlias = Annotated[
    bool,
    Option("--debug", about="Show the traceback of an error.", panel=_OUTPUT),
]
