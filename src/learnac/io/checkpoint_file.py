"""A search on disk: what `SearchState` or `MixtureState` hold, in the container of our files."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from learnac.errors import ModelFileError
from learnac.io.container import Container, read_container, write_container
from learnac.io.mixture_checkpoint import Content, entrants_of, mixture_content
from learnac.learn import LearnSettings, MixtureSettings, MixtureState, SearchState, StepInfo

KIND = "checkpoint"
_WHOLE = ("n_splits", "leaf", "variable", "value", "edge_cost", "n_edges", "n_leaves")
SettingsT = TypeVar("SettingsT", LearnSettings, MixtureSettings)
_REAL = tuple(field.name for field in fields(StepInfo) if field.name not in (*_WHOLE, "structure"))


def write_checkpoint(state: SearchState | MixtureState, path: str | Path) -> None:
    """Writes the state of a search: all of it, or nothing."""
    header, arrays = mixture_content(state) if isinstance(state, MixtureState) else _search_content(state)
    common = {
        "kind": KIND,
        "settings": asdict(state.settings),
        "fingerprint": state.fingerprint,
        "seconds": state.seconds,
    }
    write_container(path, {**common, **header}, arrays)


def read_checkpoint(path: str | Path) -> SearchState | MixtureState:
    """The state in a file. ModelFileError, with the file's name, for whatever is none."""
    try:
        container = read_container(path)
        if container.entry("kind", str) != KIND:
            raise ModelFileError(f"expected a checkpoint, found a {container.header['kind']}")
        common = {
            "settings": _settings_of(LearnSettings, container.entry("settings", dict)),
            "fingerprint": container.entry("fingerprint", str),
            "seconds": _seconds_of(container),
        }
        if "mixing" in container.header:
            mixing = _settings_of(MixtureSettings, container.entry("mixing", dict))
            return MixtureState(mixing=mixing, entrants=entrants_of(container), **common)
        costs = container.array("costs", "iu").astype(np.int64)
        return SearchState(trace=_trace_of(container), costs=costs, **common)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None


def _search_content(state: SearchState) -> Content:
    has_validation = bool(state.trace) and state.trace[0].validation_log_likelihood is not None
    columns: dict[str, NDArray[Any]] = {
        name: np.array([getattr(info, name) for info in state.trace], dtype=np.int64) for name in _WHOLE
    }
    for name in _REAL:
        values = [getattr(info, name) for info in state.trace]
        columns[name] = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return {"has_validation": has_validation}, {**columns, "costs": state.costs}


def _seconds_of(container: Container) -> float:
    try:
        return float(container.entry("seconds", (int, float)))
    except OverflowError:
        raise ModelFileError("the header's 'seconds' is not what it should be") from None


def _settings_of(kind: type[SettingsT], document: dict[str, Any]) -> SettingsT:
    try:
        # Earlier versions could search with several threads, which changed nothing about the search.
        return kind(**{name: value for name, value in document.items() if name != "n_threads"})
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
