"""The options of `learnac learn` and `learnac tune`: the type and the help of each."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from learnac.cli.command import Argument, Completes, Option

_TABLES = "Tables"
_PRICES = "Penalties and smoothing"
_SEARCH = "Search"
_MIXTURE = "Mixtures"
_PARENTS = "What may depend on what"
_BUDGETS = "Budgets (the search ends when one is used up)"
_OUTPUT = "Output"

TrainTable: TypeAlias = Annotated[
    Path,
    Argument(
        metavar="TRAIN",
        about="The table to learn from: CSV, TSV, Parquet, Feather or Libra .data, plain or compressed; "
        "- is standard input.",
        completes=Completes.TABLE,
    ),
]
ValidTable: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        about="A validation table. The model keeps the number of splits that scores best on it.",
        panel=_TABLES,
        completes=Completes.TABLE,
    ),
]
TestTable: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        about="A test table, to report its log-likelihood, too.",
        panel=_TABLES,
        completes=Completes.TABLE,
    ),
]
NoHeader: TypeAlias = Annotated[
    bool,
    Option(
        "--no-header",
        about="The tables have no header line; columns are named x0, x1, ...",
        panel=_TABLES,
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="CHARACTER",
        about="The character between values; write tab for a tab. Default: a tab for .tsv and .tab, otherwise a comma.",
        panel=_TABLES,
    ),
]
Format: TypeAlias = Annotated[
    Literal["csv", "tsv", "parquet", "arrow", "libra"] | None,
    Option(
        "--format",
        about="The format of the tables. Default: by the ending of the file name, "
        "or the first bytes of standard input.",
        panel=_TABLES,
    ),
]
Arity: TypeAlias = Annotated[
    int | None,
    Option(
        least=1,
        metavar="N",
        about="Every column holds the codes 0 to N-1, even codes that the training table lacks.",
        panel=_TABLES,
    ),
]
SchemaFile: TypeAlias = Annotated[
    Path | None,
    Option(
        "--schema",
        metavar="FILE",
        about="A TOML file that describes the columns: categories, bins, columns to drop.",
        panel=_TABLES,
    ),
]
WriteSchema: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", about="Write a description of the columns to this TOML file.", panel=_TABLES),
]
BinsOption: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--bins",
        metavar="[NAME=]N[:uniform]",
        about="Divide a column of numbers into N intervals of equally many rows, or with :uniform of equal width. "
        "Without NAME, every column of numbers. Default: up to 32. May be repeated.",
        panel=_TABLES,
    ),
]
Drop: TypeAlias = Annotated[list[str] | None, Option(metavar="NAME,...", about="Ignore these columns.", panel=_TABLES)]
Kinds: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--kind",
        metavar="NAME=KIND,...",
        about="What columns hold, where the guess is wrong: categorical, ordered, number, date or boolean.",
        panel=_TABLES,
    ),
]
AsCategory: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar="NAME,...",
        about="Treat every distinct value of these columns as a category, however many there are: "
        "short for --kind NAME=categorical.",
        panel=_TABLES,
    ),
]
Missing: TypeAlias = Annotated[
    Literal["random", "category"],
    Option(
        about="What missing values are. random: missing at random; the model is learned from what is known. "
        "category: a value of their own, called missing.",
        panel=_TABLES,
    ),
]
MinCount: TypeAlias = Annotated[
    int,
    Option(
        metavar="N",
        least=1,
        about="Gather the strings of a column that fewer than N rows have in one category, (other).",
        panel=_TABLES,
    ),
]

EdgePenalty: TypeAlias = Annotated[
    float | None,
    Option(
        metavar="NATS",
        about="The log-likelihood a split must gain for each edge it adds (k_e). "
        "Default: start at 10, and halve it until --max-edges is reached.",
        panel=_PRICES,
    ),
]
ParameterPenalty: TypeAlias = Annotated[
    float,
    Option(
        metavar="NATS", about="The log-likelihood a split must gain for each parameter it adds (k_p).", panel=_PRICES
    ),
]
Criterion: TypeAlias = Annotated[
    Literal["likelihood", "bdeu"],
    Option(about="The score used to choose splits.", panel=_PRICES),
]
Alpha: TypeAlias = Annotated[
    float | None,
    Option(
        metavar="COUNT",
        about="Smoothing, with --criterion likelihood: add this number to every count. "
        "Default: chosen on held-out rows.",
        panel=_PRICES,
    ),
]
Shrinkage: TypeAlias = Annotated[
    float | None,
    Option(
        metavar="ROWS",
        about="Smoothing: pull each tree node towards its parent node, as if by this many rows. "
        "Default: chosen on held-out rows.",
        panel=_PRICES,
    ),
]
EquivalentSampleSize: TypeAlias = Annotated[
    float,
    Option(metavar="ROWS", about="With --criterion bdeu: the weight of the prior, in rows.", panel=_PRICES),
]

Schedule: TypeAlias = Annotated[
    Literal["quick", "greedy"],
    Option(
        about="quick is AC-Quick; greedy is AC-Greedy, which always takes the best split and is slower.", panel=_SEARCH
    ),
]
Splits: TypeAlias = Annotated[
    Literal["complete", "binary"],
    Option(
        about="complete: a branch for each value. binary: one value against the rest; intervals at a threshold.",
        panel=_SEARCH,
    ),
]
HalveEdgePenalty: TypeAlias = Annotated[
    bool,
    Option(
        "--halve-edge-penalty",
        about="When no split pays, halve the edge penalty and go on, until --max-edges is reached.",
        panel=_SEARCH,
    ),
]
Components: TypeAlias = Annotated[
    str,
    Option(
        metavar="N",
        about="Learn a mixture: one structure with N vectors of parameters, under a hidden variable. auto: choose N, "
        "and how large the structure is, within --max-edges.",
        panel=_MIXTURE,
    ),
]
Averages: TypeAlias = Annotated[
    int,
    Option(metavar="N", about="Average N mixtures that are learned from different seeds.", panel=_MIXTURE),
]
Seed: TypeAlias = Annotated[
    int, Option(metavar="SEED", about="A seed for mixtures: the same seed gives the same model.", panel=_MIXTURE)
]
LearningThreads: TypeAlias = Annotated[
    int,
    Option(
        "--threads",
        metavar="N",
        least=1,
        about="How many threads learn candidates for a mixture. The model does not depend on it.",
        panel=_MIXTURE,
    ),
]

MaxEdges: TypeAlias = Annotated[
    int | None,
    Option(
        metavar="N",
        about="Stop when the circuit has this many edges. Default: 200,000 unless --edge-penalty is given. For a "
        "mixture, edges times components; default: 1,000,000 for each of the --averages.",
        panel=_BUDGETS,
    ),
]
MaxSplits: TypeAlias = Annotated[int | None, Option(metavar="N", about="Stop after this many splits.", panel=_BUDGETS)]
MaxSeconds: TypeAlias = Annotated[
    float | None, Option(metavar="SECONDS", about="Stop after this time.", panel=_BUDGETS)
]
Patience: TypeAlias = Annotated[
    int | None,
    Option(
        metavar="N", about="Stop after this many splits without improvement on the validation table.", panel=_BUDGETS
    ),
]

_PARENT_LIST = "NAME=PARENT,..."
AllowedParents: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar=_PARENT_LIST, about="A variable may depend on these only. May be repeated.", panel=_PARENTS),
]
ForbiddenParents: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar=_PARENT_LIST, about="A variable must not depend on these. May be repeated.", panel=_PARENTS),
]
RequiredParents: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar=_PARENT_LIST,
        about="A variable must depend on these: its tree begins with them. May be repeated.",
        panel=_PARENTS,
    ),
]
Tiers: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar="NAME,...",
        about="The variables of a tier; repeat it for the next one. No variable depends on one of a later tier.",
        panel=_PARENTS,
    ),
]

Out: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        about="Write the model to this file (.learnac).",
        panel=_OUTPUT,
        completes=Completes.MODEL,
    ),
]
Memory: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="SIZE",
        about="Read the tables as streams into packed blocks on disk, and use about this much memory beside the "
        "circuit, such as 1GB. Without it, tables are read into memory, unless TRAIN is a folder or a pattern.",
        panel=_TABLES,
    ),
]
Scratch: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FOLDER",
        about="Where the packed blocks are while the command runs. Default: the system's folder of temporary files.",
        panel=_TABLES,
    ),
]
Scheduler: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="ADDRESS",
        about="Count on the workers of the Dask cluster with this scheduler, such as tcp://host:8786. "
        "All workers must be able to read the tables. Needs learnac[dask].",
        panel=_TABLES,
    ),
]
Checkpoint: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", about="Save the state of the search to this file from time to time.", panel=_OUTPUT),
]
CheckpointEvery: TypeAlias = Annotated[
    float,
    Option(metavar="SECONDS", least=0.0, about="How often to save the checkpoint.", panel=_OUTPUT),
]
Resume: TypeAlias = Annotated[
    bool,
    Option("--resume", about="Resume from the checkpoint file, if it exists.", panel=_OUTPUT),
]
Json: TypeAlias = Annotated[
    bool,
    Option("--json", about="Print the result as one JSON object.", panel=_OUTPUT),
]
Debug: TypeAlias = Annotated[
    bool,
    Option("--debug", about="Show a traceback if there is an error.", panel=_OUTPUT),
]
