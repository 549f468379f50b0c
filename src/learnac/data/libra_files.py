"""Reading Libra's `.data` files: rows of codes, `*` where unknown, `weight|` before a row, no header."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from learnac.data.categories import check_arity
from learnac.data.csv_files import CsvDialect, column_names, read_csv
from learnac.data.streams import uncompressed_name
from learnac.errors import DataError, Problem

_ROLES = (".train", ".valid", ".test", ".ts")

# What the first column holds: an optional weight, and a code.
_CELL = r"^(?:(?P<weight>[^|]*)(?P<bar>\|))?(?P<code>[^|]*)$"
_CODE = "a whole number from 0, or *"
_WEIGHT = "a weight from 0 before |"


def read_libra(path: Path, delimiter: str) -> tuple[Any, npt.NDArray[np.float64] | None, dict[str, range]]:
    """The table, the rows' weights if any row has one, and the codes that each column may hold.

    These are what a `.schema` file beside it says. Without one, a column goes up to its largest code, and to 1
    at least: a variable with one value is none.
    """
    names = column_names(path, CsvDialect(has_header=False, delimiter=delimiter))
    types = {names[0]: pa.string(), **dict.fromkeys(names[1:], pa.int32())}
    try:
        table = read_csv(path, CsvDialect(False, delimiter, missing=("*",), types=types))
    except DataError as error:
        if error.problem is not Problem.WRONG_TYPE:
            raise
        hint = "a .data file holds codes, as Libra writes them; another table is a .csv"
        raise error.saying(f"{error} ({hint})") from error
    codes, weights = _split_first(path, table.column(0))
    table = table.set_column(0, names[0], codes)
    return table, weights, _categories(path, table)


def _split_first(path: Path, cells: Any) -> tuple[Any, npt.NDArray[np.float64] | None]:
    """The codes of the first column, and the weights. Only its distinct texts are looked at."""
    encoded = cells.combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    positions = encoded.indices.to_numpy(zero_copy_only=False)
    parts = pc.extract_regex(encoded.dictionary, _CELL)
    if parts.null_count > 0:
        raise _wrong_cell(path, encoded, parts.is_null(), f"{_CODE}, after one weight|")
    values = _numbers(_unless(pc.struct_field(parts, "code"), "*"), pa.int32(), path, encoded, _CODE)
    if pc.any(pc.less(values, 0)).as_py():
        raise _wrong_cell(path, encoded, pc.less(values, 0), _CODE)
    column = values.take(pa.array(positions))
    has_weight = pc.equal(pc.struct_field(parts, "bar"), "|")
    if not pc.any(has_weight).as_py():
        return column, None
    # A row without a weight counts once.
    texts = pc.if_else(has_weight, pc.struct_field(parts, "weight"), "1")
    weights = _numbers(texts, pa.float64(), path, encoded, _WEIGHT)
    misfits = pc.or_(pc.less(weights, 0), pc.invert(pc.is_finite(weights)))
    if pc.any(misfits).as_py():
        raise _wrong_cell(path, encoded, misfits, _WEIGHT)
    return column, weights.to_numpy()[positions]


def _unless(texts: Any, unknown: str) -> Any:
    stripped = pc.utf8_trim_whitespace(texts)
    return pc.if_else(pc.equal(stripped, unknown), pa.scalar(None, pa.string()), stripped)


def _numbers(texts: Any, kind: Any, path: Path, encoded: Any, expected: str) -> Any:
    try:
        return pc.utf8_trim_whitespace(texts).cast(kind)
    except pa.ArrowInvalid:
        pass
    pattern = r"-?\d{1,9}" if pa.types.is_integer(kind) else r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
    misfits = [text is not None and re.fullmatch(pattern, text.strip()) is None for text in texts.to_pylist()]
    raise _wrong_cell(path, encoded, pa.array(misfits), expected)


def _wrong_cell(path: Path, encoded: Any, misfits: Any, expected: str) -> DataError:
    is_wrong = misfits.fill_null(False).to_numpy(zero_copy_only=False)
    row = int(is_wrong[encoded.indices.to_numpy(zero_copy_only=False)].argmax())
    found = str(encoded[row])
    return DataError(
        f"{path}:{row + 1}: column 'x0': expected {expected}, found {found[:40]!r}",
        column="x0",
        row=row,
        expected=expected,
        found=found,
        source=str(path),
    )


def _categories(path: Path, table: Any) -> dict[str, range]:
    if (schema_path := _schema_beside(path)) is not None:
        arities = _read_arities(schema_path)
        if len(arities) != table.num_columns:
            raise DataError(
                f"{schema_path}: expected {table.num_columns} arities, found {len(arities)}",
                expected=f"{table.num_columns} arities",
                found=len(arities),
            )
    else:
        arities = [max((pc.max(column).as_py() or 0) + 1, 2) for column in table.itercolumns()]
    for name, arity in zip(table.column_names, arities, strict=True):
        check_arity(name, arity)
    return {name: range(arity) for name, arity in zip(table.column_names, arities, strict=True)}


def _schema_beside(path: Path) -> Path | None:
    """NAME.train.schema or NAME.schema, for a file NAME.train.data."""
    stem = uncompressed_name(path).removesuffix(".data")
    shorter = next((stem.removesuffix(role) for role in _ROLES if stem.endswith(role)), stem)
    candidates = [path.with_name(f"{name}.schema") for name in (stem, shorter)]
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _read_arities(path: Path) -> list[int]:
    text = path.read_text(encoding="utf-8", errors="replace").strip()
    cells = [cell.strip() for cell in text.split(",")]
    if not all(re.fullmatch(r"[1-9]\d{0,8}", cell) for cell in cells):
        expected = "one line of arities such as 2,2,3"
        raise DataError(f"{path}: expected {expected}, found {text[:40]!r}", expected=expected, found=text)
    return [int(cell) for cell in cells]
