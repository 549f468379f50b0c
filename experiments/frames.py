"""Tables of numbers and categories as they come, for the studies that learn from frames."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd

from learnac.errors import LearnacError


def frame(name: str) -> pd.DataFrame:
    """A table of the data folder, without a column that numbers its rows."""
    path = Path(os.environ.get("LEARNAC_DATA", "")) / "tables" / f"{name}.csv.gz"
    if not path.exists():
        raise LearnacError(f"expected LEARNAC_DATA to name a folder with tables/{name}.csv.gz, found none")
    found = pd.read_csv(path)
    return found[[column for column in found if not is_row_number(found[column])]]


def is_row_number(column: pd.Series[Any]) -> bool:
    """Whether a column counts the rows, perhaps with some left out since."""
    return column.is_unique and column.is_monotonic_increasing and pd.api.types.is_integer_dtype(column)
