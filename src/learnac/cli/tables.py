"""Reading CSV files, with complaints that name the file."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from learnac.data import Dataset
from learnac.errors import DataError, listed

_OTHER_DELIMITERS = ";\t|"


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How the files of one command are written. `arity` states that all columns hold codes below it."""

    has_header: bool = True
    delimiter: str = ","
    arity: int | None = None


def read_tables(paths: Mapping[str, Path], layout: TableLayout) -> dict[str, Dataset]:
    """The tables by the names of `paths`; the first of them says which columns and categories there are.

    The others are read with the column types of the first: a column of strings may well hold only numbers in
    a smaller file.
    """
    tables: dict[str, Dataset] = {}
    first, types = None, None
    for role, path in paths.items():
        with _naming(path):
            frame = _read_frame(path, layout, types)
            if first is None:
                first, types = _first_dataset(frame, layout), frame.schema
                tables[role] = first
            else:
                tables[role] = _dataset_like(first, frame)
    return tables


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Puts the file's name before a complaint that does not begin with it."""
    try:
        yield
    except DataError as error:
        message = str(error)
        raise DataError(message if message.startswith(f"{path}:") else f"{path}: {message}") from error


def _first_dataset(frame: Any, layout: TableLayout) -> Dataset:
    if layout.arity is None:
        return Dataset.from_frame(frame)
    return Dataset.from_frame(frame, dict.fromkeys(frame.column_names, range(layout.arity)))


def _dataset_like(first: Dataset, frame: Any) -> Dataset:
    try:
        return Dataset(first.schema, first.schema.encode(frame))
    except DataError as error:
        if "expected one of its categories" not in str(error):
            raise
        hint = "the model knows only values of the training table; --arity states them for integer codes"
        raise DataError(f"{error} ({hint})") from error


def _read_frame(path: Path, layout: TableLayout, types: Any) -> Any:
    """The file as a pyarrow table. `types` is the schema of a table read before, if any."""
    _check_encoding(path)
    wanted = {} if types is None else {field.name: field.type for field in types}
    if not layout.has_header:
        # Without a header pyarrow calls the columns f0, f1, ...
        wanted = {f"f{column}": kind for column, kind in enumerate(wanted.values())}
    frame = _parse(path, layout, wanted)
    # Dates and times are categories like any other text.
    if temporal := [field.name for field in frame.schema if pa.types.is_temporal(field.type)]:
        frame = _parse(path, layout, {**wanted, **dict.fromkeys(temporal, pa.string())})
    if not layout.has_header:
        frame = frame.rename_columns([f"x{column}" for column in range(frame.num_columns)])
    _check_frame(frame, layout)
    return frame


def _check_encoding(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise DataError("expected text in UTF-8, found UTF-16: save it as UTF-8")


def _parse(path: Path, layout: TableLayout, types: Mapping[str, Any]) -> Any:
    # One thread: with more, pyarrow does not know which row it complains about.
    options = pa_csv.ReadOptions(use_threads=False, autogenerate_column_names=not layout.has_header)
    # An empty cell and NA are missing, in columns of strings too; in quotes they are categories.
    conversion = pa_csv.ConvertOptions(column_types=types, strings_can_be_null=True, quoted_strings_can_be_null=False)
    try:
        frame = pa_csv.read_csv(
            path,
            read_options=options,
            parse_options=pa_csv.ParseOptions(delimiter=layout.delimiter),
            convert_options=conversion,
        )
        frame.column_names  # noqa: B018  # Names that are not UTF-8 fail only now.
    except UnicodeDecodeError as error:
        raise DataError("expected a header in UTF-8, found other bytes: save it as UTF-8") from error
    except OSError as error:
        raise DataError(f"cannot be read: {error}") from error
    except pa.ArrowInvalid as error:
        raise _parse_error(path, layout, str(error)) from error
    return frame


def _parse_error(path: Path, layout: TableLayout, message: str) -> DataError:
    """What pyarrow found wrong, in our words."""
    if "Empty CSV" in message:
        return DataError("the file is empty")
    if found := re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", message):
        row, expected, actual = found.groups()
        return DataError(f"{path}:{row}: expected {expected} values, found {actual}")
    if found := re.search(r"column #(\d+): Row #(\d+): CSV conversion error to (\w+): invalid value (.*)", message):
        column, row, kind, value = found.groups()
        name = _parse(path, layout, {}).column_names[int(column)] if layout.has_header else f"x{column}"
        return DataError(f"{path}:{row}: column {name!r}: expected {kind}, as in the training table, found {value}")
    return DataError(message)


def _check_frame(frame: Any, layout: TableLayout) -> None:
    _check_names(frame, layout)
    _check_delimiter(frame, layout)
    if frame.num_rows == 0:
        raise DataError("expected rows of values, found only a header")
    for field in frame.schema:
        if pa.types.is_binary(field.type):
            raise DataError(f"column {field.name!r}: expected text in UTF-8, found other bytes: save it as UTF-8")


def _check_names(frame: Any, layout: TableLayout) -> None:
    names = frame.column_names
    are_numbers = all(re.fullmatch(r"-?[\d.]+", name) for name in names)
    # Numbers may be names, as long as each occurs once.
    if layout.has_header and are_numbers and len(set(names)) < len(names):
        raise DataError(
            f"expected names in the first line, found numbers: {listed(names)}; --no-header reads a table without names"
        )


def _check_delimiter(frame: Any, layout: TableLayout) -> None:
    if frame.num_columns > 1:
        return
    sample = frame.column_names[0] if layout.has_header else str(frame[0][0])
    others = _OTHER_DELIMITERS if layout.has_header else _OTHER_DELIMITERS + " "
    for delimiter in others.replace(layout.delimiter, ""):
        if delimiter in sample:
            raise DataError(
                f"expected values separated by {layout.delimiter!r}, found one column, {sample[:40]!r}: "
                f"say --delimiter {delimiter!r}"
            )
