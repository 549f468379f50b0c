"""What the options of a command say about tables: how files are written, and what their columns hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast

from learnac.cli.command import UsageError
from learnac.data.binning import ALL_COLUMNS, Binning, Strategy
from learnac.data.column_options import ColumnOptions
from learnac.data.kinds import Kind
from learnac.data.tables import TableFormat, TableLayout

_MOST_DIGITS = 18  # of a number of bins


def layout_of(no_header: bool, delimiter: str | None, table_format: TableFormat | None = None) -> TableLayout:
    """How the files are written, from the options of a command."""
    return TableLayout(not no_header, None if delimiter is None else _one_character(delimiter), table_format)


def column_options(
    schema: Path | None,
    bins: list[str] | None,
    drop: list[str] | None,
    as_category: list[str] | None,
    kinds: list[str] | None = None,
    min_count: int = 1,
) -> ColumnOptions:
    """What the options say of columns; they come before what a schema file says."""
    of_columns = {**parse_kinds(kinds or []), **dict.fromkeys(names_of(as_category), Kind.CATEGORICAL)}
    try:
        stated = ColumnOptions(parse_bins(bins or []), frozenset(names_of(drop)), of_columns, min_count=min_count)
    except ValueError as error:
        raise UsageError(str(error), "--bins") from error
    if schema is None:
        return stated
    from learnac.data.schema_file import read_schema_file

    return stated.over(read_schema_file(schema))


def parse_bins(texts: Iterable[str]) -> dict[str, Binning]:
    """What `--bins` is given: "age=5", "age=5:uniform", or "5" for every column that needs it.

    Raises ValueError for anything else.
    """
    found: dict[str, Binning] = {}
    for text in texts:
        name, _, how = text.rpartition("=")
        number, _, strategy = how.partition(":")
        if not (number.strip().isdecimal() and len(number) <= _MOST_DIGITS):
            raise ValueError(f"expected a number of bins such as 5, age=5 or age=5:uniform, found {text!r}")
        name = name.strip() or ALL_COLUMNS
        if name in found:
            raise ValueError(f"the bins of {name!r} are given twice")
        found[name] = Binning(int(number), cast(Strategy, strategy.strip() or "quantile"))
    return found


def parse_kinds(texts: Iterable[str]) -> dict[str, Kind]:
    """What `--kind` is given: "zip=categorical,age=number"."""
    found: dict[str, Kind] = {}
    for part in names_of(list(texts)):
        name, _, kind = part.rpartition("=")
        name, kind = name.strip(), kind.strip()
        if not name or kind not in list(Kind):
            kinds = ", ".join(Kind)
            raise UsageError(f"expected NAME=KIND with one of {kinds}; found {part!r}", "--kind")
        if name in found:
            raise UsageError(f"the kind of {name!r} is given twice", "--kind")
        found[name] = Kind(kind)
    return found


def names_of(texts: list[str] | None) -> list[str]:
    return [name.strip() for text in texts or [] for name in text.split(",") if name.strip()]


def _one_character(delimiter: str) -> str:
    character = "\t" if delimiter in ("tab", r"\t") else delimiter
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise UsageError(f"expected one character, found {delimiter!r}", "--delimiter")
    return character
