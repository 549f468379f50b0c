"""The entrants of a mixture that is being learned, as entries and arrays of a checkpoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.errors import ModelFileError
from learnac.io.container import Container
from learnac.learn import EntrantState, MixtureState
from learnac.learn.mixture.fit import State, Vectors

Content: TypeAlias = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""Entries of the header, and arrays."""


def mixture_content(state: MixtureState) -> Content:
    entrants, arrays = [], dict[str, NDArray[Any]]()
    for number, (key, entrant) in enumerate(state.entrants.items()):
        vectors, fits = [vectors._asdict() for vectors in entrant.vectors], entrant.fits
        entrants.append(
            {
                "key": key,
                "n_done": entrant.n_done,
                "n_best": entrant.n_best,
                # JSON has no infinity.
                "best": entrant.best if math.isfinite(entrant.best) else None,
                "vectors": [list(each) for each in vectors],
                "fits": [list(each) for each in fits],
            }
        )
        for part, of_folds in (("vectors", vectors), ("fits", fits)):
            for fold, found in enumerate(of_folds):
                arrays.update({_name(number, part, fold, name): array for name, array in found.items()})
    return {"mixing": asdict(state.mixing), "entrants": entrants}, arrays


def entrants_of(container: Container) -> dict[str, EntrantState]:
    """ModelFileError for what no entrants can be."""
    found = {}
    for number, document in enumerate(container.entry("entrants", list)):
        match document:
            case {
                "key": str(key),
                "n_done": int(n_done),
                "n_best": int(n_best),
                "best": float() | int() | None as best,
                "vectors": list(vectors),
                "fits": list(fits),
            } if 0 <= n_best <= n_done:
                found[key] = EntrantState(
                    n_done,
                    n_best,
                    -math.inf if best is None else float(best),
                    [_vectors(parts) for parts in _folds(container, number, "vectors", vectors)],
                    _folds(container, number, "fits", fits),
                )
            case _:
                raise ModelFileError("the header's 'entrants' are not what they should be")
    return found


def _folds(container: Container, number: int, part: str, names: Sequence[object]) -> list[State]:
    return [_arrays(container, number, part, fold, of_fold) for fold, of_fold in enumerate(names)]


def _arrays(container: Container, number: int, part: str, fold: int, names: object) -> State:
    if not isinstance(names, list):
        raise ModelFileError("the header's 'entrants' are not what they should be")
    found = {str(name): container.arrays.get(_name(number, part, fold, name)) for name in names}
    if missing := [name for name, array in found.items() if array is None]:
        raise ModelFileError(f"the array {_name(number, part, fold, missing[0])!r} is missing")
    # Whole numbers were stored as small as they are.
    return {name: a.astype(np.int64) if a.dtype.kind in "iu" else a for name, a in found.items() if a is not None}


def _vectors(arrays: State) -> Vectors:
    if set(arrays) != set(Vectors._fields) or any(
        array.dtype != np.float64 or not ((array >= 0) & (array <= 1)).all() for array in arrays.values()
    ):
        raise ModelFileError("expected probabilities as the vectors of a mixture")
    return Vectors(**arrays)


def _name(number: int, part: str, fold: int, name: object) -> str:
    return f"{number}.{part}.{fold}.{name}"
