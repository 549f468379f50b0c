"""The data sets: whole, or a corner of each for a quick run."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac import Dataset
from learnac.data.catalog import data_set, find
from learnac.errors import DataError

BOTH = ("train", "valid")
STAND_IN_ARITY = 4  # of categorical sets


def load(name: str, parts: Sequence[str], corner: Sequence[int] | None = None) -> Dataset:
    """The rows of these parts of a set, one after another.

    A corner is the first rows and columns alone, as many as it says; where there is no data folder, a table of that
    size drawn from a mixture stands in.
    """
    tables = [_codes(name, part, None if corner is None else tuple(corner)) for part in parts]
    return Dataset.from_array(np.concatenate(tables), arities=_arities(name, tables[0].shape[1]))


def corner_of(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a task says of the rows and columns it takes: nothing if it takes all."""
    return {"corner": settings["corner"]} if "corner" in settings else {}


@cache
def _codes(name: str, part: str, corner: tuple[int, int] | None) -> NDArray[np.uint8]:
    try:
        path = find(name, part)
    except DataError:
        if corner is None:
            raise
        return _stand_in(name, part, *corner)
    # All sets have fewer than 256 values, and one line for each row.
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        lines = file.read().decode().split()[: None if corner is None else corner[0]]
    codes = (
        np.array([line.split(",") for line in lines], dtype=np.uint8)
        if data_set(name).collection != "debd"
        else (
            np.frombuffer("".join(lines).replace(",", "").encode(), dtype=np.uint8).reshape(len(lines), -1) - ord("0")
        )
    )
    return codes if corner is None else codes[:, : corner[1]]


def _arities(name: str, n_columns: int) -> list[int]:
    if data_set(name).collection == "debd":
        return [2] * n_columns
    try:
        folder = find(name, "train").parent
    except DataError:
        return [STAND_IN_ARITY] * n_columns
    with gzip.open(folder / f"{name}.meta.json.gz") as file:
        return json.load(file)["arity"][:n_columns]


def _stand_in(name: str, part: str, n_rows: int, n_columns: int) -> NDArray[np.uint8]:
    arity = 2 if data_set(name).collection == "debd" else STAND_IN_ARITY
    of_set = np.random.default_rng(list(name.encode()))
    chances = of_set.dirichlet([0.5] * arity, size=(6, n_columns))
    rng = np.random.default_rng(list(f"{name} {part}".encode()))
    cumulative = chances[rng.integers(6, size=n_rows)].cumsum(axis=2)
    return (rng.random((n_rows, n_columns, 1)) > cumulative).sum(axis=2).clip(0, arity - 1).astype(np.uint8)
