"""Evidence in files: a table of any format that is read, with gaps where nothing is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from learnac.data.arrow_columns import encode_arrow
from learnac.data.arrow_forms import FileRows
from learnac.data.column_options import types_to_read
from learnac.data.evidence import Evidence
from learnac.data.matching import matched, unbinned, with_whole_numbers
from learnac.data.schema import Schema
from learnac.data.tables import TableLayout, naming, read_frame
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
        is_text = (layout or TableLayout()).format_of(path) in _TEXT_FORMATS
        stored = frame.stored.with_columns(known) if is_text else frame.stored
    evidence = Evidence.of_codes(schema, codes, FileRows(stored, codes.min(axis=1) < 0), numbers=numbers)
    return replace(evidence, weights=frame.weights)
