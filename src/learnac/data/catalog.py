"""A catalog of public data sets: where each comes from, and its files, found on this machine or downloaded."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from pathlib import Path

from learnac.errors import DataError, Problem, listed

FOLDER_VARIABLE = "LEARNAC_DATA"
"""The environment variable that names a folder with data sets."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set: its place under LEARNAC_DATA, where there may be a .gz too, and its public source."""

    path: str
    url: str | None
    sha256: str | None


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set. Its files are called by their part: train, valid and test, or network.

    `source` is where it comes from: see there for who made it and what may be done with it.
    """

    name: str
    collection: str
    about: str
    source: str
    n_variables: int
    n_rows: Mapping[str, int]
    files: Mapping[str, DataFile]

    @property
    def is_downloadable(self) -> bool:
        return all(file.url is not None for file in self.files.values())


def sets() -> tuple[DataSet, ...]:
    """All data sets, by collection and name."""
    return tuple(_catalog().values())


HEADER = ("name", "variables", "rows", "collection", "source")
"""What the columns of `described` are."""


def described(entry: DataSet) -> tuple[str, ...]:
    """A data set as a row of a list for people."""
    rows = " + ".join(f"{count:,}" for count in entry.n_rows.values())
    source = entry.source if entry.is_downloadable else f"under {FOLDER_VARIABLE} only (from {entry.source})"
    return entry.name, str(entry.n_variables), rows or "-", entry.collection, source


def data_set(name: str) -> DataSet:
    """The data set of that name."""
    catalog = _catalog()
    if name not in catalog:
        near = get_close_matches(name, catalog, n=3) or list(catalog)
        raise DataError(
            f"no data set is called {name!r}; there are {listed(near)}",
            expected=tuple(catalog),
            found=name,
            problem=Problem.UNKNOWN_SET,
        )
    return catalog[name]


def find(name: str, part: str) -> Path:
    """A file of a data set: under LEARNAC_DATA if it is there, or else downloaded once and kept.

    What was downloaded has the catalog's checksum.
    """
    wanted = data_set(name)
    if part not in wanted.files:
        raise DataError(
            f"data set {name!r}: expected one of its files, {listed(list(wanted.files))}; found {part!r}",
            expected=tuple(wanted.files),
            found=part,
        )
    file = wanted.files[part]
    if (path := _under_folder(file)) is not None:
        return path
    if file.url is None:
        raise DataError(f"data set {name!r} has no public source to download it from: {_way_out(file)}")
    return _downloaded(name, file)


def fetch(name: str) -> dict[str, Path]:
    """All files of a data set, by part."""
    return {part: find(name, part) for part in data_set(name).files}


def _under_folder(file: DataFile) -> Path | None:
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return None
    candidates = (Path(folder) / file.path, Path(folder) / f"{file.path}.gz")
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _way_out(file: DataFile) -> str:
    return f"set {FOLDER_VARIABLE} to a folder that holds {file.path}, also as .gz"


def _downloaded(name: str, file: DataFile) -> Path:
    import pooch

    target = Path(pooch.os_cache("learnac")) / file.path
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("ERROR")  # It would tell of every download, on stderr.
    try:
        return Path(pooch.retrieve(file.url, f"sha256:{file.sha256}", target.name, target.parent))
    except ValueError as error:  # Another checksum.
        raise DataError(f"data set {name!r}: the file at {file.url} has changed: {_in_one_line(error)}") from error
    except OSError as error:
        reason = _in_one_line(error)
        raise DataError(f"data set {name!r}: cannot download {file.url}: {reason}; {_way_out(file)}") from error
    finally:
        logger.setLevel(level)


def _in_one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 100 else f"{text[:100]}..."


@cache
def _catalog() -> dict[str, DataSet]:
    text = resources.files("learnac.data").joinpath("catalog.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    return {name: _data_set(name, entry, document["collections"]) for name, entry in document["sets"].items()}


def _data_set(name: str, entry: dict[str, object], collections: dict[str, dict[str, str]]) -> DataSet:
    collection = str(entry["collection"])
    shared = collections[collection]
    n_rows, checksums = entry.get("n_rows", {}), entry.get("sha256", {})
    n_variables = entry["n_variables"]
    assert isinstance(n_rows, dict)
    assert isinstance(checksums, dict)
    assert isinstance(n_variables, int)
    files = {}
    for part in n_rows or ["network"]:
        url = shared["url"].format(name=name, part=part) if "url" in shared else None
        files[part] = DataFile(shared["path"].format(name=name, part=part), url, checksums.get(part))
    return DataSet(name, collection, shared["about"], shared["source"], n_variables, n_rows, files)
