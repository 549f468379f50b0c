"""Schema files: what the columns of a table hold, in TOML, for people to read and change.

[columns.age]
bins = [18, 65]           # edges; or a number of bins, with strategy = "uniform" if not by quantiles

[columns.sex]
categories = ["f", "m"]   # all of them, in this order: strings, integers or booleans

[columns.id]
drop = true

[columns.zip]
type = "categorical"      # every value is a category, however many there are; or ordered, number, date, boolean

[columns.grade]
categories = ["low", "middle", "high"]
type = "ordered"          # splits may part the lower from the higher ones
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from learnac.data.binning import Binning
from learnac.data.bins import Bins
from learnac.data.categories import checked_categories
from learnac.data.column_options import ColumnOptions
from learnac.data.kinds import Kind
from learnac.data.number_text import number_text
from learnac.data.schema import Schema
from learnac.errors import DataError, listed, placed
from learnac.files import replace_file
from learnac.types import Category

_STATEMENTS = ("categories", "bins", "drop", "type")


def read_schema_file(path: Path | str) -> ColumnOptions:
    """What a schema file states. DataError for one that cannot be understood names the file and the key."""
    path = Path(path)
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        expected = "text in UTF-8"
        raise DataError(
            f"{path}: expected {expected}, found other bytes: save it as UTF-8", expected=expected, source=str(path)
        ) from None
    except RecursionError:
        expected = "TOML of a few levels"
        raise DataError(
            f"{path}: expected {expected}, found one that is nested too deeply", expected=expected, source=str(path)
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: expected TOML: {error}", expected="TOML", source=str(path)) from None
    try:
        return _options(document)
    except DataError as error:
        raise placed(error, path, source=str(path)) from None
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}: {error}", source=str(path)) from None


def write_schema_file(schema: Schema, path: Path | str, dropped: Iterable[str] = ()) -> None:
    """Writes a schema so that `read_schema_file` states the same, and that the `dropped` columns are left out."""
    replace_file(path, schema_text(schema, dropped).encode())


def schema_text(schema: Schema, dropped: Iterable[str] = ()) -> str:
    """The content of a schema file."""
    blocks = []
    columns = zip(schema.names, schema.categories, schema.bins, schema.ordered, strict=True)
    for name, categories, bins, is_ordered in columns:
        if bins is not None:
            statement = f"bins = [{', '.join(number_text(edge) for edge in bins.edges)}]"
            statement += '\ntype = "date"' * (bins.calendar is not None)
        else:
            statement = f"categories = [{', '.join(_toml(category) for category in categories)}]"
            statement += '\ntype = "ordered"' * is_ordered
        blocks.append(f"[columns.{_key(name)}]\n{statement}\n")
    blocks += [f"[columns.{_key(name)}]\ndrop = true\n" for name in dropped]
    return "\n".join(blocks)


def _toml(value: Category) -> str:
    # What JSON escapes TOML escapes likewise, and one character more.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _options(document: dict[str, Any]) -> ColumnOptions:
    columns = document.get("columns")
    if unknown := [key for key in document if key != "columns"]:
        raise DataError(f"{unknown[0]}: expected the key 'columns', found {listed(unknown)}")
    if not isinstance(columns, dict):
        raise DataError("columns: expected a table for each column, such as [columns.age]")
    categories: dict[str, tuple[Category, ...]] = {}
    bins: dict[str, Bins | Binning] = {}
    drop, kinds = set(), {}
    for name, statement in columns.items():
        kind, value = _statement(name, statement)
        if kind == "categories":
            categories[name] = _categories(name, value)
        elif kind == "bins":
            bins[name] = _bins(name, value, statement.get("strategy"))
        elif kind == "drop" and _is_true(name, value):
            drop.add(name)
        elif kind == "type":
            kinds[name] = _kind(name, value)
        if kind in ("bins", "categories") and "type" in statement:
            kinds[name] = _kind(name, statement["type"])
    return ColumnOptions(bins, frozenset(drop), kinds, categories)


def _statement(name: str, statement: Any) -> tuple[str, Any]:
    where = f"columns.{_key(name)}"
    if not isinstance(statement, dict):
        raise _unlike(name, where, f"a table with one of {listed(_STATEMENTS)}", statement)
    if unknown := [key for key in statement if key not in (*_STATEMENTS, "strategy")]:
        raise DataError(
            f"{where}.{_key(unknown[0])}: expected one of {listed(_STATEMENTS)}",
            column=name,
            expected=_STATEMENTS,
            found=unknown[0],
        )
    found = [key for key in _STATEMENTS if key in statement]
    if len(found) == 2 and found[1] == "type" and found[0] in ("categories", "bins"):
        found = found[:1]
    if len(found) != 1:
        raise DataError(
            f"{where}: expected one of {listed(_STATEMENTS)}, found {listed(found) or 'none of them'}",
            column=name,
            expected=_STATEMENTS,
            found=tuple(found),
        )
    if "strategy" in statement and not isinstance(statement.get("bins"), int):
        raise DataError(
            f"{where}.strategy: expected a number of bins with it", column=name, expected="a number of bins"
        )
    return found[0], statement[found[0]]


def _categories(name: str, values: Any) -> tuple[Category, ...]:
    where = f"columns.{_key(name)}.categories"
    if not isinstance(values, list):
        raise _unlike(name, where, "a list", values)
    try:
        return checked_categories(name, values)
    except DataError as error:
        raise placed(error, where) from None


def _bins(name: str, value: Any, strategy: Any) -> Bins | Binning:
    where = f"columns.{_key(name)}.bins"
    try:
        if isinstance(value, int):
            return Binning(value, strategy or "quantile")
        if isinstance(value, list) and all(type(edge) in (int, float) for edge in value):
            return Bins(tuple(value))
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: {error}", column=name) from None
    raise _unlike(name, where, "edges such as [18, 65], or a number of bins", value)


def _is_true(name: str, value: Any) -> bool:
    if value is not True:
        error = _unlike(name, f"columns.{_key(name)}.drop", "true", value)
        raise error.saying(f"{error}; leave out the key for false")
    return True


def _kind(name: str, value: Any) -> Kind:
    if value == "category":
        return Kind.CATEGORICAL
    if not isinstance(value, str) or value not in list(Kind):
        raise _unlike(name, f"columns.{_key(name)}.type", f"one of {listed(list(map(str, Kind)))}", value)
    return Kind(value)


def _unlike(name: str, where: str, expected: str, found: object) -> DataError:
    return DataError(f"{where}: expected {expected}, found {found!r}", column=name, expected=expected, found=found)
