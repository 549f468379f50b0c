"""Evidence in files: a table of any format that is read, with gaps where nothing is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from learnac.data.arrow_columns import encode_arrow
from learnac.data.arrow_forms import FileRows
from learnac.data.batches import FileBatches, in_whole_table
from learnac.data.column_options import types_to_read
from learnac.data.compact import GrowingTable
from learnac.data.evidence import Evidence
from learnac.data.matching import matched, unbinned, with_whole_numbers
from learnac.data.schema import Schema
from learnac.data.stored import StoredTable
from learnac.data.tables import Frame, TableLayout, naming, read_frame
from learnac.errors import DataError, listed

# Their columns have the types that the categories suggest.
_TEXT_FORMATS = ("csv", "tsv", "libra")


def read_evidence(
    path: Path | str, schema: Schema, layout: TableLayout | None = None, *, may_lack_columns: bool = True
) -> Evidence:
    """Reads evidence from a table in a file; empty cells are unknown.

    Columns that the schema does not have are ignored by queries, and returned in completed rows. Values in CSV files
    are read with the types of the categories. Raises DataError, which names the file.
    """
    path = Path(path)
    frame = read_frame(path, layout, types_to_read(unbinned(schema)), wanted=schema.names)
    with naming(path):
        return _evidence(frame, schema, (layout or TableLayout()).format_of(path), may_lack_columns)


def stream_evidence(
    source: FileBatches, schema: Schema, *, may_lack_columns: bool = True, n_rows_at_once: int = 1 << 14
) -> Iterator[Evidence]:
    """The same, some rows after the others, of files that may be larger than memory. Errors number rows throughout."""
    source, n_rows = replace(source, types=types_to_read(unbinned(schema))), 0
    for batch in source.batches():
        kind = source.layout.format_of(source.paths[0])
        for start in range(0, batch.num_rows, n_rows_at_once):
            growing = GrowingTable(batch.schema.names)
            growing.add(batch.slice(start, n_rows_at_once))
            stored = growing.stored()
            rows = StoredTable.of_texts(stored) if kind in _TEXT_FORMATS else StoredTable(stored, batch.schema)
            try:
                evidence = _evidence(Frame(rows.values, stored=rows), schema, kind, may_lack_columns)
            except DataError as error:
                raise in_whole_table(error, n_rows, source.name) from error
            yield evidence
            n_rows += evidence.n_rows


def _evidence(frame: Frame, schema: Schema, kind: str, may_lack_columns: bool) -> Evidence:
    others = [name for name in frame.table.column_names if name not in schema.names]
    if len(others) == frame.table.num_columns:
        raise DataError(
            f"expected columns of the model, {listed(schema.names)}; found {listed(others)}",
            expected=schema.names,
            found=tuple(others),
        )
    known = with_whole_numbers(matched(frame, schema, others).table, unbinned(schema))
    codes, numbers = encode_arrow(schema, known, may_lack_columns)
    assert frame.stored is not None
    stored = frame.stored.with_columns(known) if kind in _TEXT_FORMATS else frame.stored
    evidence = Evidence.of_codes(schema, codes, FileRows(stored, codes.min(axis=1) < 0), numbers=numbers)
    return replace(evidence, weights=frame.weights)
