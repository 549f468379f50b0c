"""A search on disk: what `SearchState` holds, in the container of our files."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.errors import ModelFileError
from learnac.io.container import Container, read_container, write_container
from learnac.learn import LearnSettings, SearchState, StepInfo

KIND = "checkpoint"
_WHOLE = ("n_splits", "leaf", "variable", "value", "edge_cost", "n_edges", "n_leaves")
_REAL = tuple(field.name for field in fields(StepInfo) if field.name not in _WHOLE)


def write_checkpoint(state: SearchState, path: str | Path) -> None:
    """Writes the state of a search: all of it, or nothing."""
    header = {
        "kind": KIND,
        "settings": asdict(state.settings),
        "fingerprint": state.fingerprint,
        "seconds": state.seconds,
        "has_validation": bool(state.trace) and state.trace[0].validation_log_likelihood is not None,
    }
    columns: dict[str, NDArray[Any]] = {
        name: np.array([getattr(info, name) for info in state.trace], dtype=np.int64) for name in _WHOLE
    }
    for name in _REAL:
        values = [getattr(info, name) for info in state.trace]
        columns[name] = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    write_container(path, header, {**columns, "costs": state.costs})


def read_checkpoint(path: str | Path) -> SearchState:
    """The state in a file. ModelFileError, with the file's name, for whatever is none."""
    try:
        container = read_container(path)
        if container.entry("kind", str) != KIND:
            raise ModelFileError(f"expected a checkpoint, found a {container.header['kind']}")
        return SearchState(
            settings=_settings_of(container.entry("settings", dict)),
            fingerprint=container.entry("fingerprint", str),
            trace=_trace_of(container),
            costs=container.array("costs", "iu").astype(np.int64),
            seconds=_seconds_of(container),
        )
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None


def _seconds_of(container: Container) -> float:
    try:
        return float(container.entry("seconds", (int, float)))
    except OverflowError:
        raise ModelFileError("the header's 'seconds' is not what it should be") from None


def _settings_of(document: dict[str, Any]) -> LearnSettings:
    try:
        # Earlier versions could search with several threads, which changed nothing about the search.
        return LearnSettings(**{name: value for name, value in document.items() if name != "n_threads"})
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"the settings are not what they should be: {error}") from None


def _trace_of(container: Container) -> tuple[StepInfo, ...]:
    has_validation = container.entry("has_validation", bool)
    columns: dict[str, list[Any]] = {name: container.array(name, "iu").tolist() for name in _WHOLE}
    columns.update({name: container.array(name, "f").tolist() for name in _REAL})
    if not has_validation:
        columns["validation_log_likelihood"] = [None] * len(columns["leaf"])
    if len({len(column) for column in columns.values()}) != 1:
        raise ModelFileError("the columns of the trace differ in length")
    if any(not 0 <= number < 2**32 for name in ("leaf", "variable", "value") for number in columns[name]):
        raise ModelFileError("the trace has impossible splits")
    names = list(columns)
    return tuple(StepInfo(**dict(zip(names, row, strict=True))) for row in zip(*columns.values(), strict=True))
